#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// npm run bench [-- OPTIONS]: this engine and its peers on the same networks, inputs and machine, in one run.

import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import {dirname, join, relative, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';

import {measure} from './harness/measure.mjs';
import {openChromium, openNode} from './harness/places.mjs';
import {writeReport} from './report.mjs';

const bench = dirname(fileURLToPath(import.meta.url));
const root = join(bench, '..');
const models = join(root, 'build/bench/models');

// What is measured without --case: the decoder, the specification's LSTM and what an iteration costs.
const DEFAULT_CASES = ['g2p_.*', 'lstm_specification', 'lstm_unrolled', 'iterations_.*', 'slices_.*'];

// Engines and where they run. LiteRT.js is a package for browsers.
const ENGINES = {
  wasmvino: ['node', 'chromium'],
  'onnxruntime-web': ['node', 'chromium'],
  litert: ['chromium'],
  tfjs: ['node', 'chromium'],
};

const USAGE = `npm run bench [-- OPTIONS]
  --case REGEX       cases to run, by whole name; may be repeated (${DEFAULT_CASES.join(' ')})
  --list             print the names of all cases and stop
  --place NAME       node or chromium; may be repeated (both)
  --engine NAME      wasmvino, onnxruntime-web or litert (Chromium only; its models need TensorFlow, 1.5 GB);
                     may be repeated (the first two)
  --threads N        thread counts; may be repeated (1)
  --build NAME       wasmvino's build (its own choice)
  --package DIR      the wasmvino package to measure (this one)
  --rounds N         slots of each engine and case (7)
  --slot MS          length of a slot (120)
  --warm-up MS       before the first slot (600)
  --json FILE        where the numbers go (docs/benchmarks.json)
  --report FILE      where the tables go (docs/benchmarks.md)
Both files are written only when the run is the default one, or when they are named.`;

function parse() {
  const text = (name) => ({[name]: {type: 'string', multiple: true}});
  const {values} = parseArgs({
    options: {
      ...text('case'),
      ...text('place'),
      ...text('engine'),
      ...text('threads'),
      list: {type: 'boolean'},
      help: {type: 'boolean'},
      build: {type: 'string'},
      package: {type: 'string'},
      rounds: {type: 'string', default: '7'},
      slot: {type: 'string', default: '120'},
      'warm-up': {type: 'string', default: '600'},
      json: {type: 'string'},
      report: {type: 'string'},
    },
  });
  return values;
}

/** Entry points of the package, as its package.json exports them. */
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
    join(root, 'build/bench/venv/bin/python'),
    ['-m', 'models.generate', '--list', ...patterns],
    {cwd: bench, encoding: 'utf8'},
  );
  if (status) throw new Error(stderr);
  return stdout.trim().split('\n');
}

async function main() {
  const options = parse();
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const patterns = options.case ?? DEFAULT_CASES;
  const places = options.place ?? ['node', 'chromium'];
  const engines = options.engine ?? ['wasmvino', 'onnxruntime-web'];
  const threads = (options.threads ?? ['1']).map(Number);
  const unknown = engines.find((engine) => !ENGINES[engine]);
  if (unknown) throw new Error(`no engine '${unknown}': ${Object.keys(ENGINES).join(', ')}`);
  const needed = [
    ...(engines.includes('wasmvino') && !options.package && !options.list ? ['--package'] : []),
    ...(places.includes('chromium') ? ['--chromium'] : []),
    ...(engines.includes('litert') && !options.list ? ['--tflite'] : []),
    ...(options.list ? ['--list'] : patterns),
  ];
  if (spawnSync('bash', [join(bench, 'setup.sh'), ...needed], {stdio: 'inherit'}).status) process.exit(1);
  if (options.list) return;

  const wasmvino = engines.includes('wasmvino')
    ? findPackage(resolve(options.package ?? root))
    : {root, node: root, browser: ''};
  const cases = generatorList(patterns);
  const wantedIn = (place) =>
    threads.flatMap((count) =>
      engines
        .filter((engine) => ENGINES[engine].includes(place))
        .map((engine) => ({engine, threads: count, build: options.build})),
    );
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
    const place =
      name === 'node'
        ? await openNode({models, wasmvino})
        : await openChromium({models, wasmvino, executablePath: '/usr/bin/chromium'});
    try {
      const measured = await measure(place, {cases, models, wanted: wantedIn(name), ...results});
      results.places.push(measured);
      failures += measured.failures.length;
    } finally {
      await place.close();
    }
  }

  const isDefault = !(
    options.case ||
    options.place ||
    options.engine ||
    options.threads ||
    options.package ||
    options.build
  );
  const write = (file, content) => {
    mkdirSync(dirname(file), {recursive: true});
    writeFileSync(file, content);
    console.log(`written: ${relative(process.cwd(), file)}`);
  };
  const json = options.json ?? (isDefault ? join(root, 'docs/benchmarks.json') : undefined);
  const report = options.report ?? (isDefault ? join(root, 'docs/benchmarks.md') : undefined);
  const text = writeReport(results);
  if (json) write(json, `${JSON.stringify(results, null, 1)}\n`);
  if (report) write(report, text);
  if (!report) console.log(text);
  if (failures) process.exit(1);
}

await main();
