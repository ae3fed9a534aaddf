// SPDX-License-Identifier: Apache-2.0
// Tests operations that are written in JavaScript.
import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, describe, it} from 'node:test';
import {pathToFileURL} from 'node:url';
import {addModel, builds, bytes, irText, packageWith} from '../engine.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasmvino-extension-'));
after(() => rmSync(folder, {recursive: true}));
const modulePath = join(folder, 'scaled.mjs');
writeFileSync(
  modulePath,
  `export const infer = ([{type, shape}]) => [{type, shape}];
export const evaluate = ([x], {factor}) => [{type: x.getElementType(), shape: x.getShape(), data: x.data.map((value) => value * factor)}];
`,
);

// "y" is computed by the extension Scaled, between two additions of "x".
function scaledModel(shape, {version = 'extension', output = shape} = {}) {
  const value = (names, of = shape) => [{type: 'f32', shape: of, names}];
  return bytes(
    irText([
      {name: 'x', type: 'Parameter', outputs: value('x')},
      {name: 'before', type: 'Add', data: {auto_broadcast: 'numpy'}, inputs: ['x', 'x'], outputs: value()},
      {name: 'scaled', type: 'Scaled', version, data: {factor: '2.5', note: '"odd" & <text>'.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)}, inputs: ['before'], outputs: value('y', output)},
      {name: 'result', type: 'Result', inputs: ['scaled']},
    ]),
  );
}

for (const build of builds) {
  describe(`extensions, ${build}`, async () => {
    const ov = await packageWith(build);
    after(() => ov.restart());
    const scaled = {
      type: 'Scaled',
      infer: ([{type, shape}]) => [{type, shape}],
      evaluate: ([x], {factor}) => [new ov.Tensor('f32', x.getShape(), x.data.map((value) => value * factor))],
    };
    const coreWith = (...extensions) => {
      const core = new ov.Core();
      for (const extension of extensions) core.addExtension(extension);
      return core;
    };
    const requestOf = async (core, xml) => (await core.compileModel(await core.readModel(xml), 'CPU')).createInferRequest();

    it('what is missing is listed, and then supplied', async () => {
      const found = ov.inspect(scaledModel([3]));
      assert.deepEqual(found.operations.find(({type}) => type === 'Scaled'), {type: 'Scaled', version: 'extension', count: 1, supported: false});
      await assert.rejects(new ov.Core().readModel(scaledModel([3])), {code: 'UNSUPPORTED'});
      const request = await requestOf(coreWith(scaled), scaledModel([3]));
      assert.deepEqual([...(await request.inferAsync([Float32Array.of(1, 2, 3)])).y.data], [5, 10, 15]);
      assert.deepEqual([...request.infer([Float32Array.of(3, 2, 1)]).y.data], [15, 10, 5]);
      // The extension belongs to one Core only.
      assert.equal(ov.inspect(scaledModel([3])).operations.find(({type}) => type === 'Scaled').supported, false);
      await assert.rejects(new ov.Core().readModel(scaledModel([3])), {code: 'UNSUPPORTED'});
    });

    it('knows types, shapes and attributes', async () => {
      const seen = [];
      const core = coreWith({
        ...scaled,
        infer: ([{type, shape}], attributes) => {
          seen.push([type, String(shape), attributes]);
          return [{type, shape: String(shape)}];
        },
      });
      const model = await core.readModel(scaledModel([-1, 2]));
      assert.equal(String(model.output().getPartialShape()), '[?,2]');
      assert.deepEqual(seen[0], ['f32', '[?,2]', {factor: '2.5', note: '"odd" & <text>'}]);
      const request = (await core.compileModel(model, 'CPU')).createInferRequest();
      for (const rows of [1, 3]) {
        const {y} = await request.inferAsync([new ov.Tensor('f32', [rows, 2], new Float32Array(2 * rows).fill(1))]);
        assert.deepEqual([y.getShape(), [...y.data]], [[rows, 2], new Array(2 * rows).fill(5)]);
      }
      assert.ok(seen.some(([, shape]) => shape === '[3,2]'));
    });

    it('shapes may depend on data', async () => {
      const core = coreWith({
        type: 'Scaled',
        infer: () => [{type: 'f32', shape: [-1]}],
        evaluate: ([x]) => {
          const positive = x.data.filter((value) => value > 0);
          return [{type: 'f32', shape: [positive.length], data: positive}];
        },
      });
      const request = await requestOf(core, scaledModel([4], {output: [-1]}));
      for (const [values, wanted] of [[[1, -1, 2, -2], [2, 4]], [[-1, -1, -1, -1], []], [[1, 2, 3, 4], [2, 4, 6, 8]]]) {
        assert.deepEqual([...(await request.inferAsync([Float32Array.from(values)])).y.data], wanted);
      }
    });

    it('versions tell operations apart', async () => {
      const core = coreWith(scaled, {...scaled, version: 'ours', evaluate: ([x]) => [x]});
      const request = await requestOf(core, scaledModel([1], {version: 'ours'}));
      assert.deepEqual([...request.infer([Float32Array.of(1)]).y.data], [2]);
      await assert.rejects(core.readModel(scaledModel([1], {version: 'theirs'})), {code: 'UNSUPPORTED'});
      // A saved model keeps the version and the attributes.
      const path = join(folder, `${build}.xml`);
      ov.saveModelSync(await core.readModel(scaledModel([1], {version: 'ours'})), path);
      assert.deepEqual([...(await requestOf(core, path)).infer([Float32Array.of(1)]).y.data], [2]);
    });

    it('what it does wrong is told with the layer', async () => {
      const failure = new Error('no such thing');
      const withoutText = Object.create(null);
      const failing = (more) => requestOf(coreWith({...scaled, ...more}), scaledModel([2])).then((request) => request.inferAsync([Float32Array.of(1, 2)]));
      const fail = () => {
        throw failure;
      };
      const failWithoutText = () => {
        throw withoutText;
      };
      const cases = [
        [{infer: fail}, 'INVALID_VALUE', /infer\(\) of the extension failed: no such thing/, failure],
        [{evaluate: fail}, 'INVALID_VALUE', /evaluate\(\) of the extension failed: no such thing/, failure],
        [{evaluate: failWithoutText}, 'INVALID_VALUE', /evaluate\(\) of the extension failed: a value that has no text/, withoutText],
        [{infer: () => []}, 'INVALID_VALUE', /infer\(\) of the extension returned 0 outputs, but the layer has 1/],
        [{infer: () => 5}, 'INVALID_VALUE', /must return an array of \{type, shape\}, not 5/],
        [{evaluate: () => []}, 'INVALID_VALUE', /evaluate\(\) of the extension returned 0 tensors, but the layer has 1 outputs/],
        [{evaluate: () => [new ov.Tensor('i32', [2])]}, 'INVALID_TYPE', /output 0 of type i32, but infer\(\) had declared f32/],
        [{evaluate: () => [new ov.Tensor('f32', [3])]}, 'INVALID_SHAPE', /output 0 of shape \[3\], but infer\(\) had declared \[2\]/],
      ];
      for (const [more, code, message, cause] of cases) {
        await assert.rejects(failing(more), (error) => {
          assert.deepEqual([error.code, error.layer, error.layerType], [code, 'scaled', 'Scaled'], error.message);
          assert.match(error.message, message);
          if (cause !== undefined) assert.equal(error.cause, cause);
          return true;
        });
      }
    });

    it('must not call the engine', async () => {
      const core = new ov.Core();
      core.addExtension({...scaled, evaluate: () => core.readModelSync(scaledModel([1]))});
      const request = await requestOf(core, scaledModel([1]));
      await assert.rejects(request.inferAsync([Float32Array.of(1)]), /The engine is waiting for evaluate\(\) of an extension, which must not call the engine/);
    });

    it('a module has the functions, also for an engine in a worker', async () => {
      for (const worker of [false, true]) {
        for (const module of [pathToFileURL(modulePath), pathToFileURL(modulePath).href]) {
          const core = new ov.Core({worker});
          core.addExtension({type: 'Scaled', module});
          const request = await requestOf(core, scaledModel([2]));
          assert.deepEqual([...(await request.inferAsync([Float32Array.of(1, 2)])).y.data], [5, 10]);
        }
      }
      const core = new ov.Core({worker: true});
      assert.throws(() => core.addExtension(scaled), {
        code: 'UNSUPPORTED',
        message: /consists of functions, which cannot be sent to the worker of the engine: pass a module that exports them/,
      });
      await core.readModel(addModel());
    });

    it('is written to a file', async () => {
      const core = coreWith(scaled);
      const path = join(folder, 'saved.xml');
      ov.saveModelSync(await core.readModel(scaledModel([2])), path);
      assert.match(readFileSync(path, 'utf8'), /type="Scaled" version="extension"/);
      const request = await requestOf(core, readFileSync(path));
      assert.deepEqual([...request.infer([Float32Array.of(1, 2)]).y.data], [5, 10]);
    });

    it('wrong extensions are refused', () => {
      const core = new ov.Core();
      for (const [extension, message] of [
        [{infer: scaled.infer, evaluate: scaled.evaluate}, /type takes the type of the layers/],
        [{type: 'Scaled', infer: scaled.infer}, /takes functions infer and evaluate, or the URL of a module/],
        [{...scaled, version: 1}, /version takes the version of the layers/],
        [{...scaled, kernel: 1}, /an extension has type, version, infer and evaluate.*not kernel/],
        [{...scaled, module: './x.mjs'}, /takes a module or functions/],
        [{type: 'Scaled', module: 5}, /module takes a path or a URL/],
      ]) {
        assert.throws(() => core.addExtension(extension), {code: 'INVALID_ARGUMENT', message});
      }
      assert.throws(() => core.addExtension('libswoosh.so'), {code: 'UNSUPPORTED', message: /native libraries are not supported/});
    });
  });
}
