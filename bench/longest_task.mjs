// SPDX-License-Identifier: Apache-2.0
// node bench/longest_task.mjs [--case NAME] [--models DIR] [--runs N] [--write]: measures the longest task of a page's main
// thread in Chromium while a network is read and compiled, and while it runs. It tests each build on the main thread and in a
// worker. Chromium reports tasks of 50 ms and more. --write puts the table into docs/performance.md. The networks are those of
// `npm run bench` (build/bench/models).
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {builds} from '../js/manifest.mjs';
import {withGeneratedSection} from '../scripts/generated_section.mjs';
import {openChromium} from './harness/places.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const {values: options} = parseArgs({
  options: {
    case: {type: 'string', default: 'resnet50'},
    models: {type: 'string', default: join(root, 'build/bench/models')},
    runs: {type: 'string', default: '5'},
    write: {type: 'boolean'},
  },
});

const place = await openChromium({
  models: options.models,
  wasmvino: {root, browser: 'dist/browser.js'},
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
});

// Runs in the page. Returns the longest task while the network is read and compiled, and while it runs. 0 means that no task
// was long enough to be reported.
async function measure({path, folder, build, worker, runs}) {
  const {addon: ov} = await import(path);
  ov.configure({build, worker});
  await ov.ready;
  let longest = 0;
  new PerformanceObserver((list) => {
    for (const {duration} of list.getEntries()) longest = Math.max(longest, duration);
  }).observe({type: 'longtask'});
  const settled = () => new Promise((resolve) => setTimeout(resolve, 300));
  const during = async (work) => {
    await settled();
    longest = 0;
    const begin = performance.now();
    await work();
    const ms = performance.now() - begin;
    await settled();
    return {longest, ms};
  };
  let request;
  const compile = await during(async () => {
    request = (await new ov.Core().compileModel(`${folder}/model.xml`, 'CPU')).createInferRequest();
  });
  const [input] = request.getCompiledModel().inputs;
  const values = new Float32Array(input.shape.reduce((count, size) => count * size, 1));
  const run = await during(async () => {
    for (let i = 0; i < runs; i++) await request.inferAsync([values]);
  });
  return {compile, run};
}

const rows = [];
const row = (...cells) => rows.push(cells) && console.log(cells.map((cell, i) => String(cell)[i < 2 ? 'padEnd' : 'padStart'](i < 2 ? 13 : 16)).join(''));
const task = (ms) => (ms === 0 ? '< 50' : ms.toFixed(0));
console.log(`${options.case}: longest task of the page's thread, ms`);
row('build', 'engine', 'compiling', 'running', 'to compile', 'of one run');
try {
  for (const build of builds) {
    for (const worker of [false, true]) {
      const {page, close} = await place.start();
      const settings = {path: place.paths.wasmvino, folder: place.caseFolder(options.case), build, worker, runs: Number(options.runs)};
      const {compile, run} = await page.evaluate(measure, settings);
      await close();
      const each = (run.ms / settings.runs).toFixed(1);
      row(build, worker ? 'in a worker' : 'on the page', task(compile.longest), task(run.longest), compile.ms.toFixed(0), each);
    }
  }
} finally {
  await place.close();
}

if (options.write) {
  const path = join(root, 'docs/performance.md');
  const [head, ...measured] = rows;
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const table = [line(head), '|---|---|--:|--:|--:|--:|', ...measured.map(line)].join('\n');
  writeFileSync(path, withGeneratedSection(readFileSync(path, 'utf8'), 'longest task', 'bench/longest_task.mjs', table));
}
