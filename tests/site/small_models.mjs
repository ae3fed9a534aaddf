// SPDX-License-Identifier: Apache-2.0
// Small models, a picture and a recording. The snippets of the guides run with them.
import {accumulatingModel, irText} from '../js/engine.mjs';
import {deflateSync, crc32} from 'node:zlib';

const f32 = (shape, names) => [{type: 'f32', shape, names}];
const axes = (name, values, offset) => ({
  name,
  type: 'Const',
  data: {element_type: 'i64', shape: String(values), offset, size: 8 * values},
  outputs: [{type: 'i64', shape: [values]}],
});

/** "scores" are the means of the three channels of "image". */
const classifier = irText([
  {name: 'image', type: 'Parameter', outputs: f32([1, 3, 224, 224], 'image')},
  axes('axes', 2, 0),
  {name: 'mean', type: 'ReduceMean', data: {keep_dims: false}, inputs: ['image', 'axes'], outputs: f32([1, 3], 'scores')},
  {name: 'result', type: 'Result', inputs: ['mean']},
]);

/** "loudness" is the maximum magnitude of "samples". */
const loudness = irText([
  {name: 'samples', type: 'Parameter', outputs: f32([1, -1], 'samples')},
  {name: 'magnitude', type: 'Abs', inputs: ['samples'], outputs: f32([1, -1])},
  axes('axis', 1, 0),
  {name: 'max', type: 'ReduceMax', data: {keep_dims: false}, inputs: ['magnitude', 'axis'], outputs: f32([1], 'loudness')},
  {name: 'result', type: 'Result', inputs: ['max']},
]);

/** "rectified" are the magnitudes of "samples". */
const rectifier = irText([
  {name: 'samples', type: 'Parameter', outputs: f32([1, -1], 'samples')},
  {name: 'magnitude', type: 'Abs', inputs: ['samples'], outputs: f32([1, -1], 'rectified')},
  {name: 'result', type: 'Result', inputs: ['magnitude']},
]);

/** Outputs one box and the end of the list, in the format of DetectionOutput, for every "image". */
const detector = irText([
  {name: 'image', type: 'Parameter', outputs: f32([1, 3, 10, 10], 'image')},
  axes('axes', 4, 0),
  {name: 'sum', type: 'ReduceSum', data: {keep_dims: true}, inputs: ['image', 'axes'], outputs: f32([1, 1, 1, 1])},
  {name: 'zero', type: 'Const', data: {element_type: 'f32', shape: '', offset: 32, size: 4}, outputs: f32([])},
  {name: 'nothing', type: 'Multiply', data: {auto_broadcast: 'numpy'}, inputs: ['sum', 'zero'], outputs: f32([1, 1, 1, 1])},
  {name: 'boxes', type: 'Const', data: {element_type: 'f32', shape: '1,1,2,7', offset: 36, size: 56}, outputs: f32([1, 1, 2, 7])},
  {name: 'found', type: 'Add', data: {auto_broadcast: 'numpy'}, inputs: ['boxes', 'nothing'], outputs: f32([1, 1, 2, 7], 'found')},
  {name: 'result', type: 'Result', inputs: ['found']},
]);

function detectorWeights() {
  const bin = Buffer.alloc(92);
  [0n, 1n, 2n, 3n].forEach((axis, i) => bin.writeBigInt64LE(axis, 8 * i));
  [0, 7, 0.75, 0.1, 0.2, 0.5, 0.6, -1, 0, 0, 0, 0, 0, 0].forEach((number, i) => bin.writeFloatLE(number, 36 + 4 * i));
  return bin;
}

/** Outputs a map of the light areas of "x", like detectors of text. */
const finder = irText([
  {name: 'x', type: 'Parameter', outputs: f32([-1, 3, -1, -1], 'x')},
  axes('axis', 1, 0),
  {name: 'mean', type: 'ReduceMean', data: {keep_dims: true}, inputs: ['x', 'axis'], outputs: f32([-1, 1, -1, -1], 'map')},
  {name: 'result', type: 'Result', inputs: ['mean']},
]);

/** Outputs one step of scores for four characters: the nearer the mean of "x" is to -1, 1, -0.34 or 0.5, the higher. */
const reader = irText([
  {name: 'x', type: 'Parameter', outputs: f32([-1, 3, -1, -1], 'x')},
  axes('axes', 4, 0),
  {name: 'mean', type: 'ReduceMean', data: {keep_dims: false}, inputs: ['x', 'axes'], outputs: f32([])},
  {name: 'centres', type: 'Const', data: {element_type: 'f32', shape: '1,1,4', offset: 32, size: 16}, outputs: f32([1, 1, 4])},
  {name: 'difference', type: 'Subtract', data: {auto_broadcast: 'numpy'}, inputs: ['mean', 'centres'], outputs: f32([1, 1, 4])},
  {name: 'distance', type: 'Abs', inputs: ['difference'], outputs: f32([1, 1, 4])},
  {name: 'scores', type: 'Negative', inputs: ['distance'], outputs: f32([1, 1, 4], 'scores')},
  {name: 'result', type: 'Result', inputs: ['scores']},
]);

const softmax = irText([
  {name: 'scores', type: 'Parameter', outputs: f32([1, 3], 'scores')},
  {name: 'softmax', type: 'SoftMax', data: {axis: 1}, inputs: ['scores'], outputs: f32([1, 3], 'probabilities')},
  {name: 'result', type: 'Result', inputs: ['softmax']},
]);

// Fields of a protobuf message: texts and messages have wire type 2, numbers 0. All are shorter than 128 bytes.
const bytesField = (field, content) => Buffer.concat([Buffer.of(8 * field + 2, content.length), Buffer.from(content)]);
const numberField = (field, value) => Buffer.of(8 * field, value);

/** The model `softmax` in ONNX, of operator set 13. */
function onnxSoftmax() {
  const f32Type = 1;
  const shape = bytesField(2, Buffer.concat([1, 3].map((size) => bytesField(1, numberField(1, size)))));
  const type = bytesField(2, bytesField(1, Buffer.concat([numberField(1, f32Type), shape])));
  const value = (name) => Buffer.concat([bytesField(1, name), type]);
  const node = Buffer.concat([bytesField(1, 'scores'), bytesField(2, 'probabilities'), bytesField(4, 'Softmax')]);
  const graph = Buffer.concat([bytesField(1, node), bytesField(2, 'softmax'), bytesField(11, value('scores')), bytesField(12, value('probabilities'))]);
  return Buffer.concat([numberField(1, 8), bytesField(7, graph), bytesField(8, numberField(2, 13))]);
}

/** Has a layer of an unknown type. */
const strange = irText([
  {name: 'x', type: 'Parameter', outputs: f32([1], 'x')},
  {name: 'odd', type: 'Strange', inputs: ['x'], outputs: f32([1], 'y')},
  {name: 'result', type: 'Result', inputs: ['odd']},
]);

function sum() {
  const {xml, bin} = accumulatingModel();
  return {xml: new TextDecoder().decode(xml).replaceAll('<dim>2</dim>', '<dim>1</dim>').replaceAll('shape="2"', 'shape="1"').replace('size="8"', 'size="4"'), bin: bin.slice(4)};
}

/** Creates a picture of one colour, as PNG. */
function picture([red, green, blue], size = 64) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2], 8); // 8 bits, RGB
  const row = Buffer.concat([Buffer.of(0), ...Array.from({length: size}, () => Buffer.of(red, green, blue))]);
  const rows = Buffer.concat(Array.from({length: size}, () => row));
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

/** Creates a tone of half the full amplitude, as a WAV file with one channel. */
export function tone({seconds = 1, rate = 16000, hertz = 440} = {}) {
  const count = seconds * rate;
  const bytes = Buffer.alloc(44 + 2 * count);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + 2 * count, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20); // PCM
  bytes.writeUInt16LE(1, 22); // channels
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(2 * rate, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(2 * count, 40);
  for (let i = 0; i < count; i++) bytes.writeInt16LE(Math.round(16384 * Math.sin((2 * Math.PI * hertz * i) / rate)), 44 + 2 * i);
  return bytes;
}

const twoAxes = Buffer.from(BigInt64Array.of(2n, 3n).buffer);

/** The bytes of the files by name. */
export function smallFiles() {
  const {xml, bin} = sum();
  return {
    'classifier.xml': classifier,
    'classifier.bin': twoAxes,
    'finder.xml': finder,
    'finder.bin': Buffer.from(BigInt64Array.of(1n).buffer),
    'reader.xml': reader,
    'reader.bin': Buffer.concat([Buffer.from(BigInt64Array.of(0n, 1n, 2n, 3n).buffer), Buffer.from(Float32Array.of(-1, 1, -0.34, 0.5).buffer)]),
    'detector.xml': detector,
    'detector.bin': detectorWeights(),
    'rectifier.xml': rectifier,
    'rectifier.bin': Buffer.alloc(0),
    'loudness.xml': loudness,
    'loudness.bin': Buffer.from(BigInt64Array.of(1n).buffer),
    'softmax.onnx': onnxSoftmax(),
    'softmax.xml': softmax,
    'softmax.bin': Buffer.alloc(0),
    'strange.xml': strange,
    'sum.xml': xml,
    'sum.bin': bin,
    'picture.png': picture([10, 200, 30]),
    'speech.wav': tone(),
    'favicon.ico': Buffer.alloc(0), // browsers request it by themselves
  };
}
