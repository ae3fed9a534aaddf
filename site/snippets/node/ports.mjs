import {addon as ov} from 'wasmvino';

const model = await new ov.Core().readModel('model.xml');
for (const port of model.inputs) {
  console.log('input', port.anyName, port.elementType, `${port.getPartialShape()}`);
}
for (const port of model.outputs) {
  console.log('output', port.anyName, port.elementType, `${port.getPartialShape()}`);
}
