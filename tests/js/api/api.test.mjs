// SPDX-License-Identifier: Apache-2.0
// Tests reading, compiling and running models in each of the four builds.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {describe, it} from 'node:test';
import {inspect} from 'node:util';
import {accumulatingModel, addModel, builds, bytes, identityModel, irText, packageWith, testdata} from '../engine.mjs';

const g2p = `${testdata}models/g2p/`;

for (const build of builds) {
  const ov = await packageWith(build);
  const core = new ov.Core();
  const compile = (xml, bin, config) => core.compileModelSync(core.readModelSync(xml, bin), 'CPU', config);
  const f32 = (shape, ...values) => new ov.Tensor('f32', shape, Float32Array.from(values));

  describe(`build ${build}`, () => {
    it('is the one in use', () => {
      assert.deepEqual(ov.build, {name: build, reason: 'configured'});
      assert.throws(() => ov.configure({build}), {code: 'INVALID_STATE'});
    });

    describe('Core', () => {
      it('computes on CPU, and on devices that choose it', () => {
        assert.deepEqual(core.getAvailableDevices(), ['CPU']);
        for (const device of ['CPU', 'AUTO', 'AUTO:CPU', 'MULTI:CPU', 'HETERO:CPU', 'BATCH:CPU', 'BATCH:CPU(4)']) {
          assert.ok(core.compileModelSync(core.readModelSync(addModel()), device) instanceof ov.CompiledModel);
        }
      });

      it('refuses other devices by name', async () => {
        const model = core.readModelSync(addModel());
        assert.throws(() => core.compileModelSync(model, 'GPU'), {code: 'INVALID_ARGUMENT', actual: 'GPU', message: /'GPU'/});
        await assert.rejects(core.compileModel(model, 'NPU.1'), {code: 'INVALID_ARGUMENT', message: /'NPU\.1'/});
      });

      it('reads from paths, bytes, and text with a tensor of weights', async () => {
        const path = `${g2p}model.xml`;
        const [xml, bin] = [readFileSync(path), readFileSync(`${g2p}model.bin`)];
        const weights = new ov.Tensor('u8', [bin.length], new Uint8Array(bin));
        const buffer = (view) => view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
        const forms = [[path], [path, `${g2p}model.bin`], [xml, bin], [buffer(xml), buffer(bin)], [xml.toString(), weights]];
        for (const form of forms) {
          for (const model of [core.readModelSync(...form), await core.readModel(...form)]) {
            assert.ok(model instanceof ov.Model);
            assert.deepEqual(model.inputs.map(String), ['graphemes', 'beam_width']);
            model.dispose();
          }
        }
      });

      it('names a file that is not there, and refuses arguments of other forms', async () => {
        assert.throws(() => core.readModelSync('no/such.xml'), {code: 'INVALID_ARGUMENT', message: /no\/such\.xml/});
        await assert.rejects(core.readModel('no/such.xml'), {code: 'INVALID_ARGUMENT'});
        assert.throws(() => core.readModelSync(core), /'readModelSync' method called with incorrect parameters/);
        assert.throws(() => core.readModel(5), /'readModel' method called with incorrect parameters/);
        const model = core.readModelSync(addModel());
        assert.throws(
          () => core.compileModelSync(model, 'CPU', 'string'),
          /'compileModelSync' method called with incorrect parameters\.\nProvided signature: \(object, string, string\)/,
        );
        assert.throws(() => core.compileModelSync(model), /'compileModelSync' method called with incorrect parameters/);
        assert.throws(() => core.compileModel(model, 'CPU', {PERFORMANCE_HINT: {}}), /Cannot convert to ov::Any: 'PERFORMANCE_HINT' has a value of type object/);
        const {signal} = new AbortController();
        assert.throws(() => core.compileModel(model, 'CPU', {signal}), {
          code: 'INVALID_TYPE',
          message: /'signal'.*after the properties: \(model, 'CPU', {}, {signal}\)/,
        });
      });

      it('has properties', () => {
        const own = new ov.Core();
        own.setProperty({CACHE_DIR: 'somewhere'});
        assert.equal(own.getProperty('CACHE_DIR'), 'somewhere');
        own.setProperty('CPU', {NUM_STREAMS: 5});
        assert.equal(own.getProperty('CPU', 'NUM_STREAMS'), 5);
        assert.ok(own.getProperty('CPU', 'SUPPORTED_PROPERTIES').includes('PERF_COUNT'));
        assert.deepEqual(own.getProperty('CPU', 'EXECUTION_DEVICES'), ['CPU']);
        assert.throws(() => own.setProperty({FULL_DEVICE_NAME: 'x'}), {code: 'INVALID_ARGUMENT', actual: 'FULL_DEVICE_NAME'});
        for (const name of own.getProperty('SUPPORTED_PROPERTIES')) assert.notEqual(own.getProperty('CPU', name), undefined, name);
        // The properties of OpenVINO 2026.4.
        const supported = `AVAILABLE_DEVICES RANGE_FOR_ASYNC_INFER_REQUESTS RANGE_FOR_STREAMS EXECUTION_DEVICES FULL_DEVICE_NAME
          OPTIMIZATION_CAPABILITIES DEVICE_TYPE DEVICE_ARCHITECTURE NUM_STREAMS INFERENCE_NUM_THREADS PERF_COUNT
          INFERENCE_PRECISION_HINT PERFORMANCE_HINT EXECUTION_MODE_HINT PERFORMANCE_HINT_NUM_REQUESTS ENABLE_CPU_PINNING
          ENABLE_CPU_RESERVATION SCHEDULING_CORE_TYPE MODEL_DISTRIBUTION_POLICY ENABLE_HYPER_THREADING DEVICE_ID
          CPU_DENORMALS_OPTIMIZATION LOG_LEVEL CPU_SPARSE_WEIGHTS_DECOMPRESSION_RATE ENABLE_TENSOR_PARALLEL TBB_PARTITIONER
          DYNAMIC_QUANTIZATION_GROUP_SIZE KV_CACHE_PRECISION KEY_CACHE_PRECISION VALUE_CACHE_PRECISION KEY_CACHE_GROUP_SIZE
          VALUE_CACHE_GROUP_SIZE ENABLE_WEIGHTLESS WEIGHTS_PATH SUPPORTED_PROPERTIES`.split(/\s+/);
        assert.deepEqual(supported.filter((name) => !own.getProperty('SUPPORTED_PROPERTIES').includes(name)), []);
        assert.throws(() => own.getProperty('NO_SUCH'), {code: 'INVALID_ARGUMENT', message: /Unsupported property NO_SUCH/});
        for (const name of ['PERF_COUNT', 'LP_TRANSFORMS_MODE', 'WASMVINO_PASSES']) {
          assert.throws(() => own.setProperty({[name]: 'maybe'}), {
            code: 'INVALID_ARGUMENT',
            actual: 'maybe',
            message: `Wrong value maybe for property key ${name}. Expected only true/false.`,
          });
          own.setProperty({[name]: 'YES'});
        }
        assert.throws(() => own.setProperty({NO_SUCH: 1}), /Unsupported property NO_SUCH by CPU plugin\. There are .*PERF_COUNT/);
        const compiled = compile(addModel(), undefined, {PERFORMANCE_HINT: 'THROUGHPUT'});
        assert.equal(compiled.getProperty('PERFORMANCE_HINT'), 'THROUGHPUT');
        assert.equal(compiled.getProperty('NETWORK_NAME'), 'made_up');
        assert.equal(core.getProperty('PERFORMANCE_HINT'), 'LATENCY');
        assert.match(core.getVersions('CPU').CPU.buildNumber, /^2026\.4/);
        assert.throws(() => core.getVersions(), /expects 1 argument/);
      });

      it('quantises no rows where accuracy is asked for', () => {
        const size = (config) => {
          const own = new ov.Core();
          own.setProperty(config);
          return own.getProperty('DYNAMIC_QUANTIZATION_GROUP_SIZE');
        };
        assert.equal(size({EXECUTION_MODE_HINT: 'ACCURACY'}), 0);
        assert.equal(size({EXECUTION_MODE_HINT: 'PERFORMANCE'}), 32);
        assert.equal(size({EXECUTION_MODE_HINT: 'ACCURACY', DYNAMIC_QUANTIZATION_GROUP_SIZE: 64}), 64);
        for (const [name, right, wrong] of [
          ['EXECUTION_MODE_HINT', ['ACCURACY'], ['EXACT', 1]],
          ['PERFORMANCE_HINT', ['THROUGHPUT', 'CUMULATIVE_THROUGHPUT'], ['FAST', 'latency', 'UNDEFINED']],
          ['INFERENCE_PRECISION_HINT', ['f16', 'FP32', 'undefined'], ['f99', 'i8']],
          ['KV_CACHE_PRECISION', ['u8'], ['zz', 'i8']],
          ['KEY_CACHE_PRECISION', ['u8', 'i8'], ['zz', 'i4']],
          ['VALUE_CACHE_PRECISION', ['u8', 'i8'], ['zz', 'i4']],
          ['LOG_LEVEL', ['LOG_DEBUG'], ['debug']],
          ['NUM_STREAMS', [2, '2', 'AUTO', -1], ['zz', 1.5]],
          ['PERFORMANCE_HINT_NUM_REQUESTS', [2, '2'], [-1, 'x', true]],
          ['ENABLE_CPU_PINNING', [true, 'NO'], ['maybe', 2]],
          ['CPU_SPARSE_WEIGHTS_DECOMPRESSION_RATE', [0.5], [2, 'x']],
        ]) {
          const own = new ov.Core();
          for (const value of right) own.setProperty({[name]: value});
          for (const value of wrong) {
            const message = new RegExp(`^Wrong value ${value} for property key ${name}. Expected `);
            assert.throws(() => own.setProperty({[name]: value}), {code: 'INVALID_ARGUMENT', actual: String(value), message});
          }
          assert.equal(own.getProperty('CPU', name), right.at(-1));
        }
        assert.equal(compile(addModel(), undefined, {NUM_STREAMS: 2}).getProperty('NUM_STREAMS'), 1);
        const model = new ov.Core().readModelSync(`${testdata}dynamic/u4_groups_of_32/model.xml`);
        const run = (config) => new ov.Core().compileModelSync(model, 'CPU', config).createInferRequest()
          .infer([new ov.Tensor('f32', [1, 128], Float32Array.from({length: 128}, (_, i) => Math.cos(i)))]).y.data;
        assert.deepEqual(run({EXECUTION_MODE_HINT: 'ACCURACY'}), run({DYNAMIC_QUANTIZATION_GROUP_SIZE: 0}));
        assert.notDeepEqual(run({EXECUTION_MODE_HINT: 'ACCURACY'}), run({}));
      });

      it('keeps keys and values of attention in the precision asked for', () => {
        const value = (length, names) => [{type: 'f32', shape: [1, 2, length, 16], names}];
        const cache = (name) => [
          {name: `${name}_past`, type: 'ReadValue', version: 'opset6', outputs: value(-1),
            data: {variable_id: name, variable_type: 'f32', variable_shape: '1,2,?,16'}},
          {name: `${name}_all`, type: 'Concat', data: {axis: 2}, inputs: [`${name}_past`, name], outputs: value(-1)},
          {name: `${name}_assign`, type: 'Assign', version: 'opset6', data: {variable_id: name}, inputs: [`${name}_all`], outputs: value(-1)},
        ];
        const xml = irText([
          ...['query', 'key', 'value'].map((name) => ({name, type: 'Parameter', outputs: value(-1, name)})),
          ...cache('key'),
          ...cache('value'),
          {name: 'attention', type: 'ScaledDotProductAttention', version: 'opset13', data: {causal: false},
            inputs: ['query', 'key_all', 'value_all'], outputs: value(-1, 'y')},
          {name: 'result', type: 'Result', inputs: ['attention']},
        ]);
        const rows = (seed) => new ov.Tensor('f32', [1, 2, 3, 16], Float32Array.from({length: 96}, (_, i) => Math.sin(seed + i * 7)));
        const run = (config) => {
          const request = compile(bytes(xml), undefined, config).createInferRequest();
          request.infer({query: rows(1), key: rows(2), value: rows(3)});
          const y = request.infer({query: rows(4), key: rows(5), value: rows(6)}).y.data;
          const state = request.queryState().find((each) => each.getName() === 'key').getState();
          assert.equal(state.getElementType(), ov.element.f32);
          assert.deepEqual(state.getShape(), [1, 2, 6, 16]);
          return {y, key: state.data};
        };
        const distance = (a, b) => Math.max(...a.map((v, i) => Math.abs(v - b[i])));
        const exact = run({KV_CACHE_PRECISION: 'f32'});
        for (const [config, most] of [[{}, 1e-2], [{KV_CACHE_PRECISION: 'u8'}, 1e-2], [{KV_CACHE_PRECISION: 'f16'}, 1e-3]]) {
          const {y, key} = run(config);
          for (const far of [distance(y, exact.y), distance(key, exact.key)]) assert.ok(far > 0 && far < most, `${far}`);
        }
        for (const config of [{EXECUTION_MODE_HINT: 'ACCURACY'}, {KV_CACHE_PRECISION: 'bf16'}]) assert.deepEqual(run(config), exact);
        assert.deepEqual(run({KV_CACHE_PRECISION: 'u4'}), run({}));
        for (const keys of ['f32', 'f16', 'u8']) {
          // Keys and values that are not set follow KV_CACHE_PRECISION.
          assert.deepEqual(run({KV_CACHE_PRECISION: keys}), run({KEY_CACHE_PRECISION: keys, VALUE_CACHE_PRECISION: keys}));
          for (const values of ['f32', 'f16', 'u8']) {
            const mixed = run({KEY_CACHE_PRECISION: keys, KV_CACHE_PRECISION: values});
            assert.deepEqual(run({KV_CACHE_PRECISION: keys, VALUE_CACHE_PRECISION: values}), mixed);
            assert.deepEqual(mixed.key, run({KV_CACHE_PRECISION: keys}).key);
            if (keys !== values) for (const other of [keys, values]) assert.notDeepEqual(mixed.y, run({KV_CACHE_PRECISION: other}).y);
          }
        }
        assert.deepEqual(run({KEY_CACHE_PRECISION: 'i8', VALUE_CACHE_PRECISION: 'u4'}), run({}));
        const own = new ov.Core();
        const precisions = (from) => ['KV', 'KEY', 'VALUE'].map((name) => from.getProperty(`${name}_CACHE_PRECISION`));
        assert.deepEqual(precisions(own), ['u8', 'u8', 'u8']);
        // As OpenVINO 2026.4.1 answers.
        const hint = {EXECUTION_MODE_HINT: 'ACCURACY'};
        for (const [config, expected] of [
          [{}, 'u8 u8 u8'],
          [{KV_CACHE_PRECISION: 'u4'}, 'u4 u4 u4'],
          [{KEY_CACHE_PRECISION: 'f32'}, 'u8 f32 u8'],
          [{KV_CACHE_PRECISION: 'f16', VALUE_CACHE_PRECISION: 'i8'}, 'f16 f16 i8'],
          [hint, 'f32 f32 f32'],
          [{...hint, KV_CACHE_PRECISION: 'f16'}, 'f16 f32 f32'],
          [{...hint, KV_CACHE_PRECISION: 'f16', KEY_CACHE_PRECISION: 'u8'}, 'f16 u8 f32'],
        ]) {
          assert.equal(precisions(compile(bytes(xml), undefined, config)).join(' '), expected);
        }
        own.setProperty({KV_CACHE_PRECISION: 'f16'});
        assert.deepEqual(precisions(own), ['f16', 'f16', 'f16']);
      });

      it('follows what a model file asks for, unless the caller says otherwise', () => {
        const asking = (options) => {
          const children = Object.entries(options).map(([name, value]) => `<${name} value="${value}"/>`).join('');
          return new TextDecoder().decode(addModel()).replace('</net>', `<rt_info><runtime_options>${children}</runtime_options></rt_info></net>`);
        };
        const names = ['KV_CACHE_PRECISION', 'KEY_CACHE_PRECISION', 'VALUE_CACHE_PRECISION', 'DYNAMIC_QUANTIZATION_GROUP_SIZE'];
        const seen = (options, config = {}, own = new ov.Core()) => {
          const model = own.readModelSync(bytes(asking(options)));
          const compiled = own.compileModelSync(model, 'CPU', config);
          return names.map((name) => compiled.getProperty(name)).join(' ');
        };
        const accurate = {EXECUTION_MODE_HINT: 'ACCURACY'};
        // As OpenVINO 2026.4.1 answers.
        for (const [options, config, expected] of [
          [{}, {}, 'u8 u8 u8 32'],
          [{ACTIVATIONS_SCALE_FACTOR: '8.0', KV_CACHE_PRECISION: 'f16'}, {}, 'f16 f16 f16 32'],
          [{KV_CACHE_PRECISION: 'f16'}, {KV_CACHE_PRECISION: 'u8'}, 'u8 u8 u8 32'],
          [{KV_CACHE_PRECISION: 'f16'}, {KEY_CACHE_PRECISION: 'u8'}, 'f16 u8 f16 32'],
          [{KV_CACHE_PRECISION: 'f16'}, accurate, 'f32 f32 f32 0'],
          [{KEY_CACHE_PRECISION: 'f32', KV_CACHE_PRECISION: 'f16'}, {}, 'f16 f32 f16 32'],
          [{KEY_CACHE_PRECISION: 'f32'}, {KV_CACHE_PRECISION: 'f16'}, 'f16 f16 f16 32'],
          [{DYNAMIC_QUANTIZATION_GROUP_SIZE: '0'}, {}, 'u8 u8 u8 0'],
          [{DYNAMIC_QUANTIZATION_GROUP_SIZE: '64'}, {DYNAMIC_QUANTIZATION_GROUP_SIZE: 16}, 'u8 u8 u8 16'],
          [{DYNAMIC_QUANTIZATION_GROUP_SIZE: '64'}, accurate, 'f32 f32 f32 0'],
          [{EXECUTION_MODE_HINT: 'ACCURACY', INFERENCE_PRECISION_HINT: 'f16'}, {}, 'u8 u8 u8 32'],
        ]) {
          assert.equal(seen(options, config), expected, JSON.stringify([options, config]));
        }
        const own = new ov.Core();
        own.setProperty({KV_CACHE_PRECISION: 'u8'});
        assert.equal(seen({KV_CACHE_PRECISION: 'f16'}, {}, own), 'u8 u8 u8 32');
        for (const [name, value, mended] of [['KV_CACHE_PRECISION', 'i32', 'u8'], ['DYNAMIC_QUANTIZATION_GROUP_SIZE', 'abc', 32]]) {
          assert.throws(() => seen({[name]: value}), {
            code: 'INVALID_MODEL',
            message: new RegExp(`^The model asks in <rt_info><runtime_options> for ${name} ${value}\\. Wrong value .* override it\\.$`),
          });
          assert.equal(seen({[name]: value}, {[name]: mended}), 'u8 u8 u8 32');
        }
        // An exported model and a copy in a file ask for the same.
        const asked = own.readModelSync(bytes(asking({KV_CACHE_PRECISION: 'f16'})));
        const again = new ov.Core().importModelSync(new ov.Core().compileModelSync(asked, 'CPU').exportModelSync(), 'CPU');
        assert.equal(again.getProperty('KV_CACHE_PRECISION'), 'f16');
      });

      it('refuses to keep the last logits of a model that has none', () => {
        assert.equal(new ov.Core().getProperty('WASMVINO_LAST_LOGITS'), false);
        assert.throws(() => compile(addModel(), undefined, {WASMVINO_LAST_LOGITS: true}), {
          code: 'INVALID_ARGUMENT',
          message: /the model has no output 'logits'/,
        });
      });

      it('quantises rows where they meet quantised weights, in groups of the size that is set', () => {
        const own = new ov.Core();
        assert.equal(own.getProperty('DYNAMIC_QUANTIZATION_GROUP_SIZE'), 32);
        for (const size of [-1, 1.5, 'many', true, '18446744073709551616']) {
          assert.throws(() => own.setProperty({DYNAMIC_QUANTIZATION_GROUP_SIZE: size}), {code: 'INVALID_ARGUMENT', actual: String(size)});
        }
        const model = own.readModelSync(`${testdata}dynamic/u4_groups_of_32/model.xml`);
        const x = Float32Array.from({length: 128}, (_, i) => Math.sin(i));
        const results = (config) => own.compileModelSync(model, 'CPU', config).createInferRequest().infer([new ov.Tensor('f32', [1, 128], x)]).y.data;
        const [plain, sixteen, byDefault] = [0, '16', undefined].map((size) => results(size === undefined ? {} : {DYNAMIC_QUANTIZATION_GROUP_SIZE: size}));
        assert.notDeepEqual(byDefault, plain);
        assert.notDeepEqual(byDefault, sixteen);
        plain.forEach((value, i) => assert.ok(Math.abs(value - byDefault[i]) < 0.05));
        assert.deepEqual(byDefault, results({DYNAMIC_QUANTIZATION_GROUP_SIZE: 32}));
        assert.deepEqual(results({DYNAMIC_QUANTIZATION_GROUP_SIZE: '18446744073709551615'}), results({DYNAMIC_QUANTIZATION_GROUP_SIZE: 4096}));
      });

      it('says which device computes each layer', () => {
        const devices = core.queryModel(core.readModelSync(addModel()), 'CPU');
        assert.equal(devices.add, 'CPU');
        assert.throws(() => core.queryModel(), /'queryModel' method called with incorrect parameters/);
      });
    });

    describe('Model and CompiledModel', () => {
      it('have ports with names, types and shapes', () => {
        const model = core.readModelSync(addModel([-1, 3]));
        for (const owner of [model, core.compileModelSync(model, 'CPU')]) {
          assert.equal(owner.inputs.length, 2);
          const input = owner.input('x');
          assert.ok(input instanceof ov.Output);
          assert.equal(input.anyName, 'first');
          assert.deepEqual(input.names, ['first', 'x']);
          assert.equal(owner.input(0).anyName, 'first');
          assert.equal(owner.input('first').toString(), 'first');
          assert.equal(input.getElementType(), 'f32');
          assert.equal(String(input.getPartialShape()), '[?,3]');
          assert.throws(() => input.shape, {code: 'INVALID_SHAPE', actual: '[?,3]'});
          assert.equal(owner.output().getAnyName(), 'sum');
          assert.throws(() => owner.input(), {code: 'INVALID_ARGUMENT', message: /2 inputs: specify one/});
          assert.throws(() => owner.input(2), /Input port for index 2 was not found/);
          assert.throws(() => owner.output('x'), {expected: "'sum'", actual: 'x'});
        }
        assert.ok(core.compileModelSync(model, 'CPU').input('x') instanceof ov.ConstOutput);
      });

      it('falls back on the names of layers where ports have none', () => {
        const [type, shape] = ['f32', [1]];
        const xml = irText([
          {name: 'the input', type: 'Parameter', outputs: [{type, shape}]},
          {name: 'end', type: 'Result', inputs: ['the input']},
        ]);
        const compiled = compile(bytes(xml));
        assert.equal(compiled.input().anyName, 'the input');
        assert.deepEqual(Object.keys(compiled.createInferRequest().infer([Float32Array.of(1)])), [compiled.output().anyName]);
      });

      it('describes itself', () => {
        const model = core.readModelSync(addModel());
        assert.equal(model.getName(), 'made_up');
        assert.equal(model.getFriendlyName(), 'made_up');
        model.setFriendlyName('mine');
        assert.equal(model.getFriendlyName(), 'mine');
        assert.equal(model.clone().getFriendlyName(), 'mine');
        model.setFriendlyName('');
        assert.equal(model.getFriendlyName(), model.getName());
        assert.equal(model.isDynamic(), false);
        assert.equal(core.readModelSync(addModel([-1])).isDynamic(), true);
        assert.equal(model.getOutputSize(), 1);
        assert.deepEqual(model.getOutputShape(0), [2, 3]);
        assert.equal(model.getOutputElementType(0), 'f32');
        assert.ok(model.getOps().some((op) => op.getName() === 'add' && op.getTypeName() === 'Add'));
        assert.throws(() => model.isDynamic(1), /^Error: isDynamic\(\) does not accept any arguments\.$/);
        assert.throws(() => model.setFriendlyName(1), /Expected a single string argument/);
        assert.throws(() => model.getOutputElementType(0.5), /'getOutputElementType' method called with incorrect/);
        assert.throws(() => model.getOutputElementType(1), /^Error: /);
        assert.throws(() => model.clone(1), /'clone' method called with incorrect parameters/);
      });

      it('takes other input shapes, or stays as it was', () => {
        const model = core.readModelSync(addModel());
        const shapes = new Map([
          ['x', '1,?'],
          [1, new ov.PartialShape('[1,4]')],
        ]);
        assert.equal(model.reshape(shapes), model);
        assert.equal(String(model.input('x').getPartialShape()), '[1,?]');
        assert.throws(() => model.reshape(new Map([['x', '1,5']])), {code: 'INVALID_SHAPE', layer: 'add', layerType: 'Add-1'});
        assert.equal(String(model.input('x').getPartialShape()), '[1,?]');
        assert.throws(() => model.reshape(), /'reshape' method called with incorrect parameters/);
        const sums = core.compileModelSync(model, 'CPU').createInferRequest().infer([f32([1, 4], 1, 2, 3, 4), f32([1, 4], 1, 1, 1, 1)]);
        assert.deepEqual(sums.sum.data, Float32Array.of(2, 3, 4, 5));
      });

      it('is exported and imported', async () => {
        const model = core.readModelSync(`${g2p}model.xml`);
        model.reshape(new Map([['graphemes', '1,8']]));
        const stream = core.compileModelSync(model, 'CPU').exportModelSync();
        assert.ok(Buffer.isBuffer(stream));
        const tensor = new ov.Tensor('u8', [stream.length], stream);
        for (const compiled of [core.importModelSync(stream, 'CPU'), await core.importModel(tensor, 'CPU', {PERF_COUNT: true})]) {
          assert.deepEqual(compiled.input('graphemes').shape, [1, 8]);
          compiled.dispose();
        }
        assert.throws(() => core.importModelSync(bytes('something\nelse\n'), 'CPU'), {code: 'INVALID_MODEL'});
        assert.throws(() => core.importModelSync(stream.subarray(0, 5000), 'CPU'), {code: 'INVALID_MODEL'});
        assert.throws(() => core.importModel(0.5, 'CPU'), /'importModel' method called with incorrect parameters/);
      });
    });

    it('objects are printed with types, shapes and ports', () => {
      const model = core.readModelSync(addModel());
      const ports = `
  input first: f32 [2,3]
  input y: f32 [2,3]
  output sum: f32 [2,3]`;
      assert.equal(inspect(model), `Model 'made_up'${ports}`);
      const compiled = core.compileModelSync(model, 'CPU');
      assert.equal(inspect(compiled), `CompiledModel 'made_up'${ports}`);
      const request = compiled.createInferRequest();
      assert.equal(inspect(request), `InferRequest of CompiledModel 'made_up'${ports}`);
      assert.equal(inspect(model.input('y')), "Output 'y' f32 [2,3]");
      assert.equal(inspect(model.input('y').getPartialShape()), 'PartialShape [2,3]');
      assert.equal(inspect(f32([2], 1, 2)), 'Tensor f32 [2] Float32Array(2) [ 1, 2 ]');
    });

    describe('InferRequest', () => {
      const request = compile(addModel()).createInferRequest();
      const [x, y, sum] = [Float32Array.of(1, 2, 3, 4, 5, 6), new Float32Array(6).fill(10), Float32Array.of(11, 12, 13, 14, 15, 16)];

      it('takes inputs by name or in order, as tensors or arrays', async () => {
        const tensors = [new ov.Tensor('f32', [2, 3], x), new ov.Tensor('f32', [2, 3], y)];
        for (const data of [[x, y], tensors, {x, y}, {first: tensors[0], y: tensors[1]}]) {
          for (const result of [request.infer(data), await request.inferAsync(data)]) {
            assert.deepEqual(Object.keys(result), ['sum']);
            assert.ok(result.sum instanceof ov.Tensor);
            assert.deepEqual(result.sum.getShape(), [2, 3]);
            assert.deepEqual(result.sum.data, sum);
          }
        }
      });

      it('gives results that later runs do not change', () => {
        const first = request.infer([x, y]).sum;
        request.infer([y, y]);
        assert.deepEqual(first.data, sum);
      });

      it('shares its own memory as results where that is asked for', async () => {
        const own = compile(addModel()).createInferRequest();
        const shared = own.infer([x, y], {shareOutputs: true}).sum;
        const view = shared.view();
        assert.deepEqual([...view], [...sum]);
        assert.deepEqual((await own.inferAsync([y, y], {shareOutputs: true})).sum.data, new Float32Array(6).fill(20));
        assert.throws(() => view[0], {code: 'INVALID_STATE'});
        assert.deepEqual(shared.data, new Float32Array(6).fill(20));
      });

      it('gives results in the order of the outputs, whatever their names are', async () => {
        const value = (names) => [{type: 'f32', shape: [1], names}];
        const names = ['b', '7', '3'];
        const layers = names.flatMap((name) => [
          {name: `relu ${name}`, type: 'ReLU', inputs: ['x'], outputs: value(name)},
          {name: `end ${name}`, type: 'Result', inputs: [`relu ${name}`]},
        ]);
        const other = compile(bytes(irText([{name: 'x', type: 'Parameter', outputs: value('x')}, ...layers]))).createInferRequest();
        for (const results of [other.infer([Float32Array.of(5)]), await other.inferAsync([Float32Array.of(5)])]) {
          assert.deepEqual(Object.keys(results), names);
          assert.deepEqual(Object.entries(results).map(([name, tensor]) => [name, tensor.data[0]]), names.map((name) => [name, 5]));
          assert.ok(results['7'] instanceof ov.Tensor);
          delete results['7'];
          results.own = results.b;
          assert.deepEqual(Object.keys(results), ['b', '3', 'own']);
        }
      });

      it('reads the caller\'s array when it runs, and computes one call after the other', async () => {
        const array = Float32Array.from(x);
        request.setInputTensor(0, new ov.Tensor('f32', [2, 3], array));
        request.setInputTensor(1, new ov.Tensor('f32', [2, 3], y));
        array.fill(1);
        assert.deepEqual(request.infer().sum.data, new Float32Array(6).fill(11));
        const [a, b] = await Promise.all([request.inferAsync({x}), request.inferAsync({x: y})]);
        assert.deepEqual(a.sum.data, sum);
        assert.deepEqual(b.sum.data, new Float32Array(6).fill(20));
      });

      it('has tensors to set and get', () => {
        const own = compile(addModel()).createInferRequest();
        assert.deepEqual(own.getOutputTensor().data, new Float32Array(6));
        const output = new ov.Tensor('f32', [2, 3]);
        own.setTensor('x', new ov.Tensor('f32', [2, 3], x));
        own.getInputTensor(1).data = y;
        own.setOutputTensor(output);
        const array = output.view();
        assert.equal(own.infer().sum, output);
        assert.deepEqual(output.data, sum);
        assert.equal(output.view(), array);
        assert.equal(own.infer({}, {shareOutputs: true}).sum, output);
        assert.equal(own.getOutputTensor(), output);
        assert.deepEqual(own.getTensor('sum').data, sum);
        assert.deepEqual(own.getTensor(own.getCompiledModel().input('x')).data, x);
        assert.ok(own.getCompiledModel() instanceof ov.CompiledModel);
        assert.throws(() => own.getInputTensor(), {code: 'INVALID_ARGUMENT'});
        assert.throws(() => own.setInputTensor(10, output), /Input port for index 10 was not found!/);
        assert.throws(() => own.setOutputTensor(10, output), /Output port for index 10 was not found!/);
        assert.throws(() => own.setInputTensor(0, {}), /Argument #1 must be a Tensor/);
        assert.throws(() => own.setTensor('other', output), /Port for tensor name other was not found/);
        assert.throws(() => own.setTensor('sum'), / invalid argument/);
        assert.throws(() => own.setTensor(output, 'sum'), / invalid argument/);
        assert.throws(() => own.getTensor(5), / invalid argument/);
      });

      it('says what is wrong with an input, and can still run', async () => {
        const wrong = (data, details) => assert.throws(() => request.infer(data), details);
        wrong([new ov.Tensor('i32', [2, 3]), y], {code: 'INVALID_TYPE', port: 'first', expected: 'f32', actual: 'i32'});
        wrong([new ov.Tensor('f32', [3, 2]), y], {code: 'INVALID_SHAPE', port: 'first', expected: '[2,3]', actual: '[3,2]'});
        wrong({z: x}, {code: 'INVALID_ARGUMENT', expected: "'first', 'y'", actual: 'z'});
        wrong([x.slice(1), y], {
          message: /^Memory allocated using shape and element::type mismatch passed data's size: Input 'first' of type f32 and shape \[2,3\] takes 24 bytes, the buffer of the Float32Array has 20\.$/,
        });
        wrong(x, /TypedArray cannot be passed directly into infer\(\) method/);
        wrong(['text', y], /Cannot create a tensor from the passed/);
        wrong([{}, y], /Invalid argument/);
        assert.throws(() => request.inferAsync(['text']), /Cannot create a tensor from the passed/);
        await assert.rejects(request.inferAsync([x, y], {shared: true}), {code: 'INVALID_ARGUMENT', actual: 'shared'});
        assert.deepEqual(request.infer([x, y]).sum.data, sum);
      });

      it('says once of an input that was never set that it is zeros, and of which shape one must be', (test) => {
        const warn = test.mock.method(console, 'warn', () => {});
        const compiled = compile(addModel());
        for (let i = 0; i < 2; ++i) {
          const own = compiled.createInferRequest();
          assert.deepEqual(own.infer({x}).sum.data, x);
          assert.deepEqual(own.infer().sum.data, x);
        }
        assert.deepEqual(warn.mock.calls.map((call) => call.arguments), [
          ["wasmvino: the input 'y' (f32 [2,3]) was never set: its values are zeros, as in OpenVINO."],
        ]);
        const touched = compiled.createInferRequest();
        for (const i of [0, 1]) touched.getInputTensor(i).data = x;
        touched.infer();
        assert.equal(warn.mock.callCount(), 1);
        const open = compile(addModel([-1, 3])).createInferRequest();
        assert.throws(() => open.infer(), {code: 'INVALID_SHAPE', message: /'first'.*was never set.*\[\?,3\]/});
        assert.throws(() => open.infer([x, y]), {code: 'INVALID_SHAPE', message: /Input 'first' takes f32 \[\?,3\]: .*pass a Tensor/});
      });

      it('takes plain numbers, and integers exactly or not at all', () => {
        assert.deepEqual(request.infer({x: [1, 2, 3, 4, 5, 6], y: new Array(6).fill(10)}).sum.data, sum);
        assert.throws(() => request.infer({x: [1, 2], y}), {code: 'INVALID_SHAPE', message: /Input 'first' of shape \[2,3\] takes 6 values, but the array has 2/});
        const ids = compile(identityModel('i64', [3])).createInferRequest();
        const passed = (values) => Object.values(ids.infer([values]))[0].data;
        assert.deepEqual(passed([1, 2n, -(2 ** 53 - 1)]), BigInt64Array.of(1n, 2n, -(2n ** 53n - 1n)));
        for (const wrong of [1.5, NaN, 2 ** 60, 2n ** 63n]) {
          assert.throws(() => passed([1, wrong, 3]), {code: 'INVALID_VALUE', message: new RegExp(`value 1, ${wrong},`)});
        }
      });

      it('refuses options that it does not have', () => {
        const {signal} = new AbortController();
        for (const run of [(options) => request.infer([x, y], options)]) {
          assert.throws(() => run({shareOutput: true}), {code: 'INVALID_ARGUMENT', message: /infer\(\) has no option 'shareOutput'; its options are shareOutputs/});
          assert.throws(() => run({signal}), {code: 'INVALID_ARGUMENT', actual: 'signal'});
          assert.throws(() => run(5), {code: 'INVALID_ARGUMENT'});
        }
      });

      it('takes open shapes as they come', () => {
        const open = compile(addModel([-1, -1])).createInferRequest();
        for (const shape of [[1, 1], [2, 3], [1, 1], [4, 1], [0, 2]]) {
          const count = shape[0] * shape[1];
          const ones = new ov.Tensor('f32', shape, new Float32Array(count).fill(1));
          const {sum: result} = open.infer([ones, ones]);
          assert.deepEqual(result.getShape(), shape);
          assert.deepEqual(result.data, new Float32Array(count).fill(2));
        }
        assert.throws(() => open.infer([x, y]), {code: 'INVALID_SHAPE', port: 'first'});
      });

      it('passes all element types', () => {
        const passed = (xml, tensor) => Object.values(compile(xml).createInferRequest().infer([tensor]))[0];
        const types = ['boolean', 'bf16', 'f16', 'f64', 'i4', 'i8', 'i16', 'i32', 'i64', 'u4', 'u8', 'u16', 'u32', 'u64'];
        for (const type of types) {
          const tensor = new ov.Tensor(type, [4]);
          const raw = new Uint8Array(tensor.view().buffer);
          raw.set(raw.map((_, i) => (type === 'boolean' ? i % 2 : 17 * i + 1)));
          const out = passed(identityModel(type, [4]), tensor);
          assert.equal(out.getElementType(), type);
          assert.deepEqual(new Uint8Array(out.data.buffer), raw, type);
        }
        const strings = ['a', '', 'zwei Wörter', 'nul\0 "quoted" \\ \n', '語'];
        const tensor = new ov.Tensor(strings);
        const out = passed(identityModel('string', [5]), tensor);
        assert.deepEqual(out.data, strings);
      });

      it('shows results without a copy until the engine is called again', () => {
        request.infer([x, y]);
        const tensor = request.getOutputTensor();
        const view = tensor.view();
        assert.deepEqual(Array.from(view), Array.from(sum));
        assert.equal(view.length, 6);
        assert.equal(view[5], 16);
        assert.equal(view.subarray(1, 3)[1], 13);
        assert.equal(view.reduce((a, b) => a + b), 81);
        assert.deepEqual(new Float32Array(view), sum);
        view[0] = -1;
        assert.equal(tensor.data[0], -1);
        assert.equal(tensor.view((array) => array.indexOf(16)), 5);
        const part = view.subarray(2);
        request.infer([x, y]);
        for (const use of [() => view[0], () => view.length, () => [...view], () => part[0], () => (view[0] = 1)]) {
          assert.throws(use, {code: 'INVALID_STATE', message: /outdated/});
        }
        assert.throws(() => tensor.view(() => request.infer()), {code: 'INVALID_STATE'});
        assert.equal(tensor.view()[0], 11, 'the tensor itself shows the new result');
      });

      it('feeds results back without a detour', () => {
        const chain = compile(addModel([3])).createInferRequest();
        chain.infer([Float32Array.of(1, 2, 3), new Float32Array(3)]);
        chain.setInputTensor(1, chain.getOutputTensor());
        for (let i = 0; i < 3; ++i) chain.infer();
        assert.deepEqual(chain.getOutputTensor().data, Float32Array.of(4, 8, 12));
      });

      it('exchanges results that stand in the inputs of the next run', () => {
        const value = (names) => [{type: 'f32', shape: [3], names}];
        const xml = irText([
          {name: 'x', type: 'Parameter', outputs: value('x')},
          {name: 'y', type: 'Parameter', outputs: value('y')},
          {name: 'u', type: 'Negative', inputs: ['x'], outputs: value('u')},
          {name: 'v', type: 'Negative', inputs: ['y'], outputs: value('v')},
          {name: 'u out', type: 'Result', inputs: ['u']},
          {name: 'v out', type: 'Result', inputs: ['v']},
        ]);
        const pair = compile(bytes(xml)).createInferRequest();
        const [x, y] = [Float32Array.of(1, 2, 3), Float32Array.of(4, 5, 6)];
        pair.infer([x, y]);
        pair.setInputTensor(0, pair.getOutputTensor(1));
        pair.setInputTensor(1, pair.getOutputTensor(0));
        pair.infer();
        assert.deepEqual(pair.getOutputTensor(0).data, y);
        assert.deepEqual(pair.getOutputTensor(1).data, x);
      });
    });

    describe('state', () => {
      it('is kept between runs, read, set and reset', () => {
        const {xml, bin} = accumulatingModel();
        const compiled = compile(xml, bin);
        const request = compiled.createInferRequest();
        const step = (on = request) => on.infer([Float32Array.of(1, 2)]).total.data;
        assert.deepEqual(request.queryState().map((state) => state.getName()), ['sum_so_far']);
        const [state] = request.queryState();
        assert.deepEqual(state.getState().data, new Float32Array(2));
        step();
        assert.deepEqual(step(), Float32Array.of(2, 4));
        assert.deepEqual(state.getState().data, Float32Array.of(2, 4));
        assert.deepEqual(step(compiled.createInferRequest()), Float32Array.of(1, 2), 'requests have states of their own');
        state.setState(f32([2], 10, 20));
        assert.deepEqual(step(), Float32Array.of(11, 22));
        assert.throws(() => state.setState(f32([3], 1, 2, 3)), {code: 'INVALID_SHAPE', expected: '[2]', actual: '[3]'});
        assert.throws(() => state.setState(new ov.Tensor('i32', [2])), {code: 'INVALID_TYPE', expected: 'f32'});
        assert.throws(() => state.setState({}), /must be a Tensor/);
        assert.deepEqual(step(), Float32Array.of(12, 24));
        state.reset();
        assert.deepEqual(step(), Float32Array.of(1, 2));
        request.resetState();
        assert.deepEqual(step(), Float32Array.of(1, 2));
      });
    });

    describe('insight', () => {
      const word = {graphemes: new ov.Tensor('i32', [1, 3], Int32Array.of(4, 5, 2)), beam_width: new ov.Tensor('i32', [], Int32Array.of(2))};

      it('times nodes where that was asked for', () => {
        const request = core.compileModelSync(`${g2p}model.xml`, 'CPU', {PERF_COUNT: true}).createInferRequest();
        request.infer(word);
        const nodes = request.getProfilingInfo();
        const tree = nodes.find(({nodeName}) => nodeName === 'gather_tree');
        assert.equal(tree.execType, 'GatherTree-1');
        assert.equal(tree.status, 'EXECUTED');
        assert.ok(tree.realTime >= 0 && tree.calls === 1);
        assert.ok(nodes.some(({nodeName, calls}) => nodeName === 'beam_search_loop/beam_topk' && calls === 20));
        assert.deepEqual(compile(addModel()).createInferRequest().getProfilingInfo(), []);
      });

      it('shows any port inside the graph, for each iteration of a body', () => {
        const request = core.compileModelSync(`${g2p}model.xml`, 'CPU').createInferRequest();
        request.observe([{layer: ['beam_search_loop', 'beam_topk']}, {layer: 'gather_tree', port: 0}]);
        const {sequences} = request.infer(word);
        const seen = request.observations();
        const steps = seen.filter(({layer}) => layer.length === 2);
        assert.deepEqual(steps.map(({iterations}) => iterations), Array.from({length: 20}, (_, i) => [i]));
        assert.ok(steps.every(({tensor}) => tensor.getElementType() === 'f32' && tensor.getSize() === 2));
        const tree = seen.find(({layer}) => layer[0] === 'gather_tree');
        assert.deepEqual(tree.iterations, []);
        assert.deepEqual(tree.tensor.data, sequences.data);
        assert.throws(() => request.observe([{layer: ['beam_search_loop', 'nothing']}]), {code: 'INVALID_ARGUMENT', message: /nothing/});
        request.observe([]);
        request.infer(word);
        assert.deepEqual(request.observations(), []);
      });

      it('tells what a model is made of, and what is missing for it', () => {
        const found = ov.inspect(readFileSync(`${g2p}model.xml`), readFileSync(`${g2p}model.bin`));
        assert.deepEqual(found.inputs.map(({names}) => names[0]), ['graphemes', 'beam_width']);
        assert.ok(found.operations.some(({type, count, supported}) => type === 'GRUCell' && count === 2 && supported));
        assert.deepEqual(found.problems, []);
        assert.ok(ov.operations().some(({type, since}) => type === 'GatherTree' && since === 1));
      });

      it('takes the text of a model as a string and as bytes, and gives texts of any characters', () => {
        const value = [{type: 'f32', shape: [1]}];
        const layers = [{name: 'x', type: 'Parameter', outputs: value}, {name: 'y', type: 'Result', inputs: ['x']}];
        const text = irText(layers, 'Größe 𝄞');
        for (const xml of [text, bytes(text), bytes(text).slice().buffer]) assert.equal(ov.inspect(xml).name, 'Größe 𝄞');
        assert.throws(() => ov.inspect(42), {code: 'INVALID_ARGUMENT', message: /'inspect' method called with incorrect parameters/});
      });
    });

    describe('errors', () => {
      const value = [{type: 'f32', shape: [1]}];
      const unknown = bytes(
        irText([
          {name: 'x', type: 'Parameter', outputs: value},
          {name: 'odd', type: 'NoSuchThing', version: 'opset9', inputs: ['x'], outputs: value},
          {name: 'stranger', type: 'NeitherThis', inputs: ['odd'], outputs: value},
          {name: 'result', type: 'Result', inputs: ['stranger']},
        ]),
      );

      it('list everything that is wrong with a model', () => {
        assert.throws(
          () => core.readModelSync(unknown),
          (error) => {
            assert.ok(error instanceof ov.WasmvinoError && error instanceof Error);
            assert.equal(error.code, 'UNSUPPORTED');
            assert.match(error.message, /NoSuchThing[^]*NeitherThis/);
            assert.deepEqual(error.problems.map(({layer, layerId}) => [layer, layerId]), [['odd', 1], ['stranger', 2]]);
            const printed = inspect(error);
            assert.match(printed, /^WasmvinoError: the model has 2 problems/);
            assert.doesNotMatch(printed, /problems: \[/);
            return true;
          },
        );
      });

      it('print few of many problems', () => {
        const layers = [{name: 'x', type: 'Parameter', outputs: value}];
        for (let i = 0; i < 200; ++i) {
          layers.push({name: `odd ${i}`, type: `NoSuchThing${i}`, inputs: ['x'], outputs: value});
          layers.push({name: `result ${i}`, type: 'Result', inputs: [`odd ${i}`]});
        }
        assert.throws(
          () => core.readModelSync(bytes(irText(layers))),
          (error) => {
            assert.equal(error.problems.length, 200);
            assert.match(error.message, /^the model has 200 problems:(\n {2}.*NoSuchThing.*){10}\n {2}and 190 more \(see the error's "problems"\)$/);
            assert.ok(inspect(error).split('\n').length < 40, inspect(error));
            return true;
          },
        );
      });

      it('know layer, operation and id', () => {
        const shape = (sizes) => [{type: 'f32', shape: sizes}];
        const xml = irText([
          {name: 'x', type: 'Parameter', outputs: shape([2])},
          {name: 'y', type: 'Parameter', outputs: shape([3])},
          {name: 'bad sum', type: 'Add', inputs: ['x', 'y'], outputs: shape([2])},
          {name: 'result', type: 'Result', inputs: ['bad sum']},
        ]);
        assert.throws(() => core.readModelSync(bytes(xml)), {
          code: 'INVALID_SHAPE',
          layer: 'bad sum',
          layerType: 'Add-1',
          layerId: 2,
          message: /'bad sum'.*\[2\].*\[3\]/,
        });
      });

      it('name what was given in place of a model or of weights', () => {
        for (const [text, name] of [
          ['<!DOCTYPE html><html></html>', /HTML/],
          ['version https://git-lfs.github.com/spec/v1\noid sha256:0\n', /LFS/],
          ['\x1f\x8b\x08\0\0\0\0\0', /gzip/],
        ]) {
          assert.throws(() => core.readModelSync(Buffer.from(text, 'latin1')), {code: 'INVALID_MODEL', message: name});
        }
        const {xml} = accumulatingModel();
        assert.throws(() => core.readModelSync(xml, bytes('<!doctype html><title>404</title>')), {message: /HTML/});
        assert.throws(() => core.readModelSync(xml, new Uint8Array(4)), {
          code: 'INVALID_MODEL',
          layer: 'zero',
          message: /^Constant 'zero' .*its 8 bytes at byte 0 are beyond the end of the weights, which have 4 bytes$/,
        });
        assert.throws(() => core.readModelSync(xml), {code: 'INVALID_MODEL', message: /no weights/});
      });

      it('arise from too little memory too, and leave everything else usable', () => {
        const request = compile(addModel([-1])).createInferRequest();
        const large = compile(
          bytes(
            irText([
              {name: 'shape', type: 'Parameter', outputs: [{type: 'i64', shape: [2], names: 'shape'}]},
              {name: 'x', type: 'Parameter', outputs: [{type: 'f32', shape: [1], names: 'x'}]},
              {name: 'broad', type: 'Broadcast', version: 'opset3', data: {mode: 'numpy'}, inputs: ['x', 'shape'], outputs: [{type: 'f32', shape: [-1, -1]}]},
              {name: 'result', type: 'Result', inputs: ['broad']},
            ]),
          ),
        ).createInferRequest();
        const shape = (...sizes) => BigInt64Array.from(sizes, BigInt);
        const one = Float32Array.of(1);
        assert.throws(() => large.infer([shape(40000, 40000), one]), {code: 'OUT_OF_MEMORY', message: /memory/});
        assert.deepEqual(large.infer([shape(1, 2), one])[large.getCompiledModel().output().anyName].data, Float32Array.of(1, 1));
        assert.deepEqual(request.infer([f32([1], 1), f32([1], 2)]).sum.data, Float32Array.of(3));
      });
    });

    describe('memory', () => {
      it('is freed by dispose(), after which an object is of no use', () => {
        const model = core.readModelSync(addModel());
        const compiled = core.compileModelSync(model, 'CPU');
        const request = compiled.createInferRequest();
        model.dispose();
        compiled.dispose();
        const six = new Float32Array(6);
        assert.equal(request.infer([six, six]).sum.getSize(), 6, 'a request outlives its models');
        request[Symbol.dispose]();
        request.dispose();
        assert.throws(() => model.clone(), {code: 'INVALID_STATE', message: /This Model was disposed/});
        assert.throws(() => compiled.createInferRequest(), {code: 'INVALID_STATE', message: /CompiledModel/});
        assert.throws(() => request.infer(), {code: 'INVALID_STATE', message: /InferRequest/});
      });

      it('does not grow over 1000 runs', () => {
        const request = core.compileModelSync(`${g2p}model_beam1.xml`, 'CPU').createInferRequest();
        const run = (letters) => request.infer([new ov.Tensor('i32', [1, letters], new Int32Array(letters).fill(4))]);
        for (const letters of [3, 4, 5]) run(letters);
        const before = ov.memoryBytes();
        for (let i = 0; i < 1000; ++i) run(3 + (i % 3));
        assert.equal(ov.memoryBytes(), before);
        request.dispose();
      });

      it('does not grow over models that come and go', () => {
        const [xml, bin] = ['xml', 'bin'].map((suffix) => readFileSync(`${g2p}model.${suffix}`));
        const word = [new ov.Tensor('i32', [1, 2], Int32Array.of(4, 2)), new ov.Tensor('i32', [], Int32Array.of(3))];
        const once = () => {
          const model = core.readModelSync(xml, bin);
          const compiled = core.compileModelSync(model, 'CPU');
          const request = compiled.createInferRequest();
          request.infer(word);
          for (const object of [model, compiled, request]) object.dispose();
        };
        for (let i = 0; i < 3; ++i) once();
        const before = ov.memoryBytes();
        for (let i = 0; i < 30; ++i) once();
        assert.equal(ov.memoryBytes(), before);
      });
    });
  });
}
