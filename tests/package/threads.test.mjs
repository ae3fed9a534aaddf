// SPDX-License-Identifier: Apache-2.0
// Tests an isolated page: the threaded build computes on other threads, because the main thread must not block.
import assert from 'node:assert/strict';
import {after, describe, it} from 'node:test';
import {productModel} from '../js/engine.mjs';
import {isolation, launch, root, serve} from './install.mjs';

const rows = 512;
const size = 1024;
const {xml, bin} = productModel(rows, size);
const browser = await launch();
after(() => browser.close());

const probe = `
import {addon as ov} from '/dist/browser.js';
const codeOf = (error) => error.code + ' ' + error.message;
const refused = (call) => {
  try {
    call();
    return 'nothing was thrown';
  } catch (error) {
    return codeOf(error);
  }
};
const wait = () => new Promise((resolve) => setTimeout(resolve));

async function probe() {
  ov.configure({build: location.hash.slice(1)});
  const core = new ov.Core();
  const bytes = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
  const model = await core.readModel(await bytes('/product.xml'), await bytes('/product.bin'));
  const compile = (threads) => core.compileModel(model, 'CPU', {INFERENCE_NUM_THREADS: threads});
  const x = Float32Array.from({length: ${rows * size}}, (_, i) => Math.sin(i));
  const alone = (await compile(1)).createInferRequest().infer([x]).y.data;
  const shown = {processors: navigator.hardwareConcurrency};
  shown.threads = (await core.compileModel(model, 'CPU')).getProperty('INFERENCE_NUM_THREADS');

  const compiled = await compile(2);
  const [request, other] = [compiled.createInferRequest(), compiled.createInferRequest()];
  const equal = ({y}) => y.data.every((value, i) => value === alone[i]);
  shown.equal = equal(await request.inferAsync([x]));

  // Turns that the main thread has while runs are under way.
  let turns = 0;
  let running = true;
  const runs = (async () => {
    for (let run = 0; run < 5; run++) shown.equal &&= equal(await request.inferAsync());
    running = false;
  })();
  for (; running; turns++) await wait();
  await runs;
  shown.turns = turns;

  const run = request.inferAsync();
  // Runs that wait for it, so that the engine is still computing when a busy machine makes the calls that it must refuse.
  const waiting = Array.from({length: 10}, () => compiled.createInferRequest().inferAsync([x]));
  await wait();
  shown.same = refused(() => request.infer());
  shown.other = refused(() => other.infer([x]));
  shown.read = refused(() => core.readModelSync(new Uint8Array(1)));
  shown.memory = other.memoryBytes();
  await Promise.all([run, ...waiting]);
  shown.equal &&= equal(request.infer()) && equal(request.infer());
  await core.compileModel(model, 'GPU').catch((error) => (shown.device = codeOf(error)));
  await core.readModel(new Uint8Array(8)).catch((error) => (shown.broken = codeOf(error)));
  return shown;
}
globalThis.shown = probe();
`;

async function show(build) {
  const answers = {
    '/': {type: 'text/html', body: '<!doctype html><title>threads</title><script type="module" src="/probe.js"></script>'},
    '/probe.js': {type: 'text/javascript', body: probe},
    '/product.xml': {type: 'text/xml', body: xml},
    '/product.bin': {type: 'application/octet-stream', body: bin},
  };
  const server = await serve(root, isolation, answers);
  const page = await browser.newPage();
  const [errors, warnings] = [[], []];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => (message.type() === 'warning' ? warnings : errors).push(message.text()));
  try {
    await page.goto(`${server.url}#${build}`);
    await page.waitForFunction(() => globalThis.shown);
    return {...(await page.evaluate(() => globalThis.shown)), errors, warnings, workers: page.workers().length};
  } finally {
    await page.close();
    server.close();
  }
}

describe('threads in a page', () => {
  for (const build of ['simd-mt', 'relaxed-mt']) {
    it(`of ${build} compute beside the main thread what one thread computes`, async () => {
      const {errors, warnings, workers, ...shown} = await show(build);
      assert.deepEqual(errors, []);
      assert.equal(shown.threads, Math.min(8, shown.processors));
      assert.equal(shown.equal, true);
      // The thread that computes for the page, plus its pool.
      assert.equal(workers, 1 + Math.max(shown.threads, 2) - 1);
      assert.ok(shown.turns >= 10, `the main thread had ${shown.turns} turns in five runs`);
      assert.match(shown.same, /^INVALID_STATE the request is running/);
      assert.match(shown.other, /^INVALID_STATE the engine is computing asynchronously/);
      assert.match(shown.read, /^INVALID_STATE the engine is computing asynchronously/);
      assert.ok(shown.memory >= 0);
      assert.match(shown.device, /^INVALID_ARGUMENT .*GPU/);
      assert.match(shown.broken, /^INVALID_MODEL /);
      assert.equal(warnings.length, 1, String(warnings));
      assert.match(warnings[0], /uses 1 of 2 threads and blocks the page/);
    });
  }

  for (const [policy, kept] of [
    ["worker-src 'none'", 'no workers'],
    ["require-trusted-types-for 'script'", 'no scripts of plain texts'],
  ]) {
    it(`cannot start where a policy allows ${kept}: one computes, and says why`, async () => {
      const body = `import {addon as ov} from '/dist/browser.js';
        globalThis.shown = ov.ready.then(() => ({...ov.build}));`;
      const server = await serve(root, {...isolation, 'content-security-policy': policy}, {
        '/': {type: 'text/html', body: '<!doctype html><title>policy</title><script type="module" src="/probe.js"></script>'},
        '/probe.js': {type: 'text/javascript', body},
      });
      const page = await browser.newPage();
      try {
        await page.goto(server.url);
        await page.waitForFunction(() => globalThis.shown);
        const {name, reason} = await page.evaluate(() => globalThis.shown);
        assert.doesNotMatch(name, /-mt$/);
        assert.match(reason, /one thread: ./);
      } finally {
        await page.close();
        server.close();
      }
    });
  }
});
