// SPDX-License-Identifier: Apache-2.0
/**
 * Encodes a number as unsigned LEB128, as WebAssembly modules do.
 * @param {number} value 0 to 2^32 - 1
 * @returns {Buffer}
 */
export function leb128(value) {
  const bytes = [];
  for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}
