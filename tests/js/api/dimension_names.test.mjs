// SPDX-License-Identifier: Apache-2.0
// Tests the names that ONNX files give to dynamic dimensions.
import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {inspect} from 'node:util';
import {addModel, packageWith} from '../engine.mjs';
import * as onnx from '../onnx_file.mjs';

const file = onnx.model({
  nodes: [onnx.node('Transpose', ['x'], ['y'])],
  inputs: [onnx.value('x', ['batch', 3, 'length', ''])],
  outputs: [onnx.value('y', ['', 'length', 3, 'batch'])],
});

describe('names of dimensions', async () => {
  const ov = await packageWith('simd');
  const core = new ov.Core();
  const namesOf = (model) => [model.input(0).getDimensionNames(), model.output(0).getDimensionNames()];

  it('are those of the file, as long as the dimensions are dynamic', async () => {
    const model = core.readModelSync(file);
    assert.deepEqual(namesOf(model), [['batch', '', 'length', ''], ['', 'length', '', 'batch']]);
    assert.deepEqual(namesOf(core.compileModelSync(model, 'CPU')), namesOf(model));
    assert.deepEqual(namesOf(model.clone().reshape('2,3,?,4')), [['', '', 'length', ''], ['', 'length', '', '']]);
    assert.deepEqual(namesOf(model.clone().reshape('2,3,5,4')), [[], []]);
    const remote = await new ov.Core({worker: true}).readModel(file);
    assert.deepEqual(namesOf(remote), namesOf(model));
  });

  it('are in texts about shapes', () => {
    const compiled = core.compileModelSync(core.readModelSync(file), 'CPU');
    assert.match(inspect(compiled), /input x: f32 \[batch,3,length,\?\]\n {2}output y: f32 \[\?,length,3,batch\]/);
    assert.throws(() => compiled.createInferRequest().infer([new ov.Tensor('f32', [1, 2, 3, 4])]), {
      code: 'INVALID_SHAPE',
      message: /'x' is of shape \[batch,3,length,\?\], but the tensor is of shape \[1,2,3,4\]/,
    });
  });

  it('are missing in other formats and after preprocessing', () => {
    assert.deepEqual(core.readModelSync(addModel([-1, 2])).input(0).getDimensionNames(), []);
    const model = core.readModelSync(file);
    const steps = new ov.preprocess.PrePostProcessor(model);
    steps.input(0).tensor().setElementType(ov.element.u8);
    steps.build();
    assert.deepEqual(namesOf(model), [[], []]);
  });
});
