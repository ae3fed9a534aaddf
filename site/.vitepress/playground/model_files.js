// SPDX-License-Identifier: Apache-2.0
// Picks the files of a model among those that a visitor chose.

/** At the end of a name, or of the path of a URL. */
export const modelSuffix = /\.(xml|param)(?=$|[?#])/;

// What to do with the files of other formats.
const advice = [
  [/\.onnx$/i, (name) => `the playground draws OpenVINO IR and PNNX. readModel('${name}') runs an ONNX model. To see it here, convert it with: ovc ${name}`],
  [/\.(tflite|pb|pdmodel)$/i, (name) => `convert it to OpenVINO IR with: ovc ${name}`],
  [/\.(pt|pth|pt2)$/i, (name) => `convert it to OpenVINO IR in Python, with ovc.convert_model(), or TorchScript to PNNX with: pnnx ${name}`],
  [/\.(keras|h5|hdf5)$/i, () => "save it with model.export('folder') in Python, then convert it with: ovc folder"],
  [/\.(safetensors|gguf)$/i, () => 'it holds weights alone. Convert the model that they belong to with: optimum-cli export openvino'],
  [/\.bin$/i, () => 'it holds weights. Choose the .xml or .pnnx.param that belongs to it, too'],
  [/\.(zip|gz|tgz|tar)$/i, () => 'unpack it first'],
];

/**
 * The model among files, and its weights if they are there.
 *
 * @template {{name: string}} F
 * @param {readonly F[]} files
 * @returns {{xml: F, bin: F | undefined}}
 * @throws Error with what to do, if none of the files is a model that the playground opens.
 */
export function modelAmong(files) {
  const xml = files.find(({name}) => modelSuffix.test(name));
  if (xml) {
    const bin = files.find(({name}) => name === xml.name.replace(modelSuffix, '.bin')) ?? files.find(({name}) => name.endsWith('.bin'));
    return {xml, bin};
  }
  for (const [suffix, text] of advice) {
    const file = files.find(({name}) => suffix.test(name));
    if (file) throw new Error(`${file.name}: ${text(file.name)}.`);
  }
  throw new Error(`There is no .xml or .param among the files: ${files.map(({name}) => name).join(', ')}.`);
}
