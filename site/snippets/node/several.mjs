import {addon as ov} from 'wasmvino';

const core = new ov.Core(); // one engine, one memory, for all models
const [features, head] = await Promise.all([
  core.compileModel('classifier.xml', 'CPU'),
  core.compileModel('softmax.xml', 'CPU'),
]);
const [first, second] = [features.createInferRequest(), head.createInferRequest()];

const pixels = new Float32Array(3 * 224 * 224).fill(0.5);
const image = new ov.Tensor('f32', [1, 3, 224, 224], pixels);
const {scores} = await first.inferAsync({image});
// An output is the next input.
const {probabilities} = await second.inferAsync({scores});
console.log('probabilities:', ...probabilities.data);

// Or declare them with `using`.
for (const made of [first, second, features, head]) made.dispose();
