// SPDX-License-Identifier: Apache-2.0
// How the engine is found, chosen and started in Node.js.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, describe, it} from 'node:test';
import {pathToFileURL} from 'node:url';
import {addModel, builds, freshPackage, root} from './engine.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasmvino-'));
after(() => rmSync(folder, {recursive: true}));

const wasm = (build) => readFileSync(`${root}dist/wasmvino-${build}.wasm`);
const reads = (ov) => new ov.Core().readModelSync(addModel()).getName();

describe('loading', () => {
  it('chooses a build by what is possible here, and says why', async () => {
    const {name, reason} = (await freshPackage()).build;
    assert.ok(builds.includes(name), name);
    assert.match(reason, name.startsWith('relaxed') ? /^relaxed SIMD; / : /^no relaxed SIMD here/);
    assert.match(reason, name.endsWith('-mt') ? /shared between threads/ : /one thread: /);
  });

  it('takes relaxed SIMD only where it is', () => {
    // In a process without the flag that engine.mjs sets.
    const script = `import {addon as ov} from ${JSON.stringify(pathToFileURL(`${root}dist/node.js`).href)};
      await ov.ready; console.log(ov.build.name);`;
    const run = (...flags) => execFileSync(process.execPath, [...flags, '--input-type=module', '-e', script], {encoding: 'utf8'});
    if (Number(process.versions.node.split('.')[0]) < 21) {
      assert.match(run(), /^simd/);
      assert.match(run('--experimental-wasm-relaxed-simd'), /^relaxed/);
    } else {
      assert.match(run(), /^relaxed/);
    }
  });

  it('happens at the first synchronous call', async () => {
    const ov = await freshPackage();
    assert.equal(ov.memoryBytes(), 0);
    assert.equal(reads(ov), 'made_up');
    assert.ok(ov.memoryBytes() > 0);
  });

  it('happens while ready, or an asynchronous call, is waited for', async () => {
    const first = await freshPackage();
    await first.ready;
    assert.ok(first.memoryBytes() > 0);
    const second = await freshPackage();
    const model = await new second.Core().readModel(addModel());
    assert.equal(model.getName(), 'made_up');
  });

  it('takes bytes, a module, a folder or a file', async () => {
    writeFileSync(join(folder, 'wasmvino-simd.wasm'), wasm('simd'));
    writeFileSync(join(folder, 'other.wasm'), wasm('simd'));
    for (const options of [
      {wasmBinary: wasm('simd')},
      {wasmBinary: new WebAssembly.Module(wasm('simd'))},
      {wasmUrl: pathToFileURL(folder + '/')},
      {wasmUrl: pathToFileURL(join(folder, 'other.wasm')).href},
    ]) {
      const ov = await freshPackage();
      ov.configure({build: 'simd', ...options});
      assert.equal(reads(ov), 'made_up');
    }
  });

  it('names a file that is no module, and can be told another', async () => {
    writeFileSync(join(folder, 'page.wasm'), '<!doctype html><title>Not found</title>');
    const ov = await freshPackage();
    ov.configure({build: 'simd', wasmUrl: pathToFileURL(join(folder, 'page.wasm'))});
    assert.throws(() => reads(ov), {code: 'INVALID_ARGUMENT', message: /page\.wasm is not the WebAssembly module: it is an HTML page/});
    await assert.rejects(ov.ready, {message: /HTML page/});
    ov.configure({build: 'simd', wasmUrl: pathToFileURL(join(folder, 'none.wasm'))});
    await assert.rejects(ov.ready, {message: /none\.wasm/});
    ov.configure({build: 'simd'});
    await ov.ready;
    assert.equal(reads(ov), 'made_up');
  });

  it('refuses a build that there is not, and to be told too late', async () => {
    const ov = await freshPackage();
    assert.throws(() => ov.configure({build: 'mmx'}), {code: 'INVALID_ARGUMENT', expected: builds.join(', '), actual: 'mmx'});
    await ov.ready;
    assert.throws(() => ov.configure({build: 'simd'}), {code: 'INVALID_STATE'});
  });

  it('leaves two engines alone with each other', async () => {
    const [a, b] = [await freshPackage(), await freshPackage()];
    assert.equal(reads(a), reads(b));
    assert.ok(!(new a.Tensor('f32', [1]) instanceof b.Tensor));
  });
});
