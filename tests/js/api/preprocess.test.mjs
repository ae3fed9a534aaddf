// SPDX-License-Identifier: Apache-2.0
// Tests PrePostProcessor in each of the four builds: the results of OpenVINO (tests/preprocess/goldens.py), and errors.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {describe, it} from 'node:test';
import {accumulatingModel, builds, bytes, irText, packageWith, testdata} from '../engine.mjs';

const cases = JSON.parse(readFileSync(`${testdata}preprocess/cases.json`, 'utf8'));

/** "y" is -"x", f32. */
function negative(shape) {
  const value = (names) => [{type: 'f32', shape, names}];
  return bytes(
    irText([
      {name: 'x', type: 'Parameter', outputs: value('x')},
      {name: 'negative', type: 'Negative', inputs: ['x'], outputs: value('y')},
      {name: 'end', type: 'Result', inputs: ['negative']},
    ]),
  );
}

assert.ok(cases.length > 30);
for (const build of builds) {
  const ov = await packageWith(build);
  const core = new ov.Core();
  const {PrePostProcessor} = ov.preprocess;
  const modelOf = (shape = [1, 3, 4, 6]) => core.readModelSync(negative(shape));
  const arrayOf = (type, {shape, data}) => new ov.Tensor(type, shape, data);

  function process(model, calls) {
    const processor = new PrePostProcessor(model);
    for (const [side, part, method, ...args] of calls) processor[side]()[part]()[method](...args);
    assert.equal(processor.build(), processor);
    return model;
  }

  describe(`PrePostProcessor, build ${build}`, () => {
    for (const {name, model: shape, calls, type, inputs, output} of cases) {
      it(name, () => {
        const model = process(modelOf(shape), calls);
        const compiled = core.compileModelSync(model, 'CPU');
        const again = core.importModelSync(compiled.exportModelSync(), 'CPU');
        for (const each of [compiled, again]) {
          const {y} = each.createInferRequest().infer(inputs.map((input) => arrayOf(type, input)));
          assert.deepEqual([y.getElementType(), y.getShape()], [output.type, output.shape]);
          // In these conversions, u8 results may differ by one: OpenVINO rounds at other points.
          const tolerance = type === 'u8' && /NV12|I420/.test(name) ? 1 : 1e-3;
          y.data.forEach((value, i) => assert.ok(Math.abs(value - output.data[i]) <= tolerance, `value ${i} is ${value}, expected ${output.data[i]}`));
        }
      });
    }

    it('shows what the model takes from now on', () => {
      const calls = [
        ['input', 'tensor', 'setElementType', 'u8'],
        ['input', 'tensor', 'setColorFormat', 'NV12_TWO_PLANES', ['luma', 'chroma']],
        ['input', 'model', 'setLayout', 'NCHW'],
        ['input', 'preprocess', 'convertColor', 'RGB'],
        ['output', 'tensor', 'setElementType', 'f16'],
      ];
      const model = process(modelOf(), calls);
      assert.deepEqual(model.inputs.map((port) => `${port} ${port.elementType} ${port.getPartialShape()}`), ['x/luma u8 [1,4,6,1]', 'x/chroma u8 [1,2,3,2]']);
      assert.deepEqual(model.outputs.map((port) => `${port} ${port.elementType} ${port.getPartialShape()}`), ['y f16 [1,3,4,6]']);
      assert.deepEqual(model.clone().inputs.map(String), ['x/luma', 'x/chroma']);
    });

    it('adds the operations of custom steps, before and after the model', () => {
      const model = modelOf([1, 2, 3]);
      const processor = new PrePostProcessor(model);
      processor.input().tensor().setElementType('i32');
      processor
        .input()
        .preprocess()
        .convertElementType('f32')
        .custom((x, step) => step.add('Clamp', [x], {min: -1.5, max: 4}))
        .custom((x, step) => {
          // The halves of the last axis but one, the second one first.
          const halves = step.add('Split', [x, step.constant('i64', [], [1n])], {num_splits: 2}, 2);
          return step.add('Concat', [halves.output(1), halves], {axis: 1});
        })
        .mean(1);
      processor
        .output()
        .postprocess()
        .custom((y, step) => step.add('ReduceMax', [y, step.constant('i32', [2], Int32Array.of(0, 2))], {keep_dims: false}))
        .convertElementType('i32');
      processor.output().tensor().setElementType('f64');
      processor.build();
      assert.deepEqual(model.outputs.map((port) => `${port.elementType} ${port.getPartialShape()}`), ['f64 [2]']);
      for (const each of [model, model.clone()]) {
        const {y} = core.compileModelSync(each, 'CPU').createInferRequest().infer([new ov.Tensor('i32', [1, 2, 3], Int32Array.of(-5, 2, 3, 7, 8, 9))]);
        assert.deepEqual([...y.data], [-3, 2]); // of -([4, 4, 4] - 1) and -([-1.5, 2, 3] - 1)
      }
    });

    it('says what is wrong with a custom step', () => {
      const build = (step) => {
        const processor = new PrePostProcessor(modelOf());
        processor.input().preprocess().custom(step);
        processor.build();
      };
      for (const [step, message] of [
        ['Relu', /custom\(\) takes a function, not Relu/],
        [() => undefined, /The result of the function of custom\(\) is not a value of this step, but undefined/],
        [(x, step) => step.add(7, [x]), /add\(\) takes the type of an operation, a string, not 7/],
        [(x, step) => step.add('Relu', x), /takes the inputs of Relu as an array/],
        [(_, step) => step.add('Relu', [5]), /Input 0 of Relu is not a value of this step, but 5/],
        [(x, step) => step.add('Relu', [x], 5), /takes the attributes of Relu as an object, not 5/],
        [(x, step) => step.add('Relu', [x], {}, 0), /takes the number of outputs of Relu, not 0/],
        [(x, step) => step.add('Clamp', [x], {min: NaN, max: 1}), /The attribute min takes a string, a finite number.*not NaN/],
        [(x, step) => step.add('Clamp', [x], {'min\nmax': 1}), /must not contain line breaks/],
        [(x) => x.output(-1), /output\(\) takes the position of an output, not -1/],
        [(_, step) => step.constant('string', [1], ['a']), /Third argument of a tensor must be TypedArray/],
        [(x, step) => step.add('Nonsense', [x]), /in custom\(\) of 'x': this build has no operation 'Nonsense'/],
        [(x, step) => step.add('Relu', [x], {alpha: 1}), /in custom\(\) of 'x': Relu has no attribute 'alpha'/],
        [(x, step) => step.add('Clamp', [x], {min: 'low', max: 1}), /in custom\(\) of 'x': .*min/],
        [(x, step) => step.add('ReadValue', [x], {variable_id: 'v'}), /ReadValue cannot be added, because it needs a variable/],
        [(x, step) => step.add('If', [x]), /in custom\(\) of 'x': /],
        [(x, step) => step.add('Loop', [x, x]), /in custom\(\) of 'x': /],
        [(x, step) => step.add('Add', [x]), /in custom\(\) of 'x': .*input/],
        [(x, step) => step.add('Relu', [x]).output(1), /custom\(\) of 'x' has no node 1 with output 1/],
        [(x, step) => step.add('Relu', [step.add('Relu', [x]).output(3)]), /custom\(\) of 'x' has no node 1 with output 3/],
        [(x, step) => step.add('ReduceSum', [x, step.constant('i64', [1], [0])]), /Resulting shape '\[3,4,6\]' after preprocessing is not aligned/],
      ]) {
        assert.throws(() => build(step), (error) => error instanceof ov.WasmvinoError && message.test(error.message), `${step}: ${message}`);
      }
      let kept;
      build((x, step) => {
        for (const Class of [x.constructor, step.constructor]) {
          assert.throws(() => new Class(), {code: 'INVALID_ARGUMENT', message: new RegExp(`A ${Class.name} cannot be created with new`)});
        }
        return (kept = x);
      });
      assert.throws(() => build((_, step) => step.add('Relu', [kept])), /Input 0 of Relu is not a value of this step/);
      const thrown = new Error('mine');
      assert.throws(() => build(() => { throw thrown; }), thrown);
    });

    it('stays as it was, and says why, where a step does not fit', () => {
      const [nhwc, u8] = [['input', 'tensor', 'setLayout', 'NHWC'], ['input', 'tensor', 'setElementType', 'u8']];
      const step = (method, ...args) => ['input', 'preprocess', method, ...args];
      for (const [calls, message] of [
        [[step('mean', [1, 2, 3])], /mean of 'x' needs the axis C: the layout \[\.\.\.\] has none/],
        [[['input', 'tensor', 'setLayout', 'NCHW'], step('mean', [1, 2])], /in mean\(\) of 'x': .*cannot be broadcast/],
        [[u8, step('mean', 1)], /mean of 'x' needs a floating point type, but the value is of type u8/],
        [[step('resize', 'RESIZE_LINEAR')], /its input \[1,3,4,6\] of layout \[\.\.\.\] has no fixed size H/],
        [[step('resize', 'RESIZE_LINEAR', 4, 6)], /resize\(\) of 'x' needs the axis H/],
        [[nhwc, step('resize', 'RESIZE_LINEAR', 5, 7)], /Resulting shape '\[1,5,7,6\]' after preprocessing is not aligned with original parameter's shape: \[1,3,4,6\], input parameter: x/],
        [[['input', 'tensor', 'setLayout', 'NHW']], /the layout \[N,H,W\] does not fit an array of rank 4/],
        [[['input', 'tensor', 'setShape', [1, 3]]], /not aligned with original parameter's shape/],
        [[step('convertLayout', [0, 1, 2, 2])], /needs each of the 4 axes exactly once/],
        [[step('convertLayout', [0, 1, 2, 7])], /axis/],
        [[step('crop', [0], [1])], /for each of 4 axes/],
        [[nhwc, ['input', 'tensor', 'setColorFormat', 'NV12_SINGLE_PLANE']], /model shall have RGB\/BGR\/GRAY color format/],
        [[nhwc, ['input', 'tensor', 'setColorFormat', 'NV12_TWO_PLANES', ['one']]], /has 2 planes, but 1 names were given/],
        [[nhwc, step('convertColor', 'RGB')], /has the color format undefined, which cannot be converted to RGB/],
        [[['input', 'tensor', 'setSpatialStaticShape', 3, 4]], /no axes H and W/],
      ]) {
        const model = modelOf();
        assert.throws(() => process(model, calls), (error) => error instanceof ov.WasmvinoError && error.code !== 'INTERNAL' && message.test(error.message) || assert.fail(`${error.code} ${error.message}, expected ${message}`));
        assert.deepEqual(model.inputs.map((port) => `${port} ${port.elementType} ${port.getPartialShape()}`), ['x f32 [1,3,4,6]']);
        assert.equal(core.compileModelSync(model, 'CPU').createInferRequest().infer([new Float32Array(72).fill(1)]).y.data[71], -1);
      }
    });

    it('refuses what is no argument', () => {
      const model = modelOf();
      for (const args of [[], [{}], [model, 1]]) assert.throws(() => new PrePostProcessor(...args), /'PrePostProcessor' method called with incorrect parameters/);
      const processor = new PrePostProcessor(model);
      assert.throws(() => processor.input(1), /Input port for index 1 was not found/);
      assert.throws(() => processor.output('z'), /Port for tensor name z was not found/);
      assert.equal(processor.input('x').constructor.name, 'InputInfo');
      assert.equal(processor.output('y').constructor.name, 'OutputInfo');
      const [input, output] = [processor.input(0), processor.output()];
      for (const info of [input, output]) {
        for (const part of ['tensor', 'model']) assert.throws(() => info[part](0), /Function does not take any parameters\./);
        assert.throws(() => info.tensor().setElementType(), /Wrong number of parameters\./);
        assert.throws(() => info.tensor().setElementType('f31'), /Cannot create ov::element::Type/);
        assert.throws(() => info.tensor().setLayout(), /Wrong number of parameters\./);
      }
      assert.throws(() => input.preprocess(0), /Function does not take any parameters\./);
      assert.throws(() => input.tensor().setShape(), /Wrong number of parameters\./);
      assert.throws(() => input.tensor().setShape(['a']), {code: 'INVALID_ARGUMENT'});
      assert.throws(() => input.preprocess().resize(), /Wrong number of parameters\./);
      assert.throws(() => input.preprocess().resize('RESIZE_LINEAR', 'extraArg'), /Wrong number of parameters\./);
      for (const sizes of [[0, 0], [-1, 2]]) {
        assert.throws(() => input.preprocess().resize('RESIZE_LINEAR', ...sizes), {
          code: 'INVALID_ARGUMENT',
          message: `resize() takes a positive height and width, not ${sizes}.`,
        });
      }
      assert.throws(() => input.preprocess().resize('LINEAR'), /resizeAlgorithm is one of RESIZE_NEAREST/);
      assert.throws(() => input.preprocess().mean(), /Wrong number of parameters\./);
      assert.throws(() => input.preprocess().mean([]), {code: 'INVALID_ARGUMENT'});
      assert.throws(() => input.preprocess().scale(NaN), {code: 'INVALID_ARGUMENT'});
      assert.throws(() => input.preprocess().pad([1], 1, 0, 'CONSTANT'), {code: 'INVALID_ARGUMENT'});
      assert.throws(() => input.preprocess().convertColor('CMYK'), /color format is one of/);
      assert.throws(() => input.model().setLayout('NCHW', 'extraArg'), /Wrong number of parameters\./);
      for (const [layout, message] of [['invalidLayout', /has the axis I twice/], ['N..C', /has an axis '\.'/], ['[N,', /has an axis '\['/], ['N...C...', /'\.\.\.' twice/], ['N*', /has an axis '\*'/], [5, /a string such as 'NHWC'/]]) {
        assert.throws(() => input.model().setLayout(layout), (error) => error.code === 'INVALID_ARGUMENT' && message.test(error.message));
      }
      assert.equal(ov.preprocess.resizeAlgorithm.RESIZE_LINEAR, 'RESIZE_LINEAR');
      assert.throws(() => new (input.constructor)(), {code: 'INVALID_ARGUMENT'});
    });

    it('reshapes before and after, and variables too', () => {
      const model = modelOf();
      model.reshape('1,3,8,8');
      process(model, [['input', 'tensor', 'setElementType', 'u8']]);
      model.reshape('1,3,2,2');
      const again = core.importModelSync(core.compileModelSync(model, 'CPU').exportModelSync(), 'CPU');
      assert.deepEqual([again.input().shape, again.input().elementType, again.output().shape], [[1, 3, 2, 2], 'u8', [1, 3, 2, 2]]);
      const text = core.compileModelSync(model, 'CPU').exportModelSync().toString('latin1');
      for (const edits of ['[["reshape",[]]]', '[["preprocess",["input","0","mean","x"]]]', '[["preprocess",["input","-1"]]]', '[["reshape",[5]]]', '[["other",[]]]', '[[]]']) {
        const changed = text.replace(/"edits":.*\}\n/, `"edits":${edits}}\n`);
        assert.notEqual(changed, text);
        const imported = () => core.importModelSync(Buffer.from(changed, 'latin1'), 'CPU');
        assert.throws(imported, (error) => error instanceof ov.WasmvinoError && error.code !== 'INTERNAL');
      }
      const {xml, bin} = accumulatingModel();
      const stateful = core.readModelSync(xml, bin);
      assert.throws(() => stateful.reshape('2', {none: '2'}), {code: 'INVALID_ARGUMENT', message: /no variable 'none' with a shape/});
      assert.throws(() => stateful.reshape('2', 'sum_so_far'), /'reshape' method called with incorrect parameters/);
      assert.throws(() => stateful.reshape('2', {sum_so_far: '3'}), ov.WasmvinoError);
      stateful.reshape('2', {sum_so_far: '?'});
      assert.deepEqual(stateful.input().shape, [2]);
    });
  });
}
