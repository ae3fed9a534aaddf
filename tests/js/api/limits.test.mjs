// SPDX-License-Identifier: Apache-2.0
// Reads, compiles and runs conformance cases under growing limits, so that one allocation or check after another fails. The same
// call must then succeed on the same objects with the right results, and so must a run of another model.
import assert from 'node:assert/strict';
import {existsSync, readFileSync, readdirSync} from 'node:fs';
import {describe, it} from 'node:test';
import {addModel, packageWith, readTensor, testdata} from '../engine.mjs';

const cases = `${testdata}cases/ops/`;
// With bodies, states and shapes that depend on data, and a sample of all.
const names = readdirSync(cases).sort();
const stateful = ['Loop', 'TensorIterator', 'If', 'ReadValue', 'NonZero', 'Unique'].flatMap((operation) => {
  const found = names.filter((name) => name.startsWith(`${operation}_`));
  return [found[0], found[found.length >> 1]];
});
const sample = names.filter((name, i) => i % 383 === 38 && !/^(RandomUniform|Multinomial)_/.test(name));

const values = (outputs) => Object.values(outputs).map((tensor) => [tensor.getElementType(), tensor.getShape(), [...tensor.data]]);

describe('limits that are met anywhere', async () => {
  const ov = await packageWith('simd');
  const core = new ov.Core();
  const other = core.compileModelSync(core.readModelSync(addModel()), 'CPU').createInferRequest();
  const isOtherRight = () => {
    const {sum} = other.infer({x: new Float32Array(6).fill(1), y: new Float32Array(6).fill(2)});
    assert.deepEqual([...sum.data], new Array(6).fill(3));
  };

  function inputsOf(folder) {
    const {inputs} = JSON.parse(readFileSync(`${folder}/case.json`, 'utf8'));
    return inputs.map(({type}, i) => {
      const stem = [`${folder}/in_${i}`, `${folder}/in_0_${i}`].find((path) => existsSync(`${path}.npy`) || existsSync(`${path}.json`));
      return readTensor(ov, `${stem}.${existsSync(`${stem}.npy`) ? 'npy' : 'json'}`, type);
    });
  }

  // Calls `call` with one limit after another, until it succeeds; returns how often it failed.
  function climb(name, limits, call, afterwards) {
    let failures = 0;
    for (const limit of limits) {
      let failed = false;
      try {
        call({[name]: limit});
      } catch (error) {
        assert.ok(['OUT_OF_MEMORY', 'LIMIT_EXCEEDED'].includes(error.code), error);
        failed = true;
      }
      afterwards();
      isOtherRight();
      if (!failed) return failures;
      failures++;
    }
    throw new Error(`${name} never suffices`);
  }

  // Each step is a few allocations further.
  function* bytesFrom(first, factor) {
    for (let bytes = first; bytes < 2 ** 30; bytes = Math.ceil(bytes * factor)) yield bytes;
  }

  for (const name of new Set([...stateful, ...sample])) {
    it(name, () => {
      const folder = cases + name;
      const [xml, bin] = ['model.xml', 'model.bin'].map((file) => `${folder}/${file}`);
      const files = existsSync(bin) ? [xml, bin] : [xml];
      const inputs = inputsOf(folder);
      const owner = new ov.Core();
      const model = owner.readModelSync(...files);
      const compiled = owner.compileModelSync(model, 'CPU');
      const request = compiled.createInferRequest();
      const run = (options) => {
        request.resetState();
        return values(request.infer(inputs, options));
      };
      const expected = run();
      const isRight = () => assert.deepEqual(run(), expected);
      let failures = 0;
      for (const [limit, limits] of [
        ['memoryBytes', () => bytesFrom(64, 1.15)],
        ['tensorBytes', () => bytesFrom(1, 2)],
        ['layers', () => bytesFrom(1, 1.1)],
      ]) {
        const read = (given) => owner.readModelSync(...files, {limits: given}).dispose();
        failures += climb(limit, limits(), read, () => read({}));
      }
      for (const [limit, limits] of [
        ['memoryBytes', () => bytesFrom(64, 1.15)],
        ['tensorBytes', () => bytesFrom(1, 2)],
      ]) {
        const compile = (given) => owner.compileModelSync(model, 'CPU', {}, {limits: given}).dispose();
        failures += climb(limit, limits(), compile, () => compile({}));
        failures += climb(limit, limits(), (given) => run({limits: given}), isRight);
        const first = (given) => {
          const fresh = compiled.createInferRequest();
          try {
            fresh.infer(inputs, {limits: given});
          } catch (error) {
            assert.deepEqual(values(fresh.infer(inputs)), expected);
            throw error;
          } finally {
            fresh.dispose();
          }
        };
        failures += climb(limit, limits(), first, isRight);
      }
      if (name.startsWith('Loop')) failures += climb('iterations', bytesFrom(1, 1.1), (given) => run({limits: given}), isRight);
      assert.ok(failures > 50);
      for (const object of [request, compiled, model]) object.dispose();
    });
  }
});
