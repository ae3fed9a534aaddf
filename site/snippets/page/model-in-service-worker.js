import {addon as ov} from './node_modules/wasmvino/dist/browser.js';
import factory from './node_modules/wasmvino/dist/wasmvino-simd.mjs';

ov.configure({build: 'simd', factory});
const compiled = new ov.Core().compileModel('model.xml', 'CPU');

addEventListener('message', async ({data: letters, source}) => {
  const {scores} = await (await compiled).createInferRequest().inferAsync({
    graphemes: new ov.Tensor('i32', [1, letters.length], letters),
    beam_width: new ov.Tensor('i32', [], [3]),
  });
  source.postMessage([...scores.data]);
});
