// SPDX-License-Identifier: Apache-2.0
// Tests that memory stays flat over the lives of models in Node.js and in Chromium, that a threaded build works under load, and
// that threads of Node.js can share one compiled module. WASMVINO_LOAD=full runs 1,000 lives of each of 20 models and half an
// hour of load. WASMVINO_LOAD=I/N runs the I-th (from 0) of N parts of that.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, before, describe, it} from 'node:test';
import {setTimeout} from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import {Worker} from 'node:worker_threads';
import puppeteer from 'puppeteer-core';
import {addModel, packageWith, root} from '../js/engine.mjs';
import {browsers, serve} from '../package/install.mjs';
import {churn} from './churn.mjs';
import {checkLives} from './lives.mjs';
import {models} from './models.mjs';

const load = process.env.WASMVINO_LOAD;
const [part, parts] = load?.includes('/') ? load.split('/').map(Number) : [0, 1];
const [rounds, minutes] = load ? [1000, 30 / parts] : [20, 1];
const mostGrowth = 1e6; // bytes of JavaScript memory; garbage collections vary by up to 0.2 MB
const some = models(load ? 20 : 12).filter((_, i) => i % parts === part);
assert.ok(some.length > 0, `WASMVINO_LOAD=${load} has no models`);

function assertFlat({engine, script}) {
  assert.equal(engine, 0, `the engine's memory grew by ${engine} bytes`);
  assert.ok(script < mostGrowth, `JavaScript's memory grew by ${script} bytes`);
}

describe(`${rounds} lives of a model`, () => {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc');
  const heap = async () => {
    // The memory that the first collection frees is returned in the background.
    collect();
    await setTimeout(50);
    collect();
    const {heapUsed, external} = process.memoryUsage();
    return heapUsed + external;
  };

  describe('in Node.js', async () => {
    const ov = await packageWith('relaxed');
    for (const model of some) {
      it(model.name, async () => {
        assertFlat(await checkLives(ov, {...model, xml: readFileSync(model.xml), bin: readFileSync(model.bin)}, rounds, heap));
      });
    }
  });

  describe('in Chromium', () => {
    let browser, page, server;
    before(async () => {
      server = await serve(root, {}, {'/': {type: 'text/html', body: '<!doctype html><title>Lives of models</title>'}});
      const {args, ...options} = browsers.Chromium;
      const forMemory = ['--js-flags=--expose-gc', '--enable-precise-memory-info'];
      browser = await puppeteer.launch({...options, args: [...args, ...forMemory], headless: true, protocolTimeout: 3_600_000});
      page = await browser.newPage();
      await page.goto(server.url);
    });
    after(async () => {
      await browser?.close();
      server?.close();
    });
    for (const {name, xml, bin, inputs} of some) {
      it(name, async () => {
        const paths = [xml, bin].map((path) => path.slice(root.length - 1));
        assertFlat(await page.evaluate(`(${inPage})(${JSON.stringify([...paths, inputs, rounds])}, ${checkLives})`));
      });
    }
  });
});

async function inPage([xml, bin, inputs, count], check) {
  const {addon: ov} = await import('/dist/browser.js');
  const get = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
  const heap = async () => {
    window.gc();
    await new Promise((ready) => setTimeout(ready, 50));
    window.gc();
    return performance.memory.usedJSHeapSize;
  };
  return check(ov, {xml: await get(xml), bin: await get(bin), inputs}, count, heap);
}

describe('threads', () => {
  for (const build of ['simd-mt', 'relaxed-mt']) {
    it(`works for ${minutes / 2} minutes of load, ${build}`, async () => {
      const {steps, ran, aborted, refused, disposed} = await churn({build, seconds: (minutes * 60) / 2, seed: Math.trunc(Date.now() / 1000)});
      assert.ok(ran && aborted && refused && disposed, JSON.stringify({steps, ran, aborted, refused, disposed}));
    });
  }

  it('share one compiled WebAssembly.Module', async () => {
    const module = new WebAssembly.Module(readFileSync(`${root}dist/wasmvino-simd.wasm`));
    const run = () =>
      new Promise((resolve, reject) => {
        const worker = new Worker(new URL('sharing_worker.mjs', import.meta.url), {workerData: {module, model: addModel()}});
        worker.on('message', resolve).on('error', reject);
      });
    for (const sum of await Promise.all([run(), run(), run()])) assert.deepEqual(sum, [2, 3, 4, 5, 6, 7]);
  });
});
