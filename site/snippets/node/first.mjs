import {addon as ov} from 'wasmvino';

const core = new ov.Core();
// Reads model.bin, too.
const model = await core.compileModel('model.xml', 'CPU');
const request = model.createInferRequest();

// The letter "a" is 3. The word ends with 2.
const letters = [...'browser'].map((letter) => letter.charCodeAt(0) - 94);
const {scores} = await request.inferAsync({
  graphemes: new ov.Tensor('i32', [1, letters.length + 1], [...letters, 2]),
  beam_width: new ov.Tensor('i32', [], [3]),
});
console.log('scores, best first:', ...scores.data);
