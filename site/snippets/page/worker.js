import {addon as ov} from './node_modules/wasmvino/dist/browser.js';

const compiling = new ov.Core().compileModel('model.xml', 'CPU');
const ready = compiling.then((model) => model.createInferRequest());

addEventListener('message', async ({data: {id, word}}) => {
  const request = await ready;
  const letters = [...word].map((letter) => letter.charCodeAt(0) - 94);
  const {scores} = await request.inferAsync({
    graphemes: new ov.Tensor('i32', [1, letters.length + 1], [...letters, 2]),
    beam_width: new ov.Tensor('i32', [], [3]),
  });
  const values = scores.data;
  postMessage({id, scores: values}, [values.buffer]); // moved, not copied
});
