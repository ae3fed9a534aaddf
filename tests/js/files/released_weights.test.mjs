// SPDX-License-Identifier: Apache-2.0
// The bytes of a .bin are released once kernels have packed them, and are read from the file again when they are needed.
import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, describe, it} from 'node:test';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {builds, irText, packageWith, productModel, productsModel} from '../engine.mjs';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');

const folder = mkdtempSync(join(tmpdir(), 'wasmvino-'));
after(() => rmSync(folder, {recursive: true}));

const size = 1024;
const {xml, bin} = productModel(2, size); // 4 MiB
const x = Float32Array.from({length: 2 * size}, (_, i) => (i % 9) / 9);
const path = join(folder, 'model.xml');
const weights = join(folder, 'model.bin');
const write = () => {
  writeFileSync(path, xml);
  writeFileSync(weights, bin);
};

const products = 4;
const wide = 2048;
const productBytes = wide * wide * 4;
function writeProducts(tied = false) {
  const made = productsModel(products, wide, tied);
  writeFileSync(path, made.xml);
  writeFileSync(weights, made.bin);
}

// Bytes that JavaScript holds in buffers. Garbage of one test must not hide those of another.
async function held() {
  for (let i = 0; i < 3; i++) {
    gc();
    await new Promise((done) => setTimeout(done));
  }
  return process.memoryUsage().arrayBuffers;
}

// All builds are loaded before the first test, so that none takes memory while a test measures.
const packages = [];
for (const build of builds) {
  const ov = await packageWith(build);
  await ov.ready;
  packages.push({build, ov});
}

for (const {build, ov} of packages) {
  const core = new ov.Core();
  const golden = core.compileModelSync(core.readModelSync(xml, bin), 'CPU').createInferRequest().infer([x]).y.data;
  const run = async (compiled) => (await compiled.createInferRequest().inferAsync([x])).y.data;

  describe(`released weights, ${build}`, () => {
    it('are gone after a run that did not read them', async () => {
      write();
      const before = await held();
      const model = core.readModelSync(path);
      const compiled = await core.compileModel(model, 'CPU');
      assert.ok((await held()) - before > bin.length / 2, 'the .bin was read');
      const request = compiled.createInferRequest();
      assert.deepEqual(request.infer([x]).y.data, golden);
      assert.ok((await held()) - before < bin.length / 2, 'the .bin is still in memory');
      const other = await core.readModel(path);
      await run(await core.compileModel(other, 'CPU'));
      assert.ok((await held()) - before < bin.length / 2, 'the .bin of an asynchronous run is still in memory');
      for (const made of [model, compiled, request, other]) made.dispose();
    });

    it('are released in pieces during the run that reads them', async () => {
      writeProducts();
      const before = await held();
      const compiled = await core.compileModel(await core.readModel(path), 'CPU');
      assert.ok((await held()) - before > (products - 1) * productBytes, 'the .bin was read');
      let during;
      const onProgress = () => {
        for (let i = 0; i < 3; i++) gc(); // the next one waits until buffers of the one before are freed
        during ??= process.memoryUsage().arrayBuffers;
      };
      const data = Float32Array.from({length: wide}, (_, i) => i);
      const [y] = Object.values(await compiled.createInferRequest().inferAsync([new ov.Tensor('f32', [1, wide], data)], {onProgress}));
      assert.deepEqual([...y.data.subarray(0, 3)], [wide - 10, wide - 9, wide - 8]);
      // Threaded builds report later. Elsewhere, the last two matrices are still there.
      if (!build.endsWith('-mt')) assert.ok(during - before < 2.5 * productBytes, 'the .bin is in memory during the run');
      assert.ok((await held()) - before < productBytes, 'the .bin is in memory after the run');
      compiled.dispose();
    });

    it('are kept while another operation of the run needs them', async () => {
      writeProducts(true);
      const compiled = await core.compileModel(await core.readModel(path), 'CPU');
      rmSync(weights);
      const data = Float32Array.from({length: wide}, (_, i) => i);
      const [y] = Object.values(await compiled.createInferRequest().inferAsync([new ov.Tensor('f32', [1, wide], data)]));
      assert.deepEqual([...y.data.subarray(0, 3)], [wide - 5, wide - 4, wide - 3]);
      compiled.dispose();
    });

    it('are read again by whatever needs them', async () => {
      write();
      const model = await core.readModel(path);
      const compiled = await core.compileModel(model, 'CPU');
      const request = compiled.createInferRequest();
      await request.inferAsync([x]);
      const before = await held();
      assert.deepEqual(await run(core.compileModelSync(model, 'CPU')), golden);
      assert.deepEqual(await run(await core.compileModel(model, 'CPU')), golden);
      assert.ok((await held()) - before < bin.length / 2, 'the .bin is in memory again');
      for (const bytes of [compiled.exportModelSync(), await compiled.exportModel()]) {
        assert.deepEqual(await run(await core.importModel(bytes, 'CPU')), golden);
      }
      request.observe([{layer: 'product'}]);
      const observed = request.infer([x]).y.data; // computed without passes
      assert.ok(observed.every((value, i) => Math.abs(value - golden[i]) < 1e-6));
      assert.equal(request.observations().length, 1);
      ov.saveModelSync(model, join(folder, 'saved.xml'));
      assert.equal(statSync(join(folder, 'saved.bin')).size, bin.length / 2); // in f16
      const wide = model.clone().reshape([5, size].join());
      const y = (await (await core.compileModel(wide, 'CPU')).createInferRequest().inferAsync([new Float32Array(5 * size)])).y.data;
      assert.equal(y.length, 5 * size);
    });

    it('are named if their file was replaced, has another length or is gone', async () => {
      const late = async () => {
        write();
        const model = await core.readModel(path);
        const compiled = await core.compileModel(model, 'CPU');
        await run(compiled);
        return {model, compiled};
      };
      const refuses = async ({model, compiled}, message) => {
        const expected = {code: 'INVALID_STATE', message};
        assert.throws(() => core.compileModelSync(model, 'CPU'), expected);
        await assert.rejects(core.compileModel(model, 'CPU'), expected);
        await assert.rejects(compiled.exportModel(), expected);
        assert.throws(() => compiled.exportModelSync(), expected);
        assert.deepEqual(await run(compiled), golden); // what is packed still runs
      };
      const replaced = await late();
      const {atime, mtime} = statSync(weights);
      writeFileSync(join(folder, 'other.bin'), new Uint8Array(bin.length));
      utimesSync(join(folder, 'other.bin'), atime, mtime);
      renameSync(join(folder, 'other.bin'), weights);
      await refuses(replaced, /^The weights cannot be read again from \S+model\.bin: it has changed \(expected 4194304 bytes of .*, found 4194304 bytes of .*\)\. .* Read the model again, or pass its bytes/);
      const shorter = await late();
      writeFileSync(weights, bin.subarray(0, 1000));
      await refuses(shorter, /it has changed \(expected 4194304 bytes of .*, found 1000 bytes of /);
      await assert.rejects(core.compileModel(shorter.model, 'CPU'), ({expected, actual}) => /^4194304 bytes/.test(expected) && /^1000 bytes/.test(actual));
      const gone = await late();
      rmSync(weights);
      await refuses(gone, /cannot be read again from \S+model\.bin: ENOENT/);
      write();
    });

    it('are blamed only if they could not be read', async () => {
      write();
      const model = await core.readModel(path);
      await run(await core.compileModel(model, 'CPU'));
      rmSync(weights);
      await assert.rejects(core.compileModel(model, 'CPU'), {code: 'INVALID_STATE', message: /cannot be read again/});
      write();
      // A layer with a name that could be part of a text about weights.
      const name = 'the buffer of the model or its weights was transferred';
      const row = (names) => [{type: 'f32', shape: [-1], names}];
      const layers = ['a', 'b'].map((each) => ({name: each, type: 'Parameter', outputs: row(each)}));
      layers.push({name, type: 'Add', inputs: ['a', 'b'], outputs: row()}, {name: 'result', type: 'Result', inputs: [name]});
      const request = core.compileModelSync(core.readModelSync(Buffer.from(irText(layers))), 'CPU').createInferRequest();
      const of = (length) => new ov.Tensor('f32', [length], new Float32Array(length));
      assert.throws(() => request.infer({a: of(2), b: of(3)}), {code: 'INVALID_SHAPE', layer: name});
    });

    it('are found after the working directory has changed', async () => {
      write();
      mkdirSync(join(folder, 'elsewhere'), {recursive: true});
      const before = process.cwd();
      try {
        process.chdir(folder);
        const model = await core.readModel('model.xml');
        await run(await core.compileModel(model, 'CPU'));
        process.chdir('elsewhere');
        assert.deepEqual(await run(core.compileModelSync(model, 'CPU')), golden);
      } finally {
        process.chdir(before);
      }
    });

    it('are never those that the caller passed as bytes or as a Blob', async () => {
      for (const given of [[xml, bin], [new Blob([xml]), new Blob([bin])]]) {
        const model = await core.readModel(...given);
        const compiled = await core.compileModel(model, 'CPU');
        await run(compiled);
        assert.deepEqual(await run(core.compileModelSync(model, 'CPU')), golden);
        assert.ok(compiled.exportModelSync().length > bin.length);
      }
    });
  });
}

describe('released weights in a worker', () => {
  it('are read again there', async () => {
    write();
    const ov = await packageWith('simd');
    const core = new ov.Core({worker: true});
    const model = await core.readModel(path);
    const compiled = await core.compileModel(model, 'CPU');
    const y = async (from) => (await from.createInferRequest().inferAsync([x])).y.data;
    const golden = await y(compiled);
    assert.deepEqual(await y(await core.compileModel(model, 'CPU')), golden);
    assert.deepEqual(await y(await core.importModel(await compiled.exportModel(), 'CPU')), golden);
    rmSync(weights);
    await assert.rejects(core.compileModel(model, 'CPU'), {code: 'INVALID_STATE', message: /cannot be read again from \S+model\.bin: ENOENT/});
    await ov.restart();
  });
});
