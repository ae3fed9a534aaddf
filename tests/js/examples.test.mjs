// SPDX-License-Identifier: Apache-2.0
// The programs of examples/, with small models.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, describe, it} from 'node:test';
import {smallFiles} from '../site/small_models.mjs';
import {encode} from 'fast-png';
import {irText, root} from './engine.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasmvino-examples-'));
after(() => rmSync(folder, {recursive: true}));
for (const [name, bytes] of Object.entries(smallFiles())) writeFileSync(join(folder, name), bytes);

// A picture of one colour.
function picture(name, [width, height], colour) {
  const data = new Uint8Array(3 * width * height);
  for (let pixel = 0; pixel < width * height; pixel++) data.set(colour, 3 * pixel);
  const path = join(folder, name);
  writeFileSync(path, encode({width, height, channels: 3, data}));
  return path;
}
const red = picture('red.png', [40, 30], [200, 10, 10]);
const blue = picture('blue.png', [64, 64], [0, 20, 250]);

// Two boxes, whatever the picture shows.
const value = (shape, names) => [{type: 'f32', shape, names}];
const detector = irText([
  {name: 'image', type: 'Parameter', outputs: value([1, 3, 10, 10], 'image')},
  {name: 'axes', type: 'Const', data: {element_type: 'i64', shape: '4', offset: 0, size: 32}, outputs: [{type: 'i64', shape: [4]}]},
  {name: 'sum', type: 'ReduceSum', data: {keep_dims: true}, inputs: ['image', 'axes'], outputs: value([1, 1, 1, 1])},
  {name: 'zero', type: 'Const', data: {element_type: 'f32', shape: '', offset: 32, size: 4}, outputs: value([])},
  {name: 'nothing', type: 'Multiply', data: {auto_broadcast: 'numpy'}, inputs: ['sum', 'zero'], outputs: value([1, 1, 1, 1])},
  {name: 'boxes', type: 'Const', data: {element_type: 'f32', shape: '1,1,2,7', offset: 36, size: 56}, outputs: value([1, 1, 2, 7])},
  {name: 'found', type: 'Add', data: {auto_broadcast: 'numpy'}, inputs: ['boxes', 'nothing'], outputs: value([1, 1, 2, 7], 'found')},
  {name: 'result', type: 'Result', inputs: ['found']},
]);
const bin = Buffer.alloc(92);
[0n, 1n, 2n, 3n].forEach((axis, i) => bin.writeBigInt64LE(axis, 8 * i));
[0, 7, 0.75, 0.1, 0.2, 0.5, 0.6, -1, 0, 0, 0, 0, 0, 0].forEach((number, i) => bin.writeFloatLE(number, 36 + 4 * i));
writeFileSync(join(folder, 'detector.xml'), detector);
writeFileSync(join(folder, 'detector.bin'), bin);

const run = (name, ...args) => execFileSync(process.execPath, [join(root, 'examples', name), ...args], {encoding: 'utf8'}).trimEnd().split('\n');

describe('examples', () => {
  it('hello_classification: the model resizes the picture', () => {
    const lines = run('hello_classification.mjs', join(folder, 'classifier.xml'), red, 'CPU');
    assert.deepEqual([lines[0], lines[1]], [`Picture: ${red}`, 'Class  Probability']);
    assert.match(lines[2], /^0 {6}200\.0/);
    assert.equal(lines.length, 5);
  });

  it('classification_sample_async: a queue takes pictures of all sizes', () => {
    const lines = run('classification_sample_async.mjs', '-m', join(folder, 'classifier.xml'), '-i', red, blue, '-d', 'CPU').sort();
    assert.equal(lines.length, 2);
    assert.match(lines[0], /blue\.png: class 2, probability 250\.0/);
    assert.match(lines[1], /red\.png: class 0, probability 200\.0/);
  });

  it('hello_reshape_ssd: the model takes the size of the picture', () => {
    assert.deepEqual(run('hello_reshape_ssd.mjs', join(folder, 'detector.xml'), red, 'CPU'), ['The model takes [1,30,40,3]', 'Class 7, confidence 0.75, box 4, 6, 20, 18']);
  });
});
