// SPDX-License-Identifier: Apache-2.0

/** The generator std::mt19937 of C++. */
export class MersenneTwister {
  readonly #state = new Uint32Array(624);
  #next = 624;

  constructor(seed: number) {
    const state = this.#state;
    state[0] = seed;
    for (let i = 1; i < 624; ++i) {
      const previous = state[i - 1]! ^ (state[i - 1]! >>> 30);
      state[i] = Math.imul(previous, 1812433253) + i;
    }
  }

  #refill(): void {
    const state = this.#state;
    for (let i = 0; i < 624; ++i) {
      const bits = (state[i]! & 0x80000000) | (state[(i + 1) % 624]! & 0x7fffffff);
      state[i] = state[(i + 397) % 624]! ^ (bits >>> 1) ^ (bits & 1 ? 0x9908b0df : 0);
    }
    this.#next = 0;
  }

  /** Returns the next 32 bits. */
  bits(): number {
    if (this.#next === 624) this.#refill();
    let y = this.#state[this.#next++]!;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  /** Returns a float of at least 0 and less than 1, as std::uniform_real_distribution<float> makes it. */
  uniform(): number {
    return Math.min(Math.fround(this.bits() / 2 ** 32), 1 - 2 ** -24);
  }
}
