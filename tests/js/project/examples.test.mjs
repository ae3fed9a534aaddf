// SPDX-License-Identifier: Apache-2.0
// Tests the programs of examples/ with small models.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, describe, it} from 'node:test';
import {smallFiles} from '../../site/small_models.mjs';
import {encode} from 'fast-png';
import {parseNpy} from '../../../js/src/arrays/npy.mjs';
import {root} from '../engine.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasmvino-examples-'));
after(() => rmSync(folder, {recursive: true}));
for (const [name, bytes] of Object.entries(smallFiles())) writeFileSync(join(folder, name), bytes);

// Writes a picture of one colour.
function picture(name, [width, height], colour) {
  const data = new Uint8Array(3 * width * height);
  for (let pixel = 0; pixel < width * height; pixel++) data.set(colour, 3 * pixel);
  const path = join(folder, name);
  writeFileSync(path, encode({width, height, channels: 3, data}));
  return path;
}
const red = picture('red.png', [40, 30], [200, 10, 10]);
const blue = picture('blue.png', [64, 64], [0, 20, 250]);

// A light bar on a black background.
const sign = join(folder, 'sign.png');
const bar = new Uint8Array(3 * 96 * 32);
for (let y = 12; y < 20; y++) bar.fill(255, 3 * (y * 96 + 20), 3 * (y * 96 + 76));
writeFileSync(sign, encode({width: 96, height: 32, channels: 3, data: bar}));

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

  it('optical_character_recognition: the detector finds a line, the reader reads it', () => {
    const letters = join(folder, 'letters.txt');
    writeFileSync(letters, 'a\nb\n');
    const lines = run('optical_character_recognition.mjs', join(folder, 'finder.xml'), join(folder, 'reader.xml'), letters, sign, 'CPU');
    assert.deepEqual(lines, ['14, 6, 82, 26: b']);
  });

  const networks = join(root, '../shared/models');
  it('optical_character_recognition reads a photo with PP-OCR', {skip: !existsSync(networks) && 'the networks are not here (../shared/models)'}, () => {
    const [detector, reader] = ['ppocr_det', 'ppocr_rec'].map((name) => join(networks, name));
    const letters = join(folder, 'characters.txt');
    writeFileSync(letters, JSON.parse(readFileSync(join(reader, 'charset.json'), 'utf8')).slice(1, -1).join('\n'));
    // The golden's input is a normalised picture in planes of blue, green and red.
    const {shape: [, , height, width], data} = parseNpy(new Uint8Array(readFileSync(join(detector, 'in_x.npy'))));
    const [mean, deviation] = [[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]];
    const rgb = new Uint8Array(3 * width * height);
    for (let pixel = 0; pixel < width * height; pixel++) {
      for (let plane = 0; plane < 3; plane++) rgb[3 * pixel + 2 - plane] = Math.round(255 * (data[plane * width * height + pixel] * deviation[plane] + mean[plane]));
    }
    const photo = join(folder, 'photo.png');
    writeFileSync(photo, encode({width, height, channels: 3, data: rgb}));
    const lines = run('optical_character_recognition.mjs', join(detector, 'model.xml'), join(reader, 'model.xml'), letters, photo, 'CPU');
    assert.match(lines[0], /^4, 11, 294, 37: Region-based segmentation$/);
    assert.match(lines[1], /: Let us first determine markers of the coins and the$/);
  });
});
