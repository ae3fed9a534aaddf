// SPDX-License-Identifier: Apache-2.0
// numpy's .npy format: versions 1 to 3, little endian, C or Fortran order. The command line, the tests, the benchmarks and the
// site use it. The package npyjs cannot replace it: npyjs reads neither Fortran order nor half floats.

/**
 * @typedef {Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array |
 *   BigInt64Array | BigUint64Array} Numbers
 */

/**
 * The element types of OpenVINO that numpy has too, with numpy's name and the typed array. f16 is kept as bits.
 * @type {Record<string, [string, {new (buffer: ArrayBuffer): Numbers}]>}
 */
const types = {
  boolean: ['|b1', Uint8Array],
  i8: ['|i1', Int8Array],
  u8: ['|u1', Uint8Array],
  i16: ['<i2', Int16Array],
  u16: ['<u2', Uint16Array],
  i32: ['<i4', Int32Array],
  u32: ['<u4', Uint32Array],
  i64: ['<i8', BigInt64Array],
  u64: ['<u8', BigUint64Array],
  f16: ['<f2', Uint16Array],
  f32: ['<f4', Float32Array],
  f64: ['<f8', Float64Array],
};

const decoder = new TextDecoder();

/** @type {(message: string) => never} */
const fail = (message) => {
  throw new Error(message);
};

// Parses numpy's "descr": a character for the byte order, which does not matter for one-byte types, and a name.
/** @param {string} descr */
function typeOf(descr) {
  const known = Object.entries(types).find(
    ([, [name]]) => name.slice(1) === descr.slice(1) && (name[0] === '|' || name[0] === descr[0]),
  );
  return known ? {type: known[0], ArrayType: known[1][1]} : fail(`the array's type ${descr} is not supported by OpenVINO`);
}

// Reorders elements from column-major to row-major order.
/**
 * @param {Uint8Array} from
 * @param {number[]} shape
 * @param {number} width bytes of an element
 */
function rowMajor(from, shape, width) {
  const to = new Uint8Array(from.length);
  const index = shape.map(() => 0);
  for (let next = 0; next < to.length; next += width) {
    let at = 0;
    for (let axis = shape.length - 1; axis >= 0; --axis)
      at = at * /** @type {number} */ (shape[axis]) + /** @type {number} */ (index[axis]);
    to.set(from.subarray(at * width, (at + 1) * width), next);
    for (let axis = shape.length - 1; axis >= 0; --axis) {
      const now = /** @type {number} */ (index[axis]) + 1;
      index[axis] = now === shape[axis] ? 0 : now;
      if (now !== shape[axis]) break;
    }
  }
  return to;
}

/**
 * The text behind the name of an entry of a header; empty if it has none. A header may be as long as the file, so nothing here
 * searches it more than once.
 * @param {string} header
 * @param {string} name
 */
function entryOf(header, name) {
  const at = header.indexOf(`'${name}':`);
  return at === -1 ? '' : header.slice(at + name.length + 3).trimStart();
}

/** @param {string} header */
function brief(header) {
  return header.length > 120 ? `${header.slice(0, 120)}…` : header;
}

/**
 * Parses an .npy file.
 * @param {Uint8Array} file
 * @returns {{type: string, shape: number[], data: Numbers}} data is a copy, in row-major order
 * @throws {Error} if the file is not an .npy file, is cut off, or has an element type that OpenVINO lacks
 */
export function parseNpy(file) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < 12 || view.getUint32(0) !== 0x934e554d) fail('this is not a .npy file');
  const [start, length] = view.getUint8(6) >= 2 ? [12, view.getUint32(8, true)] : [10, view.getUint16(8, true)];
  const header = decoder.decode(file.subarray(start, start + length));
  const [, descr] = /^'([<>|=]\w+)'/.exec(entryOf(header, 'descr')) ?? [];
  const listed = entryOf(header, 'shape');
  const end = listed.indexOf(')');
  if (descr === undefined || listed[0] !== '(' || end === -1) return fail(`the header is not numpy's: ${brief(header)}`);
  const sizes = listed.slice(1, end);
  const {type, ArrayType} = typeOf(descr);
  const shape = sizes
    .split(',')
    .filter((size) => size.trim() !== '')
    .map(Number);
  const count = shape.reduce((product, size) => product * size, 1);
  if (!shape.every((size) => Number.isInteger(size) && size >= 0) || !Number.isSafeInteger(count))
    fail(`the header has no shape: ${brief(header)}`);
  const width = Number(descr[2]);
  const bytes = file.subarray(start + length);
  if (bytes.length < count * width)
    fail(`an array of shape [${shape}] takes ${count * width} bytes, but the file has ${bytes.length}`);
  const own = new Uint8Array(bytes.subarray(0, count * width)); // not slice(): that of a Buffer does not copy
  const isFortran = entryOf(header, 'fortran_order').startsWith('True') && shape.length > 1;
  return {type, shape, data: new ArrayType((isFortran ? rowMajor(own, shape, width) : own).buffer)};
}

/**
 * Formats an .npy file.
 * @param {{type: string, shape: readonly number[], data: ArrayBufferView}} array must have a type that numpy has
 * @returns {Uint8Array} the bytes of the file
 */
export function formatNpy({type, shape, data}) {
  const [descr] = types[type] ?? fail(`numpy has no type ${type}`);
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${sizes}), }`;
  // The header is padded so that the elements begin at a multiple of 64 bytes.
  const header = new TextEncoder().encode(`${text.padEnd(text.length + 63 - ((10 + text.length) % 64))}\n`);
  const file = new Uint8Array(10 + header.length + data.byteLength);
  file.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length & 255, header.length >> 8]);
  file.set(header, 10);
  file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), 10 + header.length);
  return file;
}
