// SPDX-License-Identifier: Apache-2.0
// Tests the packed files in Chromium and in Firefox with the engine in a worker: the page calls no WebAssembly and stays free.
import assert from 'node:assert/strict';
import {cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import puppeteer from 'puppeteer-core';
import {build as viteBuild} from 'vite';
import {loopModel} from '../js/engine.mjs';
import {browsers, goldenScores, install, isolation, serve} from './install.mjs';

const {folder, remove} = install();
after(remove);
const dist = '/node_modules/wasmvino/dist/';
const {xml, bin} = loopModel(-1);
mkdirSync(join(folder, 'models'));
for (const file of ['model.xml', 'model.bin']) cpSync(join(folder, file), join(folder, 'models', file));
for (const [name, body] of [['loop.xml', xml], ['loop.bin', bin]]) writeFileSync(join(folder, 'models', name), body);

const letters = [...[...'browser'].map((letter) => letter.charCodeAt(0) - 94), 2];

// Runs in the page: decodes a word, then aborts an endless run. Reports what the page did meanwhile.
const probe = (entry) => `
import {addon as ov} from '${entry}';
const calls = [];
for (const name of ['Instance', 'Module', 'compile', 'compileStreaming', 'instantiate', 'instantiateStreaming']) {
  WebAssembly[name] = new Proxy(WebAssembly[name], {
    construct: (target, args) => (calls.push(name), new target(...args)),
    apply: (target, self, args) => (calls.push(name), target.apply(self, args)),
  });
}
const letters = ${JSON.stringify(letters)};
async function show() {
  try {
    const core = new ov.Core({worker: true});
    const told = [];
    const model = await core.readModel('models/model.xml', {onProgress: ({file}) => told.push(file)});
    const compiled = await core.compileModel(model, 'CPU');
    const decode = async () => {
      const {scores} = await compiled.createInferRequest().inferAsync([new ov.Tensor('i32', [1, letters.length], letters), new ov.Tensor('i32', [], [3])]);
      return [...scores.data];
    };
    const scores = await decode();
    const endless = (await core.compileModel('models/loop.xml', 'CPU')).createInferRequest();
    const controller = new AbortController();
    let ended = false;
    const runs = endless.inferAsync([[7]], {signal: controller.signal}).catch((error) => error === 'enough').finally(() => (ended = true));
    let turns = 0;
    while (turns < 10 && !ended) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await new Promise((resolve) => requestAnimationFrame(resolve));
      ++turns;
    }
    const ranOn = !ended;
    controller.abort('enough');
    const aborted = await runs;
    const again = await decode();
    const fetched = performance.getEntriesByType('resource').map(({name}) => new URL(name).pathname);
    return {build: ov.build, memory: ov.memoryBytes(), capabilities: ov.capabilities(), calls, told: [...new Set(told)], scores, turns, ranOn, aborted, again, fetched};
  } catch (error) {
    return {code: error.code, message: error.message};
  }
}
globalThis.shown = show();
`;
const html = (script) => ({type: 'text/html', body: `<!doctype html><title>worker</title><script type="module" src="${script}"></script>`});
const script = (entry) => ({type: 'text/javascript', body: probe(entry)});

const near = (scores) => {
  const wanted = goldenScores();
  assert.equal(scores?.length, wanted.length);
  scores.forEach((score, i) => assert.ok(Math.abs(score - wanted[i]) < 1e-3, `${scores}, expected ${wanted}`));
};

for (const [name, options] of Object.entries(browsers)) {
  describe(`an engine in a worker in ${name}`, () => {
    let browser;
    before(async () => (browser = await puppeteer.launch({...options, headless: true})));
    after(() => browser?.close());

    async function inPage(server, path = '') {
      const page = await browser.newPage();
      const workers = [];
      page.on('workercreated', (worker) => workers.push(worker.url()));
      try {
        await page.goto(`${server.url}${path}`);
        await page.waitForFunction(() => globalThis.shown);
        return {...(await page.evaluate(() => globalThis.shown)), workers};
      } finally {
        await page.close();
      }
    }

    const assertWorks = (shown, build) => {
      assert.equal(shown.message, undefined);
      assert.equal(shown.build.name.endsWith('-mt'), build === 'threads', shown.build.reason);
      assert.deepEqual(shown.calls, []);
      near(shown.scores);
      assert.deepEqual([shown.turns, shown.ranOn, shown.aborted], [10, true, true]);
      near(shown.again);
      assert.ok(shown.memory > 0);
    };

    for (const [kind, headers] of [['one thread', {}], ['threads', isolation]]) {
      const policy = {'content-security-policy': "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"};

      it(`the page stays free of it, and ends what runs: ${kind}, under a strict policy`, async () => {
        const server = await serve(folder, {...headers, ...policy}, {'/': html('/probe.js'), '/probe.js': script(`${dist}browser.js`)});
        try {
          const shown = await inPage(server);
          assertWorks(shown, kind);
          assert.deepEqual(shown.told.sort(), ['models/model.bin', 'models/model.xml']);
          assert.deepEqual(shown.fetched.filter((path) => /\.(wasm|bin|xml)$/.test(path)), []);
          assert.ok(!shown.workers.some((url) => url.startsWith('blob:')), String(shown.workers));
          const {isolation: isolated, threads, worker, simd} = shown.capabilities;
          assert.deepEqual([isolated.available, threads.available, worker.available, simd.available], [kind === 'threads', kind === 'threads', true, true]);
          if (kind !== 'threads') assert.match(threads.reason, /not cross-origin isolated/);
        } finally {
          server.close();
        }
      });

      it(`it comes from another origin: ${kind}`, async () => {
        const cors = {'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin'};
        const elsewhere = await serve(folder, cors);
        const entry = `${elsewhere.url}${dist.slice(1)}browser.js`;
        const server = await serve(folder, headers, {'/': html('/probe.js'), '/probe.js': script(entry)});
        try {
          assertWorks(await inPage(server), kind);
        } finally {
          server.close();
          elsewhere.close();
        }
      });
    }

    it('what keeps the worker from starting is told at once', async () => {
      const answers = {'/': html('/probe.js'), '/probe.js': script(`${dist}browser.js`)};
      for (const [headers, more] of [
        [{}, {[`${dist}worker.js`]: {status: 404, body: ''}}],
        [{}, {[`${dist}worker.js`]: {type: 'text/html', body: '<!doctype html>'}}],
        [{'content-security-policy': "worker-src 'none'"}, {}],
      ]) {
        const server = await serve(folder, headers, {...answers, ...more});
        try {
          const started = performance.now();
          const shown = await inPage(server);
          assert.equal(shown.code, 'UNSUPPORTED', JSON.stringify(shown));
          assert.match(shown.message, /^The worker of the engine cannot be started: .*\. A Core without the option `worker` does not need it\.$/);
          assert.ok(performance.now() - started < 8000);
        } finally {
          server.close();
        }
      }
    });

    it('a script that does not come is told within 2 s, and taken where it comes later', async () => {
      let release;
      const after = new Promise((resolve) => (release = resolve));
      const body = `import {Core} from '${dist}browser.js';
        const core = new Core({worker: true});
        const read = () => core.readModel('/models/model.xml');
        globalThis.shown = read().catch(({code, message}) => ({code, message, waited: performance.now()}));
        globalThis.again = async () => (await read()).inputs.length;`;
      const text = readFileSync(join(folder, `${dist.slice(1)}worker.js`));
      const answers = {'/': html('/probe.js'), '/probe.js': {type: 'text/javascript', body}, [`${dist}worker.js`]: {type: 'text/javascript', body: text, after}};
      const server = await serve(folder, {}, answers);
      const page = await browser.newPage();
      try {
        await page.goto(server.url);
        await page.waitForFunction(() => globalThis.shown);
        const shown = await page.evaluate(() => globalThis.shown);
        assert.equal(shown.code, 'UNSUPPORTED');
        assert.match(shown.message, /its script did not start within 2 s/);
        assert.ok(shown.waited < 5000, String(shown.waited));
        release();
        assert.equal(await page.evaluate(() => globalThis.again()), 2);
      } finally {
        release();
        await page.close();
        server.close();
      }
    });

    it('so is a script that another origin does not have', async () => {
      const missing = {[`${dist}worker.js`]: {status: 404, body: ''}};
      const elsewhere = await serve(folder, {'access-control-allow-origin': '*'}, missing);
      const server = await serve(folder, {}, {'/': html('/probe.js'), '/probe.js': script(`${elsewhere.url}${dist.slice(1)}browser.js`)});
      try {
        const shown = await inPage(server);
        assert.equal(shown.code, 'UNSUPPORTED');
        assert.match(shown.message, /cannot be started: TypeError: .*(import|module)/i);
      } finally {
        server.close();
        elsewhere.close();
      }
    });

    it('one thread computes in it where the script of threads is missing', async () => {
      const missing = Object.fromEntries(['simd', 'relaxed'].map((build) => [`${dist}wasmvino-${build}-mt-thread.mjs`, {status: 404, body: ''}]));
      const server = await serve(folder, isolation, {'/': html('/probe.js'), '/probe.js': script(`${dist}browser.js`), ...missing});
      try {
        const shown = await inPage(server);
        assertWorks(shown, 'one thread');
        assert.match(shown.build.reason, /one thread: a worker did not start/);
      } finally {
        server.close();
      }
    });

    // In Firefox, `new Worker()` in a worker may never return.
    it('the page starts its threads', async () => {
      const before = 'globalThis.Worker = class { constructor() { throw new Error("a worker started a worker"); } };';
      const text = before + readFileSync(join(folder, `${dist.slice(1)}worker.js`), 'utf8');
      const answers = {'/': html('/probe.js'), '/probe.js': script(`${dist}browser.js`), [`${dist}worker.js`]: {type: 'text/javascript', body: text}};
      const server = await serve(folder, isolation, answers);
      try {
        assertWorks(await inPage(server), 'threads');
      } finally {
        server.close();
      }
    });

    it("the application's own worker has threads where a worker can start them", async () => {
      const body = `import {addon as ov} from '${dist}browser.js';
        const told = async () => {
          const {code, message = ''} = await new ov.Core({worker: true}).readModel('/models/model.xml').catch((error) => error);
          const model = await new ov.Core().readModel('/models/model.xml');
          return {code, message, inputs: model.inputs.length, build: {...ov.build}, capabilities: ov.capabilities()};
        };
        told().then(postMessage);`;
      const start = 'globalThis.shown = new Promise((resolve) => (new Worker("/own.js", {type: "module"}).onmessage = ({data}) => resolve(data)));';
      const answers = {'/': {type: 'text/html', body: `<!doctype html><script>${start}</script>`}, '/own.js': {type: 'text/javascript', body}};
      const server = await serve(folder, isolation, answers);
      try {
        const {code, message, inputs, build, capabilities: {threads, worker}} = await inPage(server);
        const can = name !== 'Firefox';
        assert.equal(inputs, 2);
        assert.deepEqual([build.name.endsWith('-mt'), threads.available, worker.available], [can, can, can], build.reason);
        if (can) return;
        const reason = 'in a worker, `new Worker()` of Firefox may never return';
        assert.ok(build.reason.includes(`one thread: ${reason}`), build.reason);
        assert.equal(code, 'UNSUPPORTED');
        assert.ok(message.includes(reason), message);
      } finally {
        server.close();
      }
    });

    it('a service worker says that it has none', async () => {
      const body = `import {addon as ov} from '${dist}browser.js';
        addEventListener('message', async ({source}) => {
          const {code, message} = await new ov.Core({worker: true}).readModel('/models/model.xml').catch((error) => error);
          source.postMessage({code, message, worker: ov.capabilities().worker});
        });`;
      const server = await serve(folder, {}, {'/': {type: 'text/html', body: '<!doctype html>'}, '/service.js': {type: 'text/javascript', body}});
      const page = await browser.newPage();
      try {
        await page.goto(server.url);
        const shown = await page.evaluate(async () => {
          await navigator.serviceWorker.register('/service.js', {type: 'module'});
          const {active} = await navigator.serviceWorker.ready;
          const answer = new Promise((resolve) => (navigator.serviceWorker.onmessage = ({data}) => resolve(data)));
          active.postMessage('');
          return answer;
        });
        assert.equal(shown.code, 'UNSUPPORTED');
        assert.match(shown.message, /there are no workers here/);
        assert.deepEqual(shown.worker, {available: false, reason: 'there are no workers here'});
      } finally {
        await page.close();
        server.close();
      }
    });

    it('Vite builds it', async () => {
      writeFileSync(join(folder, 'main.js'), probe('wasmvino'));
      writeFileSync(join(folder, 'app.html'), html('/main.js').body);
      const built = join(folder, `built-${name}`);
      await viteBuild({root: folder, logLevel: 'warn', build: {outDir: built, rollupOptions: {input: join(folder, 'app.html')}}});
      symlinkSync(join(folder, 'models'), join(built, 'models'));
      for (const [kind, headers] of [['one thread', {}], ['threads', isolation]]) {
        const server = await serve(built, headers);
        try {
          assertWorks(await inPage(server, 'app.html'), kind);
        } finally {
          server.close();
        }
      }
    });
  });
}
