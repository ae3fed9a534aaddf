import {addon as ov} from 'wasmvino';

// This model adds each input to a variable.
const model = await new ov.Core().compileModel('sum.xml', 'CPU');
const request = model.createInferRequest();

for (const value of [1, 2, 3]) {
  const {total} = await request.inferAsync({x: new ov.Tensor('f32', [1], [value])});
  console.log('after', value, '→', total.data[0]);
}

const [variable] = request.queryState();
console.log(variable.getName(), 'holds', variable.getState().data[0]);

request.resetState(); // the next run starts with the initial state
const {total} = await request.inferAsync({x: new ov.Tensor('f32', [1], [10])});
console.log('after a reset →', total.data[0]);
