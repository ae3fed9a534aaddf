import {addon as ov} from 'wasmvino';

const model = await new ov.Core().compileModel('model.xml', 'CPU');
// The letter "a" is 3. The word ends with 2.
const letters = [...'window'].map((letter) => letter.charCodeAt(0) - 94);
const {sequences, scores} = await model.createInferRequest().inferAsync({
  graphemes: new ov.Tensor('i32', [1, letters.length + 1], [...letters, 2]),
  beam_width: new ov.Tensor('i32', [], [3]),
});
const {phonemes} = await (await fetch('vocab.json')).json();
const best = sequences.data.filter((id, i) => i % 3 === 0 && id !== 3);
console.log('sounds:', Array.from(best, (id) => phonemes[id]).join(' '));
console.log('scores, best first:', Array.from(scores.data));
