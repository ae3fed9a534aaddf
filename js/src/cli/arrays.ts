// SPDX-License-Identifier: Apache-2.0
// Arrays in files: numpy's .npy (format 1 to 3, C or Fortran order) and, for strings, .json {"shape", "data"}.
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {Tensor, WasmvinoError, type SupportedTypedArray, type element} from '../node.js';

const numpyTypes: [element, string][] = [
  ['boolean', '|b1'],
  ['i8', '|i1'],
  ['u8', '|u1'],
  ['i16', '<i2'],
  ['u16', '<u2'],
  ['i32', '<i4'],
  ['u32', '<u4'],
  ['i64', '<i8'],
  ['u64', '<u8'],
  ['f16', '<f2'],
  ['f32', '<f4'],
  ['f64', '<f8'],
];
const widths: Partial<Record<element, number>> = {bf16: 16, u1: 1, u2: 2, u3: 3, u4: 4, i4: 4, u6: 6, nf4: 4, f4e2m1: 4};

/** numpy lacks some types: these are unsigned integers there; narrower than a byte, one element a byte. */
function storedType(type: element): element {
  if (numpyTypes.some(([known]) => known === type)) return type;
  return type === 'bf16' ? 'u16' : type === 'i4' ? 'i8' : 'u8';
}

const isPacked = (type: element) => (widths[type] ?? 8) < 8;

// Where the bits of element i stand in a packed array: runs of [byte, shift in it, bits, shift in the value].
function places(type: element, i: number): [number, number, number, number][] {
  const width = widths[type]!;
  if (width === 3 || width === 6) {
    // 8 (or 4) values in 3 bytes, the first in the top bits: two bytes of the low parts, one of the high parts.
    const [group, low] = width === 3 ? [8, 2] : [4, 4];
    const [first, at] = [Math.floor(i / group) * 3, i % group];
    const perByte = 8 / low;
    const high = width - low;
    return [
      [first + Math.floor(at / perByte), 8 - low * ((at % perByte) + 1), low, 0],
      [first + 2, 8 - high * (at + 1), high, low],
    ];
  }
  const perByte = 8 / width;
  const at = i % perByte;
  return [[Math.floor(i / perByte), width === 1 ? 7 - at : width * at, width, 0]];
}

function pack(type: element, values: Uint8Array, into: Uint8Array): void {
  for (let i = 0; i < values.length; ++i) {
    for (const [byte, shift, bits, from] of places(type, i)) {
      into[byte]! |= ((values[i]! >> from) & ((1 << bits) - 1)) << shift;
    }
  }
}

/** The elements of a packed array, one a byte; signed ones extended. */
export function unpack(type: element, packed: Uint8Array, count: number): Uint8Array | Int8Array {
  const values = type === 'i4' ? new Int8Array(count) : new Uint8Array(count);
  for (let i = 0; i < count; ++i) {
    let value = 0;
    for (const [byte, shift, bits, from] of places(type, i)) {
      value |= ((packed[byte]! >> shift) & ((1 << bits) - 1)) << from;
    }
    values[i] = type === 'i4' ? (value << 28) >> 28 : value;
  }
  return values;
}

export function bytesOf(array: SupportedTypedArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function fail(message: string): never {
  throw new WasmvinoError('INVALID_ARGUMENT', message);
}

/** Whether a file of `stored` values holds a tensor of `type` as it is. */
export function isStoredAs(type: element, stored: element): boolean {
  return storedType(type) === stored;
}

interface StoredArray {
  type: element;
  shape: number[];
  bytes: Uint8Array;
}

function parseNpy(path: string): StoredArray {
  const file = readFileSync(path);
  const fail = (message: string): never => {
    throw new WasmvinoError('INVALID_ARGUMENT', `${path}: ${message}`);
  };
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < 12 || Buffer.from(file.subarray(0, 6)).toString('latin1') !== '\x93NUMPY') fail('this is no .npy file');
  const [start, length] = file[6]! >= 2 ? [12, view.getUint32(8, true)] : [10, view.getUint16(8, true)];
  const header = Buffer.from(file.subarray(start, start + length)).toString('latin1');
  const descr = /'descr':\s*'([<>|=])(\w+)'/.exec(header);
  const shapeText = /'shape':\s*\(([^)]*)\)/.exec(header);
  if (!descr || !shapeText) fail(`the header is not numpy's: ${header}`);
  const found = numpyTypes.find(([, known]) => known.slice(1) === descr![2] && (known[0] === '|' || known[0] === descr![1]));
  if (!found) fail(`the array's type ${descr![1]}${descr![2]} is none of OpenVINO's`);
  const [type, stored] = found!;
  const shape = shapeText![1]!.split(',').filter((size) => size.trim() !== '').map(Number);
  const width = Number(stored[2]);
  const count = shape.reduce((a, b) => a * b, 1);
  const from = file.subarray(start + length);
  if (from.length < count * width) fail(`an array of shape [${shape}] takes ${count * width} bytes, there are ${from.length}`);
  const bytes = from.slice(0, count * width);
  if (!/'fortran_order':\s*True/.test(header) || shape.length < 2) return {type, shape, bytes};
  const result = new Uint8Array(bytes.length);
  const index = shape.map(() => 0);
  for (let to = 0; to < count; ++to) {
    let at = 0;
    for (let axis = shape.length - 1; axis >= 0; --axis) at = at * shape[axis]! + index[axis]!;
    result.set(bytes.subarray(at * width, (at + 1) * width), to * width);
    for (let axis = shape.length - 1; axis >= 0 && ++index[axis]! === shape[axis]; --axis) index[axis] = 0;
  }
  return {type, shape, bytes: result};
}

/** Reads an array as a tensor of `type`, or of the type that the file has. */
export function readArray(path: string, type?: element): Tensor {
  if (!existsSync(path)) fail(`there is no file ${path}`);
  if (path.endsWith('.json')) {
    const {shape, data} = JSON.parse(readFileSync(path, 'utf8'));
    if (type !== undefined && type !== 'string') fail(`${path} holds strings, wanted is ${type}`);
    const tensor = new Tensor('string', shape);
    tensor.data = data;
    return tensor;
  }
  const found = parseNpy(path);
  const wanted = type ?? found.type;
  if (storedType(wanted) !== found.type) {
    throw new WasmvinoError('INVALID_TYPE', `${path}: the array is of type ${found.type}, wanted is ${wanted}`, {
      expected: wanted,
      actual: found.type,
    });
  }
  const tensor = new Tensor(wanted, found.shape);
  const into = bytesOf(tensor.view());
  if (isPacked(wanted)) pack(wanted, found.bytes, into);
  else into.set(found.bytes);
  return tensor;
}

/** The values of a tensor as the file has them. */
function storedBytes(tensor: Tensor): Uint8Array {
  const type = tensor.getElementType();
  const bytes = bytesOf(tensor.data);
  if (!isPacked(type)) return bytes;
  return bytesOf(unpack(type, bytes, tensor.getSize()));
}

export function writeFile(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, content);
}

/** Writes `stem` + ".npy", or ".json" for strings, and gives that name. */
export function writeArray(stem: string, tensor: Tensor): string {
  const shape = tensor.getShape();
  const type = tensor.getElementType();
  if (type === 'string') {
    writeFile(`${stem}.json`, JSON.stringify({shape, data: tensor.data}));
    return `${stem}.json`;
  }
  const descr = numpyTypes.find(([known]) => known === storedType(type))![1];
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  let header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${sizes}), }`;
  header += ' '.repeat(63 - ((10 + header.length) % 64)) + '\n';
  const head = Buffer.from(`\x93NUMPY\x01\x00\x00\x00${header}`, 'latin1');
  head.writeUInt16LE(header.length, 8);
  writeFile(`${stem}.npy`, Buffer.concat([head, storedBytes(tensor)]));
  return `${stem}.npy`;
}

/** The file of an array whose name may lack its suffix. */
export function arrayFile(stem: string): string {
  const file = [stem, `${stem}.npy`, `${stem}.json`].find((path) => existsSync(path));
  return file ?? fail(`there is no array ${stem}.npy`);
}
