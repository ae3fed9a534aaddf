import {addon as ov} from 'wasmvino';

const core = new ov.Core();
const model = await core.readModel('model.xml');
console.log('any length:', String(model.input('graphemes').getPartialShape()));

// The same compiled model accepts words of every length.
// The first run with a new length plans for it.
const request = (await core.compileModel(model, 'CPU')).createInferRequest();
for (const word of ['wine', 'browser']) {
  const ids = [...word].map((letter) => letter.charCodeAt(0) - 94);
  const {sequences} = await request.inferAsync({
    graphemes: new ov.Tensor('i32', [1, ids.length + 1], [...ids, 2]),
    beam_width: new ov.Tensor('i32', [], [1]),
  });
  console.log(word, '→', sequences.getShape());
}

// With a static shape, inputs of any other shape are refused.
model.reshape(new Map([['graphemes', '[1,8]']]));
console.log('fixed length:', String(model.input('graphemes').getPartialShape()));
