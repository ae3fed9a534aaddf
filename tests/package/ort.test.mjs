// SPDX-License-Identifier: Apache-2.0
// Code written for onnxruntime-web runs on wasmvino/ort in a page, by an import map.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, it} from 'node:test';
import {build as esbuild} from 'esbuild';
import {build as viteBuild} from 'vite';
import {goldenScores, install, launch, outputOf, serve} from './install.mjs';

const {folder, remove} = install();
const browser = await launch();
after(async () => {
  await browser.close();
  remove();
});

const entry = '/node_modules/wasmvino/dist/ort.js';
const names = ['onnxruntime-web', 'onnxruntime-web/wasm', 'onnxruntime-web/webgpu', 'onnxruntime-web/all', 'onnxruntime-common'];
const map = JSON.stringify({imports: Object.fromEntries(names.map((name) => [name, entry]))});

const application = (options) => `
  import * as ort from 'onnxruntime-web';
  import all, {Tensor} from 'onnxruntime-web/webgpu';
  const show = (text) => (document.querySelector('output').textContent = text);
  try {
    ort.env.wasm.proxy = ${options.proxy ?? false};
    const session = await all.InferenceSession.create('model.xml', {executionProviders: ['webgpu', 'wasm']});
    const letters = [...'browser'].map((letter) => letter.charCodeAt(0) - 94);
    const {scores} = await session.run({graphemes: new ort.Tensor('int32', [...letters, 2], [1, 8]), beam_width: new Tensor('int32', [3], [])});
    show([...scores.data].join(' '));
  } catch (error) {
    show(String(error));
  }
`;
const page = (options) => `<!doctype html><script type="importmap">${map}</script><output></output>
<script type="module">${application(options)}</script>`;

function near(text) {
  const golden = goldenScores();
  const scores = text.split(' ').map(Number);
  assert.equal(scores.length, golden.length, text);
  scores.forEach((score, i) => assert.ok(Math.abs(score - golden[i]) < 1e-3, `${score} instead of ${golden[i]}`));
}

for (const proxy of [false, true]) {
  it(`in Chromium${proxy ? ', with env.wasm.proxy' : ''}`, async () => {
    const server = await serve(folder, {}, {'/': {type: 'text/html', body: page({proxy})}});
    try {
      const {text, fetched, errors} = await outputOf(browser, server.url);
      near(text);
      assert.deepEqual(errors, []);
      assert.equal(fetched.filter(({path}) => path.endsWith('.wasm')).length, 1, 'one engine');
      assert.equal(fetched.some(({path}) => path.endsWith('/worker.js')), proxy);
    } finally {
      server.close();
    }
  });
}

// Builds app.html with onnxruntime-web and onnxruntime-common replaced, into a folder.
const bundlers = {
  async Vite(out) {
    const alias = [{find: /^onnxruntime-(web|common)(\/.*)?$/, replacement: 'wasmvino/ort'}];
    await viteBuild({root: folder, logLevel: 'warn', resolve: {alias}, build: {outDir: out, rollupOptions: {input: join(folder, 'app.html')}}});
  },
  async esbuild(out) {
    await esbuild({
      entryPoints: [join(folder, 'app.js')],
      bundle: true,
      format: 'esm',
      outfile: join(out, 'app.js'),
      alias: {'onnxruntime-web': 'wasmvino/ort', 'onnxruntime-common': 'wasmvino/ort'},
      external: ['./wasmvino-*.mjs'],
      absWorkingDir: folder,
    });
    const engine = join(folder, 'node_modules/wasmvino/dist');
    const files = readdirSync(engine).filter((file) => /^wasmvino-.*\.(mjs|wasm)$/.test(file));
    for (const file of files) cpSync(join(engine, file), join(out, file));
    cpSync(join(folder, 'app.html'), join(out, 'app.html'));
  },
};

for (const [name, bundle] of Object.entries(bundlers)) {
  it(`as an alias in ${name}`, async () => {
    writeFileSync(join(folder, 'app.js'), application({}));
    writeFileSync(join(folder, 'app.html'), '<!doctype html><output></output><script type="module" src="./app.js"></script>');
    const out = join(folder, 'built', name);
    mkdirSync(out, {recursive: true});
    await bundle(out);
    for (const file of ['model.xml', 'model.bin']) symlinkSync(join(folder, file), join(out, file));
    const server = await serve(out);
    try {
      near((await outputOf(browser, `${server.url}app.html`)).text);
    } finally {
      server.close();
    }
  });
}

it('as the package onnxruntime-node in Node.js', () => {
  const alias = join(folder, 'node_modules/onnxruntime-node');
  mkdirSync(alias);
  writeFileSync(join(alias, 'package.json'), '{"name": "onnxruntime-node", "main": "index.js"}');
  writeFileSync(join(alias, 'index.js'), "module.exports = require('wasmvino/ort');");
  writeFileSync(join(folder, 'alias.mjs'), `
    import {InferenceSession} from 'onnxruntime-node';
    import * as subpath from 'wasmvino/ort/webgpu';
    const session = await InferenceSession.create('model.xml');
    console.log(session.inputNames.join(), subpath.InferenceSession === InferenceSession);
    process.exit();`);
  assert.equal(execFileSync(process.execPath, ['alias.mjs'], {cwd: folder, encoding: 'utf8'}), 'graphemes,beam_width true\n');
});
