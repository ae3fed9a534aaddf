// SPDX-License-Identifier: Apache-2.0
// node classification_sample_async.mjs -m MODEL -i PICTURE… -d DEVICE: prints the best class of each picture, with a queue of
// requests.
import {parseArgs} from 'node:util';
import {addon as ov} from 'wasmvino';
import {readPicture} from './picture.mjs';

const {values, positionals} = parseArgs({
  allowPositionals: true,
  options: {model: {type: 'string', short: 'm'}, image: {type: 'string', short: 'i'}, device: {type: 'string', short: 'd', default: 'CPU'}},
});
if (!values.model || !values.image) {
  console.error('usage: node classification_sample_async.mjs -m MODEL -i PICTURE… -d DEVICE');
  process.exit(2);
}
const paths = [values.image, ...positionals];

const core = new ov.Core();
const model = await core.readModel(values.model);
const processor = new ov.preprocess.PrePostProcessor(model);
processor.input().tensor().setElementType(ov.element.u8).setLayout('NHWC').setSpatialDynamicShape();
processor.input().model().setLayout('NCHW');
processor.input().preprocess().resize(ov.preprocess.resizeAlgorithm.RESIZE_LINEAR);
processor.build();
const compiledModel = await core.compileModel(model, values.device);

const queue = new ov.AsyncInferQueue(compiledModel, 2);
queue.setCallback((error, request, path) => {
  if (error) throw error;
  const {data} = request.getOutputTensor();
  const best = data.indexOf(Math.max(...data));
  console.log(`${path}: class ${best}, probability ${data[best].toFixed(7)}`);
});
await Promise.all(paths.map((path) => queue.startAsync([readPicture(path)], path)));
queue.release();
