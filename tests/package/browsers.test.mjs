// SPDX-License-Identifier: Apache-2.0
// Tests the packed files in Chromium and in Firefox: the effects of options, and the errors when loading fails.
import assert from 'node:assert/strict';
import {cpSync, readFileSync, truncateSync} from 'node:fs';
import {createServer} from 'node:http';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import puppeteer from 'puppeteer-core';
import {browsers, goldenScores, install, root, serve} from './install.mjs';

const {folder, remove} = install();
after(remove);
cpSync(join(folder, 'node_modules/wasmvino/dist/wasmvino-simd.wasm'), join(folder, 'engine/of/ours.wasm'), {recursive: true});
cpSync(join(root, 'site/snippets/page/model-in-service-worker.js'), join(folder, 'worker.js'));
for (const name of ['model.xml', 'model.bin']) cpSync(join(folder, name), join(folder, `short/${name}`), {recursive: true});
truncateSync(join(folder, 'short/model.bin'), 100_000);
cpSync(join(folder, 'model.xml'), join(folder, 'alone/model.xml'), {recursive: true});

const letters = [...[...'browser'].map((letter) => letter.charCodeAt(0) - 94), 2];

// Runs in the page: returns the scores of a word with these options, or the error.
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

// Runs in the page: returns the error of saveModelSync().
async function save(path) {
  const {addon: ov} = await import('/node_modules/wasmvino/dist/browser.js');
  const model = await new ov.Core().readModel(path);
  try {
    return ov.saveModelSync(model, 'model.xml');
  } catch (error) {
    return {name: error.constructor.name, code: error.code, message: error.message};
  }
}

// Runs in the page: makes tensors from a picture of 2 x 1 pixels in every form that this browser supports, and from sound.
async function takeMedia(elsewhere) {
  const {Tensor} = await import('/node_modules/wasmvino/dist/browser.js');
  const taken = {};
  const take = async (name, source, options) => {
    try {
      const tensor = await Tensor.from(source, options);
      taken[name] = [tensor.getElementType(), tensor.getShape(), [...tensor.data]];
    } catch (error) {
      taken[name] = [error.constructor.name, error.code, error.message];
    }
  };
  const loaded = (image, url) =>
    new Promise((resolve, reject) => Object.assign(image, {onload: () => resolve(image), onerror: reject, src: url}));
  const picture = new ImageData(Uint8ClampedArray.of(255, 0, 0, 255, 0, 51, 102, 255), 2, 1);
  const canvas = Object.assign(document.createElement('canvas'), {width: 2, height: 1});
  canvas.getContext('2d').putImageData(picture, 0, 0);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve));
  const image = await loaded(new Image(), URL.createObjectURL(blob));
  await take('ImageData', picture);
  await take('alpha', picture, {channels: 4});
  await take('pixels', {width: 2, height: 1, data: new Uint8Array(picture.data)});
  await take('ImageBitmap', await createImageBitmap(picture));
  await take('HTMLCanvasElement', canvas);
  await take('HTMLImageElement', image);
  await take('Blob', blob);
  await take('File', new File([blob], 'picture.png'));
  if (globalThis.OffscreenCanvas) {
    const offscreen = new OffscreenCanvas(2, 1);
    offscreen.getContext('2d').putImageData(picture, 0, 0);
    await take('OffscreenCanvas', offscreen);
  }
  if (globalThis.VideoFrame) {
    const frame = new VideoFrame(picture.data, {format: 'RGBA', codedWidth: 2, codedHeight: 1, timestamp: 0});
    await take('VideoFrame', frame);
    frame.close();
  }
  const sound = new AudioBuffer({numberOfChannels: 2, length: 3, sampleRate: 8000});
  sound.copyToChannel(Float32Array.of(1, 2, 3), 0);
  sound.copyToChannel(Float32Array.of(4, 5, 6), 1);
  await take('AudioBuffer', sound);
  await take('video not loaded', document.createElement('video'));
  await take('of another origin', await loaded(new Image(), elsewhere));
  await take('no picture', new Blob(['text'], {type: 'image/png'}));
  const back = {};
  for (const [shape, values] of [[[1, 1, 2, 3], [9, 8, 7, 6, 5, 4]], [[1, 2, 4], [9, 8, 7, 255, 5, 4, 3, 255]], [[2, 1, 1], [3, 200]]]) {
    const {width, height, data} = new Tensor('u8', shape, Uint8Array.from(values)).toImageData();
    back[shape] = [width, height, [...data]];
  }
  return {taken, back};
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

    it('a service worker decodes by the guide\'s recipe', async () => {
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

    it('pictures and sound become tensors, and tensors pictures', async () => {
      const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="1"/>';
      const elsewhere = await serve(folder, {}, {'/picture.svg': {type: 'image/svg+xml', body: svg}});
      try {
        const {taken, back} = await inPage(takeMedia, `${elsewhere.url}picture.svg`);
        const {alpha, AudioBuffer: sound, 'video not loaded': video, 'of another origin': foreign, 'no picture': text, ...others} = taken;
        assert.ok(Object.keys(others).length >= 7);
        for (const [kind, tensor] of Object.entries(others)) assert.deepEqual(tensor, ['u8', [1, 1, 2, 3], [255, 0, 0, 0, 51, 102]], kind);
        assert.deepEqual(alpha, ['u8', [1, 1, 2, 4], [255, 0, 0, 255, 0, 51, 102, 255]]);
        assert.deepEqual(sound, ['f32', [2, 3], [1, 2, 3, 4, 5, 6]]);
        for (const [error, message] of [[video, /^The HTMLVideoElement has 0 x 0 pixels\. It has no frame yet: wait for its event 'loadeddata'/], [foreign, /CORS/], [text, /not a picture that the browser can decode/]]) {
          assert.deepEqual(error.slice(0, 2), ['WasmvinoError', 'INVALID_ARGUMENT']);
          assert.match(error[2], message);
        }
        assert.deepEqual(back, {
          '1,1,2,3': [2, 1, [9, 8, 7, 255, 6, 5, 4, 255]],
          '1,2,4': [2, 1, [9, 8, 7, 255, 5, 4, 3, 255]],
          '2,1,1': [1, 2, [3, 3, 3, 255, 200, 200, 200, 255]],
        });
      } finally {
        elsewhere.close();
      }
    });

    it('options that there are not are refused by name, in an error of a class with a name', async () => {
      const error = await inPage(decode, {wasmURL: '/'}, '/model.xml', letters);
      assert.deepEqual([error.name, error.code], ['WasmvinoError', 'INVALID_ARGUMENT']);
      assert.match(error.message, /no option 'wasmURL'; its options are build, wasmUrl, wasmBinary, parts, factory/);
      assert.ok(error.text.length < 200, error.text);
    });

    it('models are saved in Node.js alone, and the error says so', async () => {
      const error = await inPage(save, '/model.xml');
      assert.deepEqual([error.name, error.code], ['WasmvinoError', 'UNSUPPORTED']);
      assert.match(error.message, /Save the model in Node\.js/);
    });

    it('missing and truncated weights are named, in one line', async () => {
      const missing = await inPage(decode, {build: 'simd'}, '/alone/model.xml', letters);
      assert.equal(missing.code, 'INVALID_ARGUMENT');
      assert.match(missing.message, /^\/alone\/model\.bin cannot be opened \(status 404\b.*\): the model needs its weights .* of at least \d+ bytes for \d+ constants.*$/);
      const short = await inPage(decode, {build: 'simd'}, '/short/model.xml', letters);
      assert.equal(short.code, 'INVALID_MODEL');
      assert.match(short.message, /^\/short\/model\.bin is too short: the weights end at byte 100000, but constant '.*' and \d+ others need bytes up to \d+$/);
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
        assert.match(broken.message, /model\.broken(\.bin)? cannot be read: the transfer broke off after \d+ of 1000 bytes/);
      } finally {
        huge.closeAllConnections();
        huge.close();
      }
    });
  });
}
