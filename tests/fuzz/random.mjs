// SPDX-License-Identifier: Apache-2.0
// Reproducible random numbers, and values at which arithmetic tends to go wrong.

const sizes = [0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 64, 65, 127, 255, 256, 1000, 4096, 65536, 65537];
const hugeSizes = [1e6, 2 ** 27 + 1, 2 ** 30, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 33 + 1, 2 ** 53];
const integers = [-1, 0, 1, 2, 3, -2, -3, 4, 5, 7, 8, 16, 100, 127, 128, 255, 256, 65535, 65536, -128, -32768];
const hugeIntegers = ['2147483647', '-2147483648', '4294967295', '4294967296', '9223372036854775807', '-9223372036854775808', '1e9'];
const reals = [0, -0, 1, -1, 0.5, 1.5, 2.5, -0.5, 2, 3, 1e-3, 100, 1e-45, 1e-40, 3.4e38, -3.4e38, 1e300, NaN, Infinity, -Infinity];

export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** An integer below 2^32 (the generator "splitmix32"). */
  next() {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let t = this.#state ^ (this.#state >>> 16);
    t = Math.imul(t, 0x21f0aaad);
    t ^= t >>> 15;
    t = Math.imul(t, 0x735a2d97);
    return (t ^ (t >>> 15)) >>> 0;
  }

  /** An integer below `count`. */
  below(count) {
    return Math.floor((this.next() / 2 ** 32) * count);
  }

  chance(probability) {
    return this.next() < probability * 2 ** 32;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** Size of an axis. It is mostly small, so that tensors fit into memory. */
  size() {
    if (this.chance(0.03)) return this.pick(hugeSizes);
    return this.chance(0.8) ? sizes[this.below(12)] : this.pick(sizes);
  }

  integer() {
    return this.chance(0.1) ? this.pick(hugeIntegers) : String(this.pick(integers));
  }

  real() {
    return this.chance(0.7) ? this.below(2000) / 500 - 2 : this.pick(reals);
  }

  bytes(count) {
    return Uint8Array.from({length: count}, () => this.next() & 255);
  }
}
