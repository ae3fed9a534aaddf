// SPDX-License-Identifier: Apache-2.0
// Tests wasmvino/ort in Node.js. Of the names of an input, a session shows the first one in alphabetical order. The expected behaviour is that of onnxruntime-web 1.30, read in its sources.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {describe, it} from 'node:test';
import * as foreign from 'onnxruntime-common';
import '../../../dist/node.js';
import ort, {InferenceSession, Tensor, backend, env, registerBackend, useGlobally} from '../../../dist/node/ort.js';
import * as onnx from '../onnx_file.mjs';
import {addModel, identityModel, root, testdata} from '../engine.mjs';

const add = () => InferenceSession.create(addModel([-1, 2]));
const pair = (...values) => new Tensor('float32', Float32Array.from(values), [values.length / 2, 2]);

describe('sessions', () => {
  it('run a model from a path', async () => {
    const session = await InferenceSession.create(join(testdata, 'models/g2p/model.xml'));
    assert.deepEqual(session.inputNames, ['graphemes', 'beam_width']);
    const {sequences, scores} = await session.run({
      graphemes: new Tensor('int32', [3, 4, 2], [1, 3]),
      beam_width: new Tensor('int32', [3], []),
    });
    assert.deepEqual([sequences.type, sequences.dims[2], scores.type, scores.dims], ['int32', 3, 'float32', [1, 3]]);
    await session.release();
  });

  it('describe inputs and outputs', async () => {
    const session = await add();
    assert.deepEqual(session.inputMetadata.map(({name, isTensor, type, shape}) => [name, isTensor, type, shape]), [
      ['first', true, 'float32', ['', 2]],
      ['y', true, 'float32', ['', 2]],
    ]);
    assert.deepEqual(session.outputNames, ['sum']);
  });

  it('name dynamic dimensions as the file does, and set them by these names', async () => {
    const file = onnx.model({
      nodes: [onnx.node('Transpose', ['x'], ['y'])],
      inputs: [onnx.value('x', ['batch', 3, 'length', ''])],
      outputs: [onnx.value('y', ['', 'length', 3, 'batch'])],
    });
    const shapes = async (freeDimensionOverrides) => {
      const {inputMetadata, outputMetadata} = await InferenceSession.create(file, {freeDimensionOverrides});
      return [inputMetadata[0].shape, outputMetadata[0].shape];
    };
    assert.deepEqual(await shapes(), [['batch', 3, 'length', ''], ['', 'length', 3, 'batch']]);
    assert.deepEqual(await shapes({batch: 2, other: 5}), [[2, 3, 'length', ''], ['', 'length', 3, 2]]);
    await assert.rejects(shapes({batch: -2}), /shape: -2,3/);
  });

  it('take a part of a buffer', async () => {
    const model = addModel([1, 2]);
    const {buffer} = new Uint8Array([1, 2, 3, ...model, 4]);
    const session = await InferenceSession.create(buffer, 3, model.length);
    assert.deepEqual([...(await session.run({first: pair(1, 2), y: pair(3, 4)})).sum.data], [4, 6]);
  });

  it('keep properties that apps add', async () => {
    const session = await add();
    session.config = {a: 1};
    assert.deepEqual(session.config, {a: 1});
  });

  it('return only the outputs asked for, and fill given tensors', async () => {
    const session = await add();
    const feeds = {first: pair(1, 2), y: pair(3, 4)};
    assert.deepEqual(Object.keys(await session.run(feeds, ['sum'])), ['sum']);
    const sum = pair(0, 0);
    const results = await session.run(feeds, {sum});
    assert.equal(results.sum, sum);
    assert.deepEqual([...sum.data], [4, 6]);
    const wrong = new Tensor('float32', new Float32Array(4), [2, 2]);
    await assert.rejects(session.run(feeds, {sum: wrong}), /output 'sum' is float32 \[1,2\] on the CPU, but the tensor given for it is float32 \[2,2\]/);
    assert.deepEqual([...wrong.data], [0, 0, 0, 0]);
  });

  it('run calls one after the other, and results outlive later runs', async () => {
    const session = await add();
    const runs = [1, 2, 3].map((x) => session.run({first: pair(x, x), y: pair(0, 1)}));
    const results = await Promise.all(runs);
    assert.deepEqual(results.map(({sum}) => [...sum.data]), [[1, 2], [2, 3], [3, 4]]);
  });

  it('go on after a run that failed', async () => {
    const session = await add();
    await assert.rejects(session.run({first: pair(1, 2), y: new Tensor('int32', [1, 2], [1, 2])}), /y/);
    assert.deepEqual([...(await session.run({first: pair(1, 2), y: pair(3, 4)})).sum.data], [4, 6]);
  });

  it('refuse missing, unknown and wrong feeds by name', async () => {
    const session = await add();
    await assert.rejects(session.run({first: pair(1, 2)}), /input 'y' is missing in 'feeds'/);
    await assert.rejects(session.run({first: pair(1, 2), y: pair(1, 2), z: pair(1, 2)}), /invalid input 'z': the inputs are 'first', 'y'/);
    await assert.rejects(session.run({first: 1, y: pair(1, 2)}), /input 'first' is not a tensor but number/);
    await assert.rejects(session.run({first: {type: 'float8', dims: [1, 2], data: []}, y: pair(1, 2)}), /input 'first' has the unknown type 'float8'/);
    await assert.rejects(session.run({first: {type: 'float32', dims: [1, 2], location: 'gpu-buffer'}, y: pair(1, 2)}), /call getData\(\)/);
  });

  it('stop with a signal', async () => {
    const session = await add();
    const reason = new Error('enough');
    await assert.rejects(session.run({first: pair(1, 2), y: pair(3, 4)}, ['sum'], {signal: AbortSignal.abort(reason)}), reason);
    await assert.rejects(InferenceSession.create(addModel(), {signal: AbortSignal.abort(reason)}), reason);
  });

  it('end with release()', async () => {
    const session = await add();
    const running = session.run({first: pair(1, 2), y: pair(3, 4)});
    await session.release();
    await session.release();
    assert.deepEqual([...(await running).sum.data], [4, 6]);
    await assert.rejects(session.run({first: pair(1, 2), y: pair(3, 4)}), /The session is released/);
  });

  it('refuse files in ORT format', async () => {
    await assert.rejects(InferenceSession.create('https://example.org/model.ort?v=1'), /is in ORT format, which only onnxruntime reads: pass the .onnx file/);
    await assert.rejects(InferenceSession.create(Uint8Array.from([8, 0, 0, 0, 79, 82, 84, 77, 0])), /is in ORT format/);
  });

  it('name a file that is not there', async () => {
    await assert.rejects(InferenceSession.create('missing.onnx'), /missing\.onnx/);
  });
});

describe('element types', () => {
  const values = {
    float32: ['f32', Float32Array.of(1.5, -2)],
    float64: ['f64', Float64Array.of(1e300, -2)],
    int8: ['i8', Int8Array.of(-128, 127)],
    int16: ['i16', Int16Array.of(-32768, 5)],
    int32: ['i32', Int32Array.of(-5, 7)],
    int64: ['i64', BigInt64Array.of(-(2n ** 63n), 7n)],
    uint8: ['u8', Uint8Array.of(255, 7)],
    uint16: ['u16', Uint16Array.of(65535, 7)],
    uint32: ['u32', Uint32Array.of(2 ** 32 - 1, 7)],
    uint64: ['u64', BigUint64Array.of(2n ** 64n - 1n, 7n)],
    bool: ['boolean', Uint8Array.of(1, 0)],
    string: ['string', ['é', '']],
  };
  for (const [type, [element, data]] of Object.entries(values)) {
    it(`${type} passes unchanged`, async () => {
      const session = await InferenceSession.create(identityModel(element, [1, 2]));
      assert.equal(session.inputMetadata[0].type, type);
      const {in: out} = await session.run({in: new Tensor(type, data, [1, 2])});
      assert.deepEqual([out.type, out.dims, [...out.data]], [type, [1, 2], [...data]]);
    });
  }

  it('float16 passes as bits', async () => {
    const session = await InferenceSession.create(identityModel('f16', [2]));
    const {in: out} = await session.run({in: new Tensor('float16', Uint16Array.of(0x3c00, 0xc000), [2])});
    assert.deepEqual([out.type, [...new Uint16Array(out.data.buffer, out.data.byteOffset, 2)]], ['float16', [0x3c00, 0xc000]]);
  });

  it('a view into a larger buffer is copied', async () => {
    const session = await InferenceSession.create(identityModel('f32', [2]));
    const {in: out} = await session.run({in: new Tensor('float32', Float32Array.of(1, 2, 3, 4).subarray(1, 3), [2])});
    assert.deepEqual([...out.data], [2, 3]);
    assert.equal(out.data.byteLength, out.data.buffer.byteLength, 'outputs own their memory');
  });
});

describe('the rest of the API', () => {
  it('has the names of onnxruntime-common, also in the default export and in CommonJS', () => {
    const required = createRequire(import.meta.url)(join(root, 'dist/node/ort.cjs'));
    for (const [name, value] of Object.entries(foreign)) {
      assert.equal(typeof ort[name], typeof value, name);
      assert.equal(required[name], ort[name], name);
    }
    assert.equal(ort.Tensor, Tensor);
    assert.equal(env.versions.common, foreign.env.versions.common);
    assert.equal(env.versions.web, undefined, 'libraries fetch files of onnxruntime-web if it is set');
  });

  it('runs in sessions of another copy of onnxruntime-common', async () => {
    foreign.registerBackend('wasmvino', backend, 10);
    const session = await foreign.InferenceSession.create(addModel([1, 2]), {executionProviders: ['wasmvino']});
    const tensor = new foreign.Tensor('float32', [1, 2], [1, 2]);
    const {sum} = await session.run({first: tensor, y: tensor});
    assert.ok(sum instanceof foreign.Tensor);
    assert.deepEqual([...sum.data], [2, 4]);
  });

  it('runs on the CPU if an app asks for a GPU, and says so once', async (t) => {
    const warnings = t.mock.method(console, 'warn', () => {});
    for (let i = 0; i < 2; i++) await InferenceSession.create(addModel(), {executionProviders: ['webgpu', 'wasm']});
    assert.deepEqual(warnings.mock.calls.map(({arguments: [text]}) => text), ["wasmvino/ort: the execution provider 'webgpu' is not available: models run on the CPU."]);
    await assert.rejects(InferenceSession.create(addModel(), {executionProviders: ['cuda']}), /no available backend found\. ERR: \[cuda\] backend not found/);
  });

  // Settings are read once, so each program is a process of its own. It prints what came of a session, and the warnings.
  const program = (settings) => {
    const text = `
      import {InferenceSession, env} from './dist/node/ort.js';
      import {identityModel} from './tests/js/engine.mjs';
      console.warn = (text) => console.log('warning: ' + text);
      ${settings}
      const create = () => InferenceSession.create(identityModel('f32', [2])).then(({inputNames}) => inputNames.join(), ({message}) => message);
      console.log(await create());
      process.exit();`;
    return execFileSync(process.execPath, ['--input-type=module', '--eval', text], {cwd: root, encoding: 'utf8'}).trim().split('\n');
  };

  it('takes the engine from env.wasm, but ignores the files of onnxruntime-web', () => {
    assert.match(program("env.wasm.wasmPaths = '/nowhere/';")[0], /\/nowhere\/wasmvino-[a-z-]+\.wasm/);
    assert.match(program("env.wasm.wasmPaths = {wasm: '/nowhere/other.wasm'};")[0], /\/nowhere\/other\.wasm/);
    assert.match(program('env.wasm.wasmBinary = Uint8Array.of(1, 2, 3);')[0], /is not the WebAssembly module/);
    const [warning, names] = program(`
      const folder = 'https://example.org/onnxruntime-web@1.30.0/dist/';
      env.wasm.wasmPaths = {wasm: folder + 'ort-wasm-simd-threaded.wasm', mjs: folder + 'ort-wasm-simd-threaded.mjs'};
      env.wasm.wasmBinary = Uint8Array.of(1, 2, 3);`);
    assert.match(warning, /^warning: wasmvino\/ort: env\.wasm\.wasmPaths names files of onnxruntime-web/);
    assert.equal(names, 'in');
    const [late, same] = program("await InferenceSession.create(identityModel('f32', [2]), {executionProviders: ['wasm']}); env.wasm.wasmPaths = '/nowhere/';");
    assert.deepEqual([late, same], ['in', undefined], 'settings are read once');
    const [loaded, still] = program("const {ready} = await import('./dist/node.js'); await ready; env.wasm.wasmPaths = '/nowhere/';");
    assert.match(loaded, /^warning: .* have no effect, since the engine is already loaded/);
    assert.equal(still, 'in');
  });

  it('gives up after env.wasm.initTimeout', () => {
    assert.equal(program('env.wasm.initTimeout = 0.001;')[0], 'The engine did not load within env.wasm.initTimeout, 0.001 ms.');
    assert.equal(program('env.wasm.initTimeout = 60000;')[0], 'in');
  });

  it('does not replace a backend that has its name', () => {
    assert.throws(() => registerBackend('wasm', {...backend}, 10), /cannot register backend "wasm" using priority 10/);
  });

  it('is found on globalThis', () => {
    useGlobally();
    assert.equal(globalThis[Symbol.for('onnxruntime')], ort);
    delete globalThis[Symbol.for('onnxruntime')];
  });
});
