// SPDX-License-Identifier: Apache-2.0
// Tests loading models with the packed files in Chromium and in Firefox: answers of the server, and the cache.
import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {gzipSync} from 'node:zlib';
import puppeteer from 'puppeteer-core';
import {productModel, productsModel} from '../js/engine.mjs';
import {browsers, dist, isolation} from './install.mjs';

const {xml, bin} = productModel(2, 512); // 1 MiB
const size = xml.length + bin.length;
// Matrices of 9 MiB, so the first run releases pieces of 8 MiB while it packs. It keeps those of the first matrix, which two
// operations read.
const wide = 1536;
const products = productsModel(4, wide, true);
const integrity = `sha384-${createHash('sha384').update(bin).digest('base64')}`;

// Runs in the page: the cache is written in the background.
async function whenCached(url, {cache}) {
  for (let tries = 0; cache && !(await (await caches.open(cache)).match(url.replace('.xml', '.bin'))) && tries < 100; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// Runs in the page: reads and runs a model, and returns the progress reports.
async function read(url, options, length) {
  const {addon: ov} = await import('/dist/browser.js');
  if (!ov.memoryBytes()) ov.configure({build: 'simd'});
  const told = [];
  try {
    const model = await new ov.Core().readModel(url, {...options, onProgress: (progress) => told.push(progress)});
    const request = (await new ov.Core().compileModel(model, 'CPU')).createInferRequest();
    const {y} = await request.inferAsync([new Float32Array(length)]);
    await globalThis.whenCached(url, options);
    return {told, y: y.data[0]};
  } catch (error) {
    return {told, code: error.code, message: error.message};
  }
}

// Runs in the page: `core`, `model`, `compiled` and `request` of a model that has run once, so that its weights are released.
async function settle(url, {worker, bytes, wide, ...options}) {
  const {addon: ov} = await import('/dist/browser.js');
  if (!ov.memoryBytes()) ov.configure({build: globalThis.wantedBuild ?? 'simd'});
  const rows = (count) => new ov.Tensor('f32', [count, wide], Float32Array.from({length: count * wide}, (_, i) => i));
  const x = wide ? rows(1) : new Float32Array(1024);
  const core = new ov.Core({worker});
  const fetched = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
  const files = [url, url.replace('.xml', '.bin')];
  const given =
    bytes === 'File' ? await Promise.all(files.map(async (path) => new File([await fetched(path)], path.split('/').at(-1))))
    : bytes ? await Promise.all(files.map(fetched))
    : [url];
  const model = await core.readModel(...given, options);
  const compiled = await core.compileModel(model, 'CPU');
  const request = compiled.createInferRequest();
  const [y] = Object.values(await request.inferAsync([x]));
  await globalThis.whenCached(url, options);
  const run = async (from) => (await (await from).createInferRequest().inferAsync([x])).y.data[0];
  globalThis.settled = {ov, core, model, compiled, request, run, rows, x, golden: y.data[0]};
}

for (const [name, options] of Object.entries(browsers)) {
  describe(`loading in ${name}`, () => {
    let browser;
    let server;
    let page;
    let how = {};
    let seen = [];
    let url;

    before(async () => {
      server = createServer((request, response) => {
        const {pathname} = new URL(request.url, 'http://localhost');
        if (pathname === '/') return response.writeHead(200, {'content-type': 'text/html', ...isolation}).end('<!doctype html><title>Loading</title>');
        if (pathname.startsWith('/dist/')) {
          const type = pathname.endsWith('.wasm') ? 'application/wasm' : 'text/javascript';
          return response.writeHead(200, {'content-type': type, ...isolation}).end(readFileSync(join(dist, pathname.slice('/dist/'.length))));
        }
        const body = {'/model.xml': xml, '/model.bin': bin, '/products.xml': products.xml, '/products.bin': products.bin}[pathname];
        if (!body) return response.writeHead(404).end();
        const {range} = request.headers;
        seen.push({method: request.method, path: pathname, range});
        if (how.offline) return response.destroy();
        if (how.hangs) return;
        const headers = {'cache-control': how.keep ? 'no-cache' : 'no-store', ...(how.etag && {etag: how.etag})};
        if (how.gzip) {
          const packed = gzipSync(body);
          return response.writeHead(200, {...headers, 'content-encoding': 'gzip', 'content-length': packed.length}).end(packed);
        }
        const start = range ? Number(/\d+/.exec(range)[0]) : 0;
        if (range) headers['content-range'] = `bytes ${start}-${body.length - 1}/${body.length}`;
        const rest = Buffer.from(body).subarray(start, body.length - (how.short ?? 0));
        response.writeHead(range ? 206 : 200, {...headers, 'content-length': rest.length});
        if (how.breaks && !range && pathname === '/model.bin') {
          response.write(rest.subarray(0, 600_000));
          setTimeout(() => response.destroy(), 100);
        } else {
          response.end(request.method === 'HEAD' ? undefined : rest);
        }
      });
      await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
      url = `http://127.0.0.1:${server.address().port}/`;
      browser = await puppeteer.launch({...options, headless: true});
      page = await browser.newPage();
      await page.goto(url);
      await page.evaluate(`globalThis.whenCached = ${whenCached}`);
    });

    after(async () => {
      await browser?.close();
      server?.closeAllConnections();
      server?.close();
    });

    async function inPage(served, options = {}) {
      how = served;
      seen = [];
      const result = await page.evaluate(read, `${url}model.xml`, options, 1024);
      if (result.code === undefined) {
        assert.equal(result.y, Math.fround(1 / 512));
        const {loaded, total, phase} = result.told.at(-1);
        assert.deepEqual({loaded, total, phase}, {loaded: size, total: size, phase: 'read'});
      }
      const phases = new Set(result.told.map(({phase}) => phase));
      return {...result, phases, requests: seen.map(({method, path}) => `${method} ${path}`).sort()};
    }

    it('knows the size of compressed weights by the model', async () => {
      const {told, message} = await inPage({gzip: true});
      assert.equal(message, undefined);
      assert.ok(told.filter(({file}) => file.endsWith('.bin')).every(({total}) => total === size));
    });

    it('asks for the rest where the connection breaks', async () => {
      const {message, requests} = await inPage({etag: '"one"', breaks: true});
      assert.equal(message, undefined);
      assert.equal(requests.length, 3);
      assert.match(seen.at(-1).range, /^bytes=[1-9]\d*-$/);
    });

    it('takes files from the cache while the server has the same ones, or cannot be reached', async () => {
      const cache = 'kept';
      const all = ['GET /model.bin', 'GET /model.xml'];
      const asked = ['HEAD /model.bin', 'HEAD /model.xml'];
      const first = await inPage({etag: '"one"'}, {cache});
      assert.deepEqual(first.requests, all);
      assert.ok(first.phases.has('download'));
      const second = await inPage({etag: '"one"'}, {cache});
      assert.deepEqual(second.requests, asked);
      assert.deepEqual([...second.phases], ['cache', 'read']);
      const offline = await inPage({offline: true}, {cache});
      assert.deepEqual([...offline.phases], ['cache', 'read'], offline.message);
      const changed = await inPage({etag: '"two"'}, {cache});
      assert.deepEqual(changed.requests, [...all, ...asked]);
      assert.ok(changed.phases.has('download') && !changed.phases.has('cache'));
    });

    it('downloads a file again if the cache has only a part of it', async () => {
      const cache = 'parts';
      await inPage({etag: '"one"'}, {cache});
      await page.evaluate(async ([name, path]) => {
        const kept = await caches.open(name);
        const {headers} = await kept.match(path);
        await kept.put(path, new Response(new Uint8Array(100), {headers}));
      }, [cache, `${url}model.bin`]);
      const {message, requests} = await inPage({etag: '"one"'}, {cache});
      assert.equal(message, undefined);
      assert.ok(requests.includes('GET /model.bin') && !requests.includes('GET /model.xml'), requests.join());
      assert.deepEqual([...(await inPage({etag: '"one"'}, {cache})).phases], ['cache', 'read']);
    });

    it('does not ask the server for what a hash tells', async () => {
      const cache = 'hashed';
      const {message, requests} = await inPage({}, {cache, integrity: {weights: integrity}});
      assert.equal(message, undefined);
      assert.deepEqual(requests, ['GET /model.bin', 'GET /model.xml']);
      const again = await inPage({}, {cache, integrity: {weights: integrity}});
      // The .xml has neither a hash nor a validator, so it was not cached.
      assert.deepEqual(again.requests, ['GET /model.xml']);
      assert.ok(again.phases.has('cache') && again.phases.has('verify'));
      const refused = await inPage({}, {integrity: {weights: integrity.replace('-', '-A').slice(0, -1)}});
      assert.equal(refused.code, 'INVALID_MODEL');
      assert.match(refused.message, /is not the expected file/);
    });

    describe('released weights', () => {
      // Settles a model, then calls `what` in the page, with another behaviour of the server. Returns its result, or the error,
      // and the requests that it made.
      async function then(first, later, options, what) {
        how = first;
        await page.evaluate(settle, `${url}${options.wide ? 'products' : 'model'}.xml`, options);
        how = later;
        seen = [];
        const result = await page.evaluate(`(${what})(settled).then((value) => ({value}), ({code, message, expected, actual}) => ({code, message, expected, actual}))`);
        return {...result, requests: seen.map(({method, path}) => `${method} ${path}`)};
      }
      const one = {etag: '"one"'};
      const again = 'async ({core, model, run}) => run(core.compileModel(model, "CPU"))';
      const golden = Math.fround(1 / 512);
      const fetched = ['GET /model.bin'];

      for (const worker of [false, true]) {
        it(`are fetched again by a second compile, an export and observers${worker ? ', in a worker' : ''}`, async () => {
          assert.deepEqual(await then(one, one, {worker}, again), {value: golden, requests: fetched});
          const exported = 'async ({core, compiled, run}) => run(core.importModel(await compiled.exportModel(), "CPU"))';
          assert.deepEqual(await then(one, one, {worker}, exported), {value: golden, requests: fetched});
          const observed = 'async ({request, x}) => (request.observe([{layer: "product"}]), (await request.inferAsync([x])).y.data[0])';
          assert.deepEqual(await then(one, one, {worker}, observed), {value: golden, requests: fetched});
          // Nothing that is packed is read again.
          const more = 'async ({request, compiled, x, run}) => (await request.inferAsync([x]), run(compiled))';
          assert.deepEqual(await then(one, {offline: true}, {worker}, more), {value: golden, requests: []});
        });

        it(`are not mixed with those of another version${worker ? ', in a worker' : ''}`, async () => {
          const {code, message, expected, actual} = await then(one, {etag: '"two"'}, {worker}, again);
          assert.deepEqual([code, expected, actual], ['INVALID_STATE', 'version "one"', 'version "two"']);
          assert.match(message, /^The weights cannot be read again from \S+model\.bin: it has changed \(expected version "one", found version "two"\)\. .*Read the model again, or pass its bytes/);
          const short = await then(one, {...one, short: 100}, {worker}, again);
          assert.deepEqual([short.code, short.expected, short.actual], ['INVALID_STATE', `${bin.length} bytes`, `${bin.length - 100} bytes`]);
          const none = await then(one, {}, {worker}, again);
          assert.match(none.message, /expected version "one", found none/);
          const gone = await then(one, {offline: true}, {worker}, again);
          assert.equal(gone.code, 'INVALID_STATE');
          assert.match(gone.message, /cannot be read again from \S+model\.bin: \S+ cannot be fetched/);
        });
      }

      it('stay where a later version could not be told apart', async () => {
        const sync = 'async ({core, model, run}) => run(core.compileModelSync(model, "CPU"))';
        assert.deepEqual(await then({}, {offline: true}, {}, sync), {value: golden, requests: []});
        const hashed = await then({}, {}, {integrity: {weights: integrity}}, again);
        assert.deepEqual(hashed, {value: golden, requests: fetched});
      });

      it('stay if they are bytes of the caller', async () => {
        assert.deepEqual(await then(one, {offline: true}, {bytes: true}, again), {value: golden, requests: []});
        const exported = 'async ({compiled}) => compiled.exportModelSync().length';
        assert.ok((await then(one, {offline: true}, {bytes: true}, exported)).value > bin.length);
      });

      it('are read again from a File', async () => {
        for (const worker of [false, true]) {
          assert.deepEqual(await then(one, {offline: true}, {bytes: 'File', worker}, again), {value: golden, requests: []});
        }
        const released = await then(one, {offline: true}, {bytes: 'File'}, 'async ({core, model}) => core.compileModelSync(model, "CPU")');
        assert.equal(released.code, 'INVALID_STATE');
        assert.match(released.message, /^The bytes of model\.bin were released/);
      });

      it('are read again from the caches, also offline', async () => {
        assert.deepEqual((await then(one, {offline: true}, {cache: 'released'}, again)).value, golden);
        // The cache of HTTP serves what it has, although it is stale.
        assert.deepEqual(await then({...one, keep: true}, {offline: true}, {}, again), {value: golden, requests: []});
      });

      it('are read again after a run that released some of them', async () => {
        // The first two results of a row are the fifth and the fourth of its data from the end.
        const ends = (count) => Array.from({length: count}, (_, i) => [5, 4].map((back) => (i + 1) * wide - back));
        const check = `async ({core, model, compiled, request, rows}) => {
          const ends = async (from, count) => {
            const [{data}] = Object.values(await from.inferAsync([rows(count)]));
            return Array.from({length: count}, (_, i) => [...data.subarray(i * ${wide}, i * ${wide} + 2)]);
          };
          const fresh = async (compiled, count) => ends((await compiled).createInferRequest(), count);
          const refused = await new Promise((resolve) => resolve(compiled.exportModelSync().length)).catch(({message}) => message);
          const second = await ends(request, 5);
          request.observe([{layer: 'y1'}]);
          const observed = await ends(request, 3);
          const exported = await fresh(core.importModel(await compiled.exportModel(), 'CPU'), 2);
          return {refused, second, observed, exported, again: await fresh(core.compileModel(model, 'CPU'), 4)};
        }`;
        for (const options of [{}, {bytes: 'File'}, {bytes: 'File', worker: true}]) {
          const {value, requests} = await then(one, one, {...options, wide}, check);
          const {refused, ...results} = value;
          assert.match(refused, options.worker ? /worker/ : /were released once kernels had packed them/);
          assert.deepEqual(results, {second: ends(5), observed: ends(3), exported: ends(2), again: ends(4)});
          assert.equal(requests.length > 0, !options.bytes, String(requests));
        }
      });

      it('are not read by synchronous calls, which say what to call', async () => {
        for (const call of ['core.compileModelSync(model, "CPU")', 'compiled.exportModelSync()', '(request.observe([{layer: "product"}]), request.infer([x]))']) {
          const {code, message, requests} = await then(one, one, {}, `async ({core, model, compiled, request, x}) => ${call}`);
          assert.equal(code, 'INVALID_STATE', call);
          assert.match(message, /model\.bin were released .* synchronous call .* asynchronous form \(inferAsync, compileModel, exportModel\)/);
          assert.deepEqual(requests, []);
        }
      });

      it('are read once by two calls at once', async () => {
        const twice = 'async ({core, model, run}) => Promise.all([1, 2].map(() => run(core.compileModel(model, "CPU"))))';
        assert.deepEqual(await then(one, one, {}, twice), {value: [golden, golden], requests: fetched});
      });

      it('can be read again after an abort or cancel() ended that', async () => {
        const aborted = `async ({core, model}) => {
          const controller = new AbortController();
          setTimeout(() => controller.abort({code: 'mine'}), 100);
          return core.compileModel(model, 'CPU', {}, {signal: controller.signal});
        }`;
        assert.equal((await then(one, {hangs: true}, {}, aborted)).code, 'mine');
        how = one;
        assert.equal(await page.evaluate(`(${again})(settled)`), golden);
        const cancelled = 'async ({request, x}) => (request.observe([{layer: "product"}]), setTimeout(() => request.cancel(), 100), request.inferAsync([x]))';
        assert.equal((await then(one, {hangs: true}, {}, cancelled)).code, 'CANCELLED');
        how = one;
        assert.equal(await page.evaluate('settled.request.inferAsync([settled.x]).then(({y}) => y.data[0])'), golden);
      });

      it('are fetched again by builds with threads', async () => {
        const before = page;
        page = await browser.newPage();
        try {
          await page.goto(url);
          await page.evaluate(`globalThis.whenCached = ${whenCached}; globalThis.wantedBuild = 'simd-mt'`);
          assert.deepEqual(await then(one, one, {}, again), {value: golden, requests: fetched});
          assert.equal(await page.evaluate('settled.ov.build.name'), 'simd-mt');
          const observed = 'async ({request, x}) => (request.observe([{layer: "product"}]), (await request.inferAsync([x])).y.data[0])';
          assert.deepEqual(await then(one, one, {}, observed), {value: golden, requests: fetched});
          const changed = await then(one, {etag: '"two"'}, {}, again);
          assert.match(changed.message, /it has changed \(expected version "one", found version "two"\)/);
        } finally {
          await page.close();
          page = before;
        }
      });

      it('stay once they were released three times', async () => {
        const often = 'async ({core, model, run}) => { for (let i = 0; i < 5; i++) await run(core.compileModel(model, "CPU")); }';
        assert.deepEqual((await then(one, one, {}, often)).requests, [...fetched, ...fetched, ...fetched]);
      });
    });
  });
}
