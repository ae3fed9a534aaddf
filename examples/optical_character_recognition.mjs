// SPDX-License-Identifier: Apache-2.0
// node optical_character_recognition.mjs DETECTOR READER CHARACTERS PICTURE DEVICE: prints the lines of text in a picture. Use
// models like those of PP-OCR: the detector outputs a map of the text areas, and the reader recognises the characters of a line.
// CHARACTERS is a text file with one character per line.
import {readFileSync} from 'node:fs';
import {addon as ov} from 'wasmvino';
import {regions} from '../site/examples/regions.js';
import {readPicture} from './picture.mjs';

const [detectorPath, readerPath, charactersPath, picturePath, device] = process.argv.slice(2);
if (!detectorPath || !readerPath || !charactersPath || !picturePath || !device) {
  console.error('usage: node optical_character_recognition.mjs DETECTOR READER CHARACTERS PICTURE DEVICE');
  process.exit(2);
}

const core = new ov.Core();
const picture = readPicture(picturePath);
const [, height, width] = picture.getShape();

// Compiles a model with preprocessing, so that it accepts bytes of any size, and resizes and normalises them.
async function prepare(path, [rows, columns], mean, deviation) {
  const model = await core.readModel(path);
  model.reshape(`[1,3,${rows},${columns}]`);
  const processor = new ov.preprocess.PrePostProcessor(model);
  processor.input().tensor().setElementType(ov.element.u8).setLayout('NHWC').setShape([1, -1, -1, 3]);
  processor
    .input()
    .preprocess()
    .resize(ov.preprocess.resizeAlgorithm.RESIZE_LINEAR, rows, columns)
    .reverseChannels() // the models expect blue, green, red
    .convertElementType(ov.element.f32)
    .mean(mean.map((value) => 255 * value))
    .scale(deviation.map((value) => 255 * value));
  processor.input().model().setLayout('NCHW');
  processor.build();
  return core.compileModel(model, device);
}

const inSteps = (side) => Math.max(32, Math.round(side / 32) * 32);
const [mapHeight, mapWidth] = [inSteps(height), inSteps(width)];
const detector = await prepare(detectorPath, [mapHeight, mapWidth], [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]);
// The reader takes lines of 48 pixels height. Their width is rounded up, so that few compiled models serve all lines.
const readers = new Map();
async function readerFor(height, width) {
  const columns = Math.ceil((48 * width) / height / 160) * 160;
  if (!readers.has(columns)) {
    const compiled = await prepare(readerPath, [48, columns], [0.5, 0.5, 0.5], [0.5, 0.5, 0.5]);
    readers.set(columns, compiled.createInferRequest());
  }
  return readers.get(columns);
}
const characters = ['', ...readFileSync(charactersPath, 'utf8').replace(/\r?\n$/, '').split(/\r?\n/), ' '];

// Returns a part of the picture.
function crop([left, top, right, bottom]) {
  const [from, to] = [picture.data, new Uint8Array(3 * (bottom - top) * (right - left))];
  for (let row = top; row < bottom; row++) {
    to.set(from.subarray(3 * (row * width + left), 3 * (row * width + right)), 3 * (row - top) * (right - left));
  }
  return new ov.Tensor(ov.element.u8, [1, bottom - top, right - left, 3], to);
}

const [map] = Object.values(await detector.createInferRequest().inferAsync([picture]));
for (const [left, top, right, bottom] of regions(map.data, mapWidth, mapHeight)) {
  // The map shows only the core of a line. The line itself is higher and wider.
  const margin = 0.75 * (bottom - top);
  const [sx, sy] = [width / mapWidth, height / mapHeight];
  const box = [
    Math.max(0, Math.floor((left - margin) * sx)),
    Math.max(0, Math.floor((top - margin) * sy)),
    Math.min(width, Math.ceil((right + margin) * sx)),
    Math.min(height, Math.ceil((bottom + margin) * sy)),
  ];
  const request = await readerFor(box[3] - box[1], box[2] - box[0]);
  const [output] = Object.values(await request.inferAsync([crop(box)]));
  const [, steps, count] = output.getShape();
  const values = output.data;
  // Takes the best character of each step. Class 0 is a blank. Repeated characters count once, unless a blank is between them.
  const best = Array.from({length: steps}, (_, step) => {
    const row = values.subarray(step * count, (step + 1) * count);
    return row.reduce((at, value, i) => (value > row[at] ? i : at), 0);
  });
  const text = best.map((id, step) => (id === best[step - 1] ? '' : characters[id])).join('');
  console.log(`${box.join(', ')}: ${text}`);
}
