// SPDX-License-Identifier: Apache-2.0
// Reads .npy arrays (little endian, C order): all that numpy.save writes for the element types used here.

const TYPES = {
  f4: Float32Array,
  f8: Float64Array,
  i1: Int8Array,
  i2: Int16Array,
  i4: Int32Array,
  i8: BigInt64Array,
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
  u8: BigUint64Array,
  b1: Uint8Array,
};

/** @returns {{shape: number[], data: TypedArray}} of its own memory */
export function readNpy(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0) !== 0x934e554d) throw new Error('not an .npy file');
  const long = bytes[6] > 1; // version 2 and 3: a header length of 4 bytes
  const begin = long ? 12 : 10;
  const end = begin + (long ? view.getUint32(8, true) : view.getUint16(8, true));
  const header = new TextDecoder().decode(bytes.subarray(begin, end));
  const [, order, code] = /'descr': '([<>|=])(\w+)'/.exec(header) ?? [];
  const Type = TYPES[code];
  if (!Type || order === '>' || header.includes("'fortran_order': True")) {
    throw new Error(`an .npy array of another form than expected: ${header.trim()}`);
  }
  const shape = [.../'shape': \(([^)]*)\)/.exec(header)[1].matchAll(/\d+/g)].map(Number);
  const {buffer, byteOffset, byteLength} = bytes;
  return {shape, data: new Type(buffer.slice(byteOffset + end, byteOffset + byteLength))};
}
