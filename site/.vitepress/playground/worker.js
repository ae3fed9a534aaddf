// SPDX-License-Identifier: Apache-2.0
// The worker of the playground. All slow work happens here, so that the page stays responsive.
import {addon as ov} from 'wasmvino';
import {layOut, readGraph} from './graph.js';

const OBSERVED = 100; // values of a port that the page shows

let compiled;
let request;
let graph;

const portOf = (port) => ({
  name: port.anyName,
  type: port.elementType,
  shape: String(port.getPartialShape()),
});
const tensorOf = (tensor) => ({type: tensor.getElementType(), shape: tensor.getShape(), data: tensor.data});

const methods = {
  /** Reads and compiles a model. */
  async open({xml, bin, build, threads}) {
    if (build) ov.configure({build});
    await ov.ready;
    const report = ov.inspect(xml, bin);
    graph = readGraph(new TextDecoder().decode(xml));
    const about = {build: ov.build.name, reason: ov.build.reason, report, layers: graph.nodes.length};
    if (report.problems.length > 0) return about;
    const started = performance.now();
    const model = await new ov.Core().readModel(xml, bin);
    compiled = await compile(model, threads);
    model.dispose();
    request = compiled.createInferRequest();
    return {
      ...about,
      inputs: compiled.inputs.map(portOf),
      outputs: compiled.outputs.map(portOf),
      threads: compiled.getProperty('INFERENCE_NUM_THREADS'),
      compileMs: performance.now() - started,
      memory: ov.memoryBytes(),
    };
  },

  /** Computes the positions of the graph's nodes. */
  layOut: () => layOut(graph),

  /** Runs the model several times. The first run also plans, so its time is reported separately. */
  async run({inputs, runs}) {
    inputs.forEach(({type, shape, data}, i) => request.setInputTensor(i, new ov.Tensor(type, shape, data)));
    const times = [];
    for (let run = 0; run <= runs; run++) {
      const started = performance.now();
      await request.inferAsync();
      times.push(performance.now() - started);
    }
    const [first, ...rest] = times;
    return {
      first,
      times: rest,
      outputs: compiled.outputs.map((port, i) => ({name: port.anyName, ...tensorOf(request.getOutputTensor(i))})),
      profile: request
        .getProfilingInfo()
        .filter(({status, realTime}) => status === 'EXECUTED' && realTime > 0)
        .map(({nodeName, nodeType, execType, realTime, calls}) => ({nodeName, nodeType, execType, ms: realTime / 1000, calls})),
      memory: {engine: ov.memoryBytes(), kinds: {...(await request.explain()).memory}},
    };
  },

  /** Runs the model once more, and returns the values of a port: one for each iteration, if it is in a loop. */
  async observe({path, port}) {
    request.observe([{layer: path, port}]);
    try {
      await request.inferAsync();
      return request.observations().slice(0, OBSERVED).map(({iterations, tensor}) => ({iterations, ...tensorOf(tensor)}));
    } finally {
      request.observe([]);
    }
  },
};

function compile(model, threads) {
  return new ov.Core().compileModel(model, 'CPU', {PERF_COUNT: true, ...(threads ? {INFERENCE_NUM_THREADS: threads} : {})});
}

addEventListener('message', async ({data: {id, method, argument}}) => {
  try {
    postMessage({id, result: await methods[method](argument)});
  } catch (error) {
    const {message, code, layer} = error;
    postMessage({id, error: {message, code, layer}});
  }
});
