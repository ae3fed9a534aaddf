// SPDX-License-Identifier: Apache-2.0
// Calls every public method and constructor with nonsense. Whatever is thrown must be a WasmvinoError.
import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {membersOf} from '../declarations.mjs';
import {accumulatingModel, addModel, freshPackage, packageWith} from '../engine.mjs';

const nonsense = () => [
  undefined, null, true, 0, -1, 1.5, NaN, 2 ** 53, 10n, '', 'x', 'f32', 'string', 'CPU', Symbol('odd'), () => 1,
  [], [null], [2 ** 32], ['x'], {}, {layer: 5}, {x: Symbol('odd')}, Object.create(null), new Map([[0, 5]]), new Date(0),
  new Uint8Array(3), new Float32Array(6), new DataView(new ArrayBuffer(8)), new ArrayBuffer(4), /x/,
];

// Yields all single arguments, all pairs, and some triples.
function* argumentLists() {
  yield [];
  const values = nonsense();
  for (const first of values) {
    yield [first];
    for (const second of values) yield [first, second];
  }
  let state = 1;
  const next = () => values[(state = (state * 48271) % 2147483647) % values.length];
  for (let i = 0; i < 300; ++i) yield [next(), next(), next()];
}

const quiet = console.warn;

describe('nonsense', async () => {
  const ov = await packageWith('simd');
  const core = new ov.Core();
  const {xml, bin} = accumulatingModel();
  const made = () => {
    const model = core.readModelSync(xml, bin);
    const compiled = core.compileModelSync(model, 'CPU');
    const request = compiled.createInferRequest();
    const queue = new ov.AsyncInferQueue(compiled, 1);
    queue.setCallback(() => {});
    return {
      Core: new ov.Core(),
      Model: model,
      Node: model.getOps()[0],
      CompiledModel: compiled,
      InferRequest: request,
      AsyncInferQueue: queue,
      VariableState: request.queryState()[0],
      Tensor: new ov.Tensor('f32', [2, 3]),
      Output: model.input(),
      ConstOutput: compiled.input(),
      PartialShape: new ov.PartialShape('1,?'),
    };
  };

  async function check(what, call) {
    for (const args of argumentLists()) {
      try {
        await call(args);
      } catch (error) {
        if (error instanceof ov.WasmvinoError && error.code !== 'INTERNAL' && error.message !== '') continue;
        const text = args.map((arg) => (typeof arg === 'symbol' ? 'Symbol()' : Object.prototype.toString.call(arg) + JSON.stringify(arg, (_, v) => (typeof v === 'bigint' ? `${v}n` : v)))).join(', ');
        assert.fail(`${what}(${text}): ${error?.stack}`);
      }
    }
  }

  it('covers every class of the package', () => {
    const classes = Object.entries(ov).filter(([name, value]) => /^[A-Z]/.test(name) && typeof value === 'function').map(([name]) => name);
    assert.deepEqual(classes.filter((name) => name !== 'WasmvinoError').sort(), Object.keys(made()).sort());
  });

  for (const name of Object.keys(made())) {
    it(`new ${name}`, () => check(`new ${name}`, (args) => new ov[name](...args)));

    for (const key of membersOf(name)) {
      if (key === 'dispose') continue;
      let prototype = ov[name].prototype;
      while (!Object.hasOwn(prototype, key)) prototype = Object.getPrototypeOf(prototype);
      const descriptor = Object.getOwnPropertyDescriptor(prototype, key);
      it(`${name}.${key}`, async () => {
        console.warn = () => {};
        try {
          for (const state of ['alive', 'disposed']) {
            const object = made()[name];
            if (state === 'disposed') object.dispose?.();
            await check(`${name}.${key}`, (args) => {
              if (!('value' in descriptor)) {
                if (descriptor.set && args.length > 0) object[key] = args[0];
                return object[key];
              }
              return object[key](...args);
            });
          }
        } finally {
          console.warn = quiet;
        }
      });
    }
  }

  for (const name of ['inspect', 'operations', 'memoryBytes', 'getOpenvinoVersion', 'saveModelSync']) {
    it(name, () => check(name, (args) => ov[name](...args)));
  }

  it('configure', async () => {
    const fresh = await freshPackage();
    for (const [value] of argumentLists()) {
      for (const options of [value, {build: value}, {wasmUrl: value}, {wasmBinary: value}, {factory: value}, {odd: value}]) {
        try {
          fresh.configure(options);
        } catch (error) {
          assert.ok(error instanceof fresh.WasmvinoError, error.stack);
        }
      }
    }
  });

  it('leaves the engine as it was', () => {
    const ones = new Float32Array(6).fill(1);
    const request = core.compileModelSync(core.readModelSync(addModel()), 'CPU').createInferRequest();
    assert.deepEqual(request.infer([ones, ones]).sum.data, new Float32Array(6).fill(2));
  });

  it('strings beyond all memory, a folder in place of a file', async () => {
    assert.throws(() => new ov.Tensor('string', [2 ** 32]), {code: 'OUT_OF_MEMORY', message: /4294967296/});
    assert.throws(() => core.readModelSync('/'), {code: 'INVALID_ARGUMENT', message: /folder/});
    await assert.rejects(core.readModel('/'), {code: 'INVALID_ARGUMENT', message: /folder/});
  });
});
