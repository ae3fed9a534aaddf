// SPDX-License-Identifier: Apache-2.0
// node hello_classification.mjs MODEL PICTURE DEVICE: prints the best classes of a picture.
import {addon as ov} from 'wasmvino';
import {readPicture} from './picture.mjs';

const [modelPath, picturePath, device] = process.argv.slice(2);
if (!modelPath || !picturePath || !device) {
  console.error('usage: node hello_classification.mjs MODEL PICTURE DEVICE');
  process.exit(2);
}

const core = new ov.Core();
const model = await core.readModel(modelPath);
if (model.inputs.length !== 1) throw new Error('The sample takes models with one input.');
if (model.outputs.length !== 1) throw new Error('The sample takes models with one output.');

// The picture may have any size. It consists of bytes, channels last. The model resizes and converts it.
const picture = readPicture(picturePath);
const [, height, width] = picture.getShape();
const processor = new ov.preprocess.PrePostProcessor(model);
processor.input().tensor().setElementType(ov.element.u8).setLayout('NHWC').setShape([1, height, width, 3]);
processor.input().model().setLayout('NCHW');
processor.input().preprocess().resize(ov.preprocess.resizeAlgorithm.RESIZE_LINEAR);
processor.output().tensor().setElementType(ov.element.f32);
processor.build();

const compiledModel = await core.compileModel(model, device);
const request = compiledModel.createInferRequest();
request.setInputTensor(picture);
request.infer();

const scores = request.getOutputTensor().data;
const best = [...scores.keys()].sort((a, b) => scores[b] - scores[a]).slice(0, 10);
console.log(`Picture: ${picturePath}`);
console.log('Class  Probability');
for (const id of best) console.log(`${String(id).padEnd(6)} ${scores[id].toFixed(7)}`);
