import {addon as ov} from 'wasmvino';

const model = await new ov.Core().compileModel('softmax.onnx', 'CPU');
const scores = new ov.Tensor('f32', [1, 3], [2, 2, 2]);
const {probabilities} = await model.createInferRequest().inferAsync({scores});
console.log('probabilities:', ...probabilities.data);
