// SPDX-License-Identifier: Apache-2.0
// node tests/fuzz/run.mjs [--seconds N | --runs N] [--seed S] [--build NAME] [--json FILE]: runs random models (IR and PNNX),
// inputs, arrays, exported and saved models in two builds of the package, whose results must be the same. Execution number i of
// seed S is execution 0 of seed S + i: `--seed S+i --runs 1` repeats it. Each finding goes to build/fuzz/findings/ as model.xml
// (or model.pnnx.param), model.bin, inputs.json and finding.json. The exit code is 1 if there are any. With --runs, the outcome
// does not depend on the speed of the machine. SIGINT and SIGTERM end a run early.
import {mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {Worker} from 'node:worker_threads';
import '../js/relaxed_simd.mjs';
import {Corpus} from './corpus.mjs';
import {inputsFor, irInputs, isRandom, layerTypes, oneLayer, types} from './models.mjs';
import {mutateModel} from './mutate.mjs';
import {mutatePnnx, pnnxInputs} from './pnnx.mjs';
import {Random} from './random.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'build/fuzz');
const {values: options} = parseArgs({
  options: {
    seconds: {type: 'string'},
    runs: {type: 'string'},
    seed: {type: 'string', default: '1'},
    build: {type: 'string', default: 'simd'},
    json: {type: 'string'},
  },
});
const builds = [options.build, options.build === 'simd' ? 'simd-mt' : 'simd'];
const runs = Number(options.runs ?? Infinity);
const seconds = Number(options.seconds ?? (options.runs ? Infinity : 60));
// A repeatable run waits longer, so that a busy machine does not look like a hang.
const [hangSeconds, checkEvery] = [options.runs ? 300 : 30, 50];

/** Runs one build in a separate thread. The thread is ended if it hangs or fails. */
class Runner {
  #build;
  #worker;
  #settle;

  constructor(build) {
    this.#build = build;
  }

  async #start() {
    const worker = new Worker(new URL('worker.mjs', import.meta.url), {workerData: {build: this.#build, root, folder}});
    this.#worker = worker;
    const died = (message) => worker === this.#worker && this.#end({code: 'DIED', message});
    worker.on('message', (outcome) => this.#settle(outcome));
    worker.on('error', (error) => died(String(error.stack ?? error)));
    worker.on('exit', (code) => died(`the thread ended with ${code}`));
    const hello = await this.#answer(hangSeconds);
    if (!hello.operations) throw new Error(`${this.#build} did not start: ${hello.message}`);
    return hello;
  }

  // Waits for the next message of the thread, or for its end.
  #answer(seconds) {
    return new Promise((resolve) => {
      // Counting ticks leaves out the time in which this process is suspended.
      let left = seconds;
      const timer = setInterval(() => --left === 0 && this.#end({code: 'HANG', message: `no answer within ${seconds} s`}), 1000);
      this.#settle = (outcome) => {
        clearInterval(timer);
        resolve(outcome);
      };
    });
  }

  #end(outcome) {
    this.#worker.terminate();
    this.#worker = undefined;
    this.#settle(outcome);
  }

  async operations() {
    return (await this.#start()).operations;
  }

  async run(job) {
    if (!this.#worker) await this.#start();
    const answer = this.#answer(hangSeconds);
    this.#worker.postMessage(job);
    return answer;
  }

  async close() {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

const corpus = new Corpus(join(root, 'build/testdata'));
const runners = builds.map((build) => new Runner(build));
const [operations] = await Promise.all(runners.map((runner) => runner.operations()));

// Creates the job of an execution. Each of its `mutations` can be omitted separately.
function makeJob(seed) {
  const random = new Random(seed);
  const kind = random.pick(['model', 'model', 'model', 'operation', 'operation', 'operation', 'operation', 'pnnx', 'pnnx', 'inputs', 'export', 'save', 'npy']);
  if (kind === 'npy') return {kind, seed: random.next(), type: random.chance(0.5) ? random.pick(types) : undefined, mutations: [], ...pickArray(random)};
  const inputSeed = random.next();
  if (kind === 'operation') {
    const model = oneLayer(random, corpus, random.pick(operations));
    return {kind, seed, ...model, inputSeed, wrong: 0.02, mutations: random.chance(0.1) ? [random.next()] : []};
  }
  const {path, ...model} = kind === 'pnnx' ? corpus.pickPnnx(random) : corpus.pick(random);
  const count = kind === 'model' || kind === 'pnnx' ? 1 + random.below(3) : kind === 'save' ? random.below(2) : 0;
  const mutations = Array.from({length: count}, () => random.next());
  return {kind, seed, path, ...model, inputSeed, wrong: kind === 'inputs' ? 0.4 : 0.02, mutations};
}

function pickArray(random) {
  for (;;) {
    const {path} = corpus.pick(random);
    const names = readdirSync(join(path, '..')).filter((name) => name.endsWith('.npy')).sort();
    if (names.length > 0) return {path, bytes: readFileSync(join(path, '..', random.pick(names)))};
  }
}

// Applies the mutations to the model, and generates inputs.
function finished(job) {
  if (job.kind === 'npy') return job;
  const [mutate, inputsOf] = job.kind === 'pnnx' ? [mutatePnnx, pnnxInputs] : [mutateModel, irInputs];
  const model = job.mutations.reduce(mutate, {xml: job.xml, bin: job.bin});
  return {...job, ...model, inputs: job.inputs ?? inputsFor(new Random(job.inputSeed), inputsOf(model.xml), job.wrong)};
}

const isReal = (type) => /^(b?f\d|nf4)/.test(type);

// The numbers of f16, f32 and f64 values. Undefined for other types.
function numbers({type, bytes}) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const width = {f32: 4, f64: 8}[type];
  if (!width) return undefined;
  return Array.from({length: bytes.length / width}, (_, i) => (width === 4 ? view.getFloat32(i * 4, true) : view.getFloat64(i * 8, true)));
}

// Describes a difference between two builds. Undefined if there is none. All NaNs are equal. The fused operations of relaxed
// builds round differently: types and shapes must still be equal, but numbers only approximately, and only if they are of
// moderate size.
function difference(one, other, relaxed) {
  if (one.code !== other.code) return `${one.code ?? 'results'} here, ${other.code ?? 'results'} there: ${one.message ?? other.message}`;
  for (const [i, {type, shape, bytes}] of (one.outputs ?? []).entries()) {
    const there = other.outputs[i];
    if (type !== there.type || String(shape) !== String(there.shape)) return `output ${i} is ${type} [${shape}] here, ${there.type} [${there.shape}] there`;
    if (Buffer.compare(bytes, there.bytes) === 0) continue;
    const [x, y] = [numbers({type, bytes}), numbers(there)];
    if (!x) {
      if (!isReal(type) || !relaxed) return `output ${i} of type ${type} differs`;
      continue;
    }
    const close = (a, b) => Object.is(a, b) || (Number.isNaN(a) && Number.isNaN(b)) || (relaxed && !(Math.abs(a - b) > 1e-2 + 1e-2 * Math.abs(b)));
    const at = x.findIndex((value, j) => !close(value, y[j]));
    if (at >= 0) return `output ${i} has ${x[at]} at ${at} here, ${y[at]} there`;
  }
  return undefined;
}

// Errors caused by limits of time or memory depend on the machine.
const machineBound = ['LIMIT_EXCEEDED', 'OUT_OF_MEMORY'];

// Returns what is wrong with the outcome of a job: {what, message}, or undefined.
function judge(job, outcomes) {
  for (const [i, {code, message, stage}] of outcomes.entries()) {
    if (['ENGINE_FAILED', 'INTERNAL', 'FOREIGN', 'CORRUPTED', 'HANG', 'DIED'].includes(code)) {
      return {what: code, message: `${builds[i]}, ${stage ?? 'unknown stage'}: ${message}`};
    }
  }
  const [one, other] = outcomes;
  if (outcomes.some(({code}) => machineBound.includes(code)) || isRandom(job.xml ?? '')) return undefined;
  // Integers computed from rounded numbers may differ.
  const relaxed = builds[0].startsWith('relaxed');
  if (relaxed && job.kind !== 'operation') return undefined;
  const differs = difference(one, other, relaxed);
  return differs && {what: 'DIFFERS', message: `${builds.join(' and ')}: ${differs}`};
}

const runBoth = async (job, check = false) => Promise.all(runners.map((runner) => runner.run({...finished(job), check})));

// Reduces a job: omits mutations and values of inputs while the same problem occurs.
async function reduced(job, what) {
  let smallest = job;
  const still = async (candidate) => judge(candidate, await runBoth(candidate))?.what === what;
  for (const mutation of job.mutations) {
    const candidate = {...smallest, mutations: smallest.mutations.filter((one) => one !== mutation)};
    if (await still(candidate)) smallest = candidate;
  }
  smallest = finished(smallest);
  const zeros = {...smallest, mutations: [], inputs: smallest.inputs?.map(({type, shape}) => ({type, shape}))};
  return (await still(zeros)) ? zeros : smallest;
}

function write(name, job, found) {
  const path = join(folder, 'findings', name);
  mkdirSync(path, {recursive: true});
  if (job.bytes) writeFileSync(join(path, 'array.npy'), job.bytes);
  else {
    writeFileSync(join(path, job.kind === 'pnnx' ? 'model.pnnx.param' : 'model.xml'), job.xml);
    writeFileSync(join(path, job.kind === 'pnnx' ? 'model.pnnx.bin' : 'model.bin'), job.bin);
    const inputs = job.inputs.map(({type, shape, bytes}) => ({type, shape, ...(bytes && {b64: Buffer.from(bytes).toString('base64')})}));
    writeFileSync(join(path, 'inputs.json'), JSON.stringify(inputs, null, 1));
  }
  writeFileSync(join(path, 'finding.json'), JSON.stringify(found, null, 1) + '\n');
}

const started = performance.now();
const first = Number(options.seed);
const findings = new Map();
const ends = {};
let executions = 0;
let stopped = false;
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => (stopped = true));
while (!stopped && executions < runs && performance.now() - started < 1000 * seconds) {
  const seed = first + executions++;
  const job = makeJob(seed);
  const outcomes = await runBoth(job, executions % checkEvery === 0);
  const end = outcomes[0].outputs ? 'computed' : outcomes[0].code;
  ends[end] = (ends[end] ?? 0) + 1;
  const found = judge(finished(job), outcomes);
  if (!found) continue;
  const operation = layerTypes(job.kind === 'npy' ? '' : finished(job).xml).slice(0, 3).join('+') || job.kind;
  // Problems whose messages differ only in numbers count as one finding.
  const signature = `${found.what} ${operation} ${found.message.replace(/\d+/g, '').slice(0, 120)}`;
  if (findings.has(signature)) {
    findings.get(signature).count++;
    continue;
  }
  const record = {seed, build: options.build, kind: job.kind, from: job.path, ...found, operation, count: 1};
  findings.set(signature, record);
  write(`${builds[0]}-${seed}`, await reduced(job, found.what), record);
  console.log(`${found.what} ${operation} (seed ${seed}): ${found.message.slice(0, 300)}`);
}
await Promise.all(runners.map((runner) => runner.close()));

const took = Math.round((performance.now() - started) / 1000);
const {user, system} = process.cpuUsage();
const processorSeconds = Math.round((user + system) / 1e6);
const record = {target: options.build, seed: first, executions, seconds: took, processorSeconds, ends, findings: [...findings.values()]};
if (options.json) writeFileSync(options.json, JSON.stringify(record, null, 1) + '\n');
console.log(`${builds.join(' and ')}: ${executions} executions in ${took} s, ${findings.size} findings; ${JSON.stringify(ends)}`);
process.exitCode = findings.size > 0 ? 1 : 0;
