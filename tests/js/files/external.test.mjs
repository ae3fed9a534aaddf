// SPDX-License-Identifier: Apache-2.0
// Tests ONNX models whose tensors are in files beside them.
import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {pathToFileURL} from 'node:url';
import {InferenceSession, Tensor} from '../../../dist/node/ort.js';
import {packageWith} from '../engine.mjs';
import * as onnx from '../onnx_file.mjs';

const bytesOf = (values) => new Uint8Array(Float32Array.from(values).buffer);
const hash = (data) => `sha256-${createHash('sha256').update(data).digest('base64')}`;

// y = x + a + b, whose a and b are in other files.
function sums(a = {location: 'model.onnx_data', offset: 4}, b = {location: './weights/b c.bin', length: 8}) {
  return onnx.model({
    nodes: [onnx.node('Add', ['x', 'a'], ['s']), onnx.node('Add', ['s', 'b'], ['y'])],
    inputs: [onnx.value('x', [2])],
    outputs: [onnx.value('y', [2])],
    initializers: [onnx.tensor('a', [2], onnx.external(a)), onnx.tensor('b', [2], onnx.external(b))],
  });
}
const files = {'model.onnx': sums(), 'model.onnx_data': bytesOf([9, 10, 20]), 'weights/b c.bin': bytesOf([100, 200])};
const given = [
  {path: 'weights/b c.bin', data: files['weights/b c.bin']},
  {path: './model.onnx_data', data: files['model.onnx_data'].buffer},
];

describe('tensors in files beside an ONNX model', async () => {
  const ov = await packageWith('simd');
  const core = new ov.Core();
  const folder = mkdtempSync(join(tmpdir(), 'external-'));
  const path = join(folder, 'model.onnx');
  let server;
  let url;
  let asked;

  before(async () => {
    mkdirSync(join(folder, 'weights'));
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    server = createServer((request, response) => {
      const {pathname, search} = new URL(request.url, 'http://localhost');
      asked.push(request.url);
      const content = search === '?key=1' ? files[decodeURIComponent(pathname.slice(1))] : undefined;
      if (content) response.writeHead(200, {'content-length': content.length}).end(content);
      else response.writeHead(404).end();
    });
    await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${server.address().port}/model.onnx?key=1`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, {recursive: true});
  });

  async function runs(model) {
    const compiled = await core.compileModel(model, 'CPU');
    const {y} = await compiled.createInferRequest().inferAsync([Float32Array.of(1, 2)]);
    assert.deepEqual(y.data, Float32Array.of(111, 222));
    return compiled;
  }

  it('are read from the folder of the model', async () => {
    await runs(await core.readModel(path));
    await runs(await core.readModel(pathToFileURL(path)));
    await runs(core.readModelSync(path));
    await runs(core.readModelSync(pathToFileURL(path)));
  });

  it('are fetched from beside the model, with its query, and counted in its progress', async () => {
    asked = [];
    const told = [];
    await runs(await core.readModel(url, {onProgress: (progress) => told.push(progress)}));
    assert.deepEqual(asked, ['/model.onnx?key=1', '/model.onnx_data?key=1', '/weights/b%20c.bin?key=1']);
    const size = Object.values(files).reduce((sum, {length}) => sum + length, 0);
    assert.deepEqual(told.at(-1), {loaded: size, total: size, file: url, phase: 'read'});
  });

  it('are taken from where the caller says', async () => {
    await runs(await core.readModel(files['model.onnx'], {externalData: given}));
    await runs(await core.readModel(new Blob([files['model.onnx']]), {
      externalData: given.map(({path, data}) => ({path, data: new Blob([data])})),
    }));
    asked = [];
    const other = new URL('/weights/b%20c.bin?key=1', url);
    await runs(await core.readModel(files['model.onnx'], {externalData: [join(folder, 'model.onnx_data'), {path: 'weights/b c.bin', data: other}]}));
    assert.deepEqual(asked, ['/weights/b%20c.bin?key=1']);
  });

  it('reach an engine in a worker', async () => {
    const remote = new ov.Core({worker: true});
    for (const source of [[path], [files['model.onnx'], {externalData: given}], [new Blob([files['model.onnx']]), {externalData: given}]]) {
      const model = await remote.readModel(...source);
      const compiled = await remote.compileModel(model, 'CPU');
      const {y} = await compiled.createInferRequest().inferAsync([Float32Array.of(1, 2)]);
      assert.deepEqual(y.data, Float32Array.of(111, 222));
    }
  });

  it('are in exported models', async () => {
    const exported = (await runs(await core.readModel(path))).exportModelSync();
    const {y} = core.importModelSync(exported, 'CPU').createInferRequest().infer([Float32Array.of(1, 2)]);
    assert.deepEqual(y.data, Float32Array.of(111, 222));
  });

  it('are checked', async () => {
    const right = {'model.onnx_data': hash(files['model.onnx_data']), './weights/b c.bin': hash(files['weights/b c.bin'])};
    await runs(await core.readModel(path, {integrity: {externalData: right}}));
    const wrong = {...right, './weights/b c.bin': hash('other')};
    await assert.rejects(core.readModel(path, {integrity: {externalData: wrong}}), {code: 'INVALID_MODEL', message: /b c\.bin is not the expected file/});
    await assert.rejects(core.readModel(files['model.onnx'], {externalData: given, integrity: {externalData: wrong}}), {
      code: 'INVALID_MODEL',
      message: /b c\.bin is not the expected file/,
    });
    await assert.rejects(core.readModel(path, {integrity: {externalData: {'model.onnx_data': 'md5-AAAA'}}}), {code: 'INVALID_ARGUMENT'});
    await assert.rejects(core.readModel(path, {integrity: {externalData: 5}}), {code: 'INVALID_ARGUMENT', message: /integrity\.externalData takes an object/});
  });

  it('end loading by a signal', async () => {
    asked = [];
    const controller = new AbortController();
    const reason = new Error('the user went away');
    const onProgress = ({file}) => file.includes('onnx_data') && controller.abort(reason);
    await assert.rejects(core.readModel(url, {signal: controller.signal, onProgress}), reason);
    assert.equal(asked.length, 2);
  });

  it('are missed by name', async () => {
    const only = [given[0]];
    await assert.rejects(core.readModel(files['model.onnx'], {externalData: only}), {
      code: 'INVALID_MODEL',
      message: /the tensor 'a' is in the file 'model\.onnx_data', which was not given/,
    });
    await assert.rejects(core.readModel(files['model.onnx']), {message: /which was not given/});
    writeFileSync(join(folder, 'lonely.onnx'), sums({location: 'none.bin'}));
    await assert.rejects(core.readModel(join(folder, 'lonely.onnx')), {code: 'INVALID_ARGUMENT', message: /none\.bin cannot be opened/});
    assert.throws(() => core.readModelSync(join(folder, 'lonely.onnx')), {code: 'INVALID_ARGUMENT', message: /none\.bin cannot be opened/});
  });

  it('may not be outside of its folder', async () => {
    writeFileSync(join(folder, 'secret'), bytesOf([1, 2]));
    for (const location of ['../secret', '/secret', 'weights/../../secret', 'C:\\secret']) {
      writeFileSync(join(folder, 'weights/inner.onnx'), sums({location}, {location: 'b c.bin'}));
      await assert.rejects(core.readModel(join(folder, 'weights/inner.onnx')), {
        code: 'INVALID_MODEL',
        message: /expected a relative path without '\.\.'/,
      });
      const data = join(folder, 'secret');
      await assert.rejects(core.readModel(join(folder, 'weights/inner.onnx'), {externalData: [{path: location, data}]}), {code: 'INVALID_MODEL'});
    }
  });

  it('are refused in words if they are something else', async () => {
    for (const externalData of [5, [5], [{path: 'a'}], [{data: 'a'}], [null]]) {
      await assert.rejects(core.readModel(path, {externalData}), {code: 'INVALID_ARGUMENT', message: /The option externalData takes an array of paths/});
    }
  });

  it('are an option of sessions', async () => {
    for (const [model, options] of [[path, {}], [files['model.onnx'], {externalData: given}]]) {
      const session = await InferenceSession.create(model, options);
      const {y} = await session.run({x: new Tensor('float32', [1, 2], [2])});
      assert.deepEqual([...y.data], [111, 222]);
    }
  });
});
