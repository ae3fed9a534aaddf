import {addon as ov} from 'wasmvino';

const core = new ov.Core();
const model = await core.compileModel('model.xml', 'CPU'); // reads model.bin beside it
const request = model.createInferRequest();

const letters = [...'browser'].map((letter) => letter.charCodeAt(0) - 94); // "a" is 3
const {scores} = await request.inferAsync({
  graphemes: new ov.Tensor('i32', [1, letters.length + 1], [...letters, 2]), // 2 ends the word
  beam_width: new ov.Tensor('i32', [], [3]),
});
console.log('scores, best first:', ...scores.data);
