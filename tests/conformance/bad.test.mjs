// SPDX-License-Identifier: Apache-2.0
// Malformed and hostile models. Each is either refused with an error that says why, or runs. None may harm the engine.
import assert from 'node:assert/strict';
import {existsSync, readFileSync, readdirSync} from 'node:fs';
import {describe, it} from 'node:test';
import {readArrayFile} from '../../js/src/arrays/array_files.mjs';
import {addModel, builds, packageWith, testdata} from '../js/engine.mjs';
import {tensorOf} from './wasm_engine.mjs';

const folder = `${testdata}bad/`;

// According to the specification, this loop runs 2^62 times.
const endless = ['loop_trip_huge'];
// The deep nesting is outside of the parts that a model consists of. OpenVINO itself overflows its stack.
const harmless = ['deep_nesting_100k', 'deep_nesting_1m'];

for (const build of builds) {
  const ov = await packageWith(build);
  const core = new ov.Core();

  // Returns how far a model gets, and the error that stopped it.
  function attempt(name) {
    const [xml, bin] = ['xml', 'bin'].map((suffix) => `${folder}${name}/model.${suffix}`);
    const made = [];
    let stage = 'read_model';
    try {
      made.push(core.readModelSync(readFileSync(xml), existsSync(bin) ? readFileSync(bin) : undefined));
      stage = 'compile';
      made.push(core.compileModelSync(made[0], 'CPU'));
      stage = 'infer';
      made.push(made[1].createInferRequest());
      made[1].inputs.forEach((port, i) => {
        const file = `${folder}${name}/in_${i}.npy`;
        if (existsSync(file)) made[2].setInputTensor(i, tensorOf(ov, readArrayFile(file, port.elementType)));
      });
      if (!endless.includes(name)) made[2].infer();
      return {stage: 'accepted'};
    } catch (error) {
      return {stage, error};
    } finally {
      for (const object of made.reverse()) object.dispose();
    }
  }

  describe(`bad models, build ${build}`, () => {
    const names = readdirSync(folder).sort();
    assert.ok(names.length >= 150, 'the cases are missing: scripts/setup/testdata.sh bad');
    for (const name of names) {
      it(name, () => {
        const {openvino} = JSON.parse(readFileSync(`${folder}${name}/case.json`, 'utf8'));
        const {stage, error} = attempt(name);
        if (error) {
          assert.ok(error instanceof ov.WasmvinoError, error.stack);
          assert.notEqual(error.code, 'INTERNAL', error.message);
          assert.ok(error.message.length > 10 && !error.message.includes('Aborted'), error.message);
        }
        if (['read_model', 'compile', 'infer'].includes(openvino.stage) && !harmless.includes(name)) {
          assert.notEqual(stage, 'accepted', `OpenVINO says: ${openvino.says}`);
        }
        const {sum} = core.compileModelSync(core.readModelSync(addModel([1])), 'CPU').createInferRequest().infer([Float32Array.of(1), Float32Array.of(2)]);
        assert.equal(sum.data[0], 3);
      });
    }
  });
}
