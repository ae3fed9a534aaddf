// SPDX-License-Identifier: Apache-2.0
// Measures the register peak with a WebAssembly module that is assembled here. Its loops only do arithmetic on twelve independent
// accumulators, so that neither memory nor latency limits them. 2 ports x 4..5 cycles of latency need 8 to 10 operations in
// flight, and 12 accumulators + 2 operands fit into the 16 registers of x86-64.

const ACCUMULATORS = 12;
const UNROLL = 8; // the loop's own instructions are then 3 of about 100
const LANES = 4;

const simd = (...bytes) => [0xfd, ...bytes];
const F32X4_SPLAT = simd(0x13);
const I8X16_SPLAT = simd(0x0f);
const I16X8_SPLAT = simd(0x10);
const F32X4_ADD = simd(0xe4, 0x01);
const F32X4_MUL = simd(0xe6, 0x01);
const I32X4_ADD = simd(0xae, 0x01);
const I32X4_DOT_I16X8 = simd(0xba, 0x01);
const F32X4_RELAXED_MADD = simd(0x85, 0x02);
const I32X4_RELAXED_DOT_I8X16_I7X16_ADD = simd(0x93, 0x02);

const I32 = 0x7f;
const V128 = 0x7b;
const get = (local) => [0x20, local];
const set = (local) => [0x21, local];
const f32 = (value) => [0x43, ...new Uint8Array(new Float32Array([value]).buffer)];
const i32 = (value) => [0x41, value]; // 0..63

// Locals: 0 = n, 1 = x, 2 = y, 3… = accumulators.
const X = 1;
const Y = 2;
const ACCUMULATOR = 3;

// Each kernel has initial values of x and y, one step of an accumulator, and the number of operations per step (a multiply and an
// add are two). The accumulator is an operand of every instruction, because the compiler would otherwise hoist the instruction
// out of the loop.
const KERNELS = {
  muladd: {
    start: [
      [...f32(0.999), ...F32X4_SPLAT],
      [...f32(0.001), ...F32X4_SPLAT],
    ],
    step: (a) => [...get(a), ...get(X), ...F32X4_MUL, ...get(Y), ...F32X4_ADD],
    operations: 2 * LANES,
  },
  madd: {
    start: [
      [...f32(0.999), ...F32X4_SPLAT],
      [...f32(0.001), ...F32X4_SPLAT],
    ],
    step: (a) => [...get(a), ...get(X), ...get(Y), ...F32X4_RELAXED_MADD],
    operations: 2 * LANES,
    relaxed: true,
  },
  dot_i16: {
    start: [
      [...i32(3), ...I16X8_SPLAT],
      [...i32(1), ...I16X8_SPLAT],
    ],
    step: (a) => [...get(a), ...get(X), ...I32X4_DOT_I16X8, ...get(Y), ...I32X4_ADD],
    operations: 2 * 8,
  },
  dot_i8: {
    start: [
      [...i32(3), ...I8X16_SPLAT],
      [...i32(1), ...I8X16_SPLAT],
    ],
    step: (a) => [...get(X), ...get(Y), ...get(a), ...I32X4_RELAXED_DOT_I8X16_I7X16_ADD],
    operations: 2 * 16,
    relaxed: true,
  },
};

function leb(value) {
  const bytes = [];
  do {
    bytes.push((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
    value >>>= 7;
  } while (value);
  return bytes;
}
const vector = (items) => [...leb(items.length), ...items.flat()];
const sized = (bytes) => [...leb(bytes.length), ...bytes];
const section = (id, bytes) => [id, ...sized(bytes)];
const text = (string) => sized([...new TextEncoder().encode(string)]);

// The body of a function (n: i32) -> i32. The result depends on every accumulator.
function body({start, step}) {
  const accumulators = Array.from({length: ACCUMULATORS}, (_, i) => ACCUMULATOR + i);
  const round = accumulators.flatMap((a) => [...step(a), ...set(a)]);
  const code = [
    ...start[0],
    ...set(X),
    ...start[1],
    ...set(Y),
    0x03,
    0x40, // loop
    ...Array(UNROLL).fill(round).flat(),
    ...get(0),
    0x41,
    0x01,
    0x6b,
    0x22,
    0x00,
    0x0d,
    0x00, // n = n - 1; repeat while it is not 0
    0x0b,
    ...accumulators.flatMap((a, i) => [...get(a), ...(i ? I32X4_ADD : [])]),
    ...simd(0x1b, 0x00), // i32x4.extract_lane 0
    0x0b,
  ];
  return sized([...vector([[...leb(2 + ACCUMULATORS), V128]]), ...code]);
}

/** @returns the bytes of the module, with the kernels for SIMD and, if `relaxed` is set, for relaxed SIMD */
export function assemblePeak({relaxed}) {
  const names = Object.keys(KERNELS).filter((name) => relaxed || !KERNELS[name].relaxed);
  return new Uint8Array([
    0x00,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...section(1, vector([[0x60, ...vector([[I32]]), ...vector([[I32]])]])),
    ...section(3, vector(names.map(() => [0]))),
    ...section(7, vector(names.map((name, i) => [...text(name), 0x00, ...leb(i)]))),
    ...section(10, vector(names.map((name) => body(KERNELS[name])))),
  ]);
}

export const hasRelaxedSimd = () => WebAssembly.validate(assemblePeak({relaxed: true}));

/**
 * Measures each kernel in windows of 20 ms, for `milliseconds` in all. Shorter windows give rates that are too high because of
 * the steps of the clock.
 */
export class Peak {
  #kernels;

  async open() {
    const relaxed = hasRelaxedSimd();
    const {instance} = await WebAssembly.instantiate(assemblePeak({relaxed}));
    this.#kernels = Object.entries(instance.exports).map(([name, run]) => ({name, run, loops: 1000}));
    for (const kernel of this.#kernels) {
      for (let time = 0; time < 20;) {
        const begin = performance.now();
        kernel.run(kernel.loops);
        time = performance.now() - begin;
        if (time < 20) kernel.loops = Math.ceil(kernel.loops * Math.min(10, 22 / Math.max(time, 0.1)));
      }
    }
    return {name: 'register peak', version: '', build: relaxed ? 'relaxed SIMD' : 'SIMD'};
  }

  /** @returns the best rate of each kernel, in 10^9 operations per second */
  measure(milliseconds) {
    const best = {};
    const end = performance.now() + milliseconds;
    do {
      for (const {name, run, loops} of this.#kernels) {
        const begin = performance.now();
        run(loops);
        const seconds = (performance.now() - begin) / 1e3;
        const rate = (loops * UNROLL * ACCUMULATORS * KERNELS[name].operations) / seconds / 1e9;
        best[name] = Math.max(best[name] ?? 0, rate);
      }
    } while (performance.now() < end);
    return best;
  }
}
