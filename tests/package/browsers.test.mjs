// SPDX-License-Identifier: Apache-2.0
// The packed files in Chromium and in Firefox: that options have their effect, and what is said when loading fails.
import assert from 'node:assert/strict';
import {cpSync, readFileSync, truncateSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import puppeteer from 'puppeteer-core';
import {browsers, exampleAfter, goldenScores, install, serve} from './install.mjs';

const {folder, remove} = install();
after(remove);
cpSync(join(folder, 'node_modules/wasmvino/dist/wasmvino-simd.wasm'), join(folder, 'engine/of/ours.wasm'), {recursive: true});
writeFileSync(join(folder, 'worker.js'), exampleAfter('A service worker cannot import later', 'js'));
for (const name of ['model.xml', 'model.bin']) cpSync(join(folder, name), join(folder, `short/${name}`), {recursive: true});
truncateSync(join(folder, 'short/model.bin'), 100_000);
cpSync(join(folder, 'model.xml'), join(folder, 'alone/model.xml'), {recursive: true});

const letters = [...[...'browser'].map((letter) => letter.charCodeAt(0) - 94), 2];

// Runs in the page: the word's scores, with these options, or the error.
async function decode(options, path, letters) {
  const api = await import('/node_modules/wasmvino/dist/browser.js');
  const {addon: ov} = api;
  try {
    if (options.factory) options.factory = (await import(options.factory)).default;
    api.configure(options);
    const request = (await new ov.Core().compileModel(path, 'CPU')).createInferRequest();
    const {scores} = await request.inferAsync({
      graphemes: new ov.Tensor('i32', [1, letters.length], letters),
      beam_width: new ov.Tensor('i32', [], [3]),
    });
    return {build: ov.build, scores: [...scores.data]};
  } catch (error) {
    return {name: error.constructor.name, code: error.code, message: error.message, text: String(error), stack: error.stack};
  }
}

for (const [name, options] of Object.entries(browsers)) {
  describe(`packed files in ${name}`, () => {
    let browser;
    let server;

    before(async () => {
      server = await serve(folder, {}, {'/': {type: 'text/html', body: '<!doctype html><title>Packed</title>'}});
      browser = await puppeteer.launch({...options, headless: true});
    });

    after(async () => {
      await browser?.close();
      server?.close();
    });

    async function inPage(run, ...args) {
      const page = await browser.newPage();
      const paths = [];
      page.on('request', (request) => paths.push(new URL(request.url()).pathname));
      try {
        await page.goto(server.url);
        return {...(await page.evaluate(run, ...args)), paths};
      } finally {
        await page.close();
      }
    }

    const near = (scores) => {
      const wanted = goldenScores();
      assert.equal(scores?.length, wanted.length);
      scores.forEach((score, i) => assert.ok(Math.abs(score - wanted[i]) < 1e-3, `${scores}, expected ${wanted}`));
    };

    it('configure({wasmUrl}) has the engine fetched from there', async () => {
      const {scores, paths} = await inPage(decode, {build: 'simd', wasmUrl: '/engine/of/ours.wasm'}, '/model.xml', letters);
      near(scores);
      assert.deepEqual(paths.filter((path) => path.endsWith('.wasm')), ['/engine/of/ours.wasm']);
    });

    it('configure({factory}) imports nothing', async () => {
      const factory = '/node_modules/wasmvino/dist/wasmvino-simd.mjs';
      cpSync(join(folder, factory), join(folder, 'engine/ours.mjs'));
      const {scores, paths} = await inPage(decode, {build: 'simd', factory: '/engine/ours.mjs'}, '/model.xml', letters);
      near(scores);
      assert.deepEqual(paths.filter((path) => path.endsWith('.mjs')), ['/engine/ours.mjs']);
    });

    it('a service worker decodes by the README\'s recipe', async () => {
      const {scores} = await inPage(async (letters) => {
        const registration = await navigator.serviceWorker.register('/worker.js', {type: 'module'});
        const {active} = await navigator.serviceWorker.ready;
        const answer = new Promise((resolve) => (navigator.serviceWorker.onmessage = ({data}) => resolve(data)));
        active.postMessage(letters);
        const scores = await answer;
        await registration.unregister();
        return {scores};
      }, letters);
      near(scores);
    });

    it('options that there are not are refused by name, in an error of a class with a name', async () => {
      const error = await inPage(decode, {wasmURL: '/'}, '/model.xml', letters);
      assert.deepEqual([error.name, error.code], ['WasmvinoError', 'INVALID_ARGUMENT']);
      assert.match(error.message, /no option 'wasmURL'; its options are build, wasmUrl, wasmBinary, factory/);
      assert.ok(error.text.length < 200, error.text);
    });

    it('missing and truncated weights are named, in one line', async () => {
      const missing = await inPage(decode, {build: 'simd'}, '/alone/model.xml', letters);
      assert.equal(missing.code, 'INVALID_ARGUMENT');
      assert.match(missing.message, /^\/alone\/model\.bin cannot be opened \(status 404\b.*\): the model needs its weights .*\d+ constants lie in them, which are at least \d+ bytes.*$/);
      const short = await inPage(decode, {build: 'simd'}, '/short/model.xml', letters);
      assert.equal(short.code, 'INVALID_MODEL');
      assert.match(short.message, /^\/short\/model\.bin ended too early: the weights end at byte 100000; constant '.*' and \d+ others lie behind it, up to byte \d+$/);
    });

    it('weights beyond all memory are refused before they are transferred, and a broken transfer says how far it came', async () => {
      let sent = 0;
      const huge = createServer((request, response) => {
        const cors = {'access-control-allow-origin': '*'};
        if (request.url === '/model.xml') return response.writeHead(200, cors).end(readFileSync(join(folder, 'model.xml')));
        response.writeHead(200, {...cors, 'content-length': request.url === '/model.bin' ? 5e9 : 1000});
        sent += 100;
        response.write(Buffer.alloc(100));
        if (request.url !== '/model.bin') setTimeout(() => response.destroy(), 100);
      });
      await new Promise((listening) => huge.listen(0, '127.0.0.1', listening));
      const url = `http://127.0.0.1:${huge.address().port}/model`;
      try {
        const refused = await inPage(decode, {build: 'simd'}, `${url}.xml`, letters);
        assert.equal(refused.code, 'OUT_OF_MEMORY', refused.message);
        assert.match(refused.message, /model\.bin has 5000000000 bytes: more than the 4294967296 bytes/);
        assert.ok(sent < 1000);
        const broken = await inPage(decode, {build: 'simd'}, `${url}.broken`, letters);
        assert.equal(broken.code, 'INVALID_ARGUMENT');
        assert.match(broken.message, /model\.broken cannot be read: the transfer broke off after \d+ of 1000 bytes/);
      } finally {
        huge.closeAllConnections();
        huge.close();
      }
    });
  });
}
