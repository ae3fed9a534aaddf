import {addon as ov} from 'wasmvino';

const core = new ov.Core();
const model = await core.readModel('classifier.xml');

// The input becomes a picture of any size: bytes, channels last.
const steps = new ov.preprocess.PrePostProcessor(model);
const given = steps.input().tensor();
given.setElementType('u8').setLayout('NHWC').setSpatialDynamicShape();
steps.input().model().setLayout('NCHW');
steps.input().preprocess().convertElementType('f32').resize('RESIZE_LINEAR')
  .mean([124, 116, 104]).scale([58, 57, 57]);
steps.build();
console.log(model.input().elementType, String(model.input().getPartialShape()));

// In a page, `await ov.Tensor.from(canvas)` makes this tensor.
const picture = new ov.Tensor('u8', [1, 64, 64, 3], new Uint8Array(64 * 64 * 3));
const compiled = await core.compileModel(model, 'CPU');
const {scores} = await compiled.createInferRequest().inferAsync([picture]);
console.log(scores.data.length, 'scores');
