// SPDX-License-Identifier: Apache-2.0
// node hello_reshape_ssd.mjs MODEL PICTURE DEVICE: prints the objects that a detector finds in a picture. The model is reshaped
// to the size of the picture.
import {addon as ov} from 'wasmvino';
import {readPicture} from './picture.mjs';

const [modelPath, picturePath, device] = process.argv.slice(2);
if (!modelPath || !picturePath || !device) {
  console.error('usage: node hello_reshape_ssd.mjs MODEL PICTURE DEVICE');
  process.exit(2);
}

const core = new ov.Core();
const model = await core.readModel(modelPath);
if (model.inputs.length !== 1) throw new Error('The sample takes models with one input.');
if (model.outputs.length !== 1) throw new Error('The sample takes models with one output.');

const picture = readPicture(picturePath);
const [, height, width] = picture.getShape();
model.reshape(`[1,3,${height},${width}]`);
const processor = new ov.preprocess.PrePostProcessor(model);
processor.input().tensor().setElementType(ov.element.u8).setLayout('NHWC');
processor.input().model().setLayout('NCHW');
processor.output().tensor().setElementType(ov.element.f32);
processor.build();
console.log(`The model takes ${model.input().getPartialShape()}`);

const compiledModel = await core.compileModel(model, device);
const request = compiledModel.createInferRequest();
const [output] = Object.values(await request.inferAsync([picture]));

// Rows of [image, class, confidence, left, top, right, bottom]. Positions are from 0 to 1.
const {data} = output;
for (let row = 0; row + 7 <= data.length; row += 7) {
  const [image, id, confidence, left, top, right, bottom] = data.subarray(row, row + 7);
  if (image < 0) break;
  if (confidence < 0.5) continue;
  const box = [left * width, top * height, right * width, bottom * height].map(Math.round);
  console.log(`Class ${id}, confidence ${confidence.toFixed(2)}, box ${box.join(', ')}`);
}
