// SPDX-License-Identifier: Apache-2.0
// Tests the packed package with bundlers, with an import map, in workers and in worklets. Vite is tested in tests/package.
// ../matrix/package.json lists what is installed for this.
import assert from 'node:assert/strict';
import {cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {promisify} from 'node:util';
import {build as esbuild} from 'esbuild';
import puppeteer from 'puppeteer-core';
import {parts} from '../../../js/manifest.mjs';
import {browsers, goldenScores, install, isolation, PATIENCE, root, serve} from '../install.mjs';

const installed = join(root, 'tests/package/matrix/node_modules');
const require = createRequire(join(installed, 'package.json'));
const {folder, remove} = install();
after(remove);
const dist = '/node_modules/wasmvino/dist/';
const letters = [...[...'browser'].map((letter) => letter.charCodeAt(0) - 94), 2];

const near = (scores) => {
  const wanted = goldenScores();
  assert.equal(scores?.length, wanted.length);
  scores.forEach((score, i) => assert.ok(Math.abs(score - wanted[i]) < 1e-3, `${scores}, expected ${wanted}`));
};

// Defines decode({Core, Tensor}, model, options), which gives the scores of a word.
const decoding = `
async function decode({Core, Tensor}, model, options) {
  const compiled = await new Core(options).compileModel(model, 'CPU');
  const letters = ${JSON.stringify(letters)};
  const {scores} = await compiled.createInferRequest().inferAsync([new Tensor('i32', [1, letters.length], letters), new Tensor('i32', [], [3])]);
  return [...scores.data];
}
`;

const pageOf = (script) => `<!doctype html><title>matrix</title><script type="module" src="${script}"></script>`;
const application = (entry) => `
import * as wasmvino from '${entry}';
${decoding}
async function show() {
  try {
    const here = await decode(wasmvino, 'model.xml', {});
    const {worker} = wasmvino.capabilities();
    const inWorker = worker.available ? await decode(wasmvino, 'model.xml', {worker: true}) : worker.reason;
    return {here, inWorker, build: {...wasmvino.addon.build}};
  } catch (error) {
    return {failed: error.code + ' ' + error.message};
  }
}
globalThis.shown = show();
`;

async function runWebpack(out, entry, modules) {
  const webpack = require('webpack');
  writeFileSync(join(folder, 'webpack.js'), application(entry));
  const compiler = webpack({
    mode: 'production',
    context: folder,
    entry: './webpack.js',
    output: {path: out, filename: 'main.js', module: modules},
    experiments: {outputModule: modules},
    performance: {hints: false},
  });
  const stats = await promisify(compiler.run.bind(compiler))();
  const {errors, warnings} = stats.toJson({all: false, errors: true, warnings: true});
  assert.deepEqual([...errors, ...warnings].map(({message}) => message), []);
  await promisify(compiler.close.bind(compiler))();
}

/** Bundles main.js in a folder with each bundler. */
const bundlers = {
  'webpack 5': (out, entry) => runWebpack(out, entry, false),
  'webpack 5 with modules': (out, entry) => runWebpack(out, entry, true),

  async Rollup(out, entry) {
    const {rollup} = require('rollup');
    const {nodeResolve} = require('@rollup/plugin-node-resolve');
    writeFileSync(join(folder, 'rollup.js'), application(entry));
    const bundle = await rollup({
      input: join(folder, 'rollup.js'),
      external: /wasmvino-[a-z-]+\.mjs$/,
      plugins: [nodeResolve({browser: true})],
      makeAbsoluteExternalsRelative: false,
      onwarn: (warning) => assert.fail(warning.message),
    });
    await bundle.write({file: join(out, 'main.js'), format: 'es', inlineDynamicImports: true});
    await bundle.close();
    copyEngine(out);
  },

  async esbuild(out, entry) {
    writeFileSync(join(folder, 'esbuild.js'), application(entry));
    await esbuild({
      entryPoints: [join(folder, 'esbuild.js')],
      bundle: true,
      format: 'esm',
      outfile: join(out, 'main.js'),
      external: ['./wasmvino-*.mjs'],
      logLevel: 'warning',
    });
    copyEngine(out);
  },
};

// For bundlers that do not copy the engine's files: the bundle expects them beside it.
function copyEngine(out) {
  const from = join(folder, dist);
  for (const file of readdirSync(from).filter((name) => /^(wasmvino-.*\.(mjs|wasm)|worker.*\.js)$/.test(name))) cpSync(join(from, file), join(out, file));
}

const built = {};
for (const [name, bundle] of Object.entries(bundlers)) {
  for (const entry of ['wasmvino', 'wasmvino/simd']) {
    const what = `${name}: ${entry}`;
    it(`${what} is bundled`, async () => {
      const out = join(folder, 'built', what.replace(/\W+/g, '-'));
      rmSync(out, {recursive: true, force: true});
      mkdirSync(out, {recursive: true});
      await bundle(out, entry);
      writeFileSync(join(out, 'index.html'), pageOf('main.js'));
      for (const file of ['model.xml', 'model.bin']) symlinkSync(join(folder, file), join(out, file));
      built[what] = {out, entry};
      if (name === 'webpack 5' && entry !== 'wasmvino') assert.equal(readdirSync(out).filter((file) => file.endsWith('.wasm')).length, 1 + parts.length);
    });
  }
}

for (const [browserName, options] of Object.entries(browsers)) {
  describe(`pages in ${browserName}`, () => {
    let browser;
    before(async () => (browser = await puppeteer.launch({...options, headless: true})));
    after(() => browser?.close());

    async function inPage(url, prepare) {
      const page = await browser.newPage();
      const errors = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      try {
        await page.goto(url);
        if (prepare) await prepare(page);
        await page.waitForFunction(() => globalThis.shown, undefined, PATIENCE).catch((cause) => {
          throw new Error(`the page shows nothing: ${errors.join('; ')}`, {cause});
        });
        return await page.evaluate(() => globalThis.shown);
      } finally {
        await page.close();
      }
    }

    for (const name of Object.keys(bundlers)) {
      for (const [entry, headers] of [['wasmvino', {}], ['wasmvino', isolation], ['wasmvino/simd', {}]]) {
        it(`runs what ${name} makes of ${entry}, ${headers === isolation ? 'threads' : 'one thread'}`, async () => {
          const {out} = built[`${name}: ${entry}`];
          const server = await serve(out, headers);
          try {
            const {failed, here, inWorker, build} = await inPage(server.url + 'index.html');
            assert.equal(failed, undefined);
            near(here);
            near(inWorker);
            assert.equal(build.name.endsWith('-mt'), headers === isolation, build.reason);
          } finally {
            server.close();
          }
        });
      }
    }

    it('runs the package from another origin, by an import map', async () => {
      const elsewhere = await serve(folder, {'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin'});
      const map = JSON.stringify({imports: {wasmvino: `${elsewhere.url}${dist.slice(1)}browser.js`}});
      const body = `<!doctype html><title>import map</title><script type="importmap">${map}</script><script type="module" src="/main.js"></script>`;
      const wasmUrl = `${elsewhere.url}${dist.slice(1)}`;
      try {
        for (const configured of ['', `wasmvino.configure({wasmUrl: '${wasmUrl}'});`]) {
          const text = application('wasmvino').replace('globalThis.shown', `${configured}\nglobalThis.shown`);
          const server = await serve(folder, {}, {'/': {type: 'text/html', body}, '/main.js': {type: 'text/javascript', body: text}});
          try {
            const {failed, here, inWorker} = await inPage(server.url);
            assert.equal(failed, undefined);
            near(here);
            near(inWorker);
          } finally {
            server.close();
          }
        }
      } finally {
        elsewhere.close();
      }
    });

    it('runs a module worker', async () => {
      const worker = `${application(`${dist}browser.js`)}\nglobalThis.shown.then((shown) => postMessage(shown));`;
      const body = "<!doctype html><title>worker</title><script>globalThis.shown = new Promise((resolve) => (new Worker('/worker.js', {type: 'module'}).onmessage = ({data}) => resolve(data)));</script>";
      const server = await serve(folder, {}, {'/': {type: 'text/html', body}, '/worker.js': {type: 'text/javascript', body: worker}});
      try {
        const {failed, here, inWorker} = await inPage(server.url);
        assert.equal(failed, undefined);
        near(here);
        // In a worker, Firefox may hang when another worker is started.
        if (browserName === 'Firefox') assert.match(inWorker, /may never return/);
        else near(inWorker);
      } finally {
        server.close();
      }
    });

    // Worklets have no fetch(), so the page sends the module and the model.
    it('runs in an AudioWorklet', async () => {
      const processor = `
        import * as wasmvino from '${dist}simd.js';
        import factory from '${dist}wasmvino-simd.mjs';
        registerProcessor('decoder', class extends AudioWorkletProcessor {
          constructor({processorOptions: {module, xml, bin}}) {
            super();
            try {
              wasmvino.configure({factory, wasmBinary: module});
              const letters = ${JSON.stringify(letters)};
              const core = new wasmvino.Core();
              const request = core.compileModelSync(core.readModelSync(xml, bin), 'CPU').createInferRequest();
              const {scores} = request.infer([new wasmvino.Tensor('i32', [1, letters.length], letters), new wasmvino.Tensor('i32', [], [3])]);
              this.port.postMessage({here: [...scores.data]});
            } catch (error) {
              this.port.postMessage({failed: String(error) + error.stack});
            }
          }
          process() { return false; }
        });`;
      const script = `
        async function show() {
          const bytes = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
          const [module, xml, bin] = [await WebAssembly.compileStreaming(fetch('${dist}wasmvino-simd.wasm')), await bytes('/model.xml'), await bytes('/model.bin')];
          const context = new OfflineAudioContext(1, 128, 44100);
          await context.audioWorklet.addModule('/processor.js');
          const node = new AudioWorkletNode(context, 'decoder', {processorOptions: {module, xml, bin}});
          const answer = new Promise((resolve) => (node.port.onmessage = ({data}) => resolve(data)));
          node.connect(context.destination);
          await context.startRendering();
          return answer;
        }
        globalThis.shown = show().catch((error) => ({failed: String(error)}));`;
      const server = await serve(folder, {}, {
        '/': {type: 'text/html', body: `<!doctype html><title>worklet</title><script>${script}</script>`},
        '/processor.js': {type: 'text/javascript', body: processor},
      });
      try {
        const {failed, here} = await inPage(server.url);
        assert.equal(failed, undefined);
        near(here);
      } finally {
        server.close();
      }
    });
  });
}
