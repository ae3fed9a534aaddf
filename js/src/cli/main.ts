#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The command line `npx wasmvino`. It has the same commands as the native executable.
import {join} from 'node:path';
import {parseArgs} from 'node:util';
import {setFlagsFromString} from 'node:v8';
import {
  Tensor,
  WasmvinoError,
  addon as ov,
  inspectFiles,
  type BuildName,
  type Explanation,
  type InferProgress,
  type InferRequest,
  type Inspection,
  type Model,
  type OVAny,
  type Output,
  type PartialShape,
} from '../entries/node.js';
import {writeArray} from './arrays.js';
import {compareBuilds, comparisonTable} from './comparison.js';
import {readInput} from './inputs.js';
import {takePictures} from './pictures.js';
import {withBar} from './progress_bar.js';
import {jsonValues, summary} from './summary.js';

const usage = `wasmvino info MODEL.xml [--explain [--shape NAME=1,3,...]...] [--json]
    inputs, outputs and operations, and all that is unsupported
    --explain also compiles and runs it on made-up inputs: what the passes change, how operations run, what takes memory
wasmvino run MODEL.xml [--input NAME=FILE]... [--out DIR] [--json]
    runs the model once and prints the outputs; they go to DIR as .npy files (strings as .json)
    FILE is .npy of any type whose values the input's type holds exactly, .json: nested arrays or {"shape", "data"}, a
    picture (.png, .jpg), which is resized to the model's size, or sound (.wav), as [channels, samples] from -1 to 1
    of pictures: --mean 124,116,104 subtracts, --scale 58,57,57 divides, --bgr reverses the channels
wasmvino bench MODEL.xml [--input NAME=FILE]... [--shape NAME=1,3,...]... [--seconds S] [--profile] [--compare] [--json]
    times reading, compiling and running; --compare does it for all builds and several numbers of threads
wasmvino ops [--markdown] [--json]
    the operations of this engine
MODEL.xml is a file or a URL. The weights are beside it, in MODEL.bin.
wasmvino --version, -v
    the version of the package
wasmvino --help, -h
    this text
--json: the same as one JSON value
--no-passes, for run and bench: the graph runs as it was read
--skip-pass NAME, for info --explain, run and bench, may be repeated: leaves out this pass; info --explain names the passes
--no-integers, for run and bench: quantised networks, and quantised weights alone, run in f32
--threads N, for run and bench: threads of a threaded build; by default as many as there are processors
--build NAME, for all: simd, relaxed, simd-mt or relaxed-mt; by default what fits this place best
The exit code is 0 on success, 1 if a model or a file is the reason of a failure, 2 if the command line is wrong.
`;

// A mistake in the command line.
class UsageError extends Error {}

function misused(message: string): never {
  throw new UsageError(message);
}

function fail(message: string): never {
  throw new WasmvinoError('INVALID_ARGUMENT', message);
}

const options = {
  help: {type: 'boolean', short: 'h'},
  version: {type: 'boolean', short: 'v'},
  build: {type: 'string'},
  input: {type: 'string', multiple: true},
  out: {type: 'string'},
  json: {type: 'boolean'},
  explain: {type: 'boolean'},
  shape: {type: 'string', multiple: true},
  seconds: {type: 'string'},
  profile: {type: 'boolean'},
  mean: {type: 'string'},
  scale: {type: 'string'},
  bgr: {type: 'boolean'},
  compare: {type: 'boolean'},
  'no-passes': {type: 'boolean'},
  'skip-pass': {type: 'string', multiple: true},
  'no-integers': {type: 'boolean'},
  threads: {type: 'string'},
  markdown: {type: 'boolean'},
} as const;

type Values = ReturnType<typeof parse>['values'];

/** Converts command-line options to properties for compileModel(). */
function configOf(values: Values): Record<string, OVAny> {
  return {
    WASMVINO_PASSES: !values['no-passes'],
    WASMVINO_SKIPPED_PASSES: (values['skip-pass'] ?? []).join(),
    LP_TRANSFORMS_MODE: !values['no-integers'],
    ...(values['no-integers'] && {DYNAMIC_QUANTIZATION_GROUP_SIZE: 0, KV_CACHE_PRECISION: 'f32'}),
    INFERENCE_NUM_THREADS: threadsOf(values),
  };
}

function threadsOf({threads = '0'}: Values): number {
  if (!/^\d+$/.test(threads) || Number(threads) > 64) misused(`--threads takes a whole number from 0 to 64, not '${threads}'`);
  return Number(threads);
}

function parse(args: string[]) {
  try {
    return parseArgs({args, options, allowPositionals: true});
  } catch (error) {
    // Node.js explains here how to write values that begin with a dash.
    return misused((error as Error).message.split('. ')[0]!);
  }
}

const ofCompiling = ['no-passes', 'skip-pass', 'no-integers', 'threads'];
const optionsOf: Record<string, string[]> = {
  info: ['json', 'explain', 'shape', 'skip-pass'],
  run: ['input', 'mean', 'scale', 'bgr', 'out', 'json', ...ofCompiling],
  bench: ['input', 'mean', 'scale', 'bgr', 'shape', 'seconds', 'profile', 'compare', 'json', ...ofCompiling],
  ops: ['markdown', 'json'],
};

function portLine({names, friendlyName, type, shape}: {names: string[]; friendlyName: string; type: string; shape: string}): string {
  const others = names.length > 1 ? `  also called ${names.slice(1).join(', ')}` : '';
  return `  ${names[0] ?? friendlyName}  ${type} ${shape}${others}`;
}

function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 1));
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

// Describes a model. The weights may be missing: they are only needed to run it. The model itself is made only if `wanted`.
async function inspect(path: string, wanted: boolean): Promise<{found: Inspection; model?: Model}> {
  const {found, hasWeights, read} = await withBar('reading', (bar) =>
    inspectFiles(path, ({loaded, total}) => bar.at(loaded, total, megabytes(loaded))),
  );
  if (found.problems.length > 0 || (hasWeights && !wanted)) return {found};
  try {
    const model = read();
    if (wanted) return {found, model};
    model.dispose();
    return {found};
  } catch (error) {
    if (!(error instanceof WasmvinoError)) throw error;
    return {found: {...found, problems: [{code: error.code, message: error.message}]}};
  }
}

function read(path: string): Promise<Model> {
  return withBar('reading', (bar) =>
    new ov.Core().readModel(path, {onProgress: ({loaded, total}) => bar.at(loaded, total, megabytes(loaded))}),
  );
}

// Runs the model. The bar shows how many of its nodes are computed and, in a loop, the iteration.
async function runOnce(request: InferRequest): Promise<void> {
  if (!process.stderr.isTTY) return void request.infer();
  await withBar('running', (bar) => {
    let nodes = {done: 0, total: 0};
    const onProgress = ({done, total, iterations}: InferProgress) => {
      if (iterations.length === 0) nodes = {done, total};
      bar.at(nodes.done, nodes.total, iterations.length > 0 ? `iteration ${iterations.join('.')}` : '');
    };
    return request.inferAsync([], {onProgress});
  });
}

// Explains how a model is executed. A run comes first, because it plans models with dynamic shapes.
async function explain(model: Model, values: Values): Promise<Explanation> {
  const asked = askedInputs(values, model);
  const request = new ov.Core().compileModelSync(model, 'CPU', configOf(values)).createInferRequest();
  giveInputs(asked, request, true);
  await runOnce(request);
  return request.explain();
}

async function info(path: string, values: Values): Promise<number> {
  const {found, model} = await inspect(path, values.explain === true);
  const runs = found.problems.length === 0;
  const explanation = model && (await explain(model, values));
  if (values.json) {
    printJson({...found, runs, ...(explanation && {explanation})});
    return runs ? 0 : 1;
  }
  if (found.operations.length > 0) {
    console.log(`model ${found.name}${found.irVersion > 0 ? `, IR version ${found.irVersion}` : ''}`);
    console.log(['inputs', ...found.inputs.map(portLine), 'outputs', ...found.outputs.map(portLine), 'operations'].join('\n'));
    for (const {type, version, count, supported} of found.operations) {
      console.log(`  ${type.padEnd(36)} ${version.padEnd(10)} ${String(count).padStart(5)}${supported ? '' : '  UNSUPPORTED'}`);
    }
  }
  if (found.parts.length > 0) console.log(`parts of the engine: ${found.parts.join(', ')}`);
  if (explanation) console.log(String(explanation));
  for (const problem of found.problems) console.log(`problem: ${problem.message}`);
  console.log(runs ? 'the model can be run' : 'the model cannot be run');
  return runs ? 0 : 1;
}

// Splits "NAME=VALUE" at its last '=', because names may contain one. If there is one input, the name may be omitted.
function inputOption(option: string, model: Model): [number, string] {
  const equals = option.lastIndexOf('=');
  if (equals >= 0) {
    const name = option.slice(0, equals);
    const at = model.inputs.findIndex((port) => port.isCalled(name));
    if (at < 0) fail(`the model has no input '${name}': its inputs are ${model.inputs.map((port) => `'${port}'`).join(', ')}`);
    return [at, option.slice(equals + 1)];
  }
  if (model.inputs.length !== 1) fail(`'${option}' has no input name: write NAME=…`);
  return [0, option];
}

function inputOptions(name: string, options: readonly string[] = [], model: Model): Map<number, string> {
  const found = new Map<number, string>();
  for (const option of options) {
    const [input, value] = inputOption(option, model);
    if (found.has(input)) fail(`--${name} is given twice for input '${model.input(input).anyName}'`);
    found.set(input, value);
  }
  return found;
}

// The shape that --shape gives for an input.
function partialShape(name: string, wanted: string | undefined): PartialShape | undefined {
  if (wanted === undefined) return undefined;
  try {
    return new ov.PartialShape(wanted);
  } catch {
    return fail(`--shape ${name}=${wanted} is not a shape: write its sizes, as in --shape ${name}=1,3,224,224`);
  }
}

// Generates values for an input that was not given. f32 values are varied and from 0 to 1. Integers are zeros, because they
// may be indices. Dynamic dimensions get their minimum, at least 1. --shape must not leave any dimension dynamic.
function madeUp(port: Output, wanted: string | undefined): Tensor {
  const name = port.anyName;
  const partial = partialShape(name, wanted) ?? port.getPartialShape();
  if (String(partial) === '[...]') fail(`input '${name}' has a dynamic rank: give its shape with --shape ${name}=1,3,…`);
  const shape = partial.getDimensions().map((size, axis) => {
    if (typeof size === 'number' && size >= 0) return size;
    if (wanted !== undefined) fail(`--shape ${name}=${wanted} leaves size ${axis} dynamic (${partial}): give a whole number there`);
    return typeof size === 'number' ? 1 : Math.max(1, size[0]);
  });
  const tensor = new Tensor((port.elementType as string) === 'dynamic' ? 'f32' : port.elementType, shape);
  const array = tensor.getElementType() === 'f32' ? tensor.view() : undefined;
  array?.forEach((_, i) => (array[i] = ((i * 2654435761) % 1024) / 1024));
  return tensor;
}

interface GivenInput {
  name: string;
  type: string;
  /** The shape that the model declares. `shape` is that of the given tensor. */
  takes: string;
  shape: number[];
  madeUp: boolean;
}

// Parses --input and --shape into maps by position of the input. Adds preprocessing to the model for pictures.
function askedInputs(values: Values, model: Model): {files: Map<number, string>; shapes: Map<number, string>; pictures: Map<number, Tensor>} {
  const files = inputOptions('input', values.input, model);
  const shapes = inputOptions('shape', values.shape, model);
  return {files, shapes, pictures: takePictures(model, files, values)};
}

function giveInputs({files, shapes, pictures}: ReturnType<typeof askedInputs>, request: InferRequest, makeUp: boolean): GivenInput[] {
  return request.getCompiledModel().inputs.map((port, i) => {
    const name = port.anyName;
    const takes = String(port.getPartialShape());
    const file = files.get(i);
    if (file === undefined && !makeUp) fail(`input '${name}' (${port.elementType} ${takes}) is missing: --input ${name}=FILE`);
    const tensor = pictures.get(i) ?? (file === undefined ? madeUp(port, shapes.get(i)) : readInput(file, port));
    request.setInputTensor(i, tensor);
    return {name, type: tensor.getElementType(), takes, shape: tensor.getShape(), madeUp: file === undefined};
  });
}

// Unique file names for the outputs: "b/out" and "b_out" would both be "b_out".
function fileNames(outputs: readonly Output[]): string[] {
  const taken = new Set<string>();
  return outputs.map(({anyName}) => {
    const stem = anyName.replace(/[/\\:\0]/g, '_');
    let name = stem;
    for (let i = 2; taken.has(name); ++i) name = `${stem}_${i}`;
    taken.add(name);
    return name;
  });
}

function written(folder: string, name: string, tensor: Tensor): string {
  try {
    return writeArray(join(folder, name), tensor);
  } catch (error) {
    return fail(`--out ${folder}: the output '${name}' cannot be written: ${(error as Error).message}`);
  }
}

async function run(path: string, values: Values): Promise<number> {
  const model = await read(path);
  const asked = askedInputs(values, model);
  const compiled = new ov.Core().compileModelSync(model, 'CPU', configOf(values));
  const request = compiled.createInferRequest();
  giveInputs(asked, request, false);
  await runOnce(request);
  const names = fileNames(compiled.outputs);
  const outputs = compiled.outputs.map(({anyName}, i) => {
    const tensor = request.getOutputTensor(i);
    const file = values.out === undefined ? undefined : written(values.out, names[i]!, tensor);
    return {name: anyName, tensor, file};
  });
  if (values.json) {
    printJson(
      outputs.map(({name, tensor, file}) => ({name, type: tensor.getElementType(), shape: tensor.getShape(), file, data: jsonValues(tensor)})),
    );
    return 0;
  }
  for (const {name, tensor, file} of outputs) {
    console.log(`${name}  ${tensor.getElementType()} [${tensor.getShape()}]${file === undefined ? '' : `  ${file}`}`);
    console.log(summary(tensor));
  }
  return 0;
}

async function compare(path: string, values: Values): Promise<number> {
  if (values.build !== undefined || values.threads !== undefined) misused('--compare runs all builds with several numbers of threads: omit --build and --threads');
  const {compare: _, json, ...others} = values;
  const args = Object.entries(others).flatMap(([name, value]) =>
    typeof value === 'boolean' ? [`--${name}`] : [value].flat().flatMap((each) => [`--${name}`, each]),
  );
  const rows = await withBar('comparing', (bar) => compareBuilds([path, ...args], (done, total) => bar.at(done, total, `${done} of ${total}`)));
  if (json) printJson(rows);
  else console.log(comparisonTable(rows));
  return 0;
}

async function bench(path: string, values: Values): Promise<number> {
  const seconds = Number(values.seconds ?? 2);
  if (!(seconds >= 0) || values.seconds === '') misused(`--seconds takes a number, not '${values.seconds}'`);
  if (values.compare) return compare(path, values);
  const milliseconds: Record<string, number> = {};
  const say = (line: string) => values.json || console.log(line);
  const print = (what: string, value: number, unit: string) => say(`${what.padEnd(8)} ${value.toFixed(3).padStart(10)} ${unit}`);
  const timed = async <T>(what: string, work: () => T | Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await work();
    milliseconds[what] = performance.now() - start;
    print(what, milliseconds[what], 'ms');
    return result;
  };
  say(`build ${ov.build.name} (${ov.build.reason})`);
  await timed('start', () => ov.operations());
  const model = await timed('read', () => read(path));
  const asked = askedInputs(values, model);
  const config = {PERF_COUNT: values.profile ?? false, ...configOf(values)};
  const compiled = await timed('compile', () => new ov.Core().compileModelSync(model, 'CPU', config));
  const request = compiled.createInferRequest();
  const inputs = giveInputs(asked, request, true);
  for (const {name, type, takes, shape, madeUp} of inputs) {
    const chosen = String(shape) === takes.slice(1, -1) ? '' : ` -> [${shape}]`;
    say(`input    ${name}  ${type} ${takes}${chosen}${madeUp ? ', made up' : ''}`);
  }
  await timed('first', () => request.infer());
  const times: number[] = [];
  await withBar('running', (bar) => {
    for (let total = 0; total < 1000 * seconds || times.length < 3; total += times[times.length - 1]!) {
      const start = performance.now();
      request.infer();
      times.push(performance.now() - start);
      bar.at(total, 1000 * seconds, `${times.length} runs`);
    }
  });
  times.sort((a, b) => a - b);
  const [median, fastest, memory] = [times[times.length >> 1]!, times[0]!, request.memoryBytes()];
  const profile = request.getProfilingInfo().filter(({status}) => status === 'EXECUTED').sort((a, b) => b.realTime - a.realTime);
  if (values.json) {
    printJson({build: ov.build, inputs, milliseconds: {...milliseconds, median, fastest}, runs: times.length, memoryBytes: memory, profile});
    return 0;
  }
  print('median', median, 'ms');
  print('fastest', fastest, 'ms');
  console.log(`runs     ${String(times.length).padStart(10)}`);
  print('memory', memory / 1e6, 'MB of temporaries and outputs');
  for (const {realTime, calls, execType, nodeName} of profile) {
    console.log(`${realTime.toFixed(1).padStart(12)} us ${String(calls).padStart(6)}  ${execType.padEnd(28)} ${nodeName}`);
  }
  return 0;
}

const lastOpset = 16;
const specifications = 'https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/';

function ops(values: Values): number {
  const all = ov.operations();
  if (values.json) {
    printJson(all);
    return 0;
  }
  if (!values.markdown) {
    console.log(all.map(({domain, type, since}) => (domain ? `${domain}:${type}` : `${type}-${since}`)).join('\n'));
    return 0;
  }
  // Left out, as in src/cli/ops.cc: operations of OpenVINO Tokenizers, most of which the package does not have.
  const listed = all.filter(({domain}) => domain !== 'extension');
  const keyOf = ({domain, type}: {domain: string; type: string}) => `${domain}:${type}`;
  const types = [...new Set(listed.map(keyOf))];
  const formats = Object.keys(all[0]!.operators);
  const rows = types.map((key) => {
    const versions = listed.filter((op) => keyOf(op) === key);
    const {domain, type} = versions[0]!;
    const opsets = versions.map(({since, until}) => {
      if (since === until || domain) return `${since}`;
      return until >= lastOpset ? `${since}…` : `${since}–${until}`;
    });
    const specification = versions[versions.length - 1]!.specification;
    const [section, page] = specification.split('/');
    const category = domain || section;
    const link = page === undefined ? '' : `[${page}](${specifications}${specification}.html)`;
    // Versions with the same input types share one line.
    const inputs = versions
      .filter((version, i) => version.inputs !== versions[i - 1]?.inputs)
      .map((version, i) => (i === 0 ? version.inputs : `from opset ${version.since}: ${version.inputs}`));
    const operators = formats.map((format) => versions[0]!.operators[format]!.map((name) => `\`${name}\``).join(', '));
    return `| ${[type, category, opsets.join(', '), link, inputs.join('; '), ...operators].join(' | ')} |`;
  });
  console.log(`<!-- Made by \`wasmvino ops --markdown\`; do not edit. -->
# Operations

${types.length} operations in ${listed.length} versions. “3–10” means opsets 3 to 10, “11…” means opset 11 and all later ones.

Reading a model fails if an input has another element type. Floating point types are f16, bf16, f32 and f64.
Integer types have 8 bits or more. Numeric types are both.

The last columns name the operators of other [formats](formats.md) that an operation serves.

| ${['Operation', 'Category', 'Opsets', 'Specification', 'Element types of the inputs', ...formats].join(' | ')} |
|---|---|---|---|---|${'---|'.repeat(formats.length)}
${rows.join('\n')}`);
  return 0;
}

function main(args: string[]): number | Promise<number> {
  const [command, ...rest] = args;
  if (command === '--version' || command === '-v' || command === 'version') {
    console.log(ov.version);
    return 0;
  }
  if (command === undefined || command === 'help' || args.includes('--help') || args.includes('-h')) {
    (command === undefined ? process.stderr : process.stdout).write(usage);
    return command === undefined ? 2 : 0;
  }
  const allowed = optionsOf[command];
  if (!allowed) {
    const moved = command === 'check' ? ': scripts/check of the source repository runs conformance cases' : '';
    process.stderr.write(`unknown command ${command}${moved}\n${usage}`);
    return 2;
  }
  const {values, positionals} = parse(rest);
  for (const name of Object.keys(values)) {
    if (name !== 'build' && !allowed.includes(name)) misused(`the command ${command} has no option --${name}`);
  }
  // Options without an effect would mislead.
  if (command === 'info' && !values.explain) for (const name of ['shape', 'skip-pass'] as const) if (values[name]) misused(`--${name} needs --explain`);
  if (values.json && values.markdown) misused('give one of --json and --markdown');
  if (values.build !== undefined) {
    try {
      ov.configure({build: values.build as BuildName});
    } catch (error) {
      misused(`--build: ${(error as Error).message}`);
    }
  }
  const only = (what: string): string => {
    if (positionals.length === 0) misused(`${what} is missing`);
    if (positionals.length > 1) misused(`unexpected argument '${positionals[1]}'`);
    return positionals[0]!;
  };
  const modelPath = 'the path of a model (.xml)';
  if (command === 'info') return info(only(modelPath), values);
  if (command === 'run') return run(only(modelPath), values);
  if (command === 'bench') return bench(only(modelPath), values);
  return ops(values);
}

// Node.js 20 has relaxed SIMD behind this flag. Later versions have relaxed SIMD by default and do not know the flag.
if (Number(process.versions.node.split('.')[0]) < 21) setFlagsFromString('--experimental-wasm-relaxed-simd');
// The reader of a pipe may close it early: `wasmvino ops | head`.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
}
Promise.resolve(process.argv.slice(2))
  .then(main)
  .then(
    (code) => (process.exitCode = code),
    (error) => {
      console.error(`error: ${error instanceof Error ? error.message : error}`);
      process.exitCode = error instanceof UsageError ? 2 : 1;
    },
  );
