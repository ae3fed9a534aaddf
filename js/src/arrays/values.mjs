// SPDX-License-Identifier: Apache-2.0
// The values of arrays in files. Types that numpy lacks are stored as unsigned integers of the same width. Elements narrower
// than a byte are stored as one byte each.

/** @typedef {import('./npy.mjs').Numbers} Numbers */

/**
 * An array in the form of a file.
 * @typedef {{type: string, shape: number[], data: Numbers | string[]}} StoredArray
 */

/** @type {Record<string, number>} */
const packedWidths = {u1: 1, u2: 2, u3: 3, u4: 4, i4: 4, u6: 6, nf4: 4, f4e2m1: 4};

/**
 * Returns the element type that a file uses for a tensor of `type`.
 * @param {string} type
 * @returns {string}
 */
export function storedType(type) {
  if (type === 'bf16') return 'u16';
  if (type === 'i4') return 'i8';
  return isPacked(type) || type.startsWith('f8') ? 'u8' : type;
}

/**
 * Whether tensors of `type` have elements narrower than a byte.
 * @param {string} type
 */
export function isPacked(type) {
  return Object.hasOwn(packedWidths, type);
}

/**
 * Locates the bits of element i in a packed array, as runs of [byte, shift in the byte, bits, shift in the value].
 * @param {string} type
 * @param {number} i
 * @returns {[number, number, number, number][]}
 */
function places(type, i) {
  const width = /** @type {number} */ (packedWidths[type]);
  if (width === 3 || width === 6) {
    // 3 bytes hold 8 (or 4) values, the first in the top bits: two bytes of their low parts, then one of their high parts.
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

/**
 * Packs elements, one byte each, into the bytes of a tensor, which must be zeros.
 * @param {string} type
 * @param {ArrayLike<number>} values
 * @param {Uint8Array} into
 */
export function pack(type, values, into) {
  for (let i = 0; i < values.length; ++i) {
    const value = /** @type {number} */ (values[i]);
    for (const [byte, shift, bits, from] of places(type, i)) {
      into[byte] = /** @type {number} */ (into[byte]) | (((value >> from) & ((1 << bits) - 1)) << shift);
    }
  }
}

/**
 * Unpacks the elements of a packed tensor to one byte each. Signed elements are sign-extended.
 * @param {string} type
 * @param {Uint8Array} packed
 * @param {number} count
 */
export function unpack(type, packed, count) {
  const values = type === 'i4' ? new Int8Array(count) : new Uint8Array(count);
  for (let i = 0; i < count; ++i) {
    let value = 0;
    for (const [byte, shift, bits, from] of places(type, i)) {
      value |= /** @type {number} */ ((packed[byte] >> shift) & ((1 << bits) - 1)) << from;
    }
    values[i] = type === 'i4' ? (value << 28) >> 28 : value;
  }
  return values;
}

const float32 = new Float32Array(1);
const float32Bits = new Uint32Array(float32.buffer);

/** @param {number} bits */
function fromBf16(bits) {
  float32Bits[0] = bits << 16;
  return /** @type {number} */ (float32[0]);
}

/** @param {number} bits */
function fromF16(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 25) * (1024 + fraction) : 2 ** -24 * fraction);
}

/**
 * @param {number} bits
 * @param {number} mantissaBits
 */
function fromF8(bits, mantissaBits) {
  const exponentBits = 7 - mantissaBits;
  const bias = 2 ** (exponentBits - 1) - 1;
  const sign = bits & 0x80 ? -1 : 1;
  const exponent = (bits & 0x7f) >> mantissaBits;
  const fraction = bits & ((1 << mantissaBits) - 1);
  if (mantissaBits === 2 && exponent === 31) return fraction ? NaN : sign * Infinity;
  if (mantissaBits === 3 && (bits & 0x7f) === 0x7f) return NaN;
  const unit = 2 ** -mantissaBits;
  return sign * (exponent ? 2 ** (exponent - bias) * (1 + fraction * unit) : 2 ** (1 - bias) * fraction * unit);
}

const f4 = [0, 0.5, 1, 1.5, 2, 3, 4, 6];
/** @type {Record<string, (bits: number) => number>} */
const decoders = {
  f16: fromF16,
  bf16: fromBf16,
  f8e4m3: (bits) => fromF8(bits, 3),
  f8e5m2: (bits) => fromF8(bits, 2),
  f8e8m0: (bits) => (bits === 255 ? NaN : 2 ** (bits - 127)),
  f4e2m1: (bits) => (bits & 8 ? -1 : 1) * /** @type {number} */ (f4[bits & 7]),
};

/**
 * Converts the elements of an array to numbers. Works for all types except strings. 64-bit integers become bigints, so that
 * different values stay different. nf4 elements become their codes, which have the same order as the values.
 * @param {StoredArray} array
 * @returns {Float64Array | BigInt64Array | BigUint64Array}
 */
export function valuesOf({type, data}) {
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) return data;
  const decode = decoders[type];
  return decode
    ? Float64Array.from(/** @type {Uint8Array} */ (data), decode)
    : Float64Array.from(/** @type {Uint8Array} */ (data));
}
