// SPDX-License-Identifier: Apache-2.0
// Tests the methods that tensors share with numpy's arrays: results of numpy, views, and errors.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {describe, it} from 'node:test';
import {addModel, freshPackage, identityModel, root} from '../engine.mjs';

const ov = await freshPackage();

// The elements of a tensor as numbers, for every type.
function valuesOf(tensor) {
  const flat = tensor.reshape([-1]);
  return Array.from({length: flat.getSize()}, (_, i) => Number(flat.at(i)));
}

describe('numpy', () => {
  const goldens = JSON.parse(readFileSync(`${root}tests/js/tensor/numpy_tensor.json`, 'utf8'));

  for (const [type, shape, data, calls] of goldens) {
    it(`agrees on ${calls.length} calls for ${type} [${shape}]`, () => {
      const seen = new Set();
      for (const [[method, ...args], ...result] of calls) {
        const text = `${method}(${JSON.stringify(args)})`;
        seen.add(method);
        const tensor = new ov.Tensor(type, shape, data);
        const got = tensor[method](...args);
        if (method === 'at') {
          assert.equal(typeof got, /^[iu]64$/.test(type) ? 'bigint' : 'number', text);
          assert.equal(Number(got), result[0], text);
          continue;
        }
        assert.equal(got.getElementType(), type, text);
        assert.deepEqual(got.getShape(), result[0], text);
        if (got.getSize() > 0) assert.deepEqual(valuesOf(got), result[1], text);
        // These methods change the tensor. The others return a new one.
        assert.equal(got === tensor, ['fill', 'rand'].includes(method), text);
        if (got !== tensor && tensor.getSize() > 0) assert.deepEqual(valuesOf(tensor), data, text);
      }
      assert.ok(seen.size > 0);
    });
  }

  it('has goldens of all methods and of nine types', () => {
    const methods = new Set(goldens.flatMap(([, , , calls]) => calls.map(([[method]]) => method)));
    assert.deepEqual([...methods].sort(), ['at', 'fill', 'pad', 'rand', 'reshape', 'slice']);
    assert.equal(new Set(goldens.map(([type]) => type)).size, 9);
  });
});

describe('views', () => {
  it('reshape and slice share the memory of the tensor, also of the array it was made of', () => {
    const array = Float32Array.of(1, 2, 3, 4, 5, 6);
    const tensor = new ov.Tensor('f32', [3, 2], array);
    const [flat, last] = [tensor.reshape([6]), tensor.slice(-1)];
    last.fill(9);
    assert.deepEqual(array, Float32Array.of(1, 2, 3, 4, 9, 9));
    flat.data = Float32Array.of(6, 5, 4, 3, 2, 1);
    assert.deepEqual([tensor.data, last.data], [flat.data, Float32Array.of(2, 1)]);
    const inner = tensor.slice(1).slice(1).reshape([2]).slice(1);
    assert.equal(inner.at(0), 1);
    assert.equal(inner.view().buffer, array.buffer);
    last.transform((x) => -x);
    assert.deepEqual(array.slice(4), Float32Array.of(-2, -1));
    tensor.dispose();
    assert.deepEqual(last.data, Float32Array.of(-2, -1));
    const strings = new ov.Tensor(['a', 'b', 'c', 'd']);
    strings.reshape([2, 2]).data = ['e', 'f', 'g', 'h'];
    assert.deepEqual(strings.data, ['e', 'f', 'g', 'h']);
  });

  it('a copy in column-major order, or padded, shares nothing', () => {
    const tensor = new ov.Tensor('i32', [2, 2], [1, 2, 3, 4]);
    tensor.reshape([4], 'F').fill(0);
    tensor.pad(0).fill(0);
    assert.deepEqual(tensor.data, Int32Array.of(1, 2, 3, 4));
  });

  it('a view takes other shapes within its part alone', () => {
    const tensor = new ov.Tensor('u8', [4, 2], [1, 2, 3, 4, 5, 6, 7, 8]);
    const view = tensor.slice(1, 3);
    view.setShape([3]);
    assert.deepEqual(view.data, Uint8Array.of(3, 4, 5));
    view.setShape([4]);
    assert.deepEqual(view.data, Uint8Array.of(3, 4, 5, 6));
    assert.throws(() => view.setShape([5]), {code: 'INVALID_SHAPE', message: /the part of a tensor that this view shows has 4\./});
    tensor.setShape([20]);
    assert.deepEqual(view.data, Uint8Array.of(3, 4, 5, 6));
  });

  it('types narrower than a byte are sliced at whole bytes', () => {
    const tensor = new ov.Tensor('u4', [3, 2], Uint8Array.of(0x21, 0x43, 0x65));
    assert.deepEqual(tensor.slice(1).data, Uint8Array.of(0x43, 0x65));
    assert.deepEqual(tensor.reshape([6]).data, tensor.data);
    assert.throws(() => tensor.reshape([6]).slice(1), {code: 'INVALID_SHAPE', message: /inside a byte/});
    const groups = new ov.Tensor('u3', [16], new Uint8Array(6).fill(7));
    assert.equal(groups.slice(8).getByteSize(), 3);
    assert.throws(() => groups.slice(4), {code: 'INVALID_SHAPE'});
    assert.throws(() => tensor.reshape([6], 'F'), {code: 'INVALID_TYPE'});
    assert.deepEqual(new ov.Tensor('f8e4m3', [2, 2], Uint8Array.of(1, 2, 3, 4)).reshape([4], 'F').data, Uint8Array.of(1, 3, 2, 4));
  });

  it('sub-views are inputs, results are copied into them, and they are sent to a worker', async () => {
    const batch = new ov.Tensor('f32', [2, 2, 3]).transform(() => 1);
    const sums = new ov.Tensor('f32', [2, 2, 3]);
    batch.slice(1).fill(5);
    for (const worker of [false, true]) {
      const other = await freshPackage();
      const core = new other.Core({worker});
      const request = (await core.compileModel(await core.readModel(addModel()), 'CPU')).createInferRequest();
      const part = new other.Tensor('f32', [2, 2, 3], batch.data).slice(1).reshape([2, 3]);
      const total = new other.Tensor('f32', [2, 2, 3], sums.data);
      request.setOutputTensor(0, total.slice(1).reshape([2, 3]));
      await request.inferAsync({x: part, y: part});
      assert.deepEqual(total.data, Float32Array.of(0, 0, 0, 0, 0, 0, 10, 10, 10, 10, 10, 10));
      request.dispose();
    }
  });
});

for (const [where, worker] of [['the engine', false], ['a worker', true]]) {
  describe(`tensors of ${where}`, () => {
    const open = async (model) => {
      const other = await freshPackage();
      const core = new other.Core({worker});
      return [other, (await core.compileModel(await core.readModel(model), 'CPU')).createInferRequest()];
    };

    it('views of a result show it, and those of another shape are refused', async () => {
      const [other, request] = await open(identityModel('i64', [-1, 2]));
      const run = (rows) => request.inferAsync({in: new other.Tensor('i64', [rows, 2], Array.from({length: 2 * rows}, (_, i) => i))});
      await run(2);
      const result = request.getOutputTensor(0);
      assert.equal(result.at(1, -1), 3n);
      const [flat, last] = [result.reshape([-1]), result.slice(-1)];
      assert.deepEqual([flat.getShape(), flat.data, last.data], [[4], BigInt64Array.of(0n, 1n, 2n, 3n), BigInt64Array.of(2n, 3n)]);
      assert.deepEqual(last.view((array) => [...array]), [2n, 3n]);
      assert.deepEqual(result.pad([[0, 0], [1, 0]], -1).data, BigInt64Array.of(-1n, 0n, 1n, -1n, 2n, 3n));
      assert.deepEqual(result.reshape([4], 'F').data, BigInt64Array.of(0n, 2n, 1n, 3n));
      last.transform((value) => value * 10n);
      assert.equal(flat.at(3), 30n);
      flat.fill(7);
      assert.deepEqual(result.data, new BigInt64Array(4).fill(7n));
      assert.throws(() => last.setShape([1]), {code: 'INVALID_STATE'});
      await run(2);
      assert.deepEqual(last.data, BigInt64Array.of(2n, 3n));
      await run(3);
      for (const view of [flat, last]) {
        assert.throws(() => view.data, {code: 'INVALID_STATE', expected: '[2,2]', actual: '[3,2]', message: /now has the shape \[3,2\]\. Create a new view/});
      }
      request.dispose();
    });

    it('strings are reshaped and read', async () => {
      const [other, request] = await open(identityModel('string', [4]));
      await request.inferAsync({in: new other.Tensor(['a', 'b', 'c', 'd'])});
      const result = request.getOutputTensor(0).reshape([2, 2]);
      assert.deepEqual([result.at(1, 0), result.data], ['c', ['a', 'b', 'c', 'd']]);
      assert.deepEqual(result.reshape([4], 'F').data, ['a', 'c', 'b', 'd']);
      request.dispose();
    });
  });
}

describe('examples', () => {
  it('of the declarations give what they say', () => {
    const source = readFileSync(`${root}js/src/tensor/tensor.ts`, 'utf8');
    let count = 0;
    for (const [, example] of source.matchAll(/@example\n([^]*?) +\*\//g)) {
      const lines = example.split('\n').map((line) => line.replace(/^ +\* ?/, ''));
      lines.forEach((line, i) => {
        const [, expression, values] = /^(tensor\.\w.*?|new .*?); \/\/ (-?\d[-\d., ]*\d|\d)(:.*)?$/.exec(line) ?? [];
        if (expression === undefined) return;
        const before = lines.slice(0, i).filter((each) => each.startsWith('const '));
        const got = new Function('ov', `${before.join('\n')}\nconst got = ${expression};\nreturn got === undefined ? tensor.data : got;`)(ov);
        assert.deepEqual(typeof got === 'number' ? [got] : [...(got.data ?? got)], values.split(', ').map(Number), line);
        ++count;
      });
    }
    assert.ok(count >= 9, String(count));
  });
});

describe('values', () => {
  it('bf16, f16 and strings have theirs', () => {
    for (const type of ['bf16', 'f16']) {
      const tensor = new ov.Tensor(type, [5], [1.5, -0, 2 ** -14, Infinity, NaN]);
      assert.deepEqual([0, 1, 2, 3, 4].map((i) => tensor.at(i)), [1.5, -0, 2 ** -14, Infinity, NaN], type);
      assert.deepEqual(tensor.transform((x) => x * 2).at(0), 3);
      assert.ok(tensor.rand(3).at(0) > 0);
    }
    const small = new ov.Tensor('f16', [2], [2 ** -24, 65504]);
    assert.deepEqual([small.at(0), small.at(1)], [2 ** -24, 65504]);
    const strings = new ov.Tensor(['a', 'b']);
    assert.equal(strings.at(-1), 'b');
    assert.deepEqual(strings.pad([[1, 0]]).data, ['', 'a', 'b']);
    assert.deepEqual(strings.pad([[0, 1]], 'c').data, ['a', 'b', 'c']);
    assert.deepEqual(strings.transform((text) => text.toUpperCase()).data, ['A', 'B']);
    assert.deepEqual(strings.fill('x').data, ['x', 'x']);
    assert.deepEqual(new ov.Tensor(['a', 'b', 'c', 'd']).reshape([2, 2]).reshape([4], 'F').data, ['a', 'c', 'b', 'd']);
  });

  it('a function that throws, or gives what the type does not hold, changes nothing', () => {
    const tensor = new ov.Tensor('u8', [3], [1, 2, 3]);
    assert.throws(() => tensor.transform((x) => 100 * x), {code: 'INVALID_VALUE', message: /value 2, 300/});
    assert.throws(() => tensor.transform((x) => { if (x > 1) throw new Error('no'); return 0; }), /no/);
    assert.deepEqual(tensor.data, Uint8Array.of(1, 2, 3));
    assert.deepEqual(new ov.Tensor('boolean', [2], [1, 0]).transform((x) => !x).data, Uint8Array.of(0, 1));
  });
});

describe('refusals', () => {
  const tensor = new ov.Tensor('f32', [2, 3]);
  const packed = new ov.Tensor('u4', [2]);
  const strings = new ov.Tensor(['a']);
  const refused = [
    ['another number of elements', () => tensor.reshape([4]), 'INVALID_SHAPE', /\[2,3\] has 6 elements and cannot be reshaped to \[4\]/],
    ['a rest that does not fit', () => tensor.reshape([-1, 4]), 'INVALID_SHAPE', /to \[-1,4\]/],
    ['a rest of nothing', () => tensor.reshape([-1, 0]), 'INVALID_SHAPE'],
    ['two rests', () => tensor.reshape([-1, -1]), 'INVALID_ARGUMENT'],
    ['no shape', () => tensor.reshape(6), 'INVALID_ARGUMENT'],
    ['another order', () => tensor.reshape([6], 'A'), 'INVALID_ARGUMENT', /the order 'C' or 'F', not A/],
    ['a slice in pieces', () => tensor.slice(0, 1, 1), 'INVALID_SHAPE', /is not one block of memory: the axes before it must have size 1/],
    ['an axis that is not there', () => tensor.slice(0, 1, 2), 'INVALID_VALUE', /no axis 2: the shape \[2,3\] has 2 axes/],
    ['no axis', () => tensor.slice(0, 1, {}), 'INVALID_ARGUMENT', /the number of an axis/],
    ['a slice of a scalar', () => new ov.Tensor('f32', []).slice(0), 'INVALID_VALUE'],
    ['half a position', () => tensor.slice(0.5), 'INVALID_ARGUMENT'],
    ['a slice of strings', () => strings.slice(0), 'INVALID_TYPE'],
    ['too few indices', () => tensor.at(1), 'INVALID_SHAPE', /one index per axis: expected 2, got 1/],
    ['an index outside', () => tensor.at(0, 3), 'INVALID_VALUE', /The index 3 is outside axis 1, whose size is 3/],
    ['an index before', () => tensor.at(-3, 0), 'INVALID_VALUE'],
    ['half an index', () => tensor.at(0.5, 0), 'INVALID_ARGUMENT'],
    ['packed values', () => packed.at(0), 'INVALID_TYPE', /at\(\) does not support type u4/],
    ['a packed fill', () => packed.fill(1), 'INVALID_TYPE'],
    ['a packed transform', () => packed.transform((x) => x), 'INVALID_TYPE'],
    ['packed padding', () => packed.pad(1), 'INVALID_TYPE'],
    ['a text as number', () => tensor.fill('1'), 'INVALID_ARGUMENT', /fill\(\) takes numbers for a tensor of type f32, not 1/],
    ['a number as text', () => strings.fill(1), 'INVALID_ARGUMENT'],
    ['too large a number', () => tensor.fill(1e39), 'INVALID_VALUE'],
    ['a fraction for integers', () => new ov.Tensor('i8', [1]).fill(0.5), 'INVALID_VALUE'],
    ['pairs of other axes', () => tensor.pad([[1, 1]]), 'INVALID_SHAPE', /expected 2 pairs, got 1/],
    ['a negative width', () => tensor.pad(-1), 'INVALID_ARGUMENT', /whole numbers of 0 or more, not -1,-1/],
    ['no widths', () => tensor.pad('1'), 'INVALID_ARGUMENT'],
    ['no function', () => tensor.transform(1), 'INVALID_ARGUMENT'],
    ['no seed', () => tensor.rand(), 'INVALID_ARGUMENT'],
    ['a large seed', () => tensor.rand(2 ** 32), 'INVALID_ARGUMENT'],
    ['random integers', () => new ov.Tensor('i32', [1]).rand(1), 'INVALID_TYPE', /type i32 cannot represent/],
  ];
  for (const [what, call, code, message = /./] of refused) {
    it(what, () => assert.throws(call, {code, message}));
  }

  it('a tensor that was disposed', () => {
    const gone = new ov.Tensor('f32', [1]);
    gone.dispose();
    for (const call of [() => gone.reshape([1]), () => gone.slice(0), () => gone.at(0), () => gone.fill(0), () => gone.pad(1), () => gone.transform(Number), () => gone.rand(1)]) {
      assert.throws(call, {code: 'INVALID_STATE', message: /disposed/});
    }
  });
});
