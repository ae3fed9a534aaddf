const {addon: ov} = require('wasmvino');

const model = new ov.Core().compileModelSync('model.xml', 'CPU');
for (const port of [...model.inputs, ...model.outputs]) {
  console.log(port.anyName, port.elementType, String(port.getPartialShape()));
}
