// SPDX-License-Identifier: Apache-2.0
// Tests an engine in a worker: same results and errors, a free calling thread, and runs that can be aborted in every build.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {pathToFileURL} from 'node:url';
import {accumulatingModel, addModel, builds, bytes, freshPackage, identityModel, irText, loopModel, packageWith, productModel, root, testdata} from '../engine.mjs';
import {failingPackage} from '../failing_package.mjs';

const g2p = `${testdata}models/g2p/`;
const input = () => [Float32Array.of(7)];
const reason = new Error('the user went away');
const soon = (milliseconds = 0) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Records the WebAssembly calls of this thread during `run`.
async function callsOf(run) {
  const calls = [];
  const kept = {};
  for (const name of ['Instance', 'Module', 'compile', 'instantiate']) {
    kept[name] = WebAssembly[name];
    WebAssembly[name] = new Proxy(kept[name], {
      construct: (target, args) => (calls.push(name), new target(...args)),
      apply: (target, self, args) => (calls.push(name), target.apply(self, args)),
    });
  }
  try {
    await run();
  } finally {
    Object.assign(WebAssembly, kept);
  }
  return calls;
}

for (const build of builds) {
  describe(`an engine in a worker, ${build}`, async () => {
    const ov = await packageWith(build);
    const core = new ov.Core({worker: true});
    const f32 = (shape, ...values) => new ov.Tensor('f32', shape, Float32Array.from(values));
    const compile = async ({xml, bin}, config = {}, options = {}) => core.compileModel(await core.readModel(xml, bin), 'CPU', config, options);
    const requestOf = async (model, config) => (await compile(model, config)).createInferRequest();
    after(() => ov.restart());

    it('has nothing computed on this thread', async () => {
      const calls = await callsOf(async () => {
        const request = await requestOf({xml: addModel([2])});
        const {sum} = await request.inferAsync({x: Float32Array.of(1, 2), y: [3, 4]});
        assert.deepEqual(sum.data, Float32Array.of(4, 6));
      });
      assert.deepEqual(calls, []);
      assert.deepEqual(ov.build, {name: build, reason: 'configured'});
      assert.ok(ov.memoryBytes() > 0);
    });

    it('describes models as one on this thread does', async () => {
      const here = new ov.Core().readModelSync(`${g2p}model.xml`);
      const model = await core.readModel(`${g2p}model.xml`);
      assert.ok(model instanceof ov.Model);
      const [made, compiled] = [await core.compileModel(model, 'CPU'), await core.compileModel(`${g2p}model.xml`, 'AUTO')];
      const portsOf = ({inputs, outputs}) => [...inputs, ...outputs].map((port) => [port.names, port.elementType, String(port.getPartialShape())]);
      for (const each of [model, made, compiled, model.clone()]) assert.deepEqual(portsOf(each), portsOf(here));
      assert.deepEqual(model.getOps().map((op) => op.getName()), here.getOps().map((op) => op.getName()));
      assert.equal(core.queryModel(model, 'CPU').gather_tree, 'CPU');
      assert.equal(model.isDynamic(), true);
      assert.equal(made.getProperty('NETWORK_NAME'), here.getName());
      assert.equal(compiled.getProperty('INFERENCE_NUM_THREADS') > 1, build.endsWith('-mt'));
      assert.match(String(model[Symbol.for('nodejs.util.inspect.custom')]()), /^Model '.*'\n {2}input graphemes: i32/);
    });

    it('gives the results that one on this thread gives', async () => {
      const letters = [...[...'browser'].map((letter) => letter.charCodeAt(0) - 94), 2];
      const word = () => ({graphemes: new ov.Tensor('i32', [1, letters.length], letters), beam_width: new ov.Tensor('i32', [], [3])});
      const request = (await core.compileModel(`${g2p}model.xml`, 'CPU')).createInferRequest();
      request.observe([{layer: ['beam_search_loop', 'beam_topk']}, {layer: 'gather_tree'}]);
      const results = await request.inferAsync(word());
      const here = new ov.Core().compileModelSync(`${g2p}model.xml`, 'CPU').createInferRequest();
      here.observe([{layer: ['beam_search_loop', 'beam_topk']}, {layer: 'gather_tree'}]);
      const wanted = here.infer(word());
      assert.deepEqual(Object.keys(results), Object.keys(wanted));
      for (const [name, tensor] of Object.entries(wanted)) {
        assert.deepEqual([results[name].getElementType(), results[name].getShape(), results[name].data], [tensor.getElementType(), tensor.getShape(), tensor.data]);
      }
      const seen = (observed) => observed.map(({layer, port, iterations, tensor}) => [layer, port, iterations, tensor.data]);
      assert.deepEqual(seen(request.observations()), seen(here.observations()));
      assert.ok(request.memoryBytes() > 0);
      request.observe([{layer: 'nothing'}]);
      await assert.rejects(request.inferAsync(word()), {code: 'INVALID_ARGUMENT', message: /nothing/});
      await request.inferAsync(word());
    });

    it('takes tensors of every kind, and leaves them to the caller', async () => {
      const text = await requestOf({xml: identityModel('string', [2])});
      assert.deepEqual((await text.inferAsync([new ov.Tensor(['Größe', ''])])).in.data, ['Größe', '']);
      for (const [type, values] of [['i64', BigInt64Array.of(-1n, 2n)], ['f16', [0.5, -2]], ['boolean', Uint8Array.of(1, 0)], ['i4', Uint8Array.of(0x5a)]]) {
        const tensor = new ov.Tensor(type, [2], values);
        const {in: out} = await (await requestOf({xml: identityModel(type, [2])})).inferAsync([tensor]);
        assert.deepEqual([out.getElementType(), out.data], [type, tensor.data]);
      }
      const request = await requestOf({xml: identityModel('f32', [2])});
      const array = Float32Array.of(1, 2);
      const first = request.getOutputTensor();
      assert.deepEqual(first.data, new Float32Array(2));
      const {in: out} = await request.inferAsync([array]);
      assert.deepEqual(array, Float32Array.of(1, 2));
      assert.deepEqual(first.data, array);
      array[0] = 5; // the next run reads it again
      await request.inferAsync();
      assert.deepEqual([first.data[0], out.data[0]], [5, 1]);
      const own = new ov.Tensor('f32', [2]);
      request.setOutputTensor(own);
      assert.equal((await request.inferAsync()).in, own);
      assert.deepEqual(own.data, array);
      const shown = new ov.Core().compileModelSync(new ov.Core().readModelSync(identityModel('f32', [2])), 'CPU').createInferRequest();
      shown.infer([Float32Array.of(3, 4)]);
      await request.inferAsync([shown.getOutputTensor()]);
      assert.deepEqual(own.data, Float32Array.of(3, 4));
      await request.inferAsync([array], {transferInputs: true});
      assert.equal(array.length, 0);
      await assert.rejects(request.inferAsync(), {code: 'INVALID_STATE', message: /was transferred/});
    });

    it('keeps the state of requests', async () => {
      const request = await requestOf(accumulatingModel());
      const one = () => request.inferAsync([Float32Array.of(1, 10)]).then(({total}) => [...total.data]);
      assert.deepEqual(await Promise.all([one(), one(), one()]), [[1, 10], [2, 20], [3, 30]]);
      const [state] = request.queryState();
      assert.equal(state.getName(), 'sum_so_far');
      assert.throws(() => state.getState(), {code: 'INVALID_STATE', message: /use getStateAsync\(\)/});
      assert.deepEqual((await state.getStateAsync()).data, Float32Array.of(3, 30));
      state.setState(f32([2], 100, 100));
      assert.deepEqual(await one(), [101, 110]);
      state.reset();
      assert.deepEqual(await one(), [1, 10]);
      request.resetState();
      assert.deepEqual(await one(), [1, 10]);
      state.setState(f32([3], 1, 2, 3));
      await assert.rejects(one(), {code: 'INVALID_SHAPE'});
    });

    it('changes models, and says when it is done', async () => {
      const model = await core.readModel(addModel([-1, 3]));
      const before = model.clone();
      assert.equal(model.reshape(new Map([[0, '4,3'], [1, '4,3']])), model);
      assert.throws(() => model.outputs, {code: 'INVALID_STATE', message: /await model\.ready/});
      await model.ready;
      assert.deepEqual(model.output().shape, [4, 3]);
      assert.equal(String(before.output().getPartialShape()), '[?,3]');
      model.reshape(new Map([[0, '4,3'], [1, '5,3']]));
      await assert.rejects(model.ready, {code: 'INVALID_SHAPE'});
      assert.deepEqual(model.output().shape, [4, 3]);
      model.reshape(new Map([[0, '4,3'], [1, '5,3']]));
      await assert.rejects(core.compileModel(model, 'CPU'), {code: 'INVALID_SHAPE'});
      const processor = new ov.preprocess.PrePostProcessor(model);
      processor.input(0).tensor().setElementType('u8');
      processor.build();
      const compiled = await core.compileModel(model, 'CPU');
      assert.equal(compiled.input(0).elementType, 'u8');
      const again = await core.importModel(await compiled.exportModel(), 'CPU');
      const {sum} = await again.createInferRequest().inferAsync([new Uint8Array(12).fill(200), new Float32Array(12)]);
      assert.deepEqual([sum.getShape(), sum.data[11]], [[4, 3], 200]);
    });

    it('profiles, and has queues of requests', async () => {
      const compiled = await compile({xml: addModel([2])}, {PERF_COUNT: true});
      const queue = new ov.AsyncInferQueue(compiled, 2);
      const results = [];
      queue.setCallback((error, request, i) => results.push([error, i, request.getOutputTensor().data[0], request.getProfilingInfo()[0].nodeType]));
      await Promise.all([0, 1, 2].map((i) => queue.startAsync([[i, i], [1, 1]], i)));
      queue.release();
      assert.deepEqual(results, [0, 1, 2].map((i) => [null, i, i + 1, 'Add']));
    });

    it('refuses what computes on the calling thread, and names what does not', async () => {
      const compiled = await compile({xml: addModel()});
      const request = compiled.createInferRequest();
      const model = await core.readModel(addModel());
      const refused = (instead) => ({code: 'INVALID_STATE', message: new RegExp(`use ${instead}\\(\\)`)});
      assert.throws(() => request.infer(), refused('inferAsync'));
      assert.throws(() => core.readModelSync(addModel()), refused('readModel'));
      assert.throws(() => core.compileModelSync(model, 'CPU'), refused('compileModel'));
      assert.throws(() => core.compileModelSync(`${g2p}model.xml`, 'CPU'), refused('compileModel'));
      assert.throws(() => compiled.exportModelSync(), refused('exportModel'));
      assert.throws(() => new ov.Core({worker: 'yes'}), {code: 'INVALID_ARGUMENT', message: /worker is true or false/});
    });

    it('fails as one on this thread does', async () => {
      await assert.rejects(core.readModel('no/such.xml'), {code: 'INVALID_ARGUMENT', message: /no\/such\.xml/});
      await assert.rejects(core.compileModel(await core.readModel(addModel()), 'GPU'), {code: 'INVALID_ARGUMENT', actual: 'GPU'});
      const wrong = bytes(irText([{name: 'x', type: 'NoSuch', outputs: [{type: 'f32', shape: [1]}]}, {name: 'y', type: 'Result', inputs: ['x']}]));
      const failure = await core.readModel(wrong).catch((error) => error);
      assert.ok(failure instanceof ov.WasmvinoError);
      const here = (() => {
        try {
          new ov.Core().readModelSync(wrong);
        } catch (error) {
          return error;
        }
      })();
      assert.deepEqual({...failure, message: failure.message}, {...here, message: here.message});
      assert.deepEqual(failure.problems?.length, here.problems?.length);
      const open = await requestOf({xml: addModel([-1, -1])});
      await assert.rejects(open.inferAsync([f32([2, 1], 1, 2), f32([3, 1], 1, 2, 3)]), {code: 'INVALID_SHAPE', layer: 'add', layerType: 'Add-1'});
      await assert.rejects(open.inferAsync({z: f32([1, 1], 1)}), {code: 'INVALID_ARGUMENT'});
    });

    it('leaves this thread free, and ends a run when it is told to', async () => {
      const endless = await requestOf(loopModel(-1));
      const other = await requestOf(loopModel(3));
      for (let again = 0; again < 2; again++) {
        const controller = new AbortController();
        let turns = 0;
        const runs = endless.inferAsync(input(), {signal: controller.signal});
        const waits = other.inferAsync(input());
        while (++turns < 20) await soon();
        controller.abort(reason);
        await assert.rejects(runs, reason);
        assert.deepEqual((await waits).out.data, Float32Array.of(7));
      }
      await assert.rejects(endless.inferAsync(input(), {limits: {inferMilliseconds: 30}}), {code: 'LIMIT_EXCEEDED', layer: 'loop', expected: '30 ms'});
      const cancelled = endless.inferAsync(input());
      setTimeout(() => endless.cancel(), 20);
      await assert.rejects(cancelled, {code: 'CANCELLED'});
      assert.deepEqual((await other.inferAsync(input())).out.data, Float32Array.of(7));
    });

    it('does not begin what is aborted already, or while it waits', async () => {
      const signal = AbortSignal.abort(reason);
      const model = await core.readModel(addModel());
      const endless = await requestOf(loopModel(-1));
      await assert.rejects(endless.inferAsync(input(), {signal}), reason);
      await assert.rejects(core.readModel(addModel(), {signal}), reason);
      await assert.rejects(core.compileModel(model, 'CPU', {}, {signal}), reason);
      const [first, second] = [new AbortController(), new AbortController()];
      const runs = endless.inferAsync(input(), {signal: first.signal});
      const waits = core.compileModel(model, 'CPU', {}, {signal: second.signal});
      await soon(20);
      second.abort(reason);
      await assert.rejects(waits, reason);
      first.abort(reason);
      await assert.rejects(runs, reason);
    });

    it('keeps what a worker that was ended had: changes of models, what is observed, not the state', async () => {
      const endless = await requestOf(loopModel(-1));
      const end = async () => {
        const controller = new AbortController();
        const runs = endless.inferAsync(input(), {signal: controller.signal});
        await soon(20);
        controller.abort(reason);
        await assert.rejects(runs, reason);
      };
      const model = await core.readModel(addModel([-1, 3]));
      await model.reshape(new Map([[0, '2,3'], [1, '2,3']])).ready;
      const request = (await core.compileModel(model, 'CPU')).createInferRequest();
      request.observe([{layer: 'add'}]);
      const sums = await requestOf(accumulatingModel());
      await sums.inferAsync([Float32Array.of(1, 10)]);
      await end();
      await request.inferAsync([new Float32Array(6).fill(1), new Float32Array(6).fill(2)]);
      assert.deepEqual(request.observations()[0].tensor.data, new Float32Array(6).fill(3));
      assert.deepEqual((await core.compileModel(model, 'CPU')).output().shape, [2, 3]);
      const {total} = await sums.inferAsync([Float32Array.of(1, 10)]);
      assert.deepEqual(total.data, build.endsWith('-mt') ? Float32Array.of(2, 20) : Float32Array.of(1, 10));
    });

    it('lets go of what is disposed', async () => {
      const model = await core.readModel(addModel([2]));
      const compiled = await core.compileModel(model, 'CPU');
      const request = compiled.createInferRequest();
      model.dispose();
      compiled.dispose();
      const {sum} = await request.inferAsync([[1, 2], [3, 4]]);
      assert.deepEqual(sum.data, Float32Array.of(4, 6));
      request.dispose();
      const disposed = {code: 'INVALID_STATE', message: /was disposed/};
      await assert.rejects(request.inferAsync([[1, 2], [3, 4]]), disposed);
      await assert.rejects(core.compileModel(model, 'CPU'), disposed);
      assert.throws(() => compiled.createInferRequest(), disposed);
      assert.deepEqual(sum.data, Float32Array.of(4, 6));
    });

    it('is replaced by restart(), which its objects say then', async () => {
      const endless = await requestOf(loopModel(-1));
      const model = await core.readModel(addModel());
      const replaced = {code: 'INVALID_STATE', message: /ov\.restart\(\) replaced/};
      const runs = endless.inferAsync(input());
      const waits = core.compileModel(model, 'CPU');
      await soon(20);
      const outcomes = Promise.allSettled([runs, waits]);
      await ov.restart();
      for (const {reason: error} of await outcomes) assert.deepEqual({code: error.code, replaced: replaced.message.test(error.message)}, {code: 'INVALID_STATE', replaced: true});
      await assert.rejects(endless.inferAsync(input()), replaced);
      assert.throws(() => model.clone(), replaced);
      assert.deepEqual((await (await requestOf(loopModel(3))).inferAsync(input())).out.data, Float32Array.of(7));
    });
  });

  describe(`an engine that fails in a worker, ${build}`, () => {
    const files = failingPackage(build);
    after(() => files.remove());

    it('rejects what waits, and is replaced', async () => {
      const ov = await files.load();
      const core = new ov.Core({worker: true});
      const failed = {code: 'ENGINE_FAILED', message: /unreachable.*ov\.restart\(\)/};
      const {xml, bin} = productModel(3, 64);
      const model = await core.readModel(xml, bin);
      const request = (await core.compileModel(await core.readModel(addModel([1])), 'CPU')).createInferRequest();
      files.arm('main');
      files.arm('thread');
      const compiles = core.compileModel(model, 'CPU');
      const waits = request.inferAsync([[1], [2]]);
      await assert.rejects(compiles, failed);
      await assert.rejects(waits, failed);
      files.disarm('main');
      files.disarm('thread');
      await assert.rejects(core.readModel(addModel()), failed);
      assert.throws(() => model.getOps(), failed);
      const compile = async (core) => (await core.compileModel(await core.readModel(addModel([1])), 'CPU')).createInferRequest();
      await (await compile(new ov.Core({worker: true, autoRestart: true}))).inferAsync([[1], [2]]);
      await ov.restart();
      const {sum} = await (await compile(core)).inferAsync([[1], [2]]);
      assert.deepEqual(sum.data, Float32Array.of(3));
      await assert.rejects(request.inferAsync([[1], [2]]), failed);
    });
  });
}

describe('workers', () => {
  it('are what Cores take by configure(), if that says so', async () => {
    const ov = await freshPackage();
    ov.configure({build: 'simd', worker: true});
    await ov.ready;
    assert.deepEqual(ov.build, {name: 'simd', reason: 'configured'});
    assert.throws(() => ov.configure({worker: false}), {code: 'INVALID_STATE', message: /in a worker/});
    assert.throws(() => new ov.Core().readModelSync(addModel()), {code: 'INVALID_STATE', message: /use readModel\(\)/});
    assert.equal(new ov.Core({worker: false}).readModelSync(addModel()).getName(), 'made_up');
    assert.throws(() => ov.inspect(addModel()), {code: 'INVALID_STATE', message: /runs the engine in a worker/});
    assert.throws(() => ov.operations(), {code: 'INVALID_STATE'});
    await ov.restart();
  });

  it('take no factory, and what else configure() was given', async () => {
    const ov = await freshPackage();
    ov.configure({worker: true, factory: () => {}});
    await assert.rejects(ov.ready, {code: 'INVALID_ARGUMENT', message: /factory is a function/});
    ov.configure({worker: true, build: 'simd', wasmUrl: 'no/such/'});
    await assert.rejects(ov.ready, {code: 'INVALID_ARGUMENT', message: /no\/such\/wasmvino-simd\.wasm/});
    ov.configure({worker: true, build: 'simd', wasmUrl: pathToFileURL(`${root}dist/wasmvino-simd.wasm`)});
    await ov.ready;
    await ov.restart();
  });

  it('say why they do not start', async () => {
    const files = failingPackage('simd');
    after(() => files.remove());
    const ov = await files.load();
    const core = new ov.Core({worker: true});
    const script = new URL('worker.cjs', files.url);
    const text = readFileSync(script);
    unlinkSync(script);
    await assert.rejects(core.readModel(addModel()), {code: 'UNSUPPORTED', message: /worker of the engine cannot be started: .*worker\.cjs/});
    writeFileSync(script, 'process.exit(3)');
    await assert.rejects(core.readModel(addModel()), {code: 'UNSUPPORTED', message: /it exited with code 3/});
    writeFileSync(script, "require('node:worker_threads').parentPort.postMessage({alive: true}); setTimeout(() => process.exit(4), 50);");
    await assert.rejects(core.readModel(addModel()), {code: 'UNSUPPORTED', message: /it exited with code 4/});
    writeFileSync(script, text);
    assert.equal((await core.readModel(addModel())).getName(), 'made_up');
  });

  it('keep no process alive', () => {
    const script = `import {addon as ov} from ${JSON.stringify(pathToFileURL(`${root}dist/node.js`).href)};
      const model = await new ov.Core({worker: true}).readModel(new TextEncoder().encode(${JSON.stringify(new TextDecoder().decode(addModel()))}));
      console.log(model.getName());`;
    assert.equal(execFileSync(process.execPath, ['--input-type=module', '-e', script], {encoding: 'utf8', timeout: 20_000}), 'made_up\n');
  });
});

describe('loading in a worker', () => {
  const {xml, bin} = productModel(2, 512);
  const folder = mkdtempSync(join(tmpdir(), 'wasmvino-'));
  let server;
  let url;

  before(async () => {
    for (const [name, body] of [['model.xml', xml], ['model.bin', bin]]) writeFileSync(join(folder, name), body);
    server = createServer((request, response) => {
      if (request.url === '/model.xml') return response.end(xml);
      if (request.url === '/model.bin') return response.writeHead(200, {'content-length': bin.length}).end(bin);
      response.writeHead(200, {'content-length': 1e6}).write('never more');
    });
    await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${server.address().port}/`;
  });

  after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, {recursive: true});
  });

  it('tells how far it is, under the names that it was given', async () => {
    const ov = await packageWith('simd');
    const core = new ov.Core({worker: true});
    for (const path of [`${url}model.xml`, new URL('model.xml', url), join(folder, 'model.xml'), pathToFileURL(join(folder, 'model.xml'))]) {
      const told = [];
      const model = await core.readModel(path, {onProgress: (progress) => told.push(progress)});
      assert.deepEqual(told.at(-1), {loaded: xml.length + bin.length, total: xml.length + bin.length, file: String(path), phase: 'read'});
      model.dispose();
    }
    const mine = new Error('mine');
    const onProgress = () => {
      throw mine;
    };
    await assert.rejects(core.readModel(`${url}model.xml`, {onProgress}), mine);
    const integrity = {weights: 'sha256-AAAA'};
    await assert.rejects(core.readModel(`${url}model.xml`, {integrity}), {code: 'INVALID_MODEL', message: /is not the expected file/});
  });

  it('ends downloads that are aborted, and begins those again whose worker was ended', async () => {
    const ov = await packageWith('simd');
    const core = new ov.Core({worker: true});
    const controller = new AbortController();
    const {signal} = controller;
    const reads = core.readModel(`${url}endless.xml`, {signal, onProgress: () => controller.abort(reason)});
    await assert.rejects(reads, reason);

    const {xml: loop, bin: constants} = loopModel(-1);
    const endless = (await core.compileModel(await core.readModel(loop, constants), 'CPU')).createInferRequest();
    const told = [];
    const loaded = await core.readModel(`${url}model.xml`, {onProgress: () => told.push(1)});
    const other = new AbortController();
    const runs = endless.inferAsync(input(), {signal: other.signal});
    await soon(20);
    const waits = core.readModel(`${url}model.xml`); // the worker is busy
    await soon(20);
    other.abort(reason);
    await assert.rejects(runs, reason);
    assert.equal((await waits).inputs.length, 1);
    // Reading the model again in a new worker reports no progress.
    const before = told.length;
    await core.compileModel(loaded, 'CPU');
    assert.equal(told.length, before);
  });
});

describe('capabilities', () => {
  it('are told with reasons, and load nothing', async () => {
    const ov = await freshPackage();
    const found = ov.capabilities();
    assert.deepEqual(Object.keys(found), ['simd', 'relaxed', 'threads', 'isolation', 'worker', 'memory']);
    const {memory, ...others} = found;
    for (const [name, {available, reason}] of Object.entries(others)) {
      assert.equal(typeof available, 'boolean', name);
      assert.ok(reason.length > 5, name);
    }
    const {name} = ov.build;
    assert.equal(found.relaxed.available, name.startsWith('relaxed'));
    assert.equal(found.threads.available, name.endsWith('-mt'));
    assert.deepEqual([found.simd.available, found.worker.available], [true, true]);
    assert.equal(memory.bytes, 2 ** 32);
    assert.equal(ov.memoryBytes(), 0);
  });
});
