import {addon as ov} from 'wasmvino';

const core = new ov.Core();
core.addExtension({
  type: 'Strange', // matches layers with version="opset1"
  version: 'opset1',
  infer: ([{type, shape}]) => [{type, shape}],
  evaluate([x]) {
    const values = x.data.map((value) => value / (1 + Math.exp(-value)));
    return [new ov.Tensor('f32', x.getShape(), values)];
  },
});
const model = await core.readModel('strange.xml');
const request = (await core.compileModel(model, 'CPU')).createInferRequest();
const {y} = await request.inferAsync({x: [2]});
console.log('Strange(2) =', y.data[0].toFixed(4));
