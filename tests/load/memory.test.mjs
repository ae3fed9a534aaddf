// SPDX-License-Identifier: Apache-2.0
// Tests how much memory Chromium and Firefox take to load, compile and run a large model: at most 1.1 times its weights, and what
// the kernels pack. After a run, the bytes of the weights are released. The default is a model of 300 MB. WASMVINO_LOAD=full
// adds models of 1.5 GB and 2.5 GB.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {mkdtempSync, readFileSync, readdirSync, rmSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {extname, join} from 'node:path';
import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {describe, it} from 'node:test';
import {bytes, irText, root} from '../js/engine.mjs';
import {browsers} from '../package/install.mjs';

const sizes = process.env.WASMVINO_LOAD === 'full' ? [0.3e9, 1.5e9, 2.5e9] : [0.3e9];
const width = 2048;
const layerBytes = width * width * 4;

// All rows of a weight matrix are equal. A row of ones times this matrix gives 0.5, 1.5, 0.5, 1.5 … exactly, and so does that row.
const row = Float32Array.from({length: width}, (_, i) => (i % 2 === 0 ? 0.5 : 1.5) / width);
const block = Buffer.alloc(2 ** 20, Buffer.from(row.buffer));

// A chain of products with constant matrices. The .bin has `count` matrices.
function chain(count) {
  const value = [{type: 'f32', shape: [1, width]}];
  const layers = [{name: 'x', type: 'Parameter', outputs: value}];
  for (let i = 0; i < count; i++) {
    const data = {element_type: 'f32', shape: `${width},${width}`, offset: i * layerBytes, size: layerBytes};
    layers.push({name: `w${i}`, type: 'Const', data, outputs: [{type: 'f32', shape: [width, width]}]});
    const inputs = [i === 0 ? 'x' : `product${i - 1}`, `w${i}`];
    layers.push({name: `product${i}`, type: 'MatMul', data: {transpose_a: false, transpose_b: false}, inputs, outputs: value});
  }
  layers.push({name: 'result', type: 'Result', inputs: [`product${count - 1}`]});
  return bytes(irText(layers));
}

// Serves the package, a page, and models as /<count>.xml and /<count>.bin. The weights are made while they are sent. `told` has
// promises of what the page tells.
async function serve(count) {
  const types = {'.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm'};
  const tell = {};
  const told = Object.fromEntries(['idle', 'ran', 'result'].map((what) => [what, new Promise((resolve) => (tell[`/${what}`] = resolve))]));
  const page = `<!doctype html><title>Memory</title><script type="module">(${report})(${count}, ${width});</script>`;
  const server = createServer(async (request, response) => {
    const {pathname} = new URL(request.url, 'http://localhost');
    const [, matrices, kind] = /^\/(\d+)\.(xml|bin)$/.exec(pathname) ?? [];
    if (pathname === '/') return response.writeHead(200, {'content-type': 'text/html'}).end(page);
    if (pathname in tell) {
      const parts = await request.toArray();
      response.end();
      return tell[pathname](parts.length > 0 ? JSON.parse(Buffer.concat(parts)) : undefined);
    }
    if (kind === 'xml') return response.writeHead(200).end(chain(Number(matrices)));
    if (kind === 'bin') {
      // With an ETag, the weights can be read again.
      response.writeHead(200, {'content-length': matrices * layerBytes, etag: '"one"'});
      const blocks = Array((matrices * layerBytes) / block.length).fill(block);
      return pipeline(Readable.from(blocks), response).catch(() => {}); // the browser ends a transfer that it refuses
    }
    if (!pathname.startsWith('/dist/')) return response.writeHead(404).end();
    response.writeHead(200, {'content-type': types[extname(pathname)]}).end(readFileSync(join(root, pathname)));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {url: `http://127.0.0.1:${server.address().port}/`, told, close: () => (server.close(), server.closeAllConnections())};
}

function statusOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}

// Private memory of a process and all that it started, in bytes. Array buffers and WebAssembly memories are in it.
function memoryOf(pid) {
  const children = new Map();
  const sizes = new Map();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const status = statusOf(name);
    const number = (key) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    children.set(number('PPid'), [...(children.get(number('PPid')) ?? []), Number(name)]);
    sizes.set(Number(name), number('RssAnon') * 1024);
  }
  const sum = (each) => (sizes.get(each) ?? 0) + (children.get(each) ?? []).reduce((total, child) => total + sum(child), 0);
  return sum(pid);
}

// Runs in the page: tells the server when the engine and all code of the browser that a model needs are loaded, and the result.
async function report(count, length) {
  const tell = (what, body) => fetch(`/${what}`, {method: 'POST', body: JSON.stringify(body)});
  const {addon: ov} = await import('/dist/browser.js');
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const run = async (path, ran) => {
    const compiled = await new ov.Core().compileModel(path, 'CPU');
    const request = compiled.createInferRequest();
    const [output] = Object.values(await request.inferAsync([new Float32Array(length).fill(1)]));
    await ran?.();
    const {memory} = await request.explain();
    const first = [...output.data.subarray(0, 4)];
    request.dispose();
    compiled.dispose();
    return {first, packed: memory.packed};
  };
  await run('/1.xml');
  await pause(4000); // meanwhile the browser starts up, and optimises the engine's code
  await tell('idle');
  const ran = () => tell('ran').then(() => pause(1000)); // meanwhile, the test looks at the memory
  await tell('result', await run(`/${count}.xml`, ran).catch(({code, message}) => ({code, message})));
}

// The browser is started without puppeteer: with it, Firefox keeps copies of all that a page fetches.
const commands = {
  Chromium: (profile) => [...browsers.Chromium.args, '--headless', '--no-first-run', `--user-data-dir=${profile}`],
  Firefox: (profile) => ['--headless', '--no-remote', '--profile', profile],
};

// Returns the result of a page that loads a model with `count` matrices, and how much more memory than before the browser had
// at most, and after the run.
async function watched(name, count) {
  const server = await serve(count);
  const profile = mkdtempSync(join(tmpdir(), 'wasmvino-memory-'));
  const browser = spawn(browsers[name].executablePath, [...commands[name](profile), server.url], {stdio: 'ignore', detached: true});
  const ended = new Promise((resolve) => browser.on('exit', resolve));
  const died = ended.then((status) => Promise.reject(new Error(`the browser ended with status ${status}`)));
  died.catch(() => {});
  let timer;
  try {
    await Promise.race([server.told.idle, died]);
    const idle = memoryOf(browser.pid);
    let peak = idle;
    timer = setInterval(() => (peak = Math.max(peak, memoryOf(browser.pid))), 20);
    let kept;
    server.told.ran.then(() => setTimeout(() => (kept = memoryOf(browser.pid) - idle), 500));
    const result = await Promise.race([server.told.result, died]);
    return {result, taken: peak - idle, kept};
  } finally {
    clearInterval(timer);
    // All processes of the browser, which write to the profile until they end. It may have ended by itself.
    if (browser.exitCode === null && browser.signalCode === null) process.kill(-browser.pid, 'SIGKILL');
    await ended;
    server.close();
    rmSync(profile, {recursive: true, force: true, maxRetries: 20, retryDelay: 200});
  }
}

for (const name of Object.keys(browsers)) {
  describe(`memory of ${name}`, () => {
    for (const size of sizes) {
      it(`loads, compiles and runs a model of ${size / 1e6} MB`, async () => {
        const count = Math.ceil(size / layerBytes);
        const weights = count * layerBytes;
        const {result, taken, kept} = await watched(name, count);
        assert.equal(result.message, undefined);
        assert.deepEqual(result.first, [0.5, 1.5, 0.5, 1.5]);
        const megabytes = (number) => `${Math.round(number / 1e6)} MB`;
        const beside = taken - result.packed;
        const text = `${megabytes(taken)} for ${megabytes(weights)} of weights and ${megabytes(result.packed)} packed: ${(beside / weights).toFixed(2)}`;
        console.log(`${name}: ${text}; after the run ${megabytes(kept)}`);
        assert.ok(result.packed >= weights, `the kernels packed ${result.packed} bytes`);
        assert.ok(beside <= 1.1 * weights, text);
        assert.ok(kept - result.packed <= 0.3 * weights, `${megabytes(kept)} after the run, of which ${megabytes(result.packed)} are packed`);
      });
    }

    it('refuses more than the engine can address before the download', async () => {
      const count = 2 ** 32 / layerBytes + 1;
      const {result, taken} = await watched(name, count);
      assert.equal(result.code, 'OUT_OF_MEMORY');
      assert.match(result.message, new RegExp(`\\b${count * layerBytes} bytes\\b.*\\b${2 ** 32} bytes\\b`));
      assert.ok(taken < 300e6, `the browser took ${taken} bytes`);
    });
  });
}
