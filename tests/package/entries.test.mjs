// SPDX-License-Identifier: Apache-2.0
// Tests the entries of the package: those of a single build and the classic script, in Node.js, Chromium and Firefox.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync, readdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import puppeteer from 'puppeteer-core';
import {build as viteBuild} from 'vite';
import {builds as entries, parts} from '../../js/manifest.mjs';
import {browsers, goldenScores, install, isolation, serve} from './install.mjs';

const {folder, remove} = install();
after(remove);
const dist = '/node_modules/wasmvino/dist/';
const letters = [...[...'browser'].map((letter) => letter.charCodeAt(0) - 94), 2];

// Defines show(wasmvino): decodes a word on the calling thread and in a worker.
const decoding = `
async function decode({Core, Tensor}, options) {
  const compiled = await new Core(options).compileModel('/model.xml', 'CPU');
  const letters = ${JSON.stringify(letters)};
  const {scores} = await compiled.createInferRequest().inferAsync([new Tensor('i32', [1, letters.length], letters), new Tensor('i32', [], [3])]);
  return [...scores.data];
}
async function show(wasmvino) {
  const codeOf = (call) => {
    try {
      call();
      return 'no error';
    } catch ({code, message}) {
      return code + ' ' + message;
    }
  };
  try {
    const alone = wasmvino.build.reason.endsWith('has only this build');
    const other = alone && codeOf(() => wasmvino.configure({build: wasmvino.build.name === 'simd' ? 'relaxed' : 'simd'}));
    const inWorker = wasmvino.capabilities().worker.available ? await decode(wasmvino, {worker: true}) : [];
    const here = await decode(wasmvino, {});
    return {build: {...wasmvino.addon.build}, other, here, inWorker};
  } catch (error) {
    return {failed: error.code + ' ' + error.message};
  }
}
`;
const script = (body) => ({type: 'text/javascript', body});
const html = (body) => ({type: 'text/html', body: `<!doctype html><title>entries</title>${body}`});
const moduleOf = (entry) => script(`import * as wasmvino from '${entry}';\n${decoding}\nglobalThis.shown = show(wasmvino);`);

const near = (scores) => {
  const wanted = goldenScores();
  assert.equal(scores?.length, wanted.length);
  scores.forEach((score, i) => assert.ok(Math.abs(score - wanted[i]) < 1e-3, `${scores}, expected ${wanted}`));
};

describe('entries in Node.js', () => {
  it('of one build are imported and required, and are the package itself', () => {
    const program = `
      import {addon as ov, Core, build, configure} from 'wasmvino/simd';
      import {createRequire} from 'node:module';
      import {Core as Same} from 'wasmvino';
      const required = createRequire(import.meta.url)('wasmvino/simd');
      let refused;
      try { configure({build: 'relaxed'}); } catch (error) { refused = error.message; }
      new Core().readModelSync('model.xml');
      const inWorker = await new Core({worker: true}).readModel('model.xml');
      console.log(JSON.stringify([ov.build, Core === required.Core, Core === Same, build.name, refused, inWorker.inputs.length]));
      process.exit();`;
    writeFileSync(join(folder, 'one.mjs'), program);
    const [build, required, same, name, refused, inputs] = JSON.parse(execFileSync(process.execPath, ['one.mjs'], {cwd: folder, encoding: 'utf8'}));
    assert.deepEqual(build, {name: 'simd', reason: 'wasmvino/simd has only this build'});
    assert.deepEqual([required, same, name, inputs], [true, true, 'simd', 2]);
    assert.equal(refused, "configure(): wasmvino/simd has only the build 'simd', not 'relaxed': import 'wasmvino' or 'wasmvino/relaxed'.");
  });

  it('of two builds are refused, because all entries share one engine', () => {
    const program = `
      import 'wasmvino/simd';
      const refused = await import('wasmvino/relaxed').catch(({code, message}) => code + ' ' + message);
      await import('wasmvino/simd');
      console.log(refused);`;
    writeFileSync(join(folder, 'two.mjs'), program);
    const loaded = `
      import {build, configure, ready} from 'wasmvino';
      configure({build: 'simd-mt'});
      await ready;
      console.log(await import('wasmvino/simd').catch(({code, message}) => code + ' ' + message));
      process.exit();`;
    writeFileSync(join(folder, 'loaded.mjs'), loaded);
    // Nothing is configured, so only the engine that is being loaded says which build is in use.
    const loading = `
      import {addon} from 'wasmvino';
      void addon.ready;
      console.log(addon.build.name);
      console.log(await import('wasmvino/simd').catch(({code, message}) => code + ' ' + message));
      process.exit();`;
    writeFileSync(join(folder, 'loading.mjs'), loading);
    const text = (wanted, used) =>
      `INVALID_STATE 'wasmvino/${wanted}' cannot be imported, because the build '${used}' is in use: all entries share one engine. Import only one of them.\n`;
    assert.equal(execFileSync(process.execPath, ['two.mjs'], {cwd: folder, encoding: 'utf8'}), text('relaxed', 'simd'));
    assert.equal(execFileSync(process.execPath, ['loaded.mjs'], {cwd: folder, encoding: 'utf8'}), text('simd', 'simd-mt'));
    const [, used, refused] = /^(.*)\n([^]*)$/.exec(execFileSync(process.execPath, ['loading.mjs'], {cwd: folder, encoding: 'utf8'}));
    assert.equal(refused, text('simd', used));
  });

  it('say what they name: the files of package.json are there', () => {
    const {unpkg, jsdelivr} = JSON.parse(readFileSync(join(folder, 'node_modules/wasmvino/package.json'), 'utf8'));
    assert.equal(unpkg, jsdelivr);
    assert.match(readFileSync(join(folder, 'node_modules/wasmvino', unpkg), 'utf8'), /^"use strict";var wasmvino=/);
  });
});

describe('bundles', () => {
  for (const entry of ['wasmvino/relaxed', 'wasmvino/relaxed-mt']) {
    it(`of ${entry} carry one module and its parts`, async () => {
      const name = entry.slice('wasmvino/'.length);
      writeFileSync(join(folder, 'main.js'), moduleOf(entry).body);
      writeFileSync(join(folder, 'app.html'), html('<script type="module" src="/main.js"></script>').body);
      const built = join(folder, `built-${name}`);
      await viteBuild({root: folder, logLevel: 'warn', build: {outDir: built, rollupOptions: {input: join(folder, 'app.html')}}});
      const files = readdirSync(join(built, 'assets'));
      const wanted = [`wasmvino-${name}`, ...parts.map((part) => `wasmvino-${name}.${part}`)];
      assert.deepEqual(files.filter((file) => file.endsWith('.wasm')).map((file) => file.replace(/-[\w-]{8}\.wasm$/, '')).sort(), wanted.sort());
      assert.deepEqual([...new Set(files.join(' ').match(/\bsimd\b/g))], [], String(files));
      for (const file of ['model.xml', 'model.bin']) symlinkSync(join(folder, file), join(built, file));
    });
  }
});

for (const [name, options] of Object.entries(browsers)) {
  describe(`entries in ${name}`, () => {
    let browser;
    before(async () => (browser = await puppeteer.launch({...options, headless: true})));
    after(() => browser?.close());

    async function inPage(server, path = '') {
      const page = await browser.newPage();
      try {
        await page.goto(`${server.url}${path}`);
        await page.waitForFunction(() => globalThis.shown);
        const shown = await page.evaluate(() => globalThis.shown);
        const fetched = await page.evaluate(() => performance.getEntriesByType('resource').map(({name}) => new URL(name).pathname));
        return {...shown, fetched: fetched.filter((path) => path.endsWith('.wasm'))};
      } finally {
        await page.close();
      }
    }

    async function shownBy(headers, answers, from = folder) {
      const server = await serve(from, headers, answers);
      try {
        return await inPage(server);
      } finally {
        server.close();
      }
    }

    for (const entry of entries) {
      it(`${entry} has only this build`, async () => {
        const answers = {'/': html('<script type="module" src="/main.js"></script>'), '/main.js': moduleOf(`${dist}${entry}.js`)};
        const {failed, build, other, here, inWorker, fetched} = await shownBy(entry.endsWith('-mt') ? isolation : {}, answers);
        assert.equal(failed, undefined);
        assert.deepEqual(build, {name: entry, reason: `wasmvino/${entry} has only this build`});
        assert.match(other, /^INVALID_ARGUMENT configure\(\): wasmvino\/[a-z-]+ has only the build '[a-z-]+', not/);
        near(here);
        near(inWorker);
        assert.deepEqual(fetched, [`${dist}wasmvino-${entry}.wasm`]);
      });
    }

    it('threads that cannot start are told, where there is no other build', async () => {
      const answers = {'/': html('<script type="module" src="/main.js"></script>'), '/main.js': moduleOf(`${dist}relaxed-mt.js`)};
      const {failed} = await shownBy({}, answers);
      assert.match(failed, /^UNSUPPORTED .*not cross-origin isolated/);
    });

    for (const entry of ['relaxed', 'relaxed-mt']) {
      it(`what Vite makes of ${entry} runs`, async () => {
        const server = await serve(join(folder, `built-${entry}`), entry.endsWith('-mt') ? isolation : {});
        try {
          const {failed, build, here, inWorker} = await inPage(server, 'app.html');
          assert.equal(failed, undefined);
          assert.equal(build.name, entry);
          near(here);
          near(inWorker);
        } finally {
          server.close();
        }
      });
    }

    for (const [kind, headers] of [['one thread', {}], ['threads', isolation]]) {
      it(`the classic script makes a global variable: ${kind}`, async () => {
        const answers = {'/': html(`<script src="${dist}wasmvino.js"></script><script>${decoding} globalThis.shown = show(wasmvino);</script>`)};
        const {failed, build, here, inWorker} = await shownBy(headers, answers);
        assert.equal(failed, undefined);
        assert.equal(build.name.endsWith('-mt'), kind === 'threads');
        near(here);
        near(inWorker);
      });

      it(`the classic script comes from another origin: ${kind}`, async () => {
        const elsewhere = await serve(folder, {'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin'});
        try {
          const src = `${elsewhere.url}${dist.slice(1)}wasmvino.js`;
          const answers = {'/': html(`<script src="${src}"></script><script>${decoding} globalThis.shown = show(wasmvino);</script>`)};
          const {failed, build, here, inWorker} = await shownBy(headers, answers);
          assert.equal(failed, undefined);
          assert.equal(build.name.endsWith('-mt'), kind === 'threads', build.reason);
          near(here);
          near(inWorker);
        } finally {
          elsewhere.close();
        }
      });
    }

    it('a classic worker imports it, also from another origin', async () => {
      const elsewhere = await serve(folder, {'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin'});
      try {
        for (const src of [`${dist}wasmvino.js`, `${elsewhere.url}${dist.slice(1)}wasmvino.js`]) {
          const answers = {
            '/': html('<script>globalThis.shown = new Promise((resolve) => (new Worker("/worker.js").onmessage = ({data}) => resolve(data)));</script>'),
            '/worker.js': script(`importScripts('${src}');\n${decoding}\nshow(wasmvino).then(postMessage);`),
          };
          const {failed, here} = await shownBy({}, answers);
          assert.equal(failed, undefined);
          near(here);
        }
      } finally {
        elsewhere.close();
      }
    });

    it('a classic service worker imports it', async () => {
      const register = `globalThis.shown = (async () => {
        await navigator.serviceWorker.register('/service.js');
        const {active} = await navigator.serviceWorker.ready;
        const answer = new Promise((resolve) => (navigator.serviceWorker.onmessage = ({data}) => resolve(data)));
        active.postMessage('');
        return answer;
      })();`;
      const answers = {
        '/': html(`<script>${register}</script>`),
        '/service.js': script(`importScripts('${dist}wasmvino.js');\n${decoding}\nonmessage = async ({source}) => source.postMessage(await show(wasmvino));`),
      };
      const {failed, build, here} = await shownBy({}, answers);
      assert.equal(failed, undefined);
      assert.equal(build.name.endsWith('-mt'), false);
      near(here);
    });
  });
}
