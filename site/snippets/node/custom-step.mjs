import {addon as ov} from 'wasmvino';

const core = new ov.Core();
const model = await core.readModel('classifier.xml');
const steps = new ov.preprocess.PrePostProcessor(model);

// Brightens dark pictures before the network: x ** 0.45.
steps.input().preprocess().custom((x, step) => {
  return step.add('Power', [x, step.constant('f32', [1], [0.45])]);
});
// Returns the best class instead of all scores.
steps.output().postprocess().custom((scores, step) => {
  const k = step.constant('i64', [], [1n]);
  const attributes = {axis: -1, mode: 'max', sort: 'value'};
  return step.add('TopK', [scores, k], attributes, 2).output(1);
});
steps.build();
console.log(model.output().elementType, String(model.output().getPartialShape()));
