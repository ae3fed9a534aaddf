// SPDX-License-Identifier: Apache-2.0
// Objects of callers that lie: subclasses with other getters, properties of their own, Proxies, getters that throw, buffers that
// are transferred, shrunk or grown. The engine must see a tensor's own values or an error in words. A failed call changes
// nothing.
import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {accumulatingModel, addModel, builds, bytes, irText, packageWith} from '../engine.mjs';

const huge = new Float32Array(1 << 20).fill(7);
const transfer = (buffer) => structuredClone(buffer, {transfer: [buffer]});
const gone = {code: 'INVALID_STATE', message: /transferred or made smaller/};

/** A Proxy that counts how often each property was read, and throws when one is read again. */
function readOnce(target) {
  const seen = new Set();
  return new Proxy(target, {
    get(from, key) {
      assert.ok(!seen.has(key), `${String(key)} was read twice`);
      seen.add(key);
      const value = Reflect.get(from, key);
      return typeof value === 'function' ? value.bind(from) : value;
    },
  });
}

/** Typed arrays of two ones that pretend to be something else. */
const arrays = {
  'subclass with another length': () => {
    class Liar extends Float32Array {
      get length() { return 1 << 20; }
      get byteLength() { return 1 << 22; }
      get byteOffset() { return 4096; }
      get buffer() { return huge.buffer; }
      static get [Symbol.species]() { return Float64Array; }
    }
    return Liar.of(1, 1);
  },
  'subclass that iterates something else': () => {
    class Liar extends Float32Array {
      *[Symbol.iterator]() { yield* huge; }
      slice() { return huge; }
      subarray() { return huge; }
      set() { throw new Error('never called'); }
    }
    return Liar.of(1, 1);
  },
  'own properties': () =>
    Object.defineProperties(Float32Array.of(1, 1), {
      length: {value: 1 << 20}, byteLength: {value: 1 << 22}, byteOffset: {value: 4}, buffer: {value: huge.buffer}, constructor: {value: Float64Array},
    }),
  'getters that throw': () => {
    const get = () => { throw new Error('never called'); };
    return Object.defineProperties(Float32Array.of(1, 1), {length: {get}, byteLength: {get}, byteOffset: {get}, buffer: {get}, constructor: {get}});
  },
  'no prototype': () => Object.setPrototypeOf(Float32Array.of(1, 1), null),
  'a buffer that lies': () => {
    const array = Float32Array.of(1, 1);
    Object.defineProperty(array.buffer, 'byteLength', {value: 1 << 22});
    return array;
  },
};

/** Tensors of two ones that pretend to be something else. */
const tensors = (ov) => {
  const of = (members) => {
    class Liar extends ov.Tensor {}
    for (const [key, value] of Object.entries(members)) Object.defineProperty(Liar.prototype, key, typeof value === 'function' ? {value} : value);
    return new Liar('f32', [2], Float32Array.of(1, 1));
  };
  const get = () => { throw new Error('never called'); };
  return {
    'other data': () => of({data: {get: () => huge}, getData: () => huge, view: (use) => use(huge)}),
    'less data': () => of({data: {get: () => new Float32Array(1)}, getByteSize: () => 4}),
    'another shape': () => of({getShape: () => [1 << 20], getSize: () => 1 << 20, setShape: () => {}}),
    'a shape that is a text': () => of({getShape: () => ({toString: () => '1048576'})}),
    'another type': () => of({getElementType: () => 'f64'}),
    'a type of several lines': () => of({getElementType: () => 'f32 2\nf32 2\nf32'}),
    'other insides': () => of({info: {value: {type: 'f64', shape: [1 << 20]}}, array: {value: huge}, engine: {value: {memory: huge}}, take: get}),
    'getters that throw': () => of(Object.fromEntries(['data', 'info', 'array', 'engine'].map((key) => [key, {get}]))),
  };
};

/** Values that are no tensors, although instanceof says so. */
const counterfeits = (ov) => ({
  'a Proxy of a tensor': () => new Proxy(new ov.Tensor('f32', [2]), {}),
  'an object with the prototype': () => Object.create(ov.Tensor.prototype),
});

// "y" is what the operation Lie makes of "x".
const lieModel = bytes(
  irText([
    {name: 'x', type: 'Parameter', outputs: [{type: 'f32', shape: [2], names: 'x'}]},
    {name: 'lie', type: 'Lie', version: 'extension', inputs: ['x'], outputs: [{type: 'f32', shape: [2], names: 'y'}]},
    {name: 'result', type: 'Result', inputs: ['lie']},
  ]),
);

for (const build of builds) {
  describe(`hostile objects, ${build}`, async () => {
    const ov = await packageWith(build);
    const core = new ov.Core();
    const ones = Float32Array.of(1, 1);
    const {xml, bin} = accumulatingModel();
    const accumulating = core.compileModelSync(core.readModelSync(xml, bin), 'CPU');
    const adding = core.compileModelSync(core.readModelSync(addModel([2])), 'CPU');
    const all = Object.entries({
      ...tensors(ov),
      ...Object.fromEntries(Object.entries(arrays).map(([name, make]) => [`an array, ${name}`, () => new ov.Tensor('f32', [2], make())])),
    });

    for (const [name, make] of all) {
      it(`a tensor with ${name} is what it was made of`, async () => {
        const request = adding.createInferRequest();
        assert.deepEqual([...request.infer([make(), ones]).sum.data], [2, 2]);
        assert.deepEqual([...(await request.inferAsync({x: ones, y: make()})).sum.data], [2, 2]);
        const into = make();
        request.setOutputTensor(into);
        request.infer([Float32Array.of(2, 2), ones]);
        const copy = new ov.Tensor('f32', [2]);
        ov.Tensor.prototype.copyTo.call(into, copy);
        assert.deepEqual([...copy.data], [3, 3]);
        const stateful = accumulating.createInferRequest();
        stateful.queryState()[0].setState(make());
        assert.deepEqual([...stateful.infer([ones]).total.data], [2, 2]);
        const exported = accumulating.exportModelSync();
        class Bytes extends ov.Tensor { get data() { return new Uint8Array(3); } }
        const again = core.importModelSync(new Bytes('u8', [exported.length], Uint8Array.from(exported)), 'CPU');
        assert.deepEqual([...again.createInferRequest().infer([ones]).total.data], [1, 1]);
      });

      it(`evaluate() that returns a tensor with ${name}`, async () => {
        const own = new ov.Core();
        own.addExtension({type: 'Lie', infer: () => [{type: 'f32', shape: '[2]'}], evaluate: () => [make()]});
        const request = own.compileModelSync(own.readModelSync(lieModel), 'CPU').createInferRequest();
        assert.deepEqual([...request.infer([ones]).y.data], [1, 1]);
        assert.deepEqual([...(await request.inferAsync([ones])).y.data], [1, 1]);
      });
    }

    for (const [name, make] of Object.entries(arrays)) {
      it(`an array, ${name}, is itself`, () => {
        const request = adding.createInferRequest();
        assert.deepEqual([...request.infer([make(), make()]).sum.data], [2, 2]);
        const tensor = new ov.Tensor('f32', [2]);
        tensor.data = make();
        assert.deepEqual([...tensor.data], [1, 1]);
        const own = new ov.Core();
        own.addExtension({type: 'Lie', infer: () => [{type: 'f32', shape: [2]}], evaluate: () => [{type: 'f32', shape: [2], data: make()}]});
        assert.deepEqual([...own.compileModelSync(own.readModelSync(lieModel), 'CPU').createInferRequest().infer([ones]).y.data], [1, 1]);
      });
    }

    it('what evaluate() returns instead of the tensors declared is refused', () => {
      const outputs = [
        new ov.Tensor('f32', [1 << 20], huge.slice()),
        new ov.Tensor('f64', [2]),
        new ov.Tensor(['one', 'two']),
        ...Object.values(counterfeits(ov)).map((make) => make()),
        {type: 'f32 2\nf32', shape: [2], data: ones},
        {type: 'f32', shape: readOnce([1]), data: ones},
        null,
        7,
      ];
      for (const output of outputs) {
        const own = new ov.Core();
        own.addExtension({type: 'Lie', infer: () => [{type: 'f32', shape: '[2]'}], evaluate: () => [output]});
        const request = own.compileModelSync(own.readModelSync(lieModel), 'CPU').createInferRequest();
        assert.throws(() => request.infer([ones]), (error) => error instanceof ov.WasmvinoError && !/INTERNAL|ENGINE/.test(error.code));
      }
      for (const output of [{type: 'f32 [2]\nf32', shape: '[2]'}, {type: 'f32', shape: Object.assign(new ov.PartialShape('2'), {toString: () => '[2]\nf32 [2]'})}]) {
        const own = new ov.Core();
        let told = 0;
        own.addExtension({type: 'Lie', infer: () => (++told, [output]), evaluate: ([x]) => [x]});
        try {
          const request = own.compileModelSync(own.readModelSync(lieModel), 'CPU').createInferRequest();
          assert.deepEqual([...request.infer([ones]).y.data], [1, 1]);
        } catch (error) {
          assert.match(error.code, /^INVALID_(ARGUMENT|VALUE)$/);
        }
        assert.ok(told > 0);
      }
    });

    // In threaded builds, microtasks may run between evaluate() and the copy of what it returned.
    it('a buffer that is transferred after evaluate() is noticed', async () => {
      const own = new ov.Core();
      const evaluate = () => {
        const array = Float32Array.of(1, 1);
        queueMicrotask(() => transfer(array.buffer));
        return [new ov.Tensor('f32', [2], array)];
      };
      own.addExtension({type: 'Lie', infer: () => [{type: 'f32', shape: '[2]'}], evaluate});
      const request = own.compileModelSync(own.readModelSync(lieModel), 'CPU').createInferRequest();
      const results = await request.inferAsync([ones]).catch((error) => error);
      if (results.code) assert.match(`${results.code} ${results.message}`, /^INVALID_SHAPE .*output 0 with 0 bytes, but f32 \[2\] has 8/);
      else assert.deepEqual([...results.y.data], [1, 1]);
    });

    it('counterfeit tensors are refused everywhere', async () => {
      for (const [name, make] of Object.entries(counterfeits(ov))) {
        const request = adding.createInferRequest();
        const [variable] = accumulating.createInferRequest().queryState();
        const uses = [
          () => request.infer([make(), ones]),
          () => request.setInputTensor(0, make()),
          () => request.setOutputTensor(make()),
          () => request.setTensor('x', make()),
          () => variable.setState(make()),
          () => new ov.Tensor('f32', [2]).copyTo(make()),
          () => core.importModelSync(make(), 'CPU'),
          () => core.readModelSync('<net/>', make()),
        ];
        for (const use of uses) assert.throws(use, {code: 'INVALID_ARGUMENT'}, name);
        assert.deepEqual([...request.infer([ones, ones]).sum.data], [2, 2]);
      }
    });

    const losses = {shrunk: (buffer) => buffer.resize(4), transferred: transfer};
    for (const [name, lose] of Object.entries(losses)) {
      const lost = () => {
        const buffer = new ArrayBuffer(8, {maxByteLength: 64});
        const tensor = new ov.Tensor('f32', [2], new Float32Array(buffer));
        lose(buffer);
        return tensor;
      };

      it(`setState() with a buffer that was ${name} changes nothing`, () => {
        const request = accumulating.createInferRequest();
        const [variable] = request.queryState();
        request.infer([Float32Array.of(5, 6)]);
        assert.throws(() => variable.setState(lost()), gone);
        assert.deepEqual([...variable.getState().data], [5, 6]);
      });

      it(`a run into an output whose buffer was ${name} advances no variable`, async () => {
        const request = accumulating.createInferRequest();
        const [variable] = request.queryState();
        request.infer([Float32Array.of(5, 6)]);
        assert.throws(() => request.setOutputTensor(lost()), gone);
        const buffer = new ArrayBuffer(8, {maxByteLength: 64});
        request.setOutputTensor(new ov.Tensor('f32', [2], new Float32Array(buffer)));
        lose(buffer);
        assert.throws(() => request.infer([ones]), gone);
        await assert.rejects(request.inferAsync([ones]), gone);
        assert.deepEqual([...variable.getState().data], [5, 6]);
        const into = new ov.Tensor('f32', [2]);
        request.setOutputTensor(into);
        request.infer([ones]);
        assert.deepEqual([...into.data], [6, 7]);
        for (const spoil of [() => into.setShape([3]), () => into.dispose()]) {
          spoil();
          assert.throws(() => request.infer([ones]), {code: /INVALID_(SHAPE|STATE)/});
          assert.deepEqual([...variable.getState().data], [6, 7]);
        }
      });

      it(`an input whose buffer was ${name} leaves the other inputs as they were`, async () => {
        const request = adding.createInferRequest();
        request.infer([ones, ones]);
        const tens = new ov.Tensor('f32', [2], [10, 10]);
        const after = lost();
        assert.throws(() => request.infer([tens, after]), gone);
        await assert.rejects(request.inferAsync([tens, after]), gone);
        assert.deepEqual([...request.infer().sum.data], [2, 2]);
      });

      it(`setShape() of a tensor whose buffer was ${name}`, () => {
        const tensor = lost();
        assert.throws(() => tensor.setShape([1, 2, 2]), {code: /INVALID_(STATE|SHAPE)/});
        assert.throws(() => tensor.reshape([1, 2]).data, gone);
        const own = new ov.Tensor('f32', [4]);
        transfer(own.view().buffer);
        own.setShape([2]);
        assert.deepEqual([...own.data], [0, 0]);
      });
    }

    it('a tensor over a buffer that grew keeps to the array it was made of', () => {
      for (const Kind of [ArrayBuffer, SharedArrayBuffer]) {
        const buffer = new Kind(8, {maxByteLength: 1 << 16});
        const tensor = new ov.Tensor('f32', [2], new Float32Array(buffer));
        (buffer.grow ?? buffer.resize).call(buffer, 1 << 16);
        assert.throws(() => tensor.setShape([4]), {code: 'INVALID_SHAPE', message: /takes 16 bytes, the array that the tensor was made of has 8/});
        tensor.setShape([1]);
        tensor.setShape([2]);
        assert.equal(tensor.getByteSize(), 8);
      }
    });

    it('empty and detached arrays make empty tensors', () => {
      const detached = new Float32Array(4);
      transfer(detached.buffer);
      for (const array of [new Float32Array(0), detached]) {
        const tensor = new ov.Tensor('f32', [0], array);
        assert.deepEqual([tensor.getShape(), tensor.data.length, tensor.reshape([0, 3]).data.length], [[0], 0, 0]);
        tensor.setShape([2, 0]);
        assert.throws(() => tensor.setShape([1]), {code: 'INVALID_SHAPE'});
      }
    });

    it('lists, shapes and options are read once', async () => {
      const request = adding.createInferRequest();
      const tensor = new ov.Tensor('f32', readOnce([2]), readOnce([1, 2]));
      assert.deepEqual([...tensor.data], [1, 2]);
      tensor.setShape(readOnce([1, 2]));
      tensor.reshape(readOnce([2, -1]));
      assert.deepEqual(new ov.Tensor(readOnce(['one', 'two'])).data, ['one', 'two']);
      const texts = new ov.Tensor(['', '']);
      texts.data = readOnce(['one', 'two']);
      assert.deepEqual(texts.data, ['one', 'two']);
      assert.deepEqual([...new ov.Tensor('f32', [1], [3]).pad(readOnce([readOnce([1, 0])])).data], [0, 3]);
      const inputs = () => readOnce({x: readOnce([1, 2]), y: ones});
      assert.deepEqual([...request.infer(inputs(), readOnce({shareOutputs: false, limits: readOnce({inferMilliseconds: 1000})})).sum.data], [2, 3]);
      assert.deepEqual([...(await request.inferAsync(inputs(), readOnce({onProgress: () => {}, limits: readOnce({iterations: 5}), shareOutputs: true}))).sum.data], [2, 3]);
      request.observe(readOnce([readOnce({layer: readOnce(['add']), port: 0})]));
      request.infer();
      assert.equal(request.observations().length, 1);
      const model = core.readModelSync(addModel([-1]), readOnce({limits: readOnce({layers: 9})}));
      model.reshape(new Map([['x', '2'], ['y', '2']]));
      core.compileModelSync(model, 'CPU', readOnce({PERF_COUNT: false}));
      await core.compileModel(model, 'CPU', readOnce({PERF_COUNT: false}));
      new ov.Core(readOnce({limits: readOnce({layers: 10}), autoRestart: false}));
      new ov.Core().setProperty(readOnce({PERF_COUNT: true}));
      assert.deepEqual((await ov.Tensor.from(readOnce({width: 1, height: 1, data: new Uint8Array(4)}), readOnce({channels: 4}))).getShape(), [1, 1, 1, 4]);
      new ov.Core().addExtension(readOnce({type: 'Lie', version: 'extension', infer() {}, evaluate() {}}));
    });

    it('options that change later have no effect', async () => {
      const request = adding.createInferRequest();
      const options = {shareOutputs: false};
      const promise = request.inferAsync([ones, ones], options);
      options.shareOutputs = true;
      const {sum} = await promise;
      request.infer([huge.slice(0, 2), ones]);
      assert.deepEqual([...sum.data], [2, 2]);
      const config = {PERF_COUNT: true};
      const compiling = core.compileModel(core.readModelSync(addModel([2])), 'CPU', config);
      config.PERF_COUNT = 'nonsense';
      assert.equal((await compiling).getProperty('PERF_COUNT'), true);
    });

    it('a getter that throws ends the call with its own error, and nothing has changed', async () => {
      const request = accumulating.createInferRequest();
      request.infer([Float32Array.of(5, 6)]);
      const error = new Error('from the getter');
      const throwing = (object, key) => Object.defineProperty(object, key, {enumerable: true, get: () => { throw error; }});
      const calls = [
        () => request.infer(throwing({}, 'x')),
        () => request.infer(throwing([], 0)),
        () => request.infer([throwing([1], 1)]),
        () => request.infer([ones], throwing({}, 'shareOutputs')),
        () => request.infer([ones], throwing({}, 'limits')),
        () => request.infer([ones], {limits: throwing({}, 'layers')}),
        () => request.inferAsync([ones], throwing({}, 'onProgress')),
        () => request.observe([throwing({}, 'layer')]),
        () => new ov.Tensor('f32', throwing([2], 0), ones),
        () => request.queryState()[0].setState(new ov.Tensor('f32', [2], throwing([1, 2], 1))),
      ];
      for (const call of calls) await assert.rejects(async () => call(), (thrown) => thrown === error);
      assert.deepEqual([...request.queryState()[0].getState().data], [5, 6]);
      assert.deepEqual([...request.infer([ones]).total.data], [6, 7]);
    });

    it('leaves the engine as it was', () => {
      for (let i = 0; i < 20; ++i) {
        assert.deepEqual([...core.compileModelSync(core.readModelSync(addModel([2])), 'CPU').createInferRequest().infer([ones, ones]).sum.data], [2, 2]);
      }
    });
  });
}
