// SPDX-License-Identifier: Apache-2.0
// Tests how the engine is found, chosen and started in Node.js.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, describe, it} from 'node:test';
import {pathToFileURL} from 'node:url';
import {addModel, builds, freshPackage, productModel, root} from '../engine.mjs';

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
    // A separate process, without the flag that engine.mjs sets.
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

  it('reads models from Blobs, here and in a worker', async () => {
    const ov = await freshPackage();
    const {xml, bin} = productModel(2, 64);
    for (const worker of [false, true]) {
      const core = new ov.Core({worker});
      const told = [];
      const model = await core.readModel(new File([xml], 'chosen.xml'), new File([bin], 'chosen.bin'), {onProgress: (progress) => told.push(progress)});
      const {y} = await (await core.compileModel(model, 'CPU')).createInferRequest().inferAsync([new Float32Array(128)]);
      assert.ok(Math.abs(y.data[0] - 1 / 64) < 1e-6);
      assert.deepEqual([...new Set(told.map(({file}) => file))], ['chosen.xml', 'chosen.bin']);
      assert.deepEqual(told.at(-1), {loaded: xml.length + bin.length, total: xml.length + bin.length, file: 'chosen.xml', phase: 'read'});
      assert.equal((await core.readModel(new Blob([addModel()]))).getName(), 'made_up');
      await assert.rejects(core.readModel(new Blob([xml])), {message: /needs its weights/});
      await assert.rejects(core.readModel(new Blob([xml]), new File([bin.slice(8)], 'short.bin')), {code: 'INVALID_MODEL'});
      await assert.rejects(core.readModel(new Blob([xml]), new Blob([bin]), {cache: true}), {code: 'INVALID_ARGUMENT', message: /option cache applies only to models that are read from a path/});
      const reason = new Error('no more');
      await assert.rejects(core.readModel(new Blob([xml]), new Blob([bin]), {signal: AbortSignal.abort(reason)}), reason);
    }
    await ov.restart();
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

  it('refuses options that there are not, and values that are none', async () => {
    const ov = await freshPackage();
    assert.throws(() => ov.configure({wasmURL: 'x'}), {code: 'INVALID_ARGUMENT', message: /no option 'wasmURL'; its options are build, wasmUrl/});
    for (const options of [undefined, 5, {wasmUrl: 5}, {wasmBinary: 'x'}, {factory: {}}]) {
      assert.throws(() => ov.configure(options), {code: 'INVALID_ARGUMENT'});
    }
    assert.equal(reads(ov), 'made_up');
  });

  it('leaves two engines alone with each other', async () => {
    const [a, b] = [await freshPackage(), await freshPackage()];
    assert.equal(reads(a), reads(b));
    assert.ok(!(new a.Tensor('f32', [1]) instanceof b.Tensor));
  });
});

describe('files', () => {
  const {xml, bin} = productModel(4, 64);
  const write = (name, weights) => {
    writeFileSync(join(folder, `${name}.xml`), xml);
    if (weights) writeFileSync(join(folder, `${name}.bin`), weights);
    return join(folder, `${name}.xml`);
  };
  const both = async (ov, path, expected) => {
    assert.throws(() => new ov.Core().readModelSync(path), expected);
    await assert.rejects(new ov.Core().readModel(path), expected);
    await assert.rejects(new ov.Core().compileModel(path, 'CPU'), expected);
  };

  it('that are missing or truncated are named in one line', async () => {
    const ov = await freshPackage();
    await both(ov, write('alone'), {
      code: 'INVALID_ARGUMENT',
      message: /^\S+alone\.bin cannot be opened \(there is no such file\): the model needs its weights .* of at least 16384 bytes for 1 constant.*$/,
    });
    await both(ov, write('short', bin.subarray(0, 1000)), {
      code: 'INVALID_MODEL',
      layer: 'w',
      message: /^\S+short\.bin is too short: Constant 'w' .*its 16384 bytes at byte 0 are beyond the end of the weights, which have 1000 bytes$/,
    });
    writeFileSync(join(folder, 'all.xml'), '<!doctype html><title>404</title>');
    writeFileSync(join(folder, 'all.bin'), '<!doctype html><title>404</title>');
    await both(ov, join(folder, 'all.xml'), {code: 'INVALID_MODEL', message: /all\.xml is not a model: it is an HTML page/});
    await both(ov, write('page', Buffer.from('<!doctype html><title>404</title>')), {code: 'INVALID_MODEL', message: /page\.bin is not the weights: it is an HTML page/});
  });

  it('are not needed where nothing is read from them', async () => {
    const ov = await freshPackage();
    writeFileSync(join(folder, 'add.xml'), addModel());
    writeFileSync(join(folder, 'add.bin'), '<!doctype html>');
    assert.equal(new ov.Core().readModelSync(join(folder, 'add.xml')).getName(), 'made_up');
  });

  it('of more than 2 GB are read, of more than 4 GB refused', async () => {
    const ov = await freshPackage();
    const path = write('large', bin);
    truncateSync(join(folder, 'large.bin'), 2 ** 31 + 5);
    const x = new Float32Array(256);
    for (const model of [new ov.Core().readModelSync(path), await new ov.Core().readModel(path)]) {
      const {y} = new ov.Core().compileModelSync(model, 'CPU').createInferRequest().infer([x]);
      assert.deepEqual(y.data, new Float32Array(256).fill(1 / 64));
      model.dispose();
    }
    truncateSync(join(folder, 'large.bin'), 5e9);
    await both(ov, path, {code: 'OUT_OF_MEMORY', message: /large\.bin has 5000000000 bytes: more than the 4294967296 bytes of memory that the engine can address/});
    truncateSync(join(folder, 'large.bin'), 0);
  });

  it('of weights are let go of when the model, and what was compiled from it, is disposed', () => {
    const program = `
      const {addon: ov} = require(${JSON.stringify(`${root}dist/node.cjs`)});
      const {readFileSync} = require('node:fs');
      const core = new ov.Core();
      const path = ${JSON.stringify(write('kept', bin))};
      const read = () => {
        const weights = new Uint8Array(readFileSync(path.replace('.xml', '.bin')));
        return {model: core.readModelSync(readFileSync(path), weights), ref: new WeakRef(weights.buffer)};
      };
      const isGone = (ref) => new Promise((resolve) => setTimeout(() => (gc(), resolve(ref.deref() === undefined)), 20));
      (async () => {
        const alone = read();
        const both = read();
        const compiled = core.compileModelSync(both.model, 'CPU');
        const seen = [await isGone(alone.ref), await isGone(both.ref)];
        alone.model.dispose();
        both.model.dispose();
        seen.push(await isGone(alone.ref), compiled.exportModelSync().length > 16384);
        compiled.dispose();
        seen.push(await isGone(both.ref));
        // All of them are still held here.
        console.log(JSON.stringify(seen), !!alone.model, !!both.model, !!compiled);
      })();`;
    const output = execFileSync(process.execPath, ['--expose-gc', '-e', program], {encoding: 'utf8'});
    assert.equal(output, '[false,false,true,true,true] true true true\n');
  });
});
