// SPDX-License-Identifier: Apache-2.0
// transformers.js from npm runs on wasmvino/ort, unchanged and without a network: in Node.js, where a package named
// onnxruntime-node is the entry, and in a page by an import map. `program.mjs` is what it does.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, it} from 'node:test';
import {install, launch, outputOf, root, serve} from '../package/install.mjs';
import {embedding, heads, idOf, words, writeModels} from './models.mjs';

const here = join(root, 'tests/transformers');
const {folder, remove} = install();
after(remove);
for (const name of readdirSync(join(here, 'node_modules'))) {
  if (!name.startsWith('.')) cpSync(join(here, 'node_modules', name), join(folder, 'node_modules', name), {recursive: true});
}
const alias = join(folder, 'node_modules/onnxruntime-node');
rmSync(alias, {recursive: true, force: true});
mkdirSync(alias);
writeFileSync(join(alias, 'package.json'), '{"name": "onnxruntime-node", "main": "index.js"}');
writeFileSync(join(alias, 'index.js'), "module.exports = require('wasmvino/ort');");
copyFileSync(join(here, 'program.mjs'), join(folder, 'program.mjs'));
writeModels(join(folder, 'models'));

const sum = (vectors) => vectors[0].map((_, axis) => vectors.reduce((all, vector) => all + vector[axis], 0));
const scoresOf = ([x, y]) => words.map((_, i) => x * heads[0][i] + y * heads[1][i]);
const best = (scores, count) => scores.map((_, i) => i).sort((i, j) => scores[j] - scores[i]).slice(0, count);
const vectorOf = (word) => embedding[idOf(word)];

function expected() {
  const text = ['light', 'red'];
  for (let i = 0; i < 4; ++i) text.push(words[best(scoresOf(sum(text.map(vectorOf))), 1)[0]]);
  const logits = [10, 200, 30].map((value) => (2 * value) / 255);
  const whole = logits.reduce((all, logit) => all + Math.exp(logit), 0);
  const shade = (label, i) => ({label, score: Math.exp(logits[i]) / whole});
  return {
    mean: [sum(['red', 'green'].map(vectorOf)).map((value) => value / 2), vectorOf('blue')],
    filled: best(scoresOf(vectorOf('[MASK]')), 2),
    text: text.filter((word) => !word.startsWith('[')).join(' '), // without special words, as transformers.js decodes it
    shades: [shade('green', 1), shade('blue', 2), shade('red', 0)],
  };
}

function check(actual) {
  const near = (value, wanted) => assert.ok(Math.abs(value - wanted) < 1e-5, `${value}, expected ${wanted}`);
  const wanted = expected();
  actual.mean.flat().forEach((value, i) => near(value, wanted.mean.flat()[i]));
  assert.deepEqual([actual.filled, actual.text], [wanted.filled, wanted.text]);
  assert.deepEqual(actual.shades.map(({label}) => label), wanted.shades.map(({label}) => label));
  actual.shades.forEach(({score}, i) => near(score, wanted.shades[i].score));
}

it('in Node.js', () => {
  writeFileSync(join(folder, 'main.mjs'), `
    import * as transformers from '@huggingface/transformers';
    import {run} from './program.mjs';
    console.log(JSON.stringify(await run(transformers, 'models/')));
    process.exit();`);
  check(JSON.parse(execFileSync(process.execPath, ['main.mjs'], {cwd: folder, encoding: 'utf8'})));
});

it('in Chromium, without a request to another server', async () => {
  const browser = await launch();
  const ort = '/node_modules/wasmvino/dist/ort.js';
  const imports = {
    '@huggingface/transformers': '/node_modules/@huggingface/transformers/dist/transformers.web.js',
    'onnxruntime-web/webgpu': ort,
    'onnxruntime-common': ort,
  };
  const body = `<!doctype html><script type="importmap">${JSON.stringify({imports})}</script><output></output><script type="module">
    import * as transformers from '@huggingface/transformers';
    import {run} from '/program.mjs';
    const show = (text) => (document.querySelector('output').textContent = text);
    const seen = performance.getEntriesByType('resource').map(({name}) => name);
    new PerformanceObserver((list) => seen.push(...list.getEntries().map(({name}) => name))).observe({type: 'resource'});
    run(transformers, '/models/').then(
      (results) => setTimeout(() => show(JSON.stringify({results, others: seen.filter((url) => !url.startsWith(location.origin))})), 100),
      (error) => show(JSON.stringify({error: String(error)})),
    );
  </script>`;
  const server = await serve(folder, {}, {'/': {type: 'text/html', body}});
  try {
    const {text} = await outputOf(browser, server.url);
    const {results, others, error} = JSON.parse(text);
    assert.equal(error, undefined);
    assert.deepEqual(others, []);
    check(results);
  } finally {
    server.close();
    await browser.close();
  }
});
