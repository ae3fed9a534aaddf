import {addon as ov} from 'wasmvino';

const core = new ov.Core();
const compiled = await core.compileModel('model.xml', 'CPU');
const request = compiled.createInferRequest();
const inputs = {
  graphemes: new ov.Tensor('i32', [1, 3], [3, 4, 2]),
  beam_width: new ov.Tensor('i32', [], [3]),
};
await request.inferAsync(inputs); // packs the weights
await request.inferAsync(inputs); // needs nothing else of model.bin: its bytes are released
try {
  compiled.exportModelSync();
} catch ({code}) {
  console.log(code); // a synchronous call cannot fetch model.bin
}
const bytes = await compiled.exportModel(); // fetches it again
console.log('exported:', bytes.length, 'bytes');
