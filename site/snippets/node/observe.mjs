import {addon as ov} from 'wasmvino';

const model = await new ov.Core().compileModel('model.xml', 'CPU');
const request = model.createInferRequest();
// A layer in the body of a loop.
request.observe([{layer: ['beam_search_loop', 'beam_topk'], port: 0}]);
await request.inferAsync({
  graphemes: new ov.Tensor('i32', [1, 5], [25, 11, 16, 7, 2]),
  beam_width: new ov.Tensor('i32', [], [2]),
});
for (const {iterations, tensor} of request.observations().slice(0, 3)) {
  console.log('iteration', iterations[0], '→', ...tensor.data);
}
