// SPDX-License-Identifier: Apache-2.0
// node tests/fuzz/graphs.mjs [--runs N] [--seed S] [--build NAME]: runs random graphs. Their results must not depend on passes
// or on what a request computed before: each call is compared with one of a new request without passes. Graph number i of seed S is
// graph 0 of seed S + i. Findings go to build/fuzz/findings/. The exit code is 1 if there are any.
import {mkdirSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import '../js/relaxed_simd.mjs';
import {randomGraph} from './random_graph.mjs';
import {Random} from './random.mjs';

const {values: options} = parseArgs({
  options: {runs: {type: 'string', default: '1000'}, seed: {type: 'string', default: '1'}, build: {type: 'string', default: 'simd'}},
});
const {addon: ov} = await import('../../dist/node.js');
ov.configure({build: options.build});
await ov.ready;
const core = new ov.Core({autoRestart: true});

const infer = (request, call) =>
  request.infer(call.map(({shape, data}) => new ov.Tensor('f32', shape, data.slice()))) &&
  request.getCompiledModel().outputs.map((_, i) => {
    const tensor = request.getOutputTensor(i);
    return {shape: [...tensor.getShape()], data: tensor.data.slice()};
  });

// The results of all calls to one request.
function runInOrder(compiled, calls) {
  const request = compiled.createInferRequest();
  return calls.map((call) => infer(request, call));
}

// The results of the last call, to a new request. If there are variables, the calls before come first.
function runAnew(compiled, calls, hasVariables) {
  const results = runInOrder(compiled, hasVariables ? calls : calls.slice(-1));
  return results.at(-1);
}

// Describes how results differ, or returns undefined. Sums may be rounded differently.
function difference(here, there) {
  for (const [i, {shape, data}] of here.entries()) {
    if (String(shape) !== String(there[i].shape)) return `output ${i} has shape [${shape}] instead of [${there[i].shape}]`;
    const largest = there[i].data.reduce((most, value) => Math.max(most, Number.isFinite(value) ? Math.abs(value) : 0), 1e-3);
    const same = (a, b) => Object.is(a, b) || Math.abs(a - b) <= 1e-3 * largest || (Number.isNaN(a) && Number.isNaN(b));
    const at = data.findIndex((value, j) => !same(value, there[i].data[j]));
    if (at >= 0) return `output ${i} has ${data[at]} at ${at} instead of ${there[i].data[at]}`;
  }
  return undefined;
}

function check({xml, bin, calls, hasVariables}) {
  const model = core.readModelSync(new TextEncoder().encode(xml), bin);
  const config = {INFERENCE_NUM_THREADS: 2};
  const compiled = core.compileModelSync(model, 'CPU', config);
  const plain = core.compileModelSync(model, 'CPU', {...config, WASMVINO_PASSES: false});
  try {
    const results = runInOrder(compiled, calls);
    for (const [i, result] of results.entries()) {
      const found = difference(result, runAnew(plain, calls.slice(0, i + 1), hasVariables));
      if (found) return `call ${i}: ${found}`;
    }
  } finally {
    for (const object of [plain, compiled, model]) object.dispose();
  }
  return undefined;
}

const first = Number(options.seed);
const counts = {same: 0, variables: 0};
let findings = 0;
for (let seed = first; seed < first + Number(options.runs); seed++) {
  const graph = randomGraph(new Random(seed));
  let found;
  try {
    found = check(graph);
  } catch (error) {
    found = `${error.code}: ${error.message}`;
  }
  if (!found) {
    counts.same++;
    counts.variables += Number(graph.hasVariables);
    continue;
  }
  findings++;
  const folder = fileURLToPath(new URL(`../../build/fuzz/findings/graph-${options.build}-${seed}/`, import.meta.url));
  mkdirSync(folder, {recursive: true});
  writeFileSync(`${folder}model.xml`, graph.xml);
  writeFileSync(`${folder}model.bin`, graph.bin);
  console.log(`seed ${seed}: ${found.slice(0, 300)}`);
}
console.log(`${options.build}: ${counts.same} graphs, ${counts.variables} of them with variables, ${findings} findings`);
process.exitCode = findings > 0 ? 1 : 0;
