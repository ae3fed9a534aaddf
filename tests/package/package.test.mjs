// SPDX-License-Identifier: Apache-2.0
// Tests the package as users get it: its files, and the README's examples.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync, readdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, describe, it} from 'node:test';
import {transformSync} from 'esbuild';
import {build as viteBuild} from 'vite';
import {builds, parts} from '../../js/manifest.mjs';
import {dist, exampleAfter, goldenScores, install, isolation, launch, outputOf, serve} from './install.mjs';

const {folder, packed, remove} = install();
const browser = await launch();
after(async () => {
  await browser.close();
  remove();
});

const near = (text, wanted = goldenScores()) => {
  const scores = text.trim().split(/\s+/).map(Number);
  assert.equal(scores.length, wanted.length, text);
  scores.forEach((score, i) => assert.ok(Math.abs(score - wanted[i]) < 1e-3, `${text}, expected ${wanted}`));
};

describe('package', () => {
  it('holds the four builds with their parts, types and licences, and nothing else', () => {
    const files = packed.files.map(({path}) => path);
    const wasm = builds.flatMap((name) => [name, ...parts.map((part) => `${name}.${part}`)]).map((name) => `dist/wasmvino-${name}.wasm`);
    assert.deepEqual(files.filter((path) => path.endsWith('.wasm')).sort(), wasm.sort());
    for (const path of ['browser.js', 'shared.js', 'simd.js', 'worker-relaxed-mt.js', 'wasmvino.js', 'node/simd.js', 'node.js', 'node.cjs', 'types/api/index.d.ts', 'commonjs/api/index.d.ts', 'wasmvino-simd.d.mts']) {
      assert.ok(files.includes(`dist/${path}`), path);
    }
    const plain = ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist/THIRD_PARTY_LICENSES.txt', 'dist/commonjs/package.json', 'package.json'];
    assert.deepEqual(files.filter((path) => !/^dist\/.*\.(js|mjs|cjs|wasm|d\.ts|d\.mts)$/.test(path)).sort(), plain);
    // The four modules with their parts take 3.9 MB, JavaScript and declarations the rest.
    assert.ok(packed.size < 4_700_000, `${packed.size} bytes packed`);
  });

  it('has the licences of what the modules contain', () => {
    const text = readFileSync(join(folder, 'node_modules/wasmvino/dist/THIRD_PARTY_LICENSES.txt'), 'utf8');
    for (const notice of [
      /^Highway\n=+\n\nCopyright \(c\) The Highway Project Authors/m,
      /^pugixml\n=+\n\nMIT License\n\nCopyright \(c\) 2006-\d+ Arseny Kapoulkine/m,
      /^Emscripten .*\n=+\n\nCopyright \(c\) 2010-2014 Emscripten authors/m,
      /^musl\n=+\n\nmusl as a whole is licensed under the following standard MIT license/m,
      /^libc\+\+, libc\+\+abi, libunwind and compiler-rt\n=+\n[^]*LLVM Exceptions to the Apache 2\.0 License/m,
    ]) {
      assert.match(text, notice);
    }
  });

  it('has no eval, no new Function and no top-level await', () => {
    const scripts = readdirSync(dist, {recursive: true}).map(String).filter((name) => /\.[cm]?js$/.test(name));
    assert.ok(scripts.length >= 7, String(scripts));
    for (const name of scripts) {
      const code = readFileSync(join(dist, name), 'utf8');
      assert.doesNotMatch(code, /\beval\s*\(|\bnew\s+Function\b|\bFunction\s*\(/, name);
      // A plain script must not use top-level await. esbuild refuses it in the format iife.
      transformSync(code, {format: 'iife', logOverride: {'empty-import-meta': 'silent'}});
    }
  });

  it('runs the README\'s example in Node.js', () => {
    writeFileSync(join(folder, 'example.mjs'), exampleAfter('In Node.js:', 'js'));
    near(execFileSync(process.execPath, ['example.mjs'], {cwd: folder, encoding: 'utf8'}).replace(/^.*:/, ''));
  });

  it('is required, also beside an import, and is one engine then', () => {
    const program = `
      const {addon: ov, Tensor} = require('wasmvino');
      ov.configure({build: 'simd'});
      const model = new ov.Core().readModelSync('model.xml');
      import('wasmvino').then(({addon, Tensor: Imported, Model}) => {
        console.log(addon === ov, Imported === Tensor, model instanceof Model, addon.build.reason);
      });`;
    writeFileSync(join(folder, 'required.cjs'), program);
    const output = execFileSync(process.execPath, ['required.cjs'], {cwd: folder, encoding: 'utf8'});
    assert.equal(output, 'true true true configured\n');
  });

  it('runs its command line', () => {
    const run = (...args) => execFileSync('npx', ['--offline', 'wasmvino', ...args], {cwd: folder, encoding: 'utf8'});
    assert.match(run('info', 'model.xml'), /the model can be run/);
  });
});

// Shows the build, whether a synchronous call was refused before it was loaded, and the scores.
const probe = `
import {addon as ov} from '/node_modules/wasmvino/dist/browser.js';
const output = document.querySelector('output');
const core = new ov.Core();
const tensor = new ov.Tensor('i32', [], Int32Array.of(3));
let early = 'no error';
try {
  core.readModelSync(new Uint8Array(1));
} catch (error) {
  early = error.code + ' ' + error.message;
}
try {
  await ov.ready;
  const request = (await core.compileModel('/model.xml', 'AUTO')).createInferRequest();
  const letters = Int32Array.from('browser', (letter) => letter.charCodeAt(0) - 94);
  const {scores} = request.infer([new ov.Tensor('i32', [1, 8], Int32Array.of(...letters, 2)), tensor]);
  const view = request.getOutputTensor(1).view();
  const {data} = scores;
  if (view[0] !== data[0]) throw new Error('the view shows something else');
  request.infer();
  let late = 'no error';
  try {
    view[0];
  } catch (error) {
    late = error.code;
  }
  output.textContent = JSON.stringify({build: ov.build, early, late, scores: [...data]});
} catch (error) {
  output.textContent = JSON.stringify({build: ov.build, error: {code: error.code, message: error.message}});
}
`;
const page = '<!doctype html><meta charset="utf-8"><title>probe</title><output>…</output><script type="module" src="/probe.js"></script>';
const answers = {'/': {type: 'text/html', body: page}, '/probe.js': {type: 'text/javascript', body: probe}};
const policy = {'content-security-policy': "script-src 'self' 'wasm-unsafe-eval'"};

async function show(headers, more = {}) {
  const server = await serve(folder, headers, {...answers, ...more});
  try {
    const {text, fetched, errors} = await outputOf(browser, server.url);
    return {...JSON.parse(text), fetched, errors};
  } finally {
    server.close();
  }
}

describe('page', () => {
  it('runs the README\'s example without a bundler', async () => {
    writeFileSync(join(folder, 'index.html'), exampleAfter('In a page', 'html'));
    const server = await serve(folder);
    const {text, errors} = await outputOf(browser, `${server.url}index.html`);
    server.close();
    near(text);
    assert.deepEqual(errors, []);
  });

  it('uses one thread where it is not isolated, under a strict policy', async () => {
    const {build, early, late, scores, fetched, errors} = await show(policy);
    assert.equal(build.name, 'relaxed');
    assert.match(build.reason, /^relaxed SIMD; one thread: .*cross-origin isolated/);
    assert.match(early, /^INVALID_STATE .*await ov\.ready/);
    assert.equal(late, 'INVALID_STATE');
    near(scores.join(' '));
    assert.equal(fetched.filter(({path}) => path.endsWith('.wasm')).length, 1);
    assert.deepEqual(errors, []);
  });

  it('uses the threaded build where it is isolated', async () => {
    const {build, late, scores, errors} = await show({...policy, ...isolation});
    assert.equal(build.name, 'relaxed-mt');
    assert.match(build.reason, /shared between threads/);
    assert.equal(late, 'INVALID_STATE');
    near(scores.join(' '));
    assert.deepEqual(errors, []);
  });

  it('says what came in place of the module, the model or the weights', async () => {
    const html = {type: 'text/html', body: '<!doctype html><title>Not found</title>'};
    const cases = [
      ['/node_modules/wasmvino/dist/wasmvino-relaxed.wasm', html, /wasmvino-relaxed\.wasm is not the WebAssembly module: it is an HTML page/],
      ['/node_modules/wasmvino/dist/wasmvino-relaxed.wasm', {status: 404, body: ''}, /wasmvino-relaxed\.wasm.*404/],
      ['/model.xml', html, /\/model\.xml is not a model: it is an HTML page/],
      ['/model.xml', {status: 404, body: ''}, /\/model\.xml cannot be opened/],
      ['/model.bin', html, /\/model\.bin is not the weights: it is an HTML page/],
      ['/model.bin', {body: 'version https://git-lfs.github.com/spec/v1\n'}, /\/model\.bin.*Git LFS pointer/],
      ['/model.bin', {status: 500, body: ''}, /\/model\.bin cannot be opened \(status 500 .*\): the model needs its weights/],
    ];
    for (const [path, answer, message] of cases) {
      const {error} = await show({}, {[path]: answer});
      assert.match(error?.message ?? 'no error', message);
      assert.match(error.code, /^INVALID_/);
    }
  });

  it('is built by Vite', async () => {
    writeFileSync(join(folder, 'main.js'), probe.replace('/node_modules/wasmvino/dist/browser.js', 'wasmvino'));
    writeFileSync(join(folder, 'app.html'), page.replace('/probe.js', '/main.js'));
    await viteBuild({
      root: folder,
      logLevel: 'warn',
      build: {outDir: 'built', rollupOptions: {input: join(folder, 'app.html')}},
    });
    for (const file of ['model.xml', 'model.bin']) symlinkSync(join(folder, file), join(folder, 'built', file));
    for (const headers of [{}, isolation]) {
      const server = await serve(join(folder, 'built'), headers);
      const {text} = await outputOf(browser, `${server.url}app.html`);
      server.close();
      const {build, scores, error} = JSON.parse(text);
      assert.equal(error, undefined);
      assert.equal(build.name, headers === isolation ? 'relaxed-mt' : 'relaxed');
      near(scores.join(' '));
    }
  });
});
