// SPDX-License-Identifier: Apache-2.0
// The Mersenne Twister MT19937, seeded as numpy.random.RandomState seeds it.

const words = 624;

/** Returns a function that generates the numbers of RandomState(seed).rand(): 0 ≤ x < 1. */
export function uniform(seed: number): () => number {
  const state = new Uint32Array(words);
  state[0] = seed;
  for (let i = 1; i < words; ++i) {
    const last = state[i - 1]!;
    state[i] = Math.imul(1812433253, last ^ (last >>> 30)) + i;
  }
  let at = words;
  const next = (): number => {
    if (at === words) {
      for (let i = 0; i < words; ++i) {
        const mixed = (state[i]! & 0x80000000) | (state[(i + 1) % words]! & 0x7fffffff);
        state[i] = state[(i + 397) % words]! ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0);
      }
      at = 0;
    }
    let word = state[at++]!;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  };
  // 27 bits of one word and 26 bits of the next form the 53 bits of a double.
  return () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
}
