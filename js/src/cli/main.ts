#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The command line: the same commands as the native executable.
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {parseArgs} from 'node:util';
import {setFlagsFromString} from 'node:v8';
import {Tensor, WasmvinoError, addon as ov, type BuildName, type CompiledModel, type InferRequest, type Output} from '../node.js';
import {readArray, writeArray} from './arrays.js';
import {check, configOf} from './check.js';

const usage = `wasmvino info MODEL.xml
    inputs, outputs and operations, and all that is unsupported
wasmvino run MODEL.xml [--input NAME=FILE.npy]... [--out DIR]
    runs the model once; outputs go to DIR as .npy files (strings as .json)
wasmvino check FOLDER [--write DIR] [--json FILE] [--filter REGEX]
    runs every conformance case below FOLDER and counts by operation
wasmvino bench MODEL.xml [--input NAME=FILE.npy]... [--shape NAME=1,3,...]... [--seconds S] [--profile]
    times reading, compiling and running
wasmvino ops [--markdown]
    the operations of this engine
--no-passes, for run, check and bench: the graph runs as it was read
--threads N, for run, check and bench: threads of a threaded build; by default as many as there are processors
--build NAME, for all: simd, relaxed, simd-mt or relaxed-mt; by default what fits this place best
`;

function fail(message: string): never {
  throw new WasmvinoError('INVALID_ARGUMENT', message);
}

const options = {
  help: {type: 'boolean'},
  build: {type: 'string'},
  input: {type: 'string', multiple: true},
  out: {type: 'string'},
  write: {type: 'string'},
  json: {type: 'string'},
  filter: {type: 'string'},
  shape: {type: 'string', multiple: true},
  seconds: {type: 'string'},
  profile: {type: 'boolean'},
  'no-passes': {type: 'boolean'},
  threads: {type: 'string'},
  markdown: {type: 'boolean'},
} as const;

type Values = ReturnType<typeof parse>['values'];

function parse(args: string[]) {
  return parseArgs({args, options, allowPositionals: true});
}

const optionsOf: Record<string, string[]> = {
  info: [],
  run: ['input', 'out', 'no-passes', 'threads'],
  check: ['write', 'json', 'filter', 'no-passes', 'threads'],
  bench: ['input', 'shape', 'seconds', 'profile', 'no-passes', 'threads'],
  ops: ['markdown'],
};

function portLine({names, friendlyName, type, shape}: {names: string[]; friendlyName: string; type: string; shape: string}): string {
  const others = names.length > 1 ? `  also called ${names.slice(1).join(', ')}` : '';
  return `  ${names[0] ?? friendlyName}  ${type} ${shape}${others}`;
}

function info(path: string): number {
  if (!existsSync(path)) fail(`there is no file ${path}`);
  const bin = path.replace(/\.xml$/i, '.bin');
  const found = ov.inspect(readFileSync(path), bin !== path && existsSync(bin) ? readFileSync(bin) : undefined);
  if (found.irVersion > 0) {
    console.log(`model ${found.name}, IR version ${found.irVersion}`);
    console.log(['inputs', ...found.inputs.map(portLine), 'outputs', ...found.outputs.map(portLine), 'operations'].join('\n'));
    for (const {type, version, count, supported} of found.operations) {
      console.log(`  ${type.padEnd(36)} ${version.padEnd(10)} ${String(count).padStart(5)}${supported ? '' : '  UNSUPPORTED'}`);
    }
  }
  for (const problem of found.problems) console.log(`problem: ${problem.message}`);
  console.log(found.problems.length === 0 ? 'the model can be run' : 'the model cannot be run');
  return found.problems.length === 0 ? 0 : 1;
}

// Splits "NAME=VALUE" at its last '=', since names may hold one. One input needs no name.
function inputOption(option: string, compiled: CompiledModel): [Output, string] {
  const equals = option.lastIndexOf('=');
  if (equals >= 0) return [compiled.input(option.slice(0, equals)), option.slice(equals + 1)];
  if (compiled.inputs.length !== 1) fail(`'${option}' lacks the name of an input: NAME=…`);
  return [compiled.input(), option];
}

// Values for an input that nobody gave: small and not all the same, and zeros for integers, which may be indices.
function madeUp(port: Output, wanted: string): Tensor {
  const sizes = new ov.PartialShape(wanted).getDimensions();
  const shape = sizes.map((size) => (typeof size !== 'number' ? Math.max(1, size[0]) : size < 0 ? 1 : size));
  const tensor = new Tensor((port.elementType as string) === 'dynamic' ? 'f32' : port.elementType, shape);
  const array = tensor.getElementType() === 'f32' ? tensor.view() : undefined;
  array?.forEach((_, i) => (array[i] = ((i * 2654435761) % 1024) / 1024));
  return tensor;
}

function giveInputs(values: Values, request: InferRequest, makeUp: boolean): void {
  const compiled = request.getCompiledModel();
  const given = new Set<Output>();
  for (const option of values.input ?? []) {
    const [port, file] = inputOption(option, compiled);
    request.setInputTensor(compiled.inputs.indexOf(port), readArray(file, port.elementType));
    given.add(port);
  }
  const shapes = new Map((values.shape ?? []).map((option) => inputOption(option, compiled)));
  compiled.inputs.forEach((port, i) => {
    if (given.has(port)) return;
    const name = port.anyName;
    if (!makeUp) fail(`input '${name}' (${port.elementType} ${port.getPartialShape()}) is missing: --input ${name}=FILE.npy`);
    request.setInputTensor(i, madeUp(port, shapes.get(port) ?? String(port.getPartialShape())));
  });
}

function run(path: string, values: Values): number {
  const compiled = new ov.Core().compileModelSync(path, 'CPU', configOf(values));
  const request = compiled.createInferRequest();
  giveInputs(values, request, false);
  for (const [name, tensor] of Object.entries(request.infer())) {
    console.log(`${name}  ${tensor.getElementType()} [${tensor.getShape()}]`);
    if (values.out !== undefined) writeArray(join(values.out, name.replace(/[/\\:\0]/g, '_')), tensor);
  }
  return 0;
}

function bench(path: string, values: Values): number {
  const limit = 1000 * Number(values.seconds ?? 2);
  const core = new ov.Core();
  const timed = <T>(what: string, work: () => T): T => {
    const start = performance.now();
    const result = work();
    console.log(`${what.padEnd(8)} ${(performance.now() - start).toFixed(3).padStart(10)} ms`);
    return result;
  };
  console.log(`build ${ov.build.name} (${ov.build.reason})`);
  timed('start', () => ov.operations());
  const model = timed('read', () => core.readModelSync(path));
  const config = {PERF_COUNT: values.profile ?? false, ...configOf(values)};
  const compiled = timed('compile', () => core.compileModelSync(model, 'CPU', config));
  const request = compiled.createInferRequest();
  giveInputs(values, request, true);
  timed('first', () => request.infer());
  const times: number[] = [];
  for (let total = 0; total < limit || times.length < 3; total += times[times.length - 1]!) {
    const start = performance.now();
    request.infer();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const print = (what: string, value: number, unit: string) =>
    console.log(`${what.padEnd(8)} ${value.toFixed(3).padStart(10)} ${unit}`);
  print('median', times[times.length >> 1]!, 'ms');
  print('fastest', times[0]!, 'ms');
  console.log(`runs     ${String(times.length).padStart(10)}`);
  print('memory', request.memoryBytes() / 1e6, 'MB of temporaries and outputs');
  const profile = request.getProfilingInfo().filter(({status}) => status === 'EXECUTED');
  for (const {realTime, calls, execType, nodeName} of profile.sort((a, b) => b.realTime - a.realTime)) {
    console.log(`${realTime.toFixed(1).padStart(12)} us ${String(calls).padStart(6)}  ${execType.padEnd(28)} ${nodeName}`);
  }
  return 0;
}

const lastOpset = 16;
const specifications = 'https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/';

function ops(values: Values): number {
  const all = ov.operations();
  if (!values.markdown) {
    console.log(all.map(({type, since}) => `${type}-${since}`).join('\n'));
    return 0;
  }
  const types = [...new Set(all.map(({type}) => type))];
  const rows = types.map((type) => {
    const versions = all.filter((op) => op.type === type);
    const opsets = versions.map(({since, until}) => {
      if (since === until) return `${since}`;
      return until >= lastOpset ? `${since}…` : `${since}–${until}`;
    });
    const specification = versions[versions.length - 1]!.specification;
    const [category, page] = specification.split('/');
    const link = page === undefined ? '' : `[${page}](${specifications}${specification}.html)`;
    return `| ${type} | ${category} | ${opsets.join(', ')} | ${link} |`;
  });
  console.log(`<!-- Made by \`wasmvino ops --markdown\` from the registry; not to be edited. -->
# Operations

${types.length} operations in ${all.length} versions. A version is named by the first opset that has it; “3–10” is in opsets 3 to 10,
“11…” in opset 11 and all later ones.

| Operation | Category | Opsets | Specification |
|---|---|---|---|
${rows.join('\n')}`);
  return 0;
}

function main(args: string[]): number {
  const [command, ...rest] = args;
  if (command === undefined || command === 'help' || args.includes('--help')) {
    (command === undefined ? process.stderr : process.stdout).write(usage);
    return command === undefined ? 2 : 0;
  }
  const allowed = optionsOf[command];
  if (!allowed) {
    process.stderr.write(`there is no command ${command}\n${usage}`);
    return 2;
  }
  const {values, positionals} = parse(rest);
  for (const name of Object.keys(values)) {
    if (name !== 'build' && !allowed.includes(name)) fail(`the command ${command} has no option --${name}`);
  }
  if (values.build !== undefined) ov.configure({build: values.build as BuildName});
  const only = (what: string): string => {
    if (positionals.length === 0) fail(`${what} is missing`);
    if (positionals.length > 1) fail(`'${positionals[1]}' is too much`);
    return positionals[0]!;
  };
  const modelPath = 'the path of a model (.xml)';
  if (command === 'info') return info(only(modelPath));
  if (command === 'run') return run(only(modelPath), values);
  if (command === 'bench') return bench(only(modelPath), values);
  if (command === 'ops') return ops(values);
  return check(only('a folder of cases'), values);
}

// Node.js 20 has relaxed SIMD behind this flag, later versions have it anyway and know no such flag.
if (Number(process.versions.node.split('.')[0]) < 21) setFlagsFromString('--experimental-wasm-relaxed-simd');
try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
