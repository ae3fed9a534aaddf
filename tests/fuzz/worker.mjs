// SPDX-License-Identifier: Apache-2.0
// A thread that runs jobs with one build of the package and reports how each ended.
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {parentPort, workerData} from 'node:worker_threads';
import {mutateBytes} from './mutate.mjs';
import {Random} from './random.mjs';

const {build, root, folder} = workerData;
const {addon: ov} = await import(pathToFileURL(join(root, 'dist/node.js')));
ov.configure({build});
await ov.ready;

export const limits = {
  memoryBytes: 768e6,
  tensorBytes: 64e6,
  layers: 5000,
  iterations: 10_000,
  compileMilliseconds: 2000,
  inferMilliseconds: 2000,
};
const core = new ov.Core({limits});
const unlimited = new ov.Core();
const good =
  '<net name="good" version="11"><layers><layer id="0" name="x" type="Parameter" version="opset1"><data shape="4" element_type="f32"/>' +
  '<output><port id="0" precision="FP32"><dim>4</dim></port></output></layer><layer id="1" name="y" type="ReLU" version="opset1">' +
  '<input><port id="0" precision="FP32"><dim>4</dim></port></input><output><port id="1" precision="FP32"><dim>4</dim></port></output></layer>' +
  '<layer id="2" name="r" type="Result" version="opset1"><input><port id="0" precision="FP32"><dim>4</dim></port></input></layer></layers>' +
  '<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>';
const encoder = new TextEncoder();

function tensorOf({type, shape, bytes}) {
  const tensor = new ov.Tensor(type, shape);
  if (bytes && bytes.length > 0) {
    const data = tensor.data;
    new Uint8Array(data.buffer, data.byteOffset, data.byteLength).set(bytes);
    tensor.data = data;
  }
  return tensor;
}

function bytesOf(tensor) {
  const data = tensor.data;
  return Array.isArray(data) ? encoder.encode(JSON.stringify(data)) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
}

// Reads (saves, reads again), compiles (exports, imports) and infers.
function runModel({kind, xml, bin, inputs, seed}, progress) {
  const made = [];
  const keep = (object) => (made.push(object), object);
  try {
    let model = keep(core.readModelSync(encoder.encode(xml), bin));
    if (kind === 'save') {
      progress.stage = 'save';
      const path = join(folder, `saved-${build}.xml`);
      ov.saveModelSync(model, path, new Random(seed).chance(0.5));
      try {
        model = keep(core.readModelSync(path));
      } catch (error) {
        if (error.code !== 'INVALID_MODEL') throw error;
        throw new Error(`what was saved cannot be read: ${error.message}`);
      }
    }
    progress.stage = 'compile';
    let compiled = keep(core.compileModelSync(model, 'CPU'));
    if (kind === 'export') {
      progress.stage = 'import';
      const random = new Random(seed);
      const exported = compiled.exportModelSync();
      compiled = keep(core.importModelSync(random.chance(0.2) ? exported : Buffer.from(mutateBytes(random, exported)), 'CPU'));
    }
    progress.stage = 'input';
    const request = keep(compiled.createInferRequest());
    inputs.forEach((input, i) => request.setInputTensor(i, tensorOf(input)));
    progress.stage = 'infer';
    request.infer();
    const outputs = compiled.outputs.map((_, i) => {
      const tensor = request.getOutputTensor(i);
      return {type: tensor.getElementType(), shape: tensor.getShape(), bytes: bytesOf(tensor)};
    });
    return outputs;
  } finally {
    for (const object of made.reverse()) object.dispose();
  }
}

let arrays;

async function readNpy({bytes, type, seed}) {
  if (!arrays) {
    const {build: bundle} = await import('esbuild');
    arrays = join(folder, `arrays-${build}.mjs`);
    await bundle({
      entryPoints: [join(root, 'js/src/cli/arrays.ts')],
      outfile: arrays,
      bundle: true,
      format: 'esm',
      platform: 'node',
      plugins: [
        {
          name: 'the package as it is built',
          setup: ({onResolve}) => onResolve({filter: /\/node\.js$/}, () => ({path: pathToFileURL(join(root, 'dist/node.js')).href, external: true})),
        },
      ],
    });
  }
  const {readArray} = await import(pathToFileURL(arrays));
  const path = join(folder, `array-${build}.npy`);
  writeFileSync(path, mutateBytes(new Random(seed), bytes));
  const tensor = readArray(path, type);
  return [{type: tensor.getElementType(), shape: tensor.getShape(), bytes: bytesOf(tensor)}];
}

async function run(job) {
  const progress = {stage: job.kind === 'npy' ? 'npy' : 'read'};
  const started = performance.now();
  let outcome;
  try {
    outcome = {outputs: job.kind === 'npy' ? await readNpy(job) : runModel(job, progress)};
    progress.stage = 'done';
  } catch (error) {
    const own = error instanceof ov.WasmvinoError;
    outcome = {code: own ? error.code : 'FOREIGN', message: own ? error.message : String(error.stack ?? error)};
    // The message alone does not say where the engine failed.
    if (error.code === 'ENGINE_FAILED' && error.cause) outcome.message += `\n${error.cause.stack ?? error.cause}`;
  }
  const milliseconds = performance.now() - started;
  if (outcome.code === 'ENGINE_FAILED' || ov.memoryBytes() > 0.9 * limits.memoryBytes) await ov.restart();
  return {...outcome, ...progress, milliseconds};
}

// Whether the engine still computes correctly. Damage done by a job shows here.
function works() {
  const request = unlimited.compileModelSync(unlimited.readModelSync(encoder.encode(good)), 'CPU').createInferRequest();
  return String(Object.values(request.infer([Float32Array.of(-1, 2, -3, 4)]))[0].data) === '0,2,0,4';
}

mkdirSync(folder, {recursive: true});
parentPort.on('message', async (job) => {
  const outcome = await run(job);
  if (job.check && !works()) Object.assign(outcome, {code: 'CORRUPTED', message: 'a good model gives wrong numbers after this one'});
  parentPort.postMessage(outcome);
});
parentPort.postMessage({operations: ov.operations(), limits});
