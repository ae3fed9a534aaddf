// SPDX-License-Identifier: Apache-2.0
// node bench/threads.mjs [--package DIR] [--models DIR] [--llm DIR] [--case NAME]… [--rounds N] [--slot MS] [--serial FILE]
// [--write]: profiles networks with one and two threads in Node.js, and predicts their gain with more threads
// (harness/thread_model.mjs). NAME is a network listed there, or llm. --serial writes a list of the nodes that are not split.
// --write puts the table into docs/performance.md. `npm run bench -- --scaling` makes what is missing and writes the table. The
// networks are those of `npm run bench`. The language model is that of `npm run bench -- --llm`; without it, the table lacks
// its rows.
import {spawnSync} from 'node:child_process';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import {join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {parseArgs} from 'node:util';
import {Worker} from 'node:worker_threads';
import {parseNpy} from '../js/src/arrays/npy.mjs';
import {withGeneratedSection} from '../scripts/generated_section.mjs';
import {nodeFlags} from './harness/places.mjs';
import {DYNAMIC_GRAIN, GRAIN_MULTIPLY_ADDS, GRAIN_US, isSplit, NETWORKS, predict, serialTime, SPLIT_GAIN, timeOfOne} from './harness/thread_model.mjs';
import {hasRelaxedSimd} from './peak/peak.mjs';
import {digits} from './targets.mjs';

const flags = nodeFlags();
if (flags.length) process.exit(spawnSync(process.execPath, [...flags, ...process.argv.slice(1)], {stdio: 'inherit'}).status ?? 1);

// The language model processes this many tokens at once, or one token after them.
const PROMPT = 128;
const MORE_THREADS = [4, 8, 16];
// The chains of SoftMax operations whose difference gives the cost of a region.
const CHAINS = [50, 250];
const CHAIN_SHAPE = [64, 128]; // two grains of SoftMax
// Operations whose parts are measured in multiply-adds.
const MULTIPLIES = /Convolution|MatMul/;
const WARM_UP_MS = 1500;
const ADDITIONS = 2e6;
// Two threads that gain less have probably not had both processors. Then a network is measured again, this many times at most.
const LEAST_GAIN = 1.6;
const REPETITIONS = 3;

const root = fileURLToPath(new URL('..', import.meta.url));
const {values: options} = parseArgs({
  options: {
    package: {type: 'string', default: root},
    models: {type: 'string', default: join(root, 'build/bench/models')},
    llm: {type: 'string', default: join(root, 'build/bench/llm')},
    case: {type: 'string', multiple: true},
    rounds: {type: 'string', default: '20'},
    slot: {type: 'string', default: '200'},
    serial: {type: 'string'},
    write: {type: 'boolean'},
  },
});
const rounds = Number(options.rounds);
const slotMs = Number(options.slot);

const {addon: ov} = await import(pathToFileURL(join(resolve(options.package), 'dist/node.js')).href);
ov.configure({build: hasRelaxedSimd() ? 'relaxed-mt' : 'simd-mt'});
await ov.ready;
const core = new ov.Core();

/** A request of a network in IR, with the inputs of its case. `run()` returns the milliseconds of a run. */
async function openCase(name, config) {
  const folder = join(options.models, name);
  const {sets} = JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8'));
  const compiled = await core.compileModel(join(folder, 'model.xml'), 'CPU', config);
  const request = compiled.createInferRequest();
  const inputs = Object.fromEntries(
    Object.entries(sets[0].inputs).map(([input, {file, shape}]) => {
      const {type, data} = parseNpy(readFileSync(join(folder, file)));
      return [input, new ov.Tensor(type, shape, data)];
    }),
  );
  return {compiled, request, run: () => timed(() => request.infer(inputs, {shareOutputs: true}))};
}

/** A request of the language model. A run processes the prompt, or the next token after it. */
async function openLanguageModel(wholePrompt, config) {
  const path = join(options.llm, 'openvino_model.xml');
  const compiled = await core.compileModel(path, 'CPU', {...config, WASMVINO_LAST_LOGITS: true});
  const request = compiled.createInferRequest();
  let past = 0;
  const process = (count) => {
    const numbers = (length, value) => BigInt64Array.from({length}, (_, i) => BigInt(value(i)));
    const inputs = {
      input_ids: new ov.Tensor('i64', [1, count], numbers(count, (i) => (i * 37) % 1000)),
      attention_mask: new ov.Tensor('i64', [1, past + count], numbers(past + count, () => 1)),
      position_ids: new ov.Tensor('i64', [1, count], numbers(count, (i) => past + i)),
      beam_idx: new ov.Tensor('i32', [1], new Int32Array(1)),
    };
    past += count;
    return timed(() => request.infer(inputs));
  };
  const run = () => {
    if (wholePrompt || past === 0 || past >= 2 * PROMPT) {
      request.resetState();
      past = 0;
      const ms = process(PROMPT);
      if (wholePrompt) return ms;
    }
    return process(1);
  };
  return {compiled, request, run};
}

function timed(work) {
  const begin = performance.now();
  work();
  return performance.now() - begin;
}

/** Bytes of the IR of a chain of SoftMax operations. Each is a region of its own: nothing fuses them. */
function chainOf(length) {
  const dims = CHAIN_SHAPE.map((size) => `<dim>${size}</dim>`).join('');
  const port = (id, more = '') => `<port id="${id}"${more}>${dims}</port>`;
  const written = ' precision="FP32"';
  const layers = [
    `<layer id="0" name="x" type="Parameter" version="opset1"><data shape="${CHAIN_SHAPE}" element_type="f32"/>` +
      `<output>${port(0, written)}</output></layer>`,
  ];
  for (let i = 1; i <= length; i++) {
    layers.push(
      `<layer id="${i}" name="s${i}" type="SoftMax" version="opset8"><data axis="1"/><input>${port(0)}</input>` +
        `<output>${port(1, written)}</output></layer>`,
    );
  }
  layers.push(`<layer id="${length + 1}" name="y" type="Result" version="opset1"><input>${port(0)}</input></layer>`);
  const edges = Array.from(
    {length: length + 1},
    (_, i) => `<edge from-layer="${i}" from-port="${i ? 1 : 0}" to-layer="${i + 1}" to-port="0"/>`,
  );
  return new TextEncoder().encode(
    `<?xml version="1.0"?><net name="chain" version="11"><layers>${layers.join('')}</layers><edges>${edges.join('')}</edges></net>`,
  );
}

async function openChain(length, config) {
  const compiled = await core.compileModel(await core.readModel(chainOf(length), new Uint8Array()), 'CPU', config);
  const request = compiled.createInferRequest();
  const input = new ov.Tensor('f32', CHAIN_SHAPE, new Float32Array(CHAIN_SHAPE[0] * CHAIN_SHAPE[1]));
  return {compiled, request, run: () => timed(() => request.infer([input]))};
}

/** Calls each of `runners` in turns for `slotMs`, `rounds` times, after a warm-up. Each gets its own `note(ms)`. */
function takeTurns(runners) {
  const during = (milliseconds, work) => {
    const end = performance.now() + milliseconds;
    do work();
    while (performance.now() < end);
  };
  for (const {run} of runners) during(WARM_UP_MS, run);
  for (let round = 0; round < rounds; round++) {
    for (const {run, note} of runners) {
      run(); // refills the caches
      during(slotMs, () => note(run()));
    }
  }
}

/** The cost of sharing a node among threads, in microseconds: its time in a chain, without its share of the work. */
async function regionCost(threads) {
  const runners = [];
  for (const length of CHAINS) {
    for (const count of [1, threads]) {
      const runner = {...(await openChain(length, {INFERENCE_NUM_THREADS: count})), best: Infinity};
      runner.note = (ms) => (runner.best = Math.min(runner.best, ms));
      runners.push(runner);
    }
  }
  takeTurns(runners);
  const [shortOne, shortMore, longOne, longMore] = runners.map(({best}) => best);
  for (const {compiled} of runners) compiled.dispose();
  const perNode = (long, short) => (1000 * (long - short)) / (CHAINS[1] - CHAINS[0]);
  // Two grains have two parts.
  return Math.max(0, perNode(longMore, shortMore) - perNode(longOne, shortOne) / 2);
}

/** Microseconds of an atomic addition to a number to which another thread adds at the same time. */
async function contendedAddition() {
  const numbers = new Int32Array(new SharedArrayBuffer(128)); // [0]: threads that are ready; [16]: the sum, in another cache line
  const add = (shared, additions) => {
    for (let i = 0; i < additions; i++) Atomics.add(shared, 16, 1);
  };
  const code = `const add = ${add}; const {numbers, additions} = require('node:worker_threads').workerData;
    add(numbers, 1e5); Atomics.add(numbers, 0, 1); while (Atomics.load(numbers, 0) < 2); add(numbers, additions);`;
  const worker = new Worker(code, {eval: true, workerData: {numbers, additions: 4 * ADDITIONS}});
  const ended = new Promise((done) => worker.on('exit', done));
  add(numbers, 1e5);
  while (Atomics.load(numbers, 0) < 1) await new Promise((done) => setTimeout(done, 1));
  Atomics.add(numbers, 0, 1);
  const ms = timed(() => add(numbers, ADDITIONS));
  await ended;
  return (1000 * ms) / ADDITIONS;
}

/**
 * Profiles a network with one and two threads.
 * @param open (config) => a request, as openCase() returns it
 */
async function measure(open) {
  const runners = [];
  for (const threads of [1, 2]) {
    for (const profiled of [false, true]) {
      const opened = await open({INFERENCE_NUM_THREADS: threads, PERF_COUNT: profiled});
      const runner = {...opened, best: Infinity, outside: Infinity, nodes: new Map()};
      runner.note = (ms) => {
        runner.best = Math.min(runner.best, 1000 * ms);
        if (profiled) noteProfile(runner, 1000 * ms);
      };
      runners.push(runner);
    }
  }
  const [one, profiledOne, two, profiledTwo] = runners;
  takeTurns(runners);
  for (let i = 0; i < REPETITIONS && profiledOne.best < LEAST_GAIN * profiledTwo.best; i++) takeTurns(runners);
  const {nodes: explained} = await one.request.explain();
  const nodes = [...profiledOne.nodes.values()].map((node) => {
    const found = explained.find(({path, name}) => [...path, name].join('/') === node.name);
    return {
      ...node,
      two: profiledTwo.nodes.get(node.name)?.one ?? node.one,
      multiplyAdds: MULTIPLIES.test(node.type) ? (found?.operations ?? 0) / 2 : 0,
      grain: node.type === 'DynamicMatMul' ? DYNAMIC_GRAIN : GRAIN_MULTIPLY_ADDS,
      explained: found,
    };
  });
  for (const {compiled} of runners) compiled.dispose();
  return {outside: profiledOne.outside, nodes, gain: one.best / two.best};
}

/** Notes the shortest time of each node, and of the rest of the run. Nodes with bodies are left to those in the bodies. */
function noteProfile(runner, us) {
  const infos = runner.request.getProfilingInfo().filter(({status}) => status === 'EXECUTED');
  const within = infos.filter(({nodeName}) => !infos.some((other) => other.nodeName.startsWith(`${nodeName}/`)));
  for (const {nodeName: name, nodeType: type, realTime, calls} of within) {
    const node = runner.nodes.get(name) ?? {name, type, one: Infinity, calls};
    node.one = Math.min(node.one, realTime);
    runner.nodes.set(name, node);
  }
  runner.outside = Math.min(runner.outside, us - within.reduce((sum, {realTime}) => sum + realTime, 0));
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;
const line = (cells) => `| ${cells.join(' | ')} |`;

/** A list of the nodes that one thread computes, slowest first, until the rest is negligible. */
function serialList({title, outside, nodes}) {
  const total = timeOfOne({outside, nodes});
  const rows = nodes
    .filter((node) => !isSplit(node))
    .sort((a, b) => b.one - a.one)
    .filter(({one}) => one > total / 5000)
    .map(({name, type, one, two, calls, explained}) => {
      const values = (list = []) => list.filter(({constant}) => !constant).map(({shape}) => shape).join(' ');
      const shapes = explained && `${values(explained.inputs)} → ${values(explained.outputs)}`;
      const times = [one.toFixed(1), percent(one / total), (one / two).toFixed(2), calls];
      return line([`\`${name}\``, type, explained?.method ?? '', shapes ?? '', ...times]);
    });
  return [
    `## ${title}`,
    `Outside nodes: ${outside.toFixed(1)} µs, ${percent(outside / total)} of ${digits(total / 1000)} ms.`,
    [
      line(['node', 'operation', 'method', 'shapes', 'µs', 'share', 'gain with 2 threads', 'calls']),
      '|---|---|---|---|--:|--:|--:|--:|',
      ...rows,
    ].join('\n'),
  ].join('\n\n');
}

const isChosen = (name) => options.case?.includes(name) ?? true;
const chosen = Object.entries(NETWORKS).filter(([name]) => isChosen(name));
const wanted = chosen.map(([name, network]) => ({...network, open: (config) => openCase(name, config)}));
const hasLanguageModel = existsSync(join(options.llm, 'openvino_model.xml'));
if (hasLanguageModel && isChosen('llm')) {
  wanted.push(
    {title: `SmolLM2-135M in int4, prompt of ${PROMPT}`, open: (config) => openLanguageModel(true, config)},
    {title: 'SmolLM2-135M in int4, one token', open: (config) => openLanguageModel(false, config)},
  );
}

const processors = os.availableParallelism();
const addition = await contendedAddition();
// A further thread joins a region with one atomic operation and leaves it with another.
const perThread = 2 * addition;
const costs = new Map();
for (const threads of [2, ...MORE_THREADS]) {
  const measured = threads === 2 || threads <= processors;
  costs.set(threads, measured ? await regionCost(threads) : costs.get(2) + (threads - 2) * perThread);
}
console.log(`a region: ${[...costs].map(([threads, us]) => `${digits(us)} µs with ${threads} threads`).join(', ')}`);

const measured = [];
for (const {title, target, open} of wanted) {
  const network = {title, target, ...(await measure(open))};
  measured.push(network);
  console.log(`${title}: serial share ${percent(serialTime(network) / timeOfOne(network))}, gain with 2 threads ${digits(network.gain)}`);
}

const rows = measured.map((network) => {
  const one = timeOfOne(network);
  const serial = serialTime(network);
  const gain = (threads) => digits(one / predict(network, threads, costs.get(threads)));
  return [
    network.title,
    digits(one / 1000),
    network.nodes.length,
    network.nodes.filter(isSplit).length,
    digits(network.outside / 1000),
    digits((serial - network.outside) / 1000),
    percent(serial / one),
    network.target ? `< ${100 * network.target} %` : '–',
    digits(network.gain),
    ...[2, ...MORE_THREADS].map(gain),
  ];
});
const head = [
  'network',
  'one thread, ms',
  'nodes',
  'split',
  'outside nodes, ms',
  'in nodes that are not split, ms',
  'serial share',
  'target',
  'gain with 2 threads, measured',
  'predicted',
  ...MORE_THREADS.map((threads) => `with ${threads}`),
];
const table = [line(head), line(head.map((_, i) => (i ? '--:' : '---'))), ...rows.map(line)].join('\n');
const known = MORE_THREADS.filter((threads) => threads <= processors);
const [, load] = os.loadavg(); // this program is a load of up to 2
const busy =
  load > processors + 0.5
    ? `\nThe machine was busy meanwhile (load ${load.toFixed(1)} on ${processors} processors), so too few nodes may count as split.`
    : '';
const text = `\
**More threads than two.** This machine has ${processors} processors, so gains with more threads are predicted from a profile
(\`npm run bench -- --scaling\`, relaxed SIMD, Node.js ${process.versions.node}). All times are the shortest of ${rounds} turns of ${slotMs} ms.${busy}

- A node counts as split if two threads make it more than ${SPLIT_GAIN} times as fast. All other nodes are serial. The time
  outside nodes is serial, too: copies of inputs, and steps from node to node. It contains one reading of the clock per node,
  which only a profile makes. The serial share is the part of both in a run with one thread.
- Except those of the language model, results stay in the engine's memory (\`shareOutputs: true\`). Copying them into new arrays
  is serial, too, and is not counted.
- With n threads, a split node takes an n-th of its time, if it has that many grains: ${GRAIN_MULTIPLY_ADDS.toLocaleString('en')} multiply-adds of matmuls and
  convolutions, ${DYNAMIC_GRAIN.toLocaleString('en')} of matmuls that quantise their data, ${GRAIN_US} µs of other operations. A node of fewer grains takes the time of one grain, at most half its time.
- Each split node also costs ${digits(costs.get(2))} µs to share between two threads, measured with a chain of SoftMax operations of
  two grains each. ${known.length ? `With ${known.join(' and ')} threads the cost is measured in the same way. ` : ''}Each further thread is assumed to
  add ${digits(perThread)} µs, two atomic additions to a number that another thread changes at the same time.
- The prediction knows neither the bandwidth of memory nor the size of shared caches. Gains with many threads are therefore upper
  bounds. The gain with two threads, measured and predicted, shows the error of the model.

${table}${hasLanguageModel ? '' : `

The language model was not measured. \`npm run bench -- --llm\` makes it.`}`;
console.log(`\n${table}`);
if (options.serial) writeFileSync(options.serial, `${measured.map(serialList).join('\n\n')}\n`);
if (options.write) {
  const path = join(root, 'docs/performance.md');
  writeFileSync(path, withGeneratedSection(readFileSync(path, 'utf8'), 'more threads', 'bench/threads.mjs', text));
  console.log('written: docs/performance.md');
}
process.exit(0); // the threads of the engine would keep the process
