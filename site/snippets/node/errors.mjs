import {addon as ov} from 'wasmvino';

const model = await new ov.Core().compileModel('classifier.xml', 'CPU');
try {
  const image = new ov.Tensor('f32', [1, 3, 10, 10]);
  await model.createInferRequest().inferAsync({image});
} catch (error) {
  if (!(error instanceof ov.WasmvinoError)) throw error;
  console.log(error.code); // kind of the error
  console.log(error.message); // what is wrong, and where
  console.log(error.port, error.expected, error.actual); // the same details as data
}
