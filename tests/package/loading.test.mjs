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
import {productModel} from '../js/engine.mjs';
import {browsers, dist} from './install.mjs';

const {xml, bin} = productModel(2, 512); // 1 MiB
const size = xml.length + bin.length;
const integrity = `sha384-${createHash('sha384').update(bin).digest('base64')}`;

// Runs in the page: reads and runs a model, and returns the progress reports.
async function read(url, options, length) {
  const {addon: ov} = await import('/dist/browser.js');
  if (!ov.memoryBytes()) ov.configure({build: 'simd'});
  const told = [];
  try {
    const model = await new ov.Core().readModel(url, {...options, onProgress: (progress) => told.push(progress)});
    const request = (await new ov.Core().compileModel(model, 'CPU')).createInferRequest();
    const {y} = await request.inferAsync([new Float32Array(length)]);
    const {cache} = options;
    // The cache is written in the background.
    for (let tries = 0; cache && !(await (await caches.open(cache)).match(url.replace('.xml', '.bin'))) && tries < 100; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return {told, y: y.data[0]};
  } catch (error) {
    return {told, code: error.code, message: error.message};
  }
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
        if (pathname === '/') return response.writeHead(200, {'content-type': 'text/html'}).end('<!doctype html><title>Loading</title>');
        if (pathname.startsWith('/dist/')) {
          const type = pathname.endsWith('.wasm') ? 'application/wasm' : 'text/javascript';
          return response.writeHead(200, {'content-type': type}).end(readFileSync(join(dist, pathname.slice('/dist/'.length))));
        }
        const body = {'/model.xml': xml, '/model.bin': bin}[pathname];
        if (!body) return response.writeHead(404).end();
        const {range} = request.headers;
        seen.push({method: request.method, path: pathname, range});
        if (how.offline) return response.destroy();
        const headers = {'cache-control': 'no-store', ...(how.etag && {etag: how.etag})};
        if (how.gzip) {
          const packed = gzipSync(body);
          return response.writeHead(200, {...headers, 'content-encoding': 'gzip', 'content-length': packed.length}).end(packed);
        }
        const start = range ? Number(/\d+/.exec(range)[0]) : 0;
        if (range) headers['content-range'] = `bytes ${start}-${body.length - 1}/${body.length}`;
        const rest = Buffer.from(body).subarray(start);
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
  });
}
