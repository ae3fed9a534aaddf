// SPDX-License-Identifier: Apache-2.0
// seeded.mjs FOLDER: makes weights (net.pnnx.bin) and inputs (.npy) of the cases in FOLDER from their seeds.json.
// seeded.py made the same numbers when PyTorch computed the outputs.
import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {writeArrayFile} from '../../js/src/arrays/array_files.mjs';
import {storedZip} from './stored_zip.mjs';

const PERIOD = 1021;

/** A linear congruential generator of 32 bits: integers from 0 to below a count. */
function stream(seed) {
  let state = seed;
  return (count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(((state >>> 8) * count) / 2 ** 24);
  };
}

const repeat = (count, make) => Array.from({length: count}, make);

// The integers of all weights, -7 to 7, again and again.
const first = stream(1);
const pattern = repeat(PERIOD, () => first(15) - 7);

function weightBytes({count, start, step, offset, base64}) {
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  const values = Float32Array.from({length: count}, (_, i) => offset + step * pattern[(start + i) % PERIOD]);
  return new Uint8Array(values.buffer);
}

// Values that are all different: multiples of 1/4096.
function distinct(below, count, low, high) {
  const order = repeat(count, (_, i) => i);
  for (let i = count - 1; i > 0; --i) {
    const j = below(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order.map((place) => Math.floor(((place / count) * (high - low) + low) * 4096 + 0.5) / 4096);
}

function inputArray({kind, seed, shape, low, high, below}) {
  const count = shape.reduce((product, size) => product * size, 1);
  const next = stream(seed);
  switch (kind) {
    case 'distinct':
      return {type: 'f32', shape, data: Float32Array.from(distinct(next, count, low, high))};
    case 'eighths':
      return {type: 'f32', shape, data: Float32Array.from({length: count}, () => (next(15) - 7) / 8)};
    case 'integers':
      return {type: 'i64', shape, data: BigInt64Array.from({length: count}, () => BigInt(next(below)))};
    default:
      throw new Error(`unknown kind of inputs '${kind}'`);
  }
}

for (const name of readdirSync(process.argv[2])) {
  const folder = join(process.argv[2], name);
  // Small cases have their weights and inputs as files.
  if (!existsSync(join(folder, 'seeds.json'))) continue;
  const {weights, inputs} = JSON.parse(readFileSync(join(folder, 'seeds.json'), 'utf8'));
  const entries = weights.map((weight) => {
    const bytes = weightBytes(weight);
    return {name: weight.name, size: bytes.length, bytes};
  });
  writeFileSync(join(folder, 'net.pnnx.bin'), storedZip(entries));
  for (const input of inputs) writeArrayFile(join(folder, input.file), inputArray(input));
}
