// SPDX-License-Identifier: Apache-2.0
// Code written for onnxruntime-web runs on wasmvino/ort in a page, by an import map.
import assert from 'node:assert/strict';
import {after, it} from 'node:test';
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

const page = (options) => `<!doctype html><script type="importmap">${map}</script><output></output>
<script type="module">
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
</script>`;

for (const proxy of [false, true]) {
  it(`in Chromium${proxy ? ', with env.wasm.proxy' : ''}`, async () => {
    const server = await serve(folder, {}, {'/': {type: 'text/html', body: page({proxy})}});
    try {
      const {text, fetched, errors} = await outputOf(browser, server.url);
      const golden = goldenScores();
      const scores = text.split(' ').map(Number);
      assert.equal(scores.length, golden.length, text);
      scores.forEach((score, i) => assert.ok(Math.abs(score - golden[i]) < 1e-3, `${score} instead of ${golden[i]}`));
      assert.deepEqual(errors, []);
      assert.equal(fetched.filter(({path}) => path.endsWith('.wasm')).length, 1, 'one engine');
      assert.equal(fetched.some(({path}) => path.endsWith('/worker.js')), proxy);
    } finally {
      server.close();
    }
  });
}
