// SPDX-License-Identifier: Apache-2.0
// Two entries of the package share one engine: in Node.js, in pages and in workers, with an import map and in what Vite makes.
// The second entry is made for this test (second_entry.ts).
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {build as viteBuild} from 'vite';
import {bundle} from '../../js/bundles.mjs';
import {packageText} from '../../js/fields.mjs';
import * as manifest from '../../js/manifest.mjs';
import {install, launch, serve} from './install.mjs';

const {folder, remove} = install();
const installed = join(folder, 'node_modules/wasmvino');
const source = fileURLToPath(new URL('second_entry.ts', import.meta.url));
const withSecond = {...manifest, entries: [...manifest.entries, {name: 'second', source, platforms: ['browser', 'node']}]};
await bundle(join(installed, 'dist'), withSecond, '0.0.0');
const packagePath = join(installed, 'package.json');
writeFileSync(packagePath, packageText(readFileSync(packagePath, 'utf8'), withSecond));

const browser = await launch();
after(async () => {
  await browser.close();
  remove();
});

// Loads the engine by one entry, and looks at it by the other.
const looking = `
async function look(main, second) {
  main.configure({build: 'simd'});
  await new second.Core().readModel(MODEL);
  const here = {build: main.addon.build.name, memoryBytes: main.memoryBytes()};
  return {same: main.Core === second.Core && new second.Tensor('f32', [1]) instanceof main.Tensor, here, there: second.seen()};
}`;

function isOne({same, here, there}) {
  assert.equal(same, true);
  assert.equal(here.build, 'simd');
  assert.ok(here.memoryBytes > 0);
  assert.deepEqual(there, here);
}

describe('two entries in Node.js', () => {
  const inNode = (file, text) => {
    writeFileSync(join(folder, file), `${text}\n${looking.replace('MODEL', "'model.xml'")}\nlook(main, second).then((seen) => console.log(JSON.stringify(seen)));`);
    isOne(JSON.parse(execFileSync(process.execPath, [file], {cwd: folder, encoding: 'utf8'})));
  };
  it('share one engine if they are imported', () => inNode('both.mjs', "import * as main from 'wasmvino';\nimport * as second from 'wasmvino/second';"));
  it('share one engine if they are required', () => inNode('both.cjs', "const main = require('wasmvino');\nconst second = require('wasmvino/second');"));
  it('share one engine if one is imported and the other required', () =>
    inNode('mixed.mjs', "import {createRequire} from 'node:module';\nimport * as main from 'wasmvino';\nconst second = createRequire(import.meta.url)('wasmvino/second');"));
  it('share the one build of a third', () => {
    writeFileSync(join(folder, 'third.mjs'), "import {seen} from 'wasmvino/second';\nimport 'wasmvino/relaxed';\nconsole.log(seen().build);");
    assert.equal(execFileSync(process.execPath, ['third.mjs'], {cwd: folder, encoding: 'utf8'}), 'relaxed\n');
  });
});

describe('two entries in a page', () => {
  const imports = (main, second) => `import * as main from '${main}';\nimport * as second from '${second}';\n${looking.replace('MODEL', "'/model.xml'")}\n`;
  const shown = 'look(main, second).catch(({message}) => ({message}))';
  const dist = '/node_modules/wasmvino/dist/';
  const html = (head) => ({type: 'text/html', body: `<!doctype html><title>shared</title>${head}`});
  const script = (body) => ({type: 'text/javascript', body});

  async function inPage(from, answers, path = '') {
    const server = await serve(from, {}, answers);
    const page = await browser.newPage();
    const wasm = [];
    page.on('request', (request) => request.url().endsWith('.wasm') && wasm.push(request.url()));
    try {
      await page.goto(`${server.url}${path}`);
      await page.waitForFunction(() => globalThis.shown);
      const seen = await page.evaluate(() => globalThis.shown);
      assert.equal(seen.message, undefined);
      isOne(seen);
      assert.equal(wasm.length, 1, String(wasm));
    } finally {
      await page.close();
      server.close();
    }
  }

  it('share one engine, with an import map', async () => {
    const map = JSON.stringify({imports: {wasmvino: `${dist}browser.js`, 'wasmvino/': dist}});
    await inPage(folder, {
      '/': html(`<script type="importmap">${map}</script><script type="module" src="/main.js"></script>`),
      '/main.js': script(`${imports('wasmvino', 'wasmvino/second.js')}globalThis.shown = ${shown};`),
    });
  });

  it('share one engine in a worker', async () => {
    await inPage(folder, {
      '/': html('<script>globalThis.shown = new Promise((resolve) => (new Worker("/worker.js", {type: "module"}).onmessage = ({data}) => resolve(data)));</script>'),
      '/worker.js': script(`${imports(`${dist}browser.js`, `${dist}second.js`)}${shown}.then(postMessage);`),
    });
  });

  it('share one engine in what Vite makes', async () => {
    const built = join(folder, 'built');
    writeFileSync(join(folder, 'main.js'), `${imports('wasmvino', 'wasmvino/second')}globalThis.shown = ${shown};`);
    writeFileSync(join(folder, 'app.html'), html('<script type="module" src="/main.js"></script>').body);
    await viteBuild({root: folder, logLevel: 'warn', build: {outDir: built, rollupOptions: {input: join(folder, 'app.html')}}});
    for (const file of ['model.xml', 'model.bin']) symlinkSync(join(folder, file), join(built, file));
    await inPage(built, {}, 'app.html');
  });

  it('of a single build each are refused, because they share one engine', async () => {
    const server = await serve(folder, {}, {
      '/': html('<script type="module" src="/main.js"></script>'),
      '/main.js': script(`globalThis.shown = (async () => {
        const {addon} = await import('${dist}simd.js');
        await import('${dist}browser.js');
        const refused = await import('${dist}relaxed.js').catch(({code, message}) => code + ' ' + message);
        return {build: addon.build.name, refused};
      })();`),
    });
    const page = await browser.newPage();
    try {
      await page.goto(server.url);
      await page.waitForFunction(() => globalThis.shown);
      assert.deepEqual(await page.evaluate(() => globalThis.shown), {
        build: 'simd',
        refused: "INVALID_STATE 'wasmvino/relaxed' cannot be imported, because the build 'simd' is in use: all entries share one engine. Import only one of them.",
      });
    } finally {
      await page.close();
      server.close();
    }
  });
});
