// SPDX-License-Identifier: Apache-2.0
// Tests the parts of the benchmarks that process numbers: the module that measures peak speed, and the report.

import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';

import {watchMemories} from '../../../bench/harness/memories.mjs';
import {predict, serialTime, timeOfOne} from '../../../bench/harness/thread_model.mjs';
import {assemblePeak} from '../../../bench/peak/peak.mjs';
import {withSpeed} from '../../../bench/readme.mjs';
import {writeReport} from '../../../bench/report.mjs';
import '../relaxed_simd.mjs';

const ACCUMULATORS = 12;
const STEPS = 8 * 3; // unrolled 8 times, run(3)

/** A kernel returns lane 0 of its accumulators, added as integers. */
const sumOfLanes = (lane) => Math.imul(lane, ACCUMULATORS);
const bits = (float) => new Int32Array(new Float32Array([float]).buffer)[0];

test('the kernels of the register peak compute what they claim', async () => {
  const {instance} = await WebAssembly.instantiate(assemblePeak({relaxed: false}));
  const {muladd, dot_i16: dotI16} = instance.exports;
  let float = 0;
  let int = 0;
  for (let i = 0; i < STEPS; i++) {
    float = Math.fround(Math.fround(float * Math.fround(0.999)) + Math.fround(0.001));
    // Each half of the i32 is an i16, multiplied by 3. 0x00010001 adds 1 to each half.
    int = (((int << 16) >> 16) * 3 + (int >> 16) * 3 + 0x00010001) | 0;
  }
  assert.equal(muladd(3), sumOfLanes(bits(float)));
  assert.equal(dotI16(3), sumOfLanes(int));
});

test('the relaxed kernels too', async () => {
  const {instance} = await WebAssembly.instantiate(assemblePeak({relaxed: true}));
  // The baseline compiler of V8 11.3 (Node.js 20) loses the accumulator of relaxed_dot_add. Waits for optimised code.
  const dot = instance.exports.dot_i8;
  const expected = sumOfLanes(STEPS * 4 * 3 * 1);
  for (const end = performance.now() + 20e3; dot(3) !== expected && performance.now() < end;) dot(100_000);
  assert.equal(dot(3), expected);
  // The machine decides whether the result is rounded once or twice.
  const [x, y] = [Math.fround(0.999), Math.fround(0.001)];
  let [fused, separate] = [0, 0];
  for (let i = 0; i < STEPS; i++) {
    fused = Math.fround(fused * x + y);
    separate = Math.fround(Math.fround(separate * x) + y);
  }
  assert.ok([fused, separate].map((lane) => sumOfLanes(bits(lane))).includes(instance.exports.madd(3)));
});

test('memories are noticed however they are made', async () => {
  const bytes = watchMemories();
  assert.equal(bytes(), 0);
  const made = new WebAssembly.Memory({initial: 2});
  // A module that exports a memory of one page as "m".
  const module = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 5, 3, 1, 0, 1, 7, 5, 1, 1, 109, 2, 0);
  const PAGE = 65536;
  assert.equal(bytes(), 2 * PAGE);
  const {exports} = new WebAssembly.Instance(new WebAssembly.Module(module));
  assert.equal(bytes(), 3 * PAGE);
  await WebAssembly.instantiate(module);
  assert.equal(bytes(), 4 * PAGE);
  await WebAssembly.instantiate(await WebAssembly.compile(module));
  assert.equal(bytes(), 5 * PAGE);
  exports.m.grow(3);
  made.grow(1);
  assert.equal(bytes(), 9 * PAGE);
});

const times = (min) => ({min, median: 2 * min, slots: [], samples: 1, error: 0, profile: null});
const engine = (name, threads = 1, output = undefined) => ({
  engine: name,
  name: name === 'litert' ? 'LiteRT.js' : name,
  version: '1',
  build: 'SIMD',
  threads,
  output,
});
const report = (places, native, languageModels) =>
  writeReport({machine: {processor: 'P', cores: 2, system: 'S'}, rounds: 1, slotMs: 1, warmUpMs: 1, places, native, languageModels});

test('the report divides by words, compares, and finds the cost of an iteration', () => {
  const iterations = (operations, count, perIteration) => ({
    macs: 0,
    count: 1,
    peak: {},
    iterations: count,
    operations,
    engines: {wasmvino: times(0.05 + (count * perIteration) / 1000)},
  });
  const cases = {
    g2p_beam5: {
      macs: 5e6,
      unit: 'word',
      count: 10,
      peak: {},
      engines: {wasmvino: times(1), 'onnxruntime-web': times(4)},
    },
  };
  for (const operations of [1, 4, 16]) {
    for (const count of [64, 1024]) {
      // 0.25 µs per iteration, 0.5 µs per matmul.
      cases[`iterations_m${operations}_n${count}`] = iterations(operations, count, 0.25 + 0.5 * operations);
    }
  }
  cases.g2p_beam5.engines.wasmvino.profile = {wallMs: 1.5, kernelMs: 0.8, steps: 100};
  const text = report([
    {
      name: 'Node.js',
      version: '20',
      engines: {wasmvino: engine('wasmvino'), 'onnxruntime-web': engine('onnxruntime-web')},
      peak: {muladd: 40, madd: 50},
      cases,
      failures: [{case: 'gemm_64', engine: 'wasmvino', error: 'wrong'}],
    },
  ]);
  assert.match(text, /\| `g2p_beam5` \| 0\.100 \/ 0\.200 \| 0\.400 \/ 0\.800 \| 4\.00× \|/);
  assert.match(text, /\| wasmvino \| 0\.750 \| 2\.25 \| 8\.25 \| \*\*0\.250\*\* \| 0\.500 \|/);
  // 0.8 ms of 1 ms are operations. 1.5 - 0.8 = 0.7 ms are overhead.
  assert.match(text, /`g2p_beam5` \| 0\.100 \| 0\.150 \| 0\.0800 \| 10 \| 20 % \| 70 %/);
  assert.match(text, /In short \(Node\.js\): onnxruntime-web takes 4\.00 to 4\.00 times as long for a word\. /);
  assert.match(text, /at least 20 % to 20 % of a word.s time and at most 70 % to 70 %.* costs 0\.250 µs in addition to its arithmetic/);
  assert.match(text, /- `gemm_64`, wasmvino: wrong/);
});

test('the report says what is reached, of the same run', () => {
  const one = (engines, macs = 0, peak = {}) => ({macs, count: 1, peak, engines});
  const ours = (min) => ({wasmvino: times(min)});
  const startUp = {
    wasmvino: {
      min: 200,
      median: 251,
      memory: {mobilenet_v2: 41 * 2 ** 20, resnet50: 246 * 2 ** 20},
      files: [
        {file: 'a.wasm', bytes: 1.5e6, gzip: 5.1e5},
        {file: 'a.js', bytes: 1024, gzip: 512},
      ],
    },
  };
  const node = {
    name: 'Node.js',
    version: '20',
    engines: {
      wasmvino: engine('wasmvino'),
      'wasmvino, 2 threads': engine('wasmvino', 2),
      'onnxruntime-web': engine('onnxruntime-web'),
    },
    peak: {madd: 50, tile: 32},
    cases: {
      // 2 · 1.4e7 operations in 1 ms are 28 · 10^9 per second. The tile reaches 30 · 10^9.
      gemm_512: one(ours(1), 14e6, {madd: 48, tile: 30}),
      conv3x3_64_56: one({...ours(1), 'onnxruntime-web': times(1.6)}),
      conv1x1_256_28: one({...ours(1), 'onnxruntime-web': times(0.9)}),
      resnet50: one({...ours(18), 'wasmvino, 2 threads': times(9.9)}),
    },
    failures: [],
  };
  const chromium = {
    name: 'Chromium',
    version: '156',
    engines: {
      wasmvino: engine('wasmvino'),
      'wasmvino, view': engine('wasmvino', 1, 'view'),
      litert: engine('litert'),
    },
    // The maximum of the whole run. The values of the case itself take precedence.
    peak: {muladd: 35, madd: 20, dot_i16: 80, dot_i8: 60},
    cases: {
      gemm_512: one(ours(1), 14e6, {muladd: 30, madd: 20}),
      conv3x3_64_56: one({...ours(1), litert: times(1.4)}),
      conv1x1_256_28: one({...ours(1), litert: times(1.1)}),
      // 56 · 10^9 per second.
      gemm_512_qdq_u8s8: one({...ours(0.5), litert: times(0.7)}, 14e6, {muladd: 30, dot_i16: 80, dot_i8: 60}),
      minilm_l6_s128: one(ours(9), 9e6),
      minilm_l6_s128_nncf: one(ours(5), 9e6, {dot_i16: 30, dot_i8: 20}),
      // Twice the multiply-adds of gemm_512 in the same time.
      int4_2048_m32: one(ours(1), 28e6),
      ew_add_1m: one({...ours(3), litert: times(3.3), 'wasmvino, view': times(1)}),
    },
    startUp,
    failures: [],
  };
  const webkit = {
    name: 'WebKitGTK',
    version: '2',
    engines: {wasmvino: engine('wasmvino'), 'onnxruntime-web': engine('onnxruntime-web')},
    peak: {muladd: 30},
    cases: {
      gemm_512: one({...ours(10), 'onnxruntime-web': times(9.5)}),
      ew_sigmoid_1m: one({...ours(1), 'onnxruntime-web': times(1)}),
      minilm_l6_s128: one(ours(9)),
      chain200_ew: one({'onnxruntime-web': times(1)}),
    },
    failures: [],
  };
  const text = report([node, chromium, webkit]);
  const has = (row) => assert.ok(text.includes(`| ${row} |`), `no row '${row}' in:\n${text}`);
  has("`gemm_512` | Node.js | 95 % of the engine's GEMM tile in L1 | 93 % (1.00 ms) | **missed**");
  has('`gemm_512` | Chromium | 85 % of the register peak | 93 % (1.00 ms) | met');
  has(
    '`conv3x3_64_56` | Node.js | 1.5× onnxruntime-web and LiteRT.js (in Chromium) | 1.60×, 1.40× (1.00 ms) | **missed**',
  );
  has(
    '`conv1x1_256_28` | Chromium | 1.0× onnxruntime-web (in Node.js) and LiteRT.js | 0.900×, 1.10× (1.00 ms) | **missed**',
  );
  has('`ew_add_1m` | Chromium | 1.0× LiteRT.js | 1.10× (3.00 ms) | met');
  has('`gemm_512_qdq_u8s8` | Chromium | 85 % of the integer peak | 70 % (0.500 ms) | **missed**');
  has('`minilm_l6_s128_nncf` | Chromium | 1.8× our f32 (`minilm_l6_s128`) | 1.80× (5.00 ms) | met');
  has('`int4_2048_m32` | Chromium | 2.0× our f32 (`gemm_512`) | 2.00× (1.00 ms) | met');
  has('`gemm_512_qdq_u8s8` | 0.500 / 1.00 | 0.700 / 1.40 | 1.40× | 2.00×');
  has('`minilm_l6_s128_nncf` | 5.00 / 10.0 | – | – | 1.80×');
  has('`gemm_512_qdq_u8s8` | 70 % | 50 %');
  has('`resnet50` | Node.js | 2 threads: 1.8× one | 1.82× (9.90 ms) | met');
  has('all cases | WebKitGTK | 1.0× onnxruntime-web in every case | 1 of 3, not `gemm_512` 0.950×, `chain200_ew` 0.00× | **missed**');
  has('`mobilenet_v2` | Chromium | import to first result, cold: below 250 ms | 251 ms | **missed**');
  has('`mobilenet_v2` | Chromium | linear memory below 42 MiB | 41.0 MiB | met');
  has('`resnet50` | Chromium | linear memory below 245 MiB | 246 MiB | **missed**');
  has('package | Chromium | wasm at most 2.5 MB, gzip 800 KB | 1.50 MB, 510 KB | met');
  // The report does not mention what was not measured.
  assert.doesNotMatch(text, /yolov8n|ncnn/);
  const measured = {wasmvino: {min: 10, median: 11}, ncnn: {min: 15, median: 20}, differences: {wasmvino: 1.2e-6, ncnn: 2e-7}};
  const native = {processor: 'a processor', versions: {ncnn: '1.0', pnnx: '2026'}, rounds: 7, seconds: 0.5, cases: {resnet18: measured}};
  assert.ok(report([node], native).includes('| `resnet18` | 10.0 / 11.0 | 15.0 / 20.0 | 1.50× | 1e-6 | 2e-7 |'));
  has('`conv3x3_64_56` | 1.00 / 2.00 | 1.40 / 2.80 | 1.40×');
  has('`resnet50` | wasmvino | 2 | 18.0 / 36.0 | 9.90 / 19.8 | 1.82× | 1.00×');
  has('`ew_add_1m` | 3.00 / 6.00 | 1.00 / 2.00');
  has('wasmvino | 200 | 251 | 41.0 | 246');
  has('wasmvino | `a.wasm`, `a.js` | 1500.0 | 510.0 | 1.0 | 0.5');
});

test('native engines are columns in every place, but have no share of the register peak', () => {
  const openvino = {...engine('openvino'), name: 'OpenVINO'};
  const limited = {...engine('openvino-sse4.1'), name: 'OpenVINO SSE4.1'};
  const place = (name, engines, times) => ({
    name,
    version: '1',
    engines: Object.fromEntries(engines.map((each) => [each.engine, each])),
    peak: {madd: 40, dot_i16: 80, dot_i8: 60},
    cases: {gemm_64: {macs: 1e6, count: 1, peak: {madd: 40}, engines: times}},
    failures: [],
  });
  const text = report([
    place('Node.js', [engine('wasmvino'), openvino, limited], {wasmvino: times(1), openvino: times(0.5)}),
    place('Chromium', [engine('wasmvino')], {wasmvino: times(2)}),
  ]);
  for (const [name, ours, ratio] of [['Node.js', '1.00 / 2.00', '0.500×'], ['Chromium', '2.00 / 4.00', '0.250×']]) {
    const [, section] = text.split(`### Matmuls (${name})\n\n`);
    const [head, , row] = section.split('\n');
    // No network of this run compiled for SSE4.1, so there is no column for it.
    assert.equal(head, '| case, ms | wasmvino | OpenVINO | OpenVINO ÷ wasmvino |');
    assert.equal(row, `| \`gemm_64\` | ${ours} | 0.500 / 1.00 | ${ratio} |`);
  }
  assert.match(text, /### Share of the register peak \(Node\.js\)\n\n\| case \| wasmvino \|\n/);
  assert.match(text, /\n- OpenVINO is native: /);
});

test('the targets of the language model compare tokens per second and memory, with as many threads', () => {
  const chromium = {name: 'Chromium', version: '1', engines: {}, cases: {}, failures: [], peak: {}};
  // Milliseconds of a prompt, and of a token after each of two prompts.
  const participant = (name, threads, ms, memory, longer = 0) => ({
    engine: name,
    threads,
    version: '1',
    loadMs: {best: 1, median: 1},
    memoryMiB: {best: memory, median: memory},
    results: [128, 1024].map((prompt, i) => ({
      prompt: prompt + longer * i,
      promptMs: {best: ms[0], median: 2 * ms[0]},
      tokenMs: {best: ms[i + 1], median: 2 * ms[i + 1]},
    })),
  });
  const models = (participants) => ({processor: 'P', chromium: '1', load: 0, cores: 2, rounds: 3, tokens: 32, prompts: [128, 1024], participants});
  const ours = [participant('wasmvino', 1, [320, 16, 20], 338), participant('wasmvino', 2, [160, 12, 16], 345)];
  const wllama = [participant('wllama', 1, [3200, 80, 200], 345, 1), participant('wllama', 2, [1600, 30, 80], 340, 1)];
  const native = participant('native OpenVINO in f32', 1, [240, 12, 25], 490);
  const text = report([chromium], undefined, models([...ours, ...wllama, native]));
  const has = (row) => assert.ok(text.includes(`| ${row}`), `${row} is not in\n${text}`);
  const one = 'wllama, 1 thread';
  const two = 'wllama, 2 threads';
  const f32 = 'native OpenVINO in f32, 1 thread';
  has(`SmolLM2-135M, prompt of 128 | Chromium | 8.0× ${one}; 8.0× ${two}; 0.6× ${f32} | 10.0×, 10.0×, 0.750× | met`);
  has(`SmolLM2-135M, decoding after 128 | Chromium | 3.0× ${one}; 3.0× ${two}; 1.0× ${f32} | 5.00×, 2.50×, 0.750× | **missed**`);
  has(`SmolLM2-135M, decoding after 1024 | Chromium | 6.0× ${one}; 6.0× ${two}; 0.8× ${f32} | 10.0×, 5.00×, 1.25× | **missed**`);
  has("SmolLM2-135M | Chromium | memory of the page's process at most that of wllama; 1 thread, 2 threads | 338 to 345 MiB, 345 to 340 MiB | **missed**");
  has('wllama | 1 | 2 | 80.0 / 40.0 | 33.3 / 16.7 | 12.5 / 6.25 | 1.00 | 340 |');
  assert.match(text, /1 of 4 met\. Those of SmolLM2 are of the latest run/);
  // What a target compares with must have been measured.
  assert.match(report([chromium], undefined, models([...ours, ...wllama])), /prompt of 128 \| Chromium \| [^|]* \| 10\.0×, 10\.0× \| \*\*missed\*\*/);
});

test('the prediction for more threads knows what is serial, and how many grains a node has', () => {
  const network = {
    outside: 10,
    nodes: [
      {name: 'serial', one: 20, two: 19, calls: 1},
      {name: 'four grains', one: 400, two: 210, calls: 1, multiplyAdds: 4 * 2 ** 18},
      {name: 'two iterations of two grains', one: 60, two: 32, calls: 2},
      {name: 'many grains', one: 1600, two: 810, calls: 1},
      {name: 'four smaller grains', one: 40, two: 21, calls: 1, multiplyAdds: 4 * 2 ** 17, grain: 2 ** 17},
    ],
  };
  assert.equal(timeOfOne(network), 2130);
  assert.equal(serialTime(network), 30);
  assert.equal(predict(network, 2, 1), 30 + 200 + 30 + 800 + 20 + 5);
  assert.equal(predict(network, 4, 1), 30 + 100 + 30 + 400 + 10 + 5);
  assert.equal(predict(network, 16, 2), 30 + 100 + 30 + 100 + 10 + 10);
});

const read = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test('docs/benchmarks.md is what the report makes of docs/benchmarks.json', () => {
  assert.equal(writeReport(JSON.parse(read('docs/benchmarks.json'))), read('docs/benchmarks.md'));
});

test('the README states the speed that docs/benchmarks.json holds', () => {
  const readme = read('README.md');
  assert.equal(withSpeed(readme, JSON.parse(read('docs/benchmarks.json'))), readme);
  assert.match(readme, /\d times\*\* as fast as in onnxruntime-web [\d.]+\nand \*\*.*LiteRT\.js/);
});
