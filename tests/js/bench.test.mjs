// SPDX-License-Identifier: Apache-2.0
// The parts of the benchmarks that numbers go through: the register peak's module, .npy files, the report.

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {readNpy} from '../../bench/harness/npy.mjs';
import {assemblePeak} from '../../bench/peak/peak.mjs';
import {writeReport} from '../../bench/report.mjs';
import './relaxed_simd.mjs';

const ACCUMULATORS = 12;
const STEPS = 8 * 3; // unrolled 8 times, run(3)

/** What a kernel returns: lane 0 of its accumulators, added as integers. */
const sumOfLanes = (lane) => Math.imul(lane, ACCUMULATORS);
const bits = (float) => new Int32Array(new Float32Array([float]).buffer)[0];

test('the kernels of the register peak compute what they claim', async () => {
  const {instance} = await WebAssembly.instantiate(assemblePeak({relaxed: false}));
  const {muladd, dot_i16: dotI16} = instance.exports;
  let float = 0;
  let int = 0;
  for (let i = 0; i < STEPS; i++) {
    float = Math.fround(Math.fround(float * Math.fround(0.999)) + Math.fround(0.001));
    // Pairs of i16, the halves of the i32, times 3 each; plus 0x00010001, which is 1 in each half.
    int = (((int << 16) >> 16) * 3 + (int >> 16) * 3 + 0x00010001) | 0;
  }
  assert.equal(muladd(3), sumOfLanes(bits(float)));
  assert.equal(dotI16(3), sumOfLanes(int));
});

test('the relaxed kernels too', async () => {
  const {instance} = await WebAssembly.instantiate(assemblePeak({relaxed: true}));
  // The baseline compiler of V8 11.3 (Node.js 20) loses the accumulator of relaxed_dot_add: wait for optimised code.
  const dot = instance.exports.dot_i8;
  const expected = sumOfLanes(STEPS * 4 * 3 * 1);
  for (const end = performance.now() + 20e3; dot(3) !== expected && performance.now() < end;) dot(100_000);
  assert.equal(dot(3), expected);
  // Rounded once or twice, as the machine likes.
  const [x, y] = [Math.fround(0.999), Math.fround(0.001)];
  let [fused, separate] = [0, 0];
  for (let i = 0; i < STEPS; i++) {
    fused = Math.fround(fused * x + y);
    separate = Math.fround(Math.fround(separate * x) + y);
  }
  assert.ok([fused, separate].map((lane) => sumOfLanes(bits(lane))).includes(instance.exports.madd(3)));
});

function npy(header, data) {
  const text = new TextEncoder().encode(`${header.padEnd(117)}\n`);
  const bytes = new Uint8Array(10 + text.length + data.byteLength);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, text.length, 0]);
  bytes.set(text, 10);
  bytes.set(new Uint8Array(data.buffer), 10 + text.length);
  return bytes;
}

test('.npy files are read from the middle of a buffer, of any rank', () => {
  const file = npy(
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
    Float32Array.of(1, 2, 3, 4, 5, 6),
  );
  const shifted = Buffer.concat([Buffer.alloc(3), file]).subarray(3);
  assert.deepEqual(readNpy(shifted), {shape: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 6)});
  const scalar = npy("{'descr': '<i8', 'fortran_order': False, 'shape': (), }", BigInt64Array.of(-7n));
  assert.deepEqual(readNpy(scalar), {shape: [], data: BigInt64Array.of(-7n)});
  assert.throws(() =>
    readNpy(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", new Uint8Array(4))),
  );
  assert.throws(() => readNpy(new Uint8Array(20)), /not an .npy file/);
});

test('the report divides by words, compares, and finds the cost of an iteration', () => {
  const times = (min) => ({min, median: 2 * min, slots: [], samples: 1, error: 0, profile: null});
  const iterations = (operations, count, perIteration) => ({
    macs: 0,
    count: 1,
    iterations: count,
    operations,
    engines: {wasmvino: times(0.05 + (count * perIteration) / 1000)},
  });
  const cases = {
    g2p_beam5: {
      macs: 5e6,
      unit: 'word',
      count: 10,
      engines: {wasmvino: times(1), 'onnxruntime-web': times(4)},
    },
  };
  for (const operations of [1, 4, 16]) {
    for (const count of [64, 1024]) {
      // 0.25 µs an iteration, 0.5 µs a product.
      cases[`iterations_m${operations}_n${count}`] = iterations(operations, count, 0.25 + 0.5 * operations);
    }
  }
  cases.g2p_beam5.engines.wasmvino.profile = {wallMs: 1.5, kernelMs: 0.8, steps: 100};
  const engine = {name: 'x', version: '1', build: 'SIMD', threads: 1};
  const text = writeReport({
    machine: {processor: 'P', cores: 2, system: 'S'},
    rounds: 1,
    slotMs: 1,
    warmUpMs: 1,
    places: [
      {
        name: 'Node.js',
        version: '20',
        engines: {wasmvino: engine, 'onnxruntime-web': engine},
        peak: {muladd: 40, madd: 50},
        cases,
        failures: [{case: 'gemm_64', engine: 'wasmvino', error: 'wrong'}],
      },
    ],
  });
  // Ten words a run; 1e7 operations in 1 ms are 10 GFLOP/s, a fifth of the best peak.
  assert.match(text, /`g2p_beam5` \| word \| 0\.100 \| 0\.200 \| 20 % \| 0\.400 \| 0\.800 \| 5 % \| 4\.00×/);
  assert.match(text, /\| wasmvino \| 0\.750 \| 2\.25 \| 8\.25 \| \*\*0\.250\*\* \| 0\.500 \|/);
  // 0.8 of 1 ms in operations; 1.5 - 0.8 = 0.7 ms beside them.
  assert.match(text, /`g2p_beam5` \| 0\.100 \| 0\.150 \| 0\.0800 \| 10 \| 20 % \| 70 %/);
  assert.match(text, /In short \(Node\.js\): A word takes x 4\.00 to 4\.00 times as long\. /);
  assert.match(text, /at least 20 % to 20 % of its time, at most 70 % to 70 %.* costs 0\.250 µs beside its arithmetic/);
  assert.match(text, /- `gemm_64`, wasmvino: wrong/);
});
