// SPDX-License-Identifier: Apache-2.0
// Tests reading and writing .npy files.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {formatNpy, parseNpy} from '../../../js/src/arrays/npy.mjs';

const latin1 = (text) => Buffer.from(text, 'latin1');

// Creates a file as numpy writes it.
function npy(descr, shape, data, {order = 'False', version = 1} = {}) {
  const header = latin1(`{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }\n`);
  const length = Buffer.alloc(version === 1 ? 2 : 4);
  length.writeUIntLE(header.length, 0, length.length);
  return Buffer.concat([latin1('\x93NUMPY'), Buffer.of(version, 0), length, header, Buffer.from(data.buffer)]);
}

test('arrays are read from the middle of a buffer, of any rank and version', () => {
  for (const version of [1, 2, 3]) {
    const file = npy('<f4', '(2, 3)', Float32Array.of(1, 2, 3, 4, 5, 6), {version});
    const shifted = Buffer.concat([Buffer.alloc(3), file]).subarray(3);
    assert.deepEqual(parseNpy(shifted), {type: 'f32', shape: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 6)});
  }
  assert.deepEqual(parseNpy(npy('<i8', '()', BigInt64Array.of(-7n))), {type: 'i64', shape: [], data: BigInt64Array.of(-7n)});
  assert.deepEqual(parseNpy(npy('|b1', '(2,)', Uint8Array.of(1, 0))), {type: 'boolean', shape: [2], data: Uint8Array.of(1, 0)});
  assert.deepEqual(parseNpy(npy('<f2', '(1,)', Uint16Array.of(0x3c00))), {type: 'f16', shape: [1], data: Uint16Array.of(0x3c00)});
});

// Regular expressions that search the header from each place took half a minute.
test('a long header that is none is refused at once', {timeout: 10_000}, () => {
  for (const part of ["'shape': (", "'descr': '<f", "'descr':'", ' ']) {
    const header = latin1(part.repeat(400_000 / part.length));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(header.length);
    const file = Buffer.concat([latin1('\x93NUMPY'), Buffer.of(2, 0), length, header]);
    assert.throws(() => parseNpy(file), ({message}) => /the header is not numpy's/.test(message) && message.length < 300);
  }
});

test('the array has its own memory', () => {
  const file = npy('<i2', '(1,)', Int16Array.of(5));
  const {data} = parseNpy(file);
  file.fill(0);
  assert.equal(data[0], 5);
  assert.equal(data.buffer.byteLength, 2);
});

test('Fortran order becomes C order', () => {
  const columns = Int32Array.from({length: 24}, (_, i) => i);
  const {data} = parseNpy(npy('<i4', '(2, 3, 4)', columns, {order: 'True'}));
  for (let i = 0, at = 0; i < 2; ++i) {
    for (let j = 0; j < 3; ++j) {
      for (let k = 0; k < 4; ++k) assert.equal(data[at++], i + 2 * (j + 3 * k));
    }
  }
  assert.deepEqual([...parseNpy(npy('|u1', '(3,)', Uint8Array.of(1, 2, 3), {order: 'True'})).data], [1, 2, 3]);
});

test('what is written is read again', () => {
  for (const array of [
    {type: 'f64', shape: [2, 1, 2], data: Float64Array.of(1, NaN, -0, 4)},
    {type: 'u64', shape: [2], data: BigUint64Array.of(1n, 2n ** 63n)},
    {type: 'i8', shape: [], data: Int8Array.of(-1)},
    {type: 'u16', shape: [0, 5], data: new Uint16Array(0)},
  ]) {
    const file = formatNpy(array);
    assert.equal((file.length - array.data.byteLength) % 64, 0);
    assert.deepEqual(parseNpy(file), array);
  }
  assert.throws(() => formatNpy({type: 'bf16', shape: [1], data: new Uint16Array(1)}), /numpy has no type bf16/);
});

test('other files are refused', () => {
  const refused = [
    [new Uint8Array(20), /not a \.npy file/],
    [latin1('\x93NUMPY'), /not a \.npy file/],
    [npy('>f4', '(1,)', new Float32Array(1)), /type >f4 is not supported/],
    [npy('<c8', '(1,)', new Float64Array(1)), /type <c8 is not supported/],
    [npy('<f4', '(3,)', new Float32Array(2)), /takes 12 bytes, but the file has 8/],
    [npy('<f4', '(-1,)', new Float32Array(1)), /no shape/],
    [npy('<f4', '(1.5,)', new Float32Array(2)), /no shape/],
    [npy('<f4', '(4294967296, 4294967296)', new Float32Array(1)), /no shape/],
    [npy('<f4', 'None', new Float32Array(1)), /not numpy's/],
  ];
  for (const [file, message] of refused) assert.throws(() => parseNpy(file), message);
});
