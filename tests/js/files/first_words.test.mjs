// SPDX-License-Identifier: Apache-2.0
// What somebody is told who passes a wrong file, a wrong array, a promise, or a wrong name.
import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, describe, it} from 'node:test';
import {addModel, freshPackage, identityModel, irText, packageWith, productModel} from '../engine.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasmvino-words-'));
after(() => rmSync(folder, {recursive: true}));
const file = (name, content) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe('first words', async () => {
  const ov = await packageWith('simd');
  const core = new ov.Core();
  const both = async (path, expected) => {
    await assert.rejects(core.readModel(path), expected);
    assert.throws(() => core.readModelSync(path), expected);
  };

  it('a wrong file is named, with what it is and what to do', async () => {
    const exported = core.compileModelSync(core.readModelSync(addModel()), 'CPU').exportModelSync();
    const utf16 = Buffer.from(`\ufeff${new TextDecoder().decode(addModel())}`, 'utf16le');
    const files = {
      'weights.bin': [new Uint8Array(64).fill(9), /weights\.bin has the weights of a model, not the model itself: read the \.xml/],
      'model.h5': ['\x89HDF\r\n\x1a\n0000', /an HDF5 file/],
      'model.pth': [Buffer.from('8002630a', 'hex'), /a pickled Python object/],
      'utf16.xml': [utf16, /XML in UTF-16: save it as UTF-8/],
      'cat.png': [Buffer.from('89504e470d0a1a0a', 'hex'), /a picture/],
      'model.blob': [exported, /read it with importModel\(\)/],
      'model.keras': ['PK\x03\x04..............metadata.json', /a Keras model/],
      'saved_model.pb': [Buffer.from('080112e77f0a0b', 'hex'), /TensorFlow \(saved_model\.pb\)/],
      'broken.xml': ['<net version="11"><layers>', /broken\.xml: /],
    };
    for (const [name, [content, message]] of Object.entries(files)) {
      const path = file(name, typeof content === 'string' ? Buffer.from(content, 'latin1') : content);
      await both(path, (error) => {
        assert.ok(error instanceof ov.WasmvinoError && error.code === 'INVALID_MODEL', `${name}: ${error}`);
        assert.match(error.message, message);
        assert.ok(error.message.startsWith(path), error.message);
        return true;
      });
    }
  });

  it('a long list of problems keeps its number behind a name with digits', async () => {
    const value = [{type: 'f32', shape: [1]}];
    const layers = Array.from({length: 12}, (_, i) => ({name: `odd${i}`, type: `Odd${i}`, inputs: [i === 0 ? 'x' : `odd${i - 1}`], outputs: value}));
    const path = file('net_v2_int8.xml', irText([{name: 'x', type: 'Parameter', outputs: value}, ...layers, {name: 'r', type: 'Result', inputs: ['odd11']}]));
    await both(path, {code: 'UNSUPPORTED', message: /net_v2_int8\.xml: the model has 12 problems:[^]*and 2 more/});
  });

  it('a folder tells which of its files is a model', async () => {
    const models = join(folder, 'optimum');
    mkdirSync(models);
    await both(models, {code: 'INVALID_ARGUMENT', message: /it is a folder without a model \(\.xml, \.onnx or \.pnnx\.param\)/});
    for (const name of ['openvino_model.xml', 'openvino_model.bin', 'config.json']) writeFileSync(join(models, name), '');
    await both(models, {code: 'INVALID_ARGUMENT', message: /it is a folder: give the model in it, openvino_model\.xml$/});
  });

  it("the .bin of another model is suspected by its size", async () => {
    const {xml, bin} = productModel(2, 8);
    const path = file('product.xml', new TextDecoder().decode(xml).replace('"MatMul"', '"Gather"'));
    writeFileSync(join(folder, 'product.bin'), new Uint8Array(bin.length + 4));
    await both(path, {message: /product\.xml: .*product\.bin has 260 bytes, but the model describes 256: is it the \.bin of another model\?/s});
    writeFileSync(join(folder, 'product.bin'), bin);
    await both(path, (error) => !/another model/.test(error.message));
  });

  it('a forgotten await is named', async () => {
    const promise = core.readModel(addModel());
    for (const call of [() => core.compileModel(promise, 'CPU'), () => core.compileModelSync(promise, 'CPU')]) {
      await assert.rejects(async () => call(), {code: 'INVALID_ARGUMENT', message: /Argument 1 is a Promise: write await before the call that returned it\./});
    }
    const request = core.compileModelSync(await promise, 'CPU').createInferRequest();
    assert.throws(() => request.infer([Promise.resolve(), new Float32Array(6)]), {message: /not a Promise \(is an await missing\?\)/});
    assert.throws(() => new ov.Tensor('f32', [1], Promise.resolve()), {message: /a Promise/});
  });

  it('an array of another type is told which array fits', () => {
    const requestOf = (type) => core.compileModelSync(core.readModelSync(identityModel(type, [4])), 'CPU').createInferRequest();
    const f32 = requestOf('f32');
    assert.throws(() => f32.infer([new Float64Array(4)]), {code: 'INVALID_SHAPE', message: /takes 16 bytes, the buffer of the Float64Array has 32\. Values of type f32 are in a Float32Array\./});
    assert.throws(() => f32.infer([new Uint8Array(4)]), {code: 'INVALID_SHAPE', message: /the buffer of the Uint8Array has 4\. Values of type f32 are in a Float32Array\./});
    assert.throws(() => f32.infer([new Float32Array(5)]), {code: 'INVALID_SHAPE', message: /the buffer of the Float32Array has 20\.$/});
    assert.throws(() => requestOf('f16').infer([new Float32Array(4)]), {code: 'INVALID_SHAPE', message: /Values of type f16 are in a \w+, or in an array of numbers, which is rounded: Array\.from\(array\)\./});
    assert.throws(() => requestOf('i64').infer([new Int32Array(4)]), {code: 'INVALID_SHAPE', message: /Values of type i64 are in a BigInt64Array\./});
    assert.throws(() => f32.infer([new Int32Array(4)]), {code: 'INVALID_TYPE', message: /takes a Float32Array, not a Int32Array/});
  });

  it('an unknown property is told the nearest name, and all names in order', () => {
    const cases = {INFERENCE_NUM_THREAD: 'INFERENCE_NUM_THREADS', perf_count: 'PERF_COUNT', 'performance-hint': 'PERFORMANCE_HINT'};
    for (const [name, meant] of Object.entries(cases)) {
      assert.throws(() => core.setProperty({[name]: 1}), {code: 'INVALID_ARGUMENT', message: new RegExp(`Did you mean ${meant}\\? There are ALLOW_AUTO_BATCHING, `)});
    }
    assert.throws(() => core.setProperty({NO_SUCH: 1}), ({message, expected}) => {
      assert.doesNotMatch(message, /Did you mean/);
      const names = expected.split(', ');
      assert.deepEqual(names, names.toSorted?.() ?? [...names].sort());
      return true;
    });
    assert.throws(() => core.setProperty({['X'.repeat(1e6)]: 1}), {code: 'INVALID_ARGUMENT'});
  });

  it('CACHE_DIR points at exportModel()', async () => {
    const fresh = await freshPackage();
    const {warn} = console;
    const said = [];
    console.warn = (text) => said.push(text);
    try {
      new fresh.Core().setProperty({CACHE_DIR: 'cache'});
    } finally {
      console.warn = warn;
    }
    assert.match(said.join(), /CACHE_DIR has no effect here\. .*exportModel\(\).*importModel\(\)/);
  });

  it('one input is spoken of in the singular', () => {
    const model = core.readModelSync(identityModel('f32', [1]));
    assert.throws(() => model.input('image'), {message: /There is 'in'$/});
    assert.throws(() => core.readModelSync(addModel()).input('image'), {message: /There are 'first', 'y'$/});
  });

  it('a policy without wasm-unsafe-eval is no fault of the engine', async () => {
    const fresh = await freshPackage();
    const factory = () => {
      throw new WebAssembly.CompileError("WebAssembly.compile(): Refused to compile or instantiate WebAssembly module because 'unsafe-eval' is not an allowed source of script");
    };
    fresh.configure({build: 'simd', factory});
    await assert.rejects(fresh.ready, {code: 'UNSUPPORTED', message: /add 'wasm-unsafe-eval' to its script-src/});
  });
});
