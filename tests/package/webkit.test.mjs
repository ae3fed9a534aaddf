// SPDX-License-Identifier: Apache-2.0
// Tests the packed files in WebKitGTK, as a substitute for Safari: loading and computing in pages and workers, and errors.
import assert from 'node:assert/strict';
import {cpSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {exampleAfter, goldenScores, install, isolation, serve} from './install.mjs';
import {launchWebKit} from './webkit.mjs';

const {folder, remove} = install();
after(remove);
cpSync(join(folder, 'model.xml'), join(folder, 'alone/model.xml'), {recursive: true});
writeFileSync(join(folder, 'example.html'), exampleAfter('In a page', 'html'));

const letters = [...[...'browser'].map((letter) => letter.charCodeAt(0) - 94), 2];

// Runs in the page: returns the scores of a word with these options, or the error.
async function decode(options, path, letters) {
  const {addon: ov, configure} = await import('/node_modules/wasmvino/dist/browser.js');
  try {
    configure(options);
    const request = (await new ov.Core().compileModel(path, 'CPU')).createInferRequest();
    const {scores} = await request.inferAsync({
      graphemes: new ov.Tensor('i32', [1, letters.length], letters),
      beam_width: new ov.Tensor('i32', [], [3]),
    });
    return {build: ov.build, scores: [...scores.data], chosen: [...request.infer().scores.data]};
  } catch (error) {
    return {name: error.constructor.name, code: error.code, message: error.message};
  }
}

const near = (scores) => {
  const wanted = goldenScores();
  assert.equal(scores?.length, wanted.length);
  scores.forEach((score, i) => assert.ok(Math.abs(score - wanted[i]) < 1e-3, `${scores}, expected ${wanted}`));
};

describe('packed files in WebKitGTK', () => {
  let browser;
  let plain;
  let isolated;

  before(async () => {
    const answers = {'/': {type: 'text/html', body: '<!doctype html><title>Packed</title>'}};
    [plain, isolated] = [await serve(folder, {}, answers), await serve(folder, isolation, answers)];
    browser = await launchWebKit();
  });

  after(async () => {
    await browser?.close();
    plain?.close();
    isolated?.close();
  });

  async function inPage({url}, ...args) {
    await browser.open(url); // each page has its own engine
    return browser.run(...args);
  }

  it('the page of the README shows the scores', async () => {
    await browser.open(`${plain.url}example.html`);
    const text = await browser.run(async () => {
      const output = document.querySelector('output');
      for (let turn = 0; !/\d/.test(output.textContent) && turn < 300; turn++) await new Promise((resolve) => setTimeout(resolve, 100));
      return output.textContent;
    });
    near(text.split(' ').map(Number));
  });

  it('the build for SIMD and one thread is chosen, with the reasons', async () => {
    const {build, scores, chosen} = await inPage(plain, decode, {}, '/model.xml', letters);
    near(scores);
    assert.deepEqual(chosen, scores);
    assert.equal(build.name, 'simd');
    assert.match(build.reason, /^no relaxed SIMD here .*; one thread: the page is not cross-origin isolated/);
  });

  it('threads are refused in an isolated page, too: there is no shared memory', async () => {
    const {build, scores} = await inPage(isolated, decode, {}, '/model.xml', letters);
    near(scores);
    assert.equal(build.name, 'simd');
    assert.match(build.reason, /one thread: memory cannot be shared$/);
  });

  it('a threaded build that is asked for is refused, with the reason', async () => {
    for (const [server, reason] of [
      [plain, /^Build 'simd-mt': the page is not cross-origin isolated/],
      [isolated, /^Build 'simd-mt': memory cannot be shared$/],
    ]) {
      const {name, code, message} = await inPage(server, decode, {build: 'simd-mt'}, '/model.xml', letters);
      assert.deepEqual([name, code], ['WasmvinoError', 'UNSUPPORTED']);
      assert.match(message, reason);
    }
  });

  it('a build for relaxed SIMD is refused, and the error names another', async () => {
    const asked = await inPage(plain, decode, {build: 'relaxed'}, '/model.xml', letters);
    assert.deepEqual([asked.name, asked.code], ['WasmvinoError', 'UNSUPPORTED']);
    assert.match(asked.message, /^The build 'relaxed' cannot run here: WebAssembly has no relaxed SIMD \(.*\): use the build 'simd'\.$/);
    const only = await inPage(plain, async (path) => {
      const {Core} = await import('/node_modules/wasmvino/dist/relaxed.js');
      const {code, message} = await new Core().readModel(path).catch((error) => error);
      return {code, message};
    }, '/model.xml');
    assert.equal(only.code, 'UNSUPPORTED');
    assert.match(only.message, /has no relaxed SIMD .*: import 'wasmvino' or 'wasmvino\/simd'\.$/);
  });

  // Without js/guard_calls.mjs, every error ends the engine here.
  it('errors of the engine are caught: missing weights are named', async () => {
    const error = await inPage(plain, decode, {}, '/alone/model.xml', letters);
    assert.deepEqual([error.name, error.code], ['WasmvinoError', 'INVALID_ARGUMENT']);
    assert.match(error.message, /^\/alone\/model\.bin cannot be opened \(status 404\b/);
  });

  it('the engine runs in a worker of its own', async () => {
    const shown = await inPage(plain, async (path, letters) => {
      const {addon: ov} = await import('/node_modules/wasmvino/dist/browser.js');
      try {
        const request = (await new ov.Core({worker: true}).compileModel(path, 'CPU')).createInferRequest();
        const {scores} = await request.inferAsync([new ov.Tensor('i32', [1, letters.length], letters), new ov.Tensor('i32', [], [3])]);
        return {build: ov.build, scores: [...scores.data], worker: ov.capabilities().worker};
      } catch ({code, message}) {
        return {code, message};
      }
    }, '/model.xml', letters);
    near(shown.scores);
    assert.equal(shown.build.name, 'simd');
    assert.equal(shown.worker.available, true);
  });

  it('a worker computes what the page computes', async () => {
    const script = `onmessage = async ({data}) => postMessage(await (${decode})(...data));`;
    writeFileSync(join(folder, 'worker.js'), script);
    const {build, scores} = await inPage(plain, async (...args) => {
      const worker = new Worker('/worker.js', {type: 'module'});
      const answer = new Promise((resolve, reject) => Object.assign(worker, {onmessage: ({data}) => resolve(data), onerror: reject}));
      worker.postMessage(args);
      return answer.finally(() => worker.terminate());
    }, {}, '/model.xml', letters);
    assert.equal(build.name, 'simd');
    near(scores);
  });
});
