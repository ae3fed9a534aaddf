// SPDX-License-Identifier: Apache-2.0
// Tests Tensor and PartialShape before the engine is loaded. They behave like those of openvino-node.
import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {freshPackage} from '../engine.mjs';

const ov = await freshPackage();
const shape = [1, 3, 4, 5];
const count = 60;

const arrays = {
  i8: Int8Array,
  u8: Uint8Array,
  i16: Int16Array,
  u16: Uint16Array,
  i32: Int32Array,
  u32: Uint32Array,
  f32: Float32Array,
  f64: Float64Array,
  i64: BigInt64Array,
  u64: BigUint64Array,
  boolean: Uint8Array,
  bf16: Uint16Array,
};

const valuesOf = (ArrayType) =>
  ArrayType.from({length: count}, (_, i) => (ArrayType.name.startsWith('Big') ? BigInt(i) : i % 2));

describe('Tensor', () => {
  it('is made without loading the engine', () => {
    assert.equal(ov.memoryBytes(), 0);
    assert.equal(new ov.Tensor(ov.element.f32, shape).data.length, count);
    assert.equal(ov.memoryBytes(), 0);
  });

  for (const [type, ArrayType] of Object.entries(arrays)) {
    it(`holds ${type} in a ${ArrayType.name}`, () => {
      const data = valuesOf(ArrayType);
      const tensor = new ov.Tensor(type, shape, data);
      assert.equal(ov.element[type], type);
      assert.equal(tensor.getElementType(), ov.element[type]);
      assert.deepEqual(tensor.data, data);
      assert.deepEqual(tensor.getData(), data);
      assert.deepEqual(tensor.getShape(), shape);
      assert.equal(tensor.getSize(), count);
      assert.equal(tensor.getByteSize(), data.byteLength);
      assert.equal(tensor.isContinuous(), true);
    });
  }

  it('packs types narrower than a byte', () => {
    const sizes = {u1: 1, u2: 2, u3: 3, u4: 4, i4: 4, u6: 6};
    for (const [type, bits] of Object.entries(sizes)) {
      assert.equal(new ov.Tensor(type, [8]).getByteSize(), bits, type);
      assert.ok(new ov.Tensor(type, [8]).data instanceof Uint8Array, type);
    }
    assert.equal(new ov.Tensor('i4', [3]).getByteSize(), 2);
    assert.equal(new ov.Tensor('u3', [3]).getByteSize(), 3);
  });

  it('holds f16 as numbers where JavaScript has them, else as bits, and takes bits anyway', () => {
    const ArrayType = globalThis.Float16Array ?? Uint16Array;
    const one = Uint16Array.of(0x3c00);
    const tensor = new ov.Tensor('f16', [1], one);
    assert.ok(tensor.data instanceof ArrayType);
    assert.deepEqual(new Uint16Array(tensor.data.buffer), one);
    tensor.data = Uint16Array.of(0x4000);
    assert.equal(new Uint16Array(tensor.data.buffer)[0], 0x4000);
  });

  it('shares the memory of the array it is given; data is a copy', () => {
    const array = Float32Array.of(1, 2);
    const tensor = new ov.Tensor('f32', [2], array);
    array[0] = 5;
    assert.equal(tensor.data[0], 5);
    tensor.data[0] = 7;
    assert.equal(tensor.data[0], 5);
    assert.equal(tensor.view().buffer, array.buffer);
  });

  it('holds strings', () => {
    const tensor = new ov.Tensor(['text', '', 'mehr ≠ Text']);
    assert.deepEqual(tensor.data, ['text', '', 'mehr ≠ Text']);
    assert.deepEqual(tensor.getShape(), [3]);
    const shaped = new ov.Tensor(ov.element.string, [1, 2]);
    assert.deepEqual(shaped.data, ['', '']);
    shaped.data = ['H', 'i'];
    assert.deepEqual(shaped.data, ['H', 'i']);
    assert.throws(() => new ov.Tensor(['text', true]), /must contain only strings/);
    assert.throws(() => shaped.view(), {code: 'INVALID_TYPE'});
  });

  it('checks what it is made of, as openvino-node does', () => {
    const data = new Float32Array(count);
    const make = (...args) => () => new ov.Tensor(...args);
    assert.throws(make('f32', shape, data, 1), /Invalid number of arguments for Tensor constructor/);
    assert.throws(make('f32', shape, new Float32Array(2 * count)), {
      code: 'INVALID_SHAPE',
      message: /Memory allocated using shape and element::type mismatch/,
    });
    assert.throws(make('f32', shape, new ArrayBuffer(240)), /Third argument of a tensor must be TypedArray/);
    assert.throws(make('f32', shape, [1, 2]), /Third argument of a tensor must be TypedArray/);
    for (const [type, array, expected] of [['f32', Int32Array.of(1), 'Float32Array'], ['i32', Float32Array.of(1), 'Int32Array'], ['i64', Float64Array.of(1), 'BigInt64Array'], ['f64', Float32Array.of(1, 2), 'Float64Array']]) {
      assert.throws(make(type, [1], array), {code: 'INVALID_TYPE', message: `The tensor of type ${type} takes a ${expected}, not a ${array.constructor.name}.`});
    }
    // Bits are accepted.
    assert.equal(make('f32', [1], new Uint8Array(Float32Array.of(2).buffer))().data[0], 2);
    assert.equal(make('f16', [1], Uint16Array.of(0x4000))().at(0), 2);
    assert.equal(make('i32', [1], Uint32Array.of(2 ** 32 - 1))().data[0], -1);
    assert.throws(make('f32', [1], new Float32Array(2).subarray(1)), /byteOffset has to be equal to zero/);
    assert.throws(make('f31', shape), {code: 'INVALID_ARGUMENT', actual: 'f31', message: /Cannot create ov::element::Type/});
    assert.throws(make('f32', ['1', 3]), /Passed array must contain only numbers/);
    assert.throws(make('f32', [-1]), {code: 'INVALID_ARGUMENT'});
    assert.throws(make('f32', Float32Array.of(1)), /must be an Int32Array or a Uint32Array/);
    assert.throws(make('f32', new ArrayBuffer(4)), /must be of type Array or TypedArray/);
    assert.throws(make('f32', [2 ** 50]), {code: 'OUT_OF_MEMORY'});
    assert.deepEqual(new ov.Tensor('f32', Int32Array.of(1, 2)).getShape(), [1, 2]);
    assert.deepEqual(new ov.Tensor('f32', [1, 2.8]).getShape(), [1, 2]);
  });

  it('says in which order its arguments come, what a type is called, and what an array lacks', () => {
    const make = (...args) => () => new ov.Tensor(...args);
    assert.throws(make([2], 'f32'), /must be of type String\. The first argument is an element type such as 'f32', got 2/);
    assert.throws(make('f32', new Float32Array(2), [2]), /Uint32Array\. The second argument, the shape, is an array of sizes, got Float32Array/);
    for (const [given, name] of Object.entries({float32: 'f32', FP16: 'f16', int64: 'i64', uint8: 'u8', bool: 'boolean', bfloat16: 'bf16'})) {
      assert.throws(make(given, [2]), {expected: name, message: new RegExp(`from '${given}': its name here is '${name}'`)});
    }
    assert.throws(make('f32', [2], new ArrayBuffer(8)), /must be TypedArray\. .*new Float32Array\(buffer\)/);
    assert.throws(make('f32', [2], new Float32Array(3)), /f32 and shape \[2\] takes 8 bytes, the buffer of the Float32Array has 12/);
  });

  it('takes plain numbers: integers exactly or not at all, others rounded as typed arrays round', () => {
    const dataOf = (type, values) => new ov.Tensor(type, [values.length], values).data;
    assert.deepEqual(dataOf('i64', [1, -2, 3n]), BigInt64Array.of(1n, -2n, 3n));
    assert.deepEqual(dataOf('u64', [2n ** 64n - 1n]), BigUint64Array.of(2n ** 64n - 1n));
    assert.deepEqual(dataOf('i8', [-128, 127]), Int8Array.of(-128, 127));
    assert.deepEqual(dataOf('boolean', [true, 0]), Uint8Array.of(1, 0));
    assert.deepEqual(dataOf('f32', [0.1, -0, Infinity]), Float32Array.of(0.1, -0, Infinity));
    assert.deepEqual(dataOf('f64', [0.1]), Float64Array.of(0.1));
    const bits = (type, values) => [...new Uint16Array(dataOf(type, values).buffer)];
    const halves = [1, -1.5, 0, -0, 65504, 65519, 2 ** -24, 2 ** -25, 3 * 2 ** -25, 2 ** -14, 1 + 2 ** -11, 1 + 3 * 2 ** -11, -Infinity];
    assert.deepEqual(bits('f16', halves), [0x3c00, 0xbe00, 0, 0x8000, 0x7bff, 0x7bff, 1, 0, 2, 0x400, 0x3c00, 0x3c02, 0xfc00]);
    assert.deepEqual(bits('bf16', [1, -2, 1 + 2 ** -8, 1 + 3 * 2 ** -8, Infinity]), [0x3f80, 0xc000, 0x3f80, 0x3f82, 0x7f80]);
    for (const [type, value] of [['i64', 1.5], ['i64', 2 ** 53], ['i32', 2 ** 31], ['u8', -1], ['u8', 256n], ['boolean', 2], ['f16', 65520], ['f32', 1e39], ['i32', NaN]]) {
      assert.throws(() => dataOf(type, [0, value]), {code: 'INVALID_VALUE', expected: type, message: new RegExp(`value 1, ${String(value).replace('+', '\\+')},`)});
    }
    assert.throws(() => dataOf('u4', [1]), {code: 'INVALID_TYPE', message: /packed bytes/});
  });

  it('checks values that are set', () => {
    const tensor = new ov.Tensor('f32', [1, 2]);
    tensor.data = Float32Array.of(3, 4);
    assert.deepEqual(tensor.data, Float32Array.of(3, 4));
    const set = (values) => () => (tensor.data = values);
    assert.throws(set(new Float64Array(2)), /must have the same size as the Tensor/);
    assert.throws(set(new Float32Array(3)), /must have the same size as the Tensor/);
    assert.throws(set(new Int32Array(2)), {code: 'INVALID_TYPE', expected: 'Float32Array', actual: 'Int32Array'});
    assert.throws(set('text'), /must be TypedArray, or Array/);
    assert.throws(set(['1', '2']), {code: 'INVALID_TYPE'});
    assert.deepEqual(tensor.data, Float32Array.of(3, 4));
  });

  it('refuses arguments that getters do not take', () => {
    const tensor = new ov.Tensor('f32', [1]);
    assert.throws(() => tensor.getData(1), {message: 'getData() does not accept any arguments.'});
    assert.throws(() => tensor.getShape(1), {message: 'No parameters are allowed for the getShape() method.'});
    assert.throws(() => tensor.getSize(1), {message: 'getSize() does not accept any arguments.'});
    assert.throws(() => tensor.isContinuous(1), {message: 'isContinuous() does not accept any arguments.'});
  });

  it('takes another shape: within its memory with its values, beyond it with zeros, but not beyond the caller\'s array', () => {
    const values = Int32Array.of(1, 2, 3, 4, 5, 6);
    const borrowed = new ov.Tensor('i32', [2, 3], values);
    borrowed.setShape([1, 3, 1]);
    assert.deepEqual([borrowed.getShape(), borrowed.data], [[1, 3, 1], Int32Array.of(1, 2, 3)]);
    borrowed.setShape([6]);
    assert.deepEqual(borrowed.data, values);
    assert.equal(borrowed.view().buffer, values.buffer);
    assert.throws(() => borrowed.setShape([7]), {
      code: 'INVALID_SHAPE',
      message: 'Could set new shape: [7] takes 28 bytes, the array that the tensor was made of has 24. Create a tensor from a larger array.',
    });
    assert.deepEqual(borrowed.getShape(), [6]);
    const own = new ov.Tensor('i32', [2], [1, 2]);
    own.setShape([1]);
    own.setShape([2]);
    assert.deepEqual(own.data, Int32Array.of(1, 2));
    own.setShape([3]);
    assert.deepEqual(own.data, new Int32Array(3));
    const strings = new ov.Tensor(['a', 'b', 'c']);
    strings.setShape([2]);
    assert.deepEqual(strings.data, ['a', 'b']);
    strings.setShape([3]);
    assert.deepEqual(strings.data, ['', '', '']);
    assert.throws(() => own.setShape('3'), {code: 'INVALID_ARGUMENT'});
  });

  it('copies to another tensor, which takes its shape', () => {
    const tensor = new ov.Tensor('i32', [2, 3], Int32Array.of(1, 2, 3, 4, 5, 6));
    const copy = new ov.Tensor('i32', [1]);
    tensor.copyTo(copy);
    assert.deepEqual([copy.getShape(), copy.data], [[2, 3], tensor.data]);
    assert.throws(() => tensor.copyTo(new ov.Tensor('i32', [1], new Int32Array(1))), {code: 'INVALID_SHAPE'});
    assert.throws(() => tensor.copyTo(new ov.Tensor('f32', [2, 3])), {
      code: 'INVALID_TYPE',
      message: 'Tensor element types are not equal. (src: i32 != dst: f32)',
    });
    assert.throws(() => tensor.copyTo([1, 2, 3]), {code: 'INVALID_ARGUMENT'});
  });

  it('is made of pixels, and says what is no picture or cannot be one', async () => {
    const data = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    const tensor = await ov.Tensor.from({width: 1, height: 2, data});
    assert.deepEqual([tensor.getShape(), tensor.data], [[1, 2, 1, 3], Uint8Array.of(1, 2, 3, 5, 6, 7)]);
    const alpha = await ov.Tensor.from({width: 2, height: 1, data}, {channels: 4});
    assert.deepEqual([alpha.getShape(), alpha.data], [[1, 1, 2, 4], data]);
    data[0] = 9;
    assert.equal(alpha.data[0], 1);
    for (const wrong of [undefined, null, 5, 'picture.png', {}, data]) {
      await assert.rejects(ov.Tensor.from(wrong), {code: 'INVALID_ARGUMENT', message: /^Tensor\.from\(\) takes a picture/});
    }
    await assert.rejects(ov.Tensor.from({width: 1, height: 1, data}), {
      code: 'INVALID_ARGUMENT',
      message: 'A picture of 1 x 1 pixels in RGBA has 4 bytes, but its data has 8.',
    });
    await assert.rejects(ov.Tensor.from({width: 1, height: 2, data}, {channels: 2}), {code: 'INVALID_ARGUMENT', expected: '3 or 4', actual: '2'});
    await assert.rejects(ov.Tensor.from(new Blob(['x'])), {code: 'UNSUPPORTED', message: /pass their pixels/});
    assert.throws(() => new ov.Tensor('f32', [1, 2, 2, 3]).toImageData(), {code: 'INVALID_TYPE', actual: 'f32 [1,2,2,3]'});
    for (const shape of [[2, 2, 2, 3], [1, 2, 2, 2], [0, 2, 3], [4]]) {
      assert.throws(() => new ov.Tensor('u8', shape).toImageData(), {code: 'INVALID_SHAPE'});
    }
    assert.throws(() => tensor.toImageData(), {code: 'UNSUPPORTED'});
  });

  it('is disposed, by hand or by `using`', () => {
    const tensor = new ov.Tensor('f32', [1]);
    tensor.dispose();
    assert.throws(() => tensor.data, {code: 'INVALID_STATE', message: /disposed/});
    const other = new ov.Tensor('f32', [1]);
    other[Symbol.dispose]();
    assert.throws(() => other.getShape(), {code: 'INVALID_STATE'});
  });
});

describe('PartialShape', () => {
  const cases = [
    ['', '[]', true, []],
    ['1, 3, 224, 224', '[1,3,224,224]', true, [1, 3, 224, 224]],
    ['?, -1, 1..3, 224', '[?,?,1..3,224]', false, [-1, -1, [1, 3], 224]],
    ['[2..,..5]', '[2..,..5]', false, [-1, [0, 5]]],
    ['{1,2}', '[1,2]', true, [1, 2]],
  ];
  for (const [text, printed, isStatic, dimensions] of cases) {
    it(`reads "${text}"`, () => {
      const shape = new ov.PartialShape(text);
      assert.equal(shape.toString(), printed);
      assert.equal(shape.isStatic(), isStatic);
      assert.equal(shape.isDynamic(), !isStatic);
      assert.deepEqual(shape.getDimensions(), dimensions);
    });
  }

  it('has no rank as "..."', () => {
    const shape = new ov.PartialShape('...');
    assert.equal(String(shape), '[...]');
    assert.ok(shape.isDynamic());
    assert.throws(() => shape.getDimensions());
  });

  it('refuses what is no shape', () => {
    for (const text of ['1,', 'a', '3..2', '..', '1;2', '-2']) {
      assert.throws(() => new ov.PartialShape(text), {code: 'INVALID_ARGUMENT'}, text);
    }
    assert.throws(() => new ov.PartialShape(5), {code: 'INVALID_ARGUMENT'});
  });
});
