// SPDX-License-Identifier: Apache-2.0
// compare.mjs --models DIR --python FILE [--rounds N] [--tokens N] [--print]: runs a language model in Chromium, in this engine
// and in wllama, and in native OpenVINO (native.py). Each engine and thread count gets a fresh page or process per round, and
// they take turns. Adds the numbers to docs/benchmarks.json and rewrites docs/benchmarks.md; with --print, prints them only.
import {execFileSync} from 'node:child_process';
import {readFileSync, readdirSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {openChromium} from '../harness/places.mjs';
import {NATIVE_F32, withThreads} from '../harness/token_rates.mjs';
import {languageModelSection, writeReport} from '../report.mjs';

const {values: options} = parseArgs({
  options: {
    models: {type: 'string'},
    python: {type: 'string'},
    rounds: {type: 'string', default: '5'},
    tokens: {type: 'string', default: '32'},
    print: {type: 'boolean'},
  },
});
const root = fileURLToPath(new URL('../../', import.meta.url));
const rounds = Number(options.rounds);
const tokens = Number(options.tokens);
const PROMPTS = [128, 1024];
const VOCABULARY = 49152;

// Runs in the page. Both prompts begin with an empty cache. Returns, per prompt, the milliseconds that it takes, and those of
// each token after it.
async function runWasmvino({path, folder, threads, prompts, tokens, vocabulary}) {
  const {addon: ov} = await import(path);
  const begin = performance.now();
  const compiled = await new ov.Core().compileModel(`${folder}/openvino_model.xml`, 'CPU', {
    INFERENCE_NUM_THREADS: threads,
    WASMVINO_LAST_LOGITS: true,
  });
  const request = compiled.createInferRequest();
  const loadMs = performance.now() - begin;
  const promptOf = (length) => Array.from({length}, (_, i) => (i * 37) % 1000);
  const numbers = (length, value) => BigInt64Array.from({length}, (_, i) => BigInt(value(i)));
  const inputsOf = (ids, past) => ({
    input_ids: new ov.Tensor('i64', [1, ids.length], numbers(ids.length, (i) => ids[i])),
    attention_mask: new ov.Tensor('i64', [1, past + ids.length], numbers(past + ids.length, () => 1)),
    position_ids: new ov.Tensor('i64', [1, ids.length], numbers(ids.length, (i) => past + i)),
    beam_idx: new ov.Tensor('i32', [1], new Int32Array(1)),
  });
  const results = [];
  let firstMs;
  for (const length of prompts) {
    request.resetState();
    let past = 0;
    let next = promptOf(length);
    const times = [];
    for (let step = 0; step <= tokens; step++) {
      const count = next.length;
      const start = performance.now();
      const {logits} = await request.inferAsync(inputsOf(next, past));
      const scores = logits.data;
      let best = 0;
      for (let i = 1; i < vocabulary; i++) if (scores[i] > scores[best]) best = i;
      times.push(performance.now() - start);
      past += count;
      next = [best];
    }
    firstMs ??= times[0];
    results.push({prompt: length, promptMs: times[0], tokenMs: times.slice(1)});
  }
  // The first run packs the weights. A second one shows what a prompt takes after that.
  request.resetState();
  const inputs = inputsOf(promptOf(prompts[0]), 0);
  const start = performance.now();
  await request.inferAsync(inputs);
  results[0].promptMs = performance.now() - start;
  return {version: ov.build.name, loadMs, firstMs, results};
}

// The same for wllama, by the times that llama.cpp takes of itself.
async function runWllama({path, folder, threads, prompts, tokens}) {
  const {Wllama, LoggerWithoutDebug} = await import(`${path}index.js`);
  const begin = performance.now();
  const wllama = new Wllama({default: `${path}wasm/wllama.wasm`}, {logger: LoggerWithoutDebug, suppressNativeLog: true});
  const file = await (await fetch(`${folder}/model.gguf`)).blob();
  await wllama.loadModel([file], {n_ctx: Math.max(...prompts) + 2 * tokens, n_threads: threads, n_gpu_layers: 0});
  const loadMs = performance.now() - begin;
  const words = ['river', 'garden', 'winter', 'letter'];
  const results = [];
  for (const [i, length] of prompts.entries()) {
    // Another beginning for each prompt: nothing of the one before is reused.
    const prompt = words[i] + ' the'.repeat(length - 1);
    const {timings, usage} = await wllama.createCompletion({prompt, max_tokens: tokens, temperature: 0, ignore_eos: true});
    results.push({
      prompt: usage.prompt_tokens,
      promptMs: (timings.prompt_ms / timings.prompt_n) * usage.prompt_tokens,
      tokenMs: [timings.predicted_ms / timings.predicted_n],
    });
  }
  await wllama.exit();
  return {version: Wllama.getLibllamaVersion(), loadMs, results};
}

/** The largest peak of resident memory, in MiB, of the renderer processes that this process has started. Linux only. */
function rendererPeak() {
  const parents = new Map();
  const peaks = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      parents.set(pid, /PPid:\s*(\d+)/.exec(status)[1]);
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')) continue;
      peaks.set(pid, Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    } catch {
      // The process has ended.
    }
  }
  const isOurs = (pid) => pid === String(process.pid) || (parents.has(pid) && isOurs(parents.get(pid)));
  return Math.max(0, ...[...peaks].filter(([pid]) => isOurs(pid)).map(([, peak]) => peak));
}

const npm = (name) => JSON.parse(readFileSync(`${root}bench/node_modules/${name}/package.json`, 'utf8')).version;
let version;
/** Takes a sample in a fresh browser, so that the renderer's peak of memory is its own. */
const inPage = (run, path) => async (threads) => {
  const place = await openChromium({
    models: options.models,
    wasmvino: {root, browser: 'dist/browser.js'},
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  });
  version = place.version;
  const {page, close} = await place.start();
  const sample = await page.evaluate(run, {path, folder: '/models', threads, prompts: PROMPTS, tokens, vocabulary: VOCABULARY});
  const memoryMiB = rendererPeak();
  await close();
  await place.close();
  return {...sample, memoryMiB};
};
/** A sample of native OpenVINO. */
const natively = (configuration) => (threads) => {
  const script = `${root}bench/llm/native.py`;
  const args = [script, options.models, configuration, threads, tokens, ...PROMPTS].map(String);
  return JSON.parse(execFileSync(options.python, args, {encoding: 'utf8'}));
};
const participants = [1, 2].flatMap((threads) => [
  {engine: 'wasmvino', threads, take: inPage(runWasmvino, '/package/dist/browser.js')},
  {engine: 'wllama', threads, take: inPage(runWllama, '/npm/@wllama/wllama/esm/')},
]);
participants.push(
  {engine: NATIVE_F32, threads: 1, take: natively('f32')},
  {engine: 'native OpenVINO', threads: 1, take: natively('default')},
);
for (const participant of participants) participant.samples = [];
for (let round = 0; round < rounds; round++) {
  for (const {engine, threads, take, samples} of participants) {
    samples.push(await take(threads));
    console.log(`round ${round + 1} of ${rounds}: ${engine}, ${withThreads(threads)}`);
  }
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const summary = (values) => ({best: Math.min(...values), median: median(values)});
const languageModels = {
  processor: os.cpus()[0].model.trim(),
  chromium: version,
  load: os.loadavg()[0],
  cores: os.cpus().length,
  rounds,
  tokens,
  prompts: PROMPTS,
  participants: participants.map(({engine, threads, samples}) => ({
    engine,
    threads,
    version: engine === 'wllama' ? npm('@wllama/wllama') : samples[0].version,
    loadMs: summary(samples.map(({loadMs}) => loadMs)),
    ...(samples[0].firstMs && {firstMs: summary(samples.map(({firstMs}) => firstMs))}),
    memoryMiB: summary(samples.map(({memoryMiB}) => memoryMiB)),
    results: PROMPTS.map((_, i) => ({
      prompt: samples[0].results[i].prompt,
      promptMs: summary(samples.map(({results}) => results[i].promptMs)),
      tokenMs: summary(samples.map(({results}) => mean(results[i].tokenMs))), // llama.cpp only reports means
    })),
  })),
};
if (options.print) {
  console.log(languageModelSection(languageModels).join('\n\n'));
} else {
  const docs = `${root}docs/benchmarks`;
  const results = {...JSON.parse(readFileSync(`${docs}.json`, 'utf8')), languageModels};
  writeFileSync(`${docs}.json`, `${JSON.stringify(results, null, 1)}\n`);
  writeFileSync(`${docs}.md`, writeReport(results));
}
