#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// npm run bench [-- OPTIONS]: measures this engine and its peers on the same networks, inputs and machine, in one run.

import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import {dirname, join, relative, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';

import {ENGINES} from './engines/index.mjs';
import {measure} from './harness/measure.mjs';
import {openChromium, openNode, openWebKit} from './harness/places.mjs';
import {MEMORY_CASES, measureStartUp} from './harness/start_up.mjs';
import {NETWORKS} from './harness/thread_model.mjs';
import {gemmTile} from './harness/tile.mjs';
import {withSpeed} from './readme.mjs';
import {writeReport} from './report.mjs';

const bench = dirname(fileURLToPath(import.meta.url));
const root = join(bench, '..');
const build = join(root, 'build/bench');

const PLACES = {node: openNode, chromium: openChromium, webkit: openWebKit};
const DEFAULT_PLACES = Object.keys(PLACES);
// The values of --engine. `baseline` is measured with --baseline.
const CHOICES = Object.keys(ENGINES).filter((engine) => engine !== 'baseline');
// The default cases for two threads. --threads overrides them.
const THREADED_CASES = ['gemm_1024', 'resnet50', 'minilm_l6_s128'];
// The cases for the other ways to read outputs. They move much memory for what they compute.
const OUTPUT_CASES = /^(ew_.*_1m|gemm_512_qdq_u8s8)$/;
const OUTPUTS = ['setOutputTensor', 'view'];

const USAGE = `npm run bench [-- OPTIONS]
  --case REGEX       cases to run, by whole name; may be repeated (all)
  --list             print the names of all cases and stop
  --scaling          only predict the gain with more threads than two, and write it into docs/performance.md (bench/threads.mjs)
  --llm              only compare a language model with wllama in Chromium (bench/llm/run.sh)
  --survey           only compare 25 networks and their int8 forms with native OpenVINO, and write the table into
                     docs/performance.md (bench/survey/run.sh). --llm and --survey ignore all other options
  --place NAME       node, chromium or webkit; may be repeated (all)
  --chromium-flag F  a flag for Chromium, as in --chromium-flag=--js-flags=--wasm-revectorize; may be repeated
  --engine NAME      ${CHOICES.join(', ')}; may be repeated (all, LiteRT.js
                     where --tflite was given once); LiteRT.js runs in browsers only, OpenVINO in Node.js only
  --tflite           make the networks of LiteRT.js, which needs TensorFlow (1.5 GB, installed in build/bench)
  --threads N        thread counts; may be repeated (1, and 2 for ${THREADED_CASES.join(', ')})
  --build NAME       wasmvino's build (the best that runs)
  --package DIR      the wasmvino package to measure (this one, built first)
  --baseline DIR     compare with another build of wasmvino: a folder with its package.json and dist/. Peers are measured too
                     only if they are named
  --models DIR       where the networks are or go (build/bench/models)
  --rounds N         slots of each engine and case (7)
  --slot MS          length of a slot (120)
  --warm-up MS       before the first slot (600)
  --start-ups N      cold starts of each engine (5); 0: neither start-up nor memory
  --json FILE        where the numbers go (docs/benchmarks.json)
  --report FILE      where the tables go (docs/benchmarks.md)
A default run writes both files and the paragraph about speed in README.md. Other runs write only the files named.`;

function parse() {
  const text = (name) => ({[name]: {type: 'string', multiple: true}});
  const {values} = parseArgs({
    options: {
      ...text('case'),
      ...text('place'),
      ...text('engine'),
      ...text('threads'),
      list: {type: 'boolean'},
      llm: {type: 'boolean'},
      survey: {type: 'boolean'},
      scaling: {type: 'boolean'},
      tflite: {type: 'boolean'},
      help: {type: 'boolean'},
      ...text('chromium-flag'),
      build: {type: 'string'},
      baseline: {type: 'string'},
      package: {type: 'string'},
      models: {type: 'string', default: join(build, 'models')},
      rounds: {type: 'string', default: '7'},
      slot: {type: 'string', default: '120'},
      'warm-up': {type: 'string', default: '600'},
      'start-ups': {type: 'string', default: '5'},
      json: {type: 'string'},
      report: {type: 'string'},
    },
  });
  const check = (what, values, known) => {
    const unknown = values.find((value) => !known.includes(value));
    if (unknown) throw new Error(`no ${what} '${unknown}': ${known.join(', ')}`);
  };
  check('engine', values.engine ?? [], CHOICES);
  check('place', values.place ?? [], Object.keys(PLACES));
  return values;
}

/** The entry points that the package.json of the package exports. */
function findPackage(folder) {
  const {exports} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const entry = (condition) => {
    let target = exports['.'];
    while (typeof target === 'object') target = target[condition] ?? target.import ?? target.default;
    return target;
  };
  const found = {
    root: folder,
    node: join(folder, entry('node')),
    browser: entry('browser').replace(/^\.\//, ''),
  };
  for (const file of [found.node, join(folder, found.browser)]) {
    if (!existsSync(file)) throw new Error(`${relative(root, file)} is missing: the package was not built`);
  }
  return found;
}

function generatorList(patterns) {
  const {stdout, status, stderr} = spawnSync(
    join(build, 'venv/bin/python'),
    ['-m', 'models.generate', '--list', ...patterns],
    {cwd: bench, encoding: 'utf8'},
  );
  if (status) throw new Error(stderr);
  return stdout.trim().split('\n');
}

/** Runs bench/threads.mjs, with what it needs. */
function predictScaling({models, package: folder}) {
  const setup = ['--models', resolve(models), ...(folder ? [] : ['--package']), ...Object.keys(NETWORKS)];
  const commands = [
    ['bash', [join(bench, 'setup.sh'), ...setup]],
    [process.execPath, [join(bench, 'threads.mjs'), '--models', resolve(models), '--package', resolve(folder ?? root), '--write']],
  ];
  for (const [program, args] of commands) {
    const {status} = spawnSync(program, args, {stdio: 'inherit'});
    if (status !== 0) process.exit(status ?? 1);
  }
}

async function main() {
  const options = parse();
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const script = options.llm ? ['llm/run.sh'] : options.survey ? ['survey/run.sh', '--write'] : undefined;
  if (script) {
    const [file, ...args] = script;
    process.exit(spawnSync('bash', [join(bench, file), ...args], {stdio: 'inherit'}).status ?? 1);
  }
  if (options.scaling) {
    predictScaling(options);
    return;
  }
  const patterns = options.case ?? ['.*'];
  const places = options.place ?? DEFAULT_PLACES;
  const tflite = options.tflite || options.engine?.includes('litert') || existsSync(join(build, 'venv-tflite/.done'));
  const engines = options.baseline
    ? [...(options.engine ?? ['wasmvino']), 'baseline']
    : (options.engine ?? CHOICES.filter((engine) => engine !== 'litert' || tflite));
  const startUps = Number(options['start-ups']);
  // Cold starts need these cases, even if others are chosen.
  const needed = [...patterns, ...(startUps && !options.case ? MEMORY_CASES : [])];
  const setup = [
    ...['--models', resolve(options.models)],
    ...(engines.includes('wasmvino') && !options.package && !options.list ? ['--package'] : []),
    ...(options.list ? [] : ['chromium', 'webkit'].filter((place) => places.includes(place)).map((place) => `--${place}`)),
    ...(tflite && engines.includes('litert') && !options.list ? ['--tflite'] : []),
    ...(options.list ? ['--list'] : needed),
  ];
  if (spawnSync('bash', [join(bench, 'setup.sh'), ...setup], {stdio: 'inherit'}).status) process.exit(1);
  if (options.list) return;

  const wasmvino = engines.includes('wasmvino')
    ? findPackage(resolve(options.package ?? root))
    : {root, node: root, browser: ''};
  const baseline = options.baseline ? findPackage(resolve(options.baseline)) : undefined;
  const cases = generatorList(patterns);
  const outputCases = cases.filter((name) => OUTPUT_CASES.test(name));
  // The participants in a place, each with its cases.
  const wantedIn = (place) =>
    engines.flatMap((engine) => {
      const most = ENGINES[engine].threads[place] ?? 0;
      const participant = (threads, own, output) =>
        own.length && threads <= most ? [{engine, threads, output, build: options.build, cases: own}] : [];
      const counts = options.threads?.map(Number);
      return [
        ...(counts ?? [1]).flatMap((threads) => participant(threads, cases)),
        ...(counts ? [] : participant(2, THREADED_CASES.filter((name) => cases.includes(name)))),
        ...(engine === 'wasmvino' && !counts ? OUTPUTS.flatMap((output) => participant(1, outputCases, output)) : []),
      ];
    });
  const results = {
    machine: {
      processor: os.cpus()[0].model.trim(),
      cores: os.cpus().length,
      system: `${os.type()} ${os.arch()}`,
    },
    rounds: Number(options.rounds),
    slotMs: Number(options.slot),
    warmUpMs: Number(options['warm-up']),
    places: [],
  };
  let failures = 0;
  for (const name of places) {
    const {models, 'chromium-flag': flags} = options;
    let place;
    try {
      place = await PLACES[name]({models, wasmvino, baseline, executablePath: '/usr/bin/chromium', flags});
      const wanted = wantedIn(name);
      const tile = engines.includes('wasmvino') && name === 'node' ? gemmTile(wasmvino.root) : undefined;
      const measured = await measure(place, {cases, wanted, tile, models, ...results});
      if (startUps && !options.case && name !== 'webkit') {
        measured.startUp = await measureStartUp(place, {
          wanted: wanted.filter(({engine, threads, output}) => ENGINES[engine].adapter && threads === 1 && !output),
          repetitions: startUps,
        });
      }
      results.places.push(measured);
      failures += measured.failures.length;
    } catch (error) {
      // The numbers of the other places are kept.
      console.log(`${name} FAILED: ${error.message}`);
      failures++;
    } finally {
      await place?.close();
    }
  }

  const isDefault = !(
    options.case ||
    options.place ||
    options.engine ||
    options.threads ||
    options.package ||
    options.baseline ||
    options['chromium-flag'] ||
    options.build
  );
  const write = (file, content) => {
    mkdirSync(dirname(file), {recursive: true});
    writeFileSync(file, content);
    console.log(`written: ${relative(process.cwd(), file)}`);
  };
  const kept = join(root, 'docs/benchmarks.json');
  const json = options.json ?? (isDefault ? kept : undefined);
  const report = options.report ?? (isDefault ? join(root, 'docs/benchmarks.md') : undefined);
  // Keeps the results of bench/ncnn and bench/llm.
  if (isDefault && existsSync(kept)) {
    const {native, languageModels} = JSON.parse(readFileSync(kept, 'utf8'));
    Object.assign(results, {native, languageModels});
  }
  const text = writeReport(results);
  if (json) write(json, `${JSON.stringify(results, null, 1)}\n`);
  if (report) write(report, text);
  if (isDefault && !options.json) {
    const readme = join(root, 'README.md');
    write(readme, withSpeed(readFileSync(readme, 'utf8'), results));
  }
  if (!report) console.log(text);
  if (failures) process.exit(1);
}

try {
  await main();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}
