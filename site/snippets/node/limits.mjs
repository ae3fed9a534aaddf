import {addon as ov} from 'wasmvino';

const core = new ov.Core({
  limits: {
    memoryBytes: 500e6,
    tensorBytes: 100e6,
    layers: 10_000,
    inferMilliseconds: 2000,
  },
});
const model = await core.compileModel('model.xml', 'CPU');
try {
  await core.readModel('model.xml', {limits: {layers: 10}});
} catch ({code, message}) {
  console.log(code, '–', message);
}
console.log('outputs:', model.outputs.length);
