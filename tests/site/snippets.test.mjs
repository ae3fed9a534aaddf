// SPDX-License-Identifier: Apache-2.0
// Runs every snippet of the guides with the packed package, in Node.js or in Chromium, and checks what it prints.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {copyFileSync, readFileSync, readdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {build as esbuild} from 'esbuild';
import {build as viteBuild, createServer as viteServer, loadConfigFromFile} from 'vite';
import {serve as serveSite} from '../../scripts/serve.mjs';
import {goldenScores, install, launch, outputOf, serve} from '../package/install.mjs';
import {smallFiles} from './small_models.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const snippets = join(root, 'site/snippets');
const scores = goldenScores()
  .map((score) => `${String(score).slice(0, 6)}\\d*`)
  .join(' ');
const scored = new RegExp(`^scores, best first: ${scores}$`);

/** The expected output of each snippet. A snippet that is not listed here fails. */
const printed = {
  'node/abort.mjs': [/^the visitor went on$/],
  'node/commonjs.cjs': [/^graphemes i32 \[1,\?\]$/, /^beam_width i32 \[\]$/, /^sequences i32 /, /^scores f32 /, /^sequence_lengths i32 /],
  'node/custom-step.mjs': [/^i32 \[1,1\]$/],
  'node/errors.mjs': [/^INVALID_SHAPE$/, /\[1,3,224,224\].*\[1,3,10,10\]/, /^image \[1,3,224,224\] \[1,3,10,10\]$/],
  'node/explain.mjs': [/^\d+ changes by passes, the first by [a-z_]+: .+/, /^\w+ '.+': \d+ operations$/, /^\d+ bytes of packed weights$/, /^ +ms +% +calls {2}operation/, ...Array.from({length: 3}, () => /^ +\d+\.\d{3} +\d+\.\d +\d+ {2}\S+ +\S/)],
  'node/extension.mjs': [/^Strange\(2\) = 1\.7616$/],
  'node/first.mjs': [scored],
  'node/limits.mjs': [/^LIMIT_EXCEEDED – .*layers/, /^outputs: 3$/],
  'node/observe.mjs': [/^iteration 0 → -?\d/, /^iteration 1 → -?\d/, /^iteration 2 → -?\d/],
  'node/onnx.mjs': [/^probabilities: 0\.333\d* 0\.333\d* 0\.333\d*$/],
  'node/ports.mjs': [/^input graphemes i32 \[1,\?\]$/, /^input beam_width i32 \[\]$/, /^output sequences/, /^output scores/, /^output sequence_lengths/],
  'node/preprocess.mjs': [/^u8 \[1,\?,\?,3\]$/, /^3 scores$/],
  'node/problems.mjs': [/^Parameter 1 $/, /^Result 1 $/, /^Strange 1 ← not supported$/, /^odd: .*Strange/],
  'node/profile.mjs': Array.from({length: 5}, () => /^\d+\.\d\d ms in \d+ calls {2}\w+ {2}\S/),
  'node/progress.mjs': [
    ...Array.from({length: 5}, (_, i) => new RegExp(`^encoder_loop: iteration ${i} has ended$`)),
    ...Array.from({length: 20}, (_, i) => [/^values: 2$/, new RegExp(`^beam_search_loop: iteration ${i} has ended$`)]).flat(),
  ],
  'node/several.mjs': [/^probabilities: 0\.333\d* 0\.333\d* 0\.333\d*$/],
  'node/shapes.mjs': [/^any length: \[1,\?\]$/, /^wine → \[ \d+, 1, 1 \]$/, /^browser → \[ \d+, 1, 1 \]$/, /^fixed length: \[1,8\]$/],
  'node/state.mjs': [/^after 1 → 1$/, /^after 2 → 3$/, /^after 3 → 6$/, /^sum_so_far holds 6$/, /^after a reset → 10$/],
  'node/text.mjs': [/^i64 \[ 1, 4 \] BigInt64Array\(4\) \[ 101n, 7592n, 2088n, 102n \]$/],
  'page/capabilities.js': [/^simd: true /, /^relaxed: true /, /^threads: true /, /^isolation: true /, /^worker: true /, /^memory: 4294967296 bytes /],
  'page/core-in-worker.js': [scored],
  'page/image.js': [/^best class: 1$/],
  'page/one-build.js': [/^simd – wasmvino\/simd has only this build$/, scored],
  'page/progress.js': [/^weights: 3335889 bytes$/, /^inputs: graphemes, beam_width$/],
  'page/sandboxed.js': [scored],
  'page/sound.js': [/^16000 samples, loudness 0\.50$/],
  'page/ten-lines.js': [/^sounds: W IH1 N D OW0$/, /^scores, best first: \[-/],
  'page/threads.js': [/^relaxed-mt – relaxed SIMD; /, /^threads: 2$/],
  'page/use-worker.js': [scored],
  'page/weights.js': [/^INVALID_STATE$/, /^exported: \d{7} bytes$/],
};
/** Snippets that other snippets use, or that have their own test: below, and one in tests/package/browsers.test.mjs. */
const ranElsewhere = [
  ...['page/isolate.js', 'page/register-isolate.js'],
  ...['page/classic.html', 'page/first.html', 'page/model-in-service-worker.js', 'page/service-worker.js', 'page/worker.js'],
  ...['other/esbuild.mjs', 'other/vite.config.js', 'page/one-file.js'],
];

const all = ['node', 'page', 'other'].flatMap((kind) => readdirSync(join(snippets, kind)).map((file) => `${kind}/${file}`));

function check(name, lines) {
  const wanted = printed[name];
  assert.equal(lines.length, wanted.length, `${name} printed:\n${lines.join('\n')}`);
  lines.forEach((line, i) => assert.match(line, wanted[i]));
}

test('every snippet is tested, and shown by a guide', () => {
  assert.deepEqual(all.filter((name) => !printed[name] && !ranElsewhere.includes(name)), []);
  const pages = join(root, 'site/pages');
  const texts = ['index.md', ...readdirSync(join(pages, 'guides')).map((file) => `guides/${file}`)].map((file) => readFileSync(join(pages, file), 'utf8'));
  texts.push(readFileSync(join(root, 'site/.vitepress/theme/components/TryIt.vue'), 'utf8'));
  assert.deepEqual(all.filter((name) => !texts.some((text) => text.includes(`snippets/${name}`))), []);
});

test('JavaScript in the guides is a tested snippet, or another package’s', () => {
  const guides = join(root, 'site/pages/guides');
  for (const file of readdirSync(guides)) {
    for (const [, label] of readFileSync(join(guides, file), 'utf8').matchAll(/^```(?:js|ts|javascript|html|mjs)\b *(.*)$/gm)) {
      assert.match(label, /^\[(onnxruntime-web|tfjs|openvino-node|webpack\.config\.cjs)\]$/, `${file}: a block of code "${label}" that is no snippet`);
    }
  }
});

describe('snippets', () => {
  const {folder, remove} = install();
  after(remove);
  before(() => {
    for (const [name, bytes] of Object.entries(smallFiles())) writeFileSync(join(folder, name), bytes);
    copyFileSync(join(root, 'build/testdata/models/g2p/vocab.json'), join(folder, 'vocab.json'));
    for (const name of all) copyFileSync(join(snippets, name), join(folder, name.split('/')[1]));
  });

  for (const name of all.filter((name) => name.startsWith('node/'))) {
    test(name, () => {
      const text = execFileSync(process.execPath, [name.split('/')[1]], {cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit']});
      check(name, text.trimEnd().split('\n'));
    });
  }

  describe('in Chromium', () => {
    let browser;
    let server;
    before(async () => {
      browser = await launch();
      server = await serveSite(folder, {policy: null});
    });
    after(async () => {
      await browser?.close();
      await server?.close();
    });

    /** Runs a module script in a page with an import map. Waits until it has printed `count` lines, and returns them. */
    async function run(file, count) {
      writeFileSync(
        join(folder, 'snippet.html'),
        `<!doctype html><title>${file}</title><script type="importmap">{"imports": {"wasmvino": "./node_modules/wasmvino/dist/browser.js", "wasmvino/simd": "./node_modules/wasmvino/dist/simd.js"}}</script><script type="module" src="${file}"></script>`,
      );
      const page = await browser.newPage();
      const lines = [];
      const failed = new Promise((_, reject) => page.on('pageerror', reject));
      const enough = new Promise((resolve) =>
        page.on('console', (message) => {
          lines.push(message.text());
          if (lines.length === count) resolve();
        }),
      );
      try {
        await page.goto(`${server.url}snippet.html`);
        await Promise.race([enough, failed, page.waitForTimeout(30_000)]);
        return lines;
      } finally {
        await page.close();
      }
    }

    for (const name of all.filter((name) => name.startsWith('page/') && printed[name])) {
      test(name, async () => check(name, await run(name.split('/')[1], printed[name].length)));
    }

    for (const page of ['first.html', 'classic.html']) {
      test(`page/${page}`, async () => {
        const {text, errors} = await outputOf(browser, `${server.url}${page}`);
        assert.deepEqual(errors, []);
        assert.match(text, new RegExp(`^${scores}$`));
      });
    }

    test('page/service-worker.js: the page works offline', async () => {
      const context = await browser.newContext();
      const page = await context.newPage();
      const here = await serve(folder, {}, {'/': {type: 'text/html', body: readFileSync(join(folder, 'first.html'))}});
      await page.goto(here.url);
      await page.evaluate(async () => {
        await navigator.serviceWorker.register('service-worker.js');
        await navigator.serviceWorker.ready;
      });
      here.close();
      await context.setOffline(true);
      await page.reload();
      await page.waitForFunction(() => document.querySelector('output').textContent !== '…');
      assert.match(await page.textContent('output'), new RegExp(`^${scores}$`));
      await context.close();
    });

    test('page/isolate.js: a page of a host without the headers uses threads', async () => {
      const context = await browser.newContext();
      const page = await context.newPage();
      const body = `<!doctype html><title>isolated</title><script type="module" src="register-isolate.js"></script>
        <script type="module">
          import {addon as ov} from './node_modules/wasmvino/dist/browser.js';
          await ov.ready;
          document.title = ov.build.name;
        </script>`;
      const here = await serve(folder, {}, {'/': {type: 'text/html', body}});
      await page.goto(here.url);
      await page.waitForFunction(() => crossOriginIsolated && document.title.endsWith('-mt'), undefined, {timeout: 20_000});
      await context.close();
      here.close();
    });

    test('other/vite.config.js: Vite takes it, builds a page that runs, and serves it', async () => {
      symlinkSync(dirname(fileURLToPath(import.meta.resolve('vite/package.json'))), join(folder, 'node_modules/vite'));
      const {config} = await loadConfigFromFile({command: 'build', mode: 'production'}, join(folder, 'vite.config.js'));
      assert.deepEqual(config.optimizeDeps.exclude, ['wasmvino']);
      writeFileSync(join(folder, 'main.js'), readFileSync(join(folder, 'ten-lines.js')));
      writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Vite</title><script type="module" src="/main.js"></script>');
      await viteBuild({...config, configFile: false, root: folder, logLevel: 'warn', build: {outDir: 'vite', target: 'esnext'}});
      for (const file of ['model.xml', 'model.bin', 'vocab.json']) symlinkSync(join(folder, file), join(folder, 'vite', file));
      check('page/ten-lines.js', await printedBy(join(folder, 'vite')));
      const server = await viteServer({...config, configFile: false, root: folder, logLevel: 'warn', server: {...config.server, host: '127.0.0.1', port: 0}});
      try {
        await server.listen();
        check('page/ten-lines.js', await printedAt(server.resolvedUrls.local[0]));
      } finally {
        await server.close();
      }
    });

    test('other/esbuild.mjs: esbuild builds a page that runs', async () => {
      writeFileSync(join(folder, 'main.js'), readFileSync(join(folder, 'ten-lines.js')));
      symlinkSync(dirname(fileURLToPath(import.meta.resolve('esbuild/package.json'))), join(folder, 'node_modules/esbuild'));
      execFileSync(process.execPath, ['esbuild.mjs'], {cwd: folder, stdio: 'inherit'});
      for (const file of ['model.xml', 'model.bin', 'vocab.json']) symlinkSync(join(folder, file), join(folder, 'built', file));
      writeFileSync(join(folder, 'built/index.html'), '<!doctype html><title>esbuild</title><script type="module" src="main.js"></script>');
      check('page/ten-lines.js', await printedBy(join(folder, 'built')));
    });

    test('page/one-file.js: esbuild makes one file of the page and the engine', async () => {
      const outdir = join(folder, 'one');
      await esbuild({entryPoints: [join(folder, 'one-file.js')], bundle: true, format: 'esm', loader: {'.wasm': 'binary'}, outdir, logLevel: 'error'});
      assert.deepEqual(readdirSync(outdir), ['one-file.js']);
      for (const file of ['model.xml', 'model.bin']) symlinkSync(join(folder, file), join(outdir, file));
      writeFileSync(join(outdir, 'index.html'), '<!doctype html><title>one file</title><script type="module" src="one-file.js"></script>');
      check('page/one-build.js', await printedBy(outdir));
    });

    /** Returns what a built page prints. The server sends no special headers. */
    async function printedBy(served) {
      const host = await serve(served, {});
      const lines = await printedAt(`${host.url}index.html`);
      host.close();
      return lines;
    }

    async function printedAt(url) {
      const page = await browser.newPage();
      const lines = [];
      // Vite's development server also prints to the console.
      page.on('console', (message) => message.type() !== 'debug' && lines.push(message.text()));
      page.on('pageerror', (error) => lines.push(String(error)));
      await page.goto(url);
      for (let i = 0; i < 100 && lines.length < 2; i++) await page.waitForTimeout(100);
      await page.close();
      return lines;
    }

  });
});
