// SPDX-License-Identifier: Apache-2.0
// Tests what a compiled model reports: explanations, profiles, timings.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readdirSync} from 'node:fs';
import {after, describe, it} from 'node:test';
import {builds, packageWith, productModel, root, testdata} from '../engine.mjs';

const g2p = `${testdata}models/g2p/model.xml`;
const [rows, size] = [4, 64];
const {xml, bin} = productModel(rows, size);

for (const build of builds) {
  for (const worker of [false, true]) {
    describe(`explanations, ${build}${worker ? ', in a worker' : ''}`, async () => {
      const ov = await packageWith(build);
      const core = new ov.Core({worker});
      after(() => ov.restart());

      it('name kernels, values, memory and predicted work', async () => {
        const compiled = await core.compileModel(await core.readModel(xml, bin), 'CPU');
        const explanation = await compiled.explain();
        assert.equal(explanation.constructor.name, 'Explanation');
        const product = explanation.nodes.find(({name}) => name === 'product');
        assert.equal(product.how, 'computed');
        assert.equal(product.method, 'f32, packed weights');
        assert.equal(product.operations, 2 * rows * size * size);
        assert.deepEqual(product.inputs, [
          {type: 'f32', shape: `[${rows},${size}]`, constant: false},
          {type: 'f32', shape: `[${size},${size}]`, constant: true},
        ]);
        assert.equal(product.bytes, 4 * (2 * rows * size + size * size));
        assert.ok(explanation.memory.packed >= 4 * size * size, String(explanation.memory.packed));
        assert.ok(explanation.memory.tensors > 0);
        const text = String(explanation);
        assert.match(text, /^passes\n/);
        assert.match(text, /\n {2}MatMul 'product': computed: f32, packed weights\n {4}f32 \[4,64\], f32 \[64,64\] constant -> f32 \[4,64\]\n/);
        assert.match(text, /\nmemory\n {2}weights /);
      });

      it('name the kernel of each convolution, in f32 and in integers', async () => {
        const models = `${testdata}models/`;
        const methods = new Set();
        for (const name of readdirSync(models).filter((name) => name !== 'licenses')) {
          const compiled = await core.compileModel(`${models}${name}/model.xml`, 'CPU');
          for (const {type, method} of (await compiled.explain()).nodes) {
            if (!/Convolution/.test(type)) continue;
            assert.ok(method, `${name}: ${type}`);
            methods.add(method.replace(/, .*/, ''));
          }
        }
        for (const method of ['matrix', 'indirect', 'depthwise', 'u8 x i8']) assert.ok(methods.has(method), `${method} in ${[...methods]}`);
      });

      it('give the quantisation of what stays in 8 bits', async () => {
        const compiled = await core.compileModel(`${testdata}models/omz_fd0004_FP16-INT8/model.xml`, 'CPU');
        const explanation = await compiled.explain();
        const inputs = explanation.nodes.filter(({type}) => type === 'IntegerConvolution').map(({inputs}) => inputs[0]);
        assert.ok(inputs.length > 30, String(inputs.length));
        for (const {type, quantization} of inputs) {
          assert.equal(type, 'u8');
          assert.ok(quantization.scale.every((scale) => scale > 0));
          assert.ok(quantization.zeroPoint.every((zero) => zero >= 0 && zero <= 255));
          assert.equal(quantization.zeroPoint.length, quantization.scale.length);
        }
        const others = explanation.nodes.flatMap(({inputs, outputs}) => [...inputs, ...outputs]).filter(({type}) => type === 'f32');
        assert.ok(others.every(({quantization}) => quantization === undefined));
        assert.match(String(explanation), /u8 \[.*\] scale 0\.\d+/);
      });

      it('tell what passes did, in bodies too, with reasons', async () => {
        const compiled = await core.compileModel(g2p, 'CPU');
        const before = await compiled.explain();
        assert.ok(before.passes.length > 3);
        for (const {name, reason, removed, added} of before.passes) {
          assert.match(name, /^[a-z_]+$/);
          assert.ok(reason.length > 20 && removed.length + added.length > 0, name);
        }
        assert.ok(before.passes.some(({path}) => path.length > 0));
        // Its shapes are dynamic, so the first run plans it.
        assert.deepEqual(before.nodes, []);
        const request = compiled.createInferRequest();
        await request.inferAsync({graphemes: new ov.Tensor('i32', [1, 3], [3, 4, 2]), beam_width: new ov.Tensor('i32', [], [3])});
        const {nodes, memory} = await request.explain();
        assert.ok(nodes.some(({path}) => path.length === 1));
        assert.ok(nodes.some(({type}) => type === 'TensorIterator' || type === 'Loop'));
        assert.ok(memory.packed > 1e5, String(memory.packed));
      });

      it('without passes, nothing was changed', async () => {
        const compiled = await core.compileModel(await core.readModel(xml, bin), 'CPU', {WASMVINO_PASSES: false});
        assert.deepEqual((await compiled.explain()).passes, []);
      });

      it('without one pass, that pass changed nothing, and the results are nearly the same', async () => {
        const path = `${testdata}models/omz_lm_v10_FP16-INT8/model.xml`;
        const x = Float32Array.from({length: 3 * 48 * 48}, (_, i) => Math.sin(i));
        const ran = async (config) => {
          const compiled = await core.compileModel(path, 'CPU', config);
          assert.equal(compiled.getProperty('WASMVINO_SKIPPED_PASSES'), config.WASMVINO_SKIPPED_PASSES ?? '');
          const outputs = await compiled.createInferRequest().inferAsync([new ov.Tensor('f32', [1, 3, 48, 48], x)]);
          const {passes, nodes} = await compiled.explain();
          return {names: passes.map(({name}) => name), types: nodes.map(({type}) => type), data: Object.values(outputs)[0].data};
        };
        const all = await ran({});
        const separate = await ran({WASMVINO_SKIPPED_PASSES: 'store_levels'});
        assert.ok(all.names.includes('store_levels'));
        assert.deepEqual(separate.names, all.names.filter((name) => name !== 'store_levels'));
        const quantizes = ({types}) => types.filter((type) => type === 'Quantize').length;
        assert.ok(quantizes(separate) > quantizes(all), `${quantizes(separate)}, ${quantizes(all)}`);
        all.data.forEach((value, i) => assert.ok(Math.abs(value - separate.data[i]) < 0.02, `${value}, ${separate.data[i]}`));
      });

      it('an unknown pass is an error that lists all passes, also without passes', async () => {
        const compile = async (names, passes = true) => core.compileModel(await core.readModel(xml, bin), 'CPU', {WASMVINO_SKIPPED_PASSES: names, WASMVINO_PASSES: passes});
        for (const passes of [true, false]) {
          await assert.rejects(compile('fuse_softmax, no_pass', passes), {
            code: 'INVALID_ARGUMENT',
            actual: 'no_pass',
            message: /there is no pass 'no_pass'\. The passes are sink_constants, .*, store_levels, .*fuse_elementwise_chain/,
          });
        }
        await assert.rejects(compile('a;b'), {code: 'INVALID_ARGUMENT', message: /WASMVINO_SKIPPED_PASSES\. Expected names of passes, separated by commas, at most 1000 characters\./});
        await assert.rejects(compile('fold_constants,'.repeat(100)), {code: 'INVALID_ARGUMENT'});
      });

      it('profiles are data, a table and events of a trace', async () => {
        const compiled = await core.compileModel(g2p, 'CPU', {PERF_COUNT: true});
        const request = compiled.createInferRequest();
        await request.inferAsync({graphemes: new ov.Tensor('i32', [1, 3], [3, 4, 2]), beam_width: new ov.Tensor('i32', [], [3])});
        const profile = request.getProfile();
        assert.deepEqual(profile.layers, request.getProfilingInfo());
        const loops = profile.layers.filter(({nodeType}) => nodeType === 'TensorIterator' || nodeType === 'Loop').map(({nodeName}) => `${nodeName}/`);
        const outer = profile.layers.filter(({nodeName}) => !loops.some((loop) => nodeName.startsWith(loop)));
        const sum = outer.reduce((total, {realTime}) => total + realTime, 0);
        assert.ok(Math.abs(profile.total - sum) < 1e-6 * sum);
        const events = profile.toTraceEvents();
        assert.equal(events.length, profile.layers.length);
        const loop = events.find(({name}) => name === 'beam_search_loop');
        for (const {name, ph, ts, dur, cat, args} of events) {
          assert.equal(ph, 'X');
          assert.ok(ts >= 0 && dur >= 0 && cat !== '' && args.calls > 0, name);
          if (name.startsWith('beam_search_loop/')) assert.ok(ts >= loop.ts && ts + dur <= loop.ts + loop.dur + 1, name);
        }
        const table = profile.toTable(3).split('\n');
        assert.equal(table.length, 4);
        assert.match(table[0], /^ +ms +% +calls {2}operation +layer$/);
        assert.match(table[1], /^ +\d+\.\d{3} +\d+\.\d +\d+ {2}\S+/);
        assert.equal(String(profile).split('\n').length, profile.layers.length + 1);
      });

      it('timings tell how long each step took', async () => {
        const model = await core.readModel(g2p);
        const {timings} = await core.compileModel(model, 'CPU');
        assert.deepEqual(Object.keys(timings), ['load', 'read', 'compile']);
        for (const milliseconds of Object.values(timings)) assert.ok(milliseconds > 0 && milliseconds < 60_000, String(milliseconds));
        assert.deepEqual(model.timings, {load: timings.load, read: timings.read});
        if (!worker) assert.equal(core.readModelSync(xml, bin).timings.load, 0);
      });
    });
  }
}

describe('the command info', () => {
  const info = (...args) => execFileSync(process.execPath, [`${root}dist/cli.js`, 'info', g2p, '--build', 'simd', ...args], {encoding: 'utf8'});

  it('draws what the engine makes of a model', () => {
    const text = info('--explain', '--shape', 'graphemes=1,4');
    for (const part of [/^inputs\n/m, /^passes\n {2}[a-z_]+/m, /^operations\n/m, /^memory\n {2}weights +\d+\.\d\d MB$/m, /the model can be run\n$/]) assert.match(text, part);
    const {explanation} = JSON.parse(info('--explain', '--shape', 'graphemes=1,4', '--json'));
    assert.ok(explanation.nodes.length > 10 && explanation.memory.packed > 0);
  });
});
