import {Core, Tensor, build, configure} from 'wasmvino/simd';
import factory from 'wasmvino/wasmvino-simd.mjs';
// The bytes of the module: esbuild --loader:.wasm=binary
import wasmBinary from 'wasmvino/wasmvino-simd.wasm';

configure({factory, wasmBinary});
const model = await new Core().compileModel('model.xml', 'CPU');
// The letter "a" is 3. The word ends with 2.
const letters = [...'browser'].map((letter) => letter.charCodeAt(0) - 94);
const {scores} = await model.createInferRequest().inferAsync({
  graphemes: new Tensor('i32', [1, letters.length + 1], [...letters, 2]),
  beam_width: new Tensor('i32', [], [3]),
});
console.log(`${build.name} – ${build.reason}`);
console.log('scores, best first:', ...scores.data);
