// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
// Tensors in JavaScript memory, or in the memory of a request.
import '../base/dispose.js';
import {expectNoArguments, invalidArgument, invalidShape, invalidState, invalidType, textOf} from '../base/error.js';
import {inspected} from '../base/inspected.js';
import {bytesOf, partsOf, sizeOfArray} from '../base/typed_arrays.js';
import {checkIndex, checkPadWidths, copyPadded, reorderColumnMajor, shapeOf, sliceOf, type PadWidths} from './arrangement.js';
import {
  arrayTypeOf,
  byteLength,
  byteOffset,
  checkElementType,
  checkShape,
  element,
  elementCount,
  isTypedArray,
  type SupportedTypedArray,
  type TensorData,
} from './element.js';
import {arrayOfMedia, pictureOf, type MediaOptions, type MediaSource, type Picture} from './media.js';
import {arrayOfNumbers, numbersOf, type Numbers} from './numbers.js';
import {uniform} from './random.js';
import {
  copyOut,
  isLive,
  newArray,
  withinMemory,
  type Content,
  type LatestTensor,
  type LiveTensor,
  type Memory,
  type OwnTensor,
  type Storage,
  type TensorInfo,
} from './storage.js';
import {arrayOf, checkStrings, encoded, type TensorValue} from './values.js';
import {guardedView} from './view.js';

const sizeMismatch = 'Passed array must have the same size as the Tensor!';

/** @internal Whether a value is a Tensor. A Proxy of one is not, nor is an object with its prototype. */
export let isTensor: (value: unknown) => value is Tensor;

/**
 * @internal What a tensor holds.
 *
 * @throws WasmvinoError `INVALID_STATE` if it was disposed, or its buffer was transferred or made smaller.
 */
export let contentOf: (tensor: Tensor) => Content;

/** @internal Sets shape and values of a tensor. */
export let store: (tensor: Tensor, shape: readonly number[], values: TensorData) => void;

/**
 * An array with an element type and a shape, in row-major order.
 *
 * Types narrower than a byte are packed into a Uint8Array, as in OpenVINO. bf16 is a Uint16Array of bits, and so is f16 if
 * JavaScript has no Float16Array.
 */
export class Tensor {
  #storage: Storage | undefined;

  static {
    isTensor = (value): value is Tensor => typeof value === 'object' && value !== null && #storage in value;
    contentOf = (tensor) => {
      const kept = tensor.#kept;
      if (!isLive(kept)) return {type: kept.type, shape: kept.shape, array: tensor.#array};
      const info = kept.find();
      return {type: info.type, shape: info.shape, engine: kept.engine, info};
    };
    store = (tensor, shape, values) => {
      tensor.#setShape([...shape]);
      tensor.#write(values);
    };
  }

  /**
   * Creates a tensor of zeros, or of empty strings.
   *
   * @param type Element type, such as 'f32'.
   * @param shape Dimensions, outermost first.
   * @throws WasmvinoError `INVALID_ARGUMENT` if an argument is invalid, `OUT_OF_MEMORY` if the tensor is too large.
   * @example
   * const zeros = new ov.Tensor('f32', [1, 3, 224, 224]);
   */
  constructor(type: element, shape: ArrayLike<number>);
  /**
   * Creates a tensor that refers to the caller's array, without a copy. Each run copies the values to the engine.
   *
   * @param type Element type, such as 'f32'.
   * @param shape Dimensions, outermost first.
   * @param data The values in row-major order. The array must begin at the start of its buffer and fill it.
   * @throws WasmvinoError `INVALID_ARGUMENT`, `INVALID_SHAPE` or `INVALID_TYPE` if type, shape and array do not match.
   * @example
   * const matrix = new ov.Tensor('f32', [2, 2], Float32Array.of(1, 2, 3, 4));
   */
  constructor(type: element, shape: ArrayLike<number>, data: SupportedTypedArray);
  /**
   * Creates a tensor from a copy of plain numbers.
   *
   * @param type Element type. Floating-point types round the numbers; integer types need numbers that they represent exactly.
   * @param shape Dimensions, outermost first.
   * @param data The numbers in row-major order.
   * @throws WasmvinoError `INVALID_ARGUMENT` if the shape has another number of elements; `INVALID_VALUE` if the type cannot
   *   represent a number.
   * @example
   * const ids = new ov.Tensor('i64', [1, 3], [101, 7592, 102]);
   */
  constructor(type: element, shape: ArrayLike<number>, data: Numbers);
  /**
   * Creates a tensor of strings with one axis.
   *
   * @param data The strings.
   * @throws WasmvinoError `INVALID_ARGUMENT` if a value is not a string.
   * @example
   * const texts = new ov.Tensor(['one', 'two']);
   */
  constructor(data: string[]);
  constructor(...args: unknown[]) {
    const [first, second, data] = args;
    if (args.length === 1 && Array.isArray(first)) {
      const strings = checkStrings(first);
      this.#storage = {type: 'string', shape: [strings.length], array: strings};
      return;
    }
    if (args.length !== 2 && args.length !== 3) {
      throw invalidArgument('Invalid number of arguments for Tensor constructor.');
    }
    const type = checkElementType(first);
    const shape = checkShape(second, 'The second argument, the shape,');
    if (args.length === 2) {
      this.#storage = {type, shape, array: newArray(type, shape)};
      return;
    }
    const array = arrayOf(type, shape, data);
    const limit = isTypedArray(data) ? sizeOfArray(array as SupportedTypedArray) : undefined;
    this.#storage = {type, shape, array, borrowed: limit !== undefined, limit};
  }

  /**
   * Creates a tensor from a picture or from sound.
   *
   * @param source A picture (ImageData, ImageBitmap, an image, canvas or video element, OffscreenCanvas, VideoFrame, a Blob
   *   with an encoded picture, or `{width, height, data}` with RGBA bytes), or an AudioBuffer.
   * @param options `channels` of a picture: 3 (RGB, the default) or 4 (RGBA).
   * @returns For a picture, a tensor u8 [1, height, width, channels]. For sound, a tensor f32 [channels, samples].
   * @throws WasmvinoError `INVALID_ARGUMENT` if the source is something else, is not loaded, or does not allow reading its
   *   pixels; `UNSUPPORTED` for a Blob in Node.js, which cannot decode pictures.
   * @example
   * const picture = await ov.Tensor.from(document.querySelector('img'));
   */
  static async from(source: MediaSource, options: MediaOptions = {}): Promise<Tensor> {
    return Tensor.of(await arrayOfMedia(source, options));
  }

  /** @internal */
  static of(storage: Storage): Tensor {
    const tensor = new Tensor('u8', [0]);
    tensor.#storage = storage;
    return tensor;
  }

  /** @internal Creates a tensor in JavaScript memory with a copy of values in the engine's memory. */
  static copyOf(engine: Memory, info: TensorInfo): Tensor {
    return Tensor.of({type: info.type, shape: info.shape, array: copyOut(engine, info)});
  }

  get #kept(): OwnTensor | LiveTensor {
    if (!this.#storage) throw invalidState('This Tensor was disposed.');
    return 'latest' in this.#storage ? this.#storage.latest() : this.#storage;
  }

  // The current type and shape. For a tensor in the engine's memory, also the address of the values.
  get #info(): Omit<TensorInfo, 'address' | 'bytes'> & Partial<TensorInfo> {
    const kept = this.#kept;
    return isLive(kept) ? kept.find() : kept;
  }

  // The array that holds the values. Undefined for a tensor in the engine's memory.
  get #array(): TensorData | undefined {
    const kept = this.#kept;
    if (isLive(kept)) return undefined;
    const {type, shape, array} = kept;
    const [bytes, actual] = [byteLength(type, elementCount(shape)), isTypedArray(array) ? sizeOfArray(array) : NaN];
    if (isTypedArray(array) && actual !== bytes) {
      throw invalidState(
        `The buffer of this tensor was transferred or made smaller after the tensor was created: ${type} [${shape}] needs ${bytes} bytes, the buffer has ${actual}.`,
        {expected: `${bytes} bytes`, actual: `${actual} bytes`},
      );
    }
    return array;
  }

  #copy(): TensorData {
    const kept = this.#kept;
    if (isLive(kept)) return copyOut(kept.engine, kept.find());
    const array = this.#array!;
    // Unlike slice(), this asks the array for nothing that a caller could have set.
    return isTypedArray(array) ? new (arrayTypeOf(kept.type))(array as never) : [...array];
  }

  /**
   * A copy of the values, in row-major order. Assigning an array copies its values into the tensor. A tensor of strings has
   * an array of strings.
   *
   * @throws WasmvinoError On assignment: `INVALID_SHAPE` for an array of another size; `INVALID_TYPE` for an array of another
   *   type; `INVALID_ARGUMENT` for anything else.
   */
  get data(): SupportedTypedArray {
    // The declared type has no arrays of strings, like that of OpenVINO's binding, but a tensor of strings returns one.
    return this.#copy() as SupportedTypedArray;
  }

  set data(values: TensorData) {
    this.#write(values);
  }

  #write(values: TensorData): void {
    const {type, shape} = this.#info;
    const count = elementCount(shape);
    if (Array.isArray(values) && type === 'string') {
      const given = checkStrings(values);
      const kept = this.#kept;
      if (given.length !== count) throw invalidShape(sizeMismatch);
      if (isLive(kept)) throw invalidState('Strings inside the engine cannot be set.');
      // Written in place, because views share the array.
      const strings = kept.array as string[];
      given.forEach((value, i) => {
        strings[i] = value;
      });
      return;
    }
    if (!isTypedArray(values) && !Array.isArray(values)) {
      throw invalidArgument('Passed argument must be TypedArray, or Array');
    }
    const {name: actual, byteLength: size} = isTypedArray(values) ? partsOf(values) : {name: 'Array', byteLength: NaN};
    const [expected, bytes] = [type === 'string' ? 'Array' : arrayTypeOf(type).name, byteLength(type, count)];
    if (isTypedArray(values) && type !== 'string' && size !== bytes) {
      throw invalidShape(sizeMismatch, {expected: `${bytes} bytes`, actual: `${size} bytes`});
    }
    // The bits of f16 are accepted even if JavaScript has Float16Array.
    if (actual !== expected && !(type === 'f16' && actual === 'Uint16Array')) {
      throw invalidType(`A tensor of type ${type} takes values from an object of type ${expected}.`, {expected, actual});
    }
    this.#bytes().set(bytesOf(values as SupportedTypedArray));
  }

  #bytes(): Uint8Array {
    const kept = this.#kept;
    if (!isLive(kept)) return bytesOf(this.#array as SupportedTypedArray);
    const {address, bytes} = kept.find();
    return kept.engine.memory.subarray(address, address + bytes);
  }

  /**
   * Returns a copy of the values, in row-major order.
   *
   * @returns A typed array, or an array of strings for a tensor of strings.
   * @example
   * const values = tensor.getData();
   */
  getData(...args: []): SupportedTypedArray {
    expectNoArguments(args, 'getData');
    return this.data;
  }

  /**
   * Returns the values without a copy: an array over the engine's memory. It is valid until the next call into the engine.
   * Using it later throws. For a tensor in JavaScript memory, it is the tensor's own array.
   *
   * Every access to the returned array is checked, which is slow. The function `use` receives the plain typed array instead.
   * Prefer it for loops, and for calls that need a real typed array. Do not keep that array, and do not call the engine in
   * the function.
   *
   * @param use A function that receives the array.
   * @returns The array, or the result of `use`.
   * @throws WasmvinoError `INVALID_TYPE` for a tensor of strings; `INVALID_STATE` if `use` called the engine.
   * @example
   * const sum = result.view((array) => array.reduce((a, b) => a + b, 0));
   */
  view(): SupportedTypedArray;
  view<T>(use: (array: SupportedTypedArray) => T): T;
  view<T>(use?: (array: SupportedTypedArray) => T): SupportedTypedArray | T {
    const kept = this.#kept;
    if (use !== undefined && typeof use !== 'function') throw invalidArgument(`view() takes a function, not ${textOf(use)}.`);
    const {type} = this.#info;
    if (type === 'string') throw invalidType('A tensor of strings has no view: use its data.');
    if (!isLive(kept)) {
      const own = this.#array as SupportedTypedArray;
      return use ? use(own) : own;
    }
    const {engine} = kept;
    const {address, bytes} = kept.find();
    const ArrayType = arrayTypeOf(type);
    const {calls} = engine;
    let array: SupportedTypedArray | undefined;
    const current = (): SupportedTypedArray => {
      if (this.#kept !== kept || engine.calls !== calls) {
        throw invalidState('This view is outdated because the engine was called since it was created. Create a new one.');
      }
      // Even a lookup may have made the memory grow, which replaces its buffer.
      const {buffer} = engine.memory;
      if (array?.buffer !== buffer) array = new ArrayType(buffer, address, bytes / ArrayType.BYTES_PER_ELEMENT);
      return array;
    };
    if (!use) return guardedView(current, ArrayType);
    const result = use(current());
    current();
    return result;
  }

  /**
   * Converts the tensor to a picture.
   *
   * The tensor must be u8 [1, height, width, channels] or u8 [height, width, channels], with 1 (grey), 3 (RGB) or 4 (RGBA)
   * channels.
   *
   * @returns An ImageData. It is opaque unless the tensor has 4 channels.
   * @throws WasmvinoError `INVALID_TYPE` or `INVALID_SHAPE` for other tensors; `UNSUPPORTED` in Node.js, which has no
   *   ImageData.
   * @example
   * canvas.getContext('2d').putImageData(tensor.toImageData(), 0, 0);
   */
  toImageData(): Picture {
    const {type, shape} = this.#info;
    return pictureOf(type, shape, this.#copy() as Uint8Array);
  }

  /**
   * Returns the element type.
   *
   * @returns The name of the type, such as 'f32'.
   * @example
   * new ov.Tensor('f32', [1]).getElementType(); // f32
   */
  getElementType(): element {
    return this.#info.type;
  }

  /**
   * Returns the dimensions, outermost first.
   *
   * @returns A new array.
   * @example
   * new ov.Tensor('f32', [1, 3]).getShape(); // [1, 3]
   */
  getShape(...args: []): number[] {
    if (args.length > 0) throw invalidArgument('No parameters are allowed for the getShape() method.');
    return [...this.#info.shape];
  }

  /**
   * Returns the number of elements.
   *
   * @returns The product of the dimensions.
   * @example
   * new ov.Tensor('f32', [2, 3]).getSize(); // 6
   */
  getSize(...args: []): number {
    expectNoArguments(args, 'getSize');
    return elementCount(this.#info.shape);
  }

  /**
   * Returns the number of bytes, or NaN for strings.
   *
   * @returns Bytes.
   * @example
   * new ov.Tensor('f32', [2, 3]).getByteSize(); // 24
   */
  getByteSize(): number {
    const {type, shape} = this.#info;
    return byteLength(type, elementCount(shape));
  }

  /**
   * Returns true: all tensors are contiguous.
   *
   * @returns true.
   * @example
   * new ov.Tensor('f32', [2, 3]).isContinuous(); // true
   */
  isContinuous(...args: []): boolean {
    expectNoArguments(args, 'isContinuous');
    return true;
  }

  /**
   * Changes the shape. If the new shape fits into the tensor's memory, the values stay. Otherwise the tensor gets new
   * memory, filled with zeros.
   *
   * @param shape Dimensions, outermost first.
   * @throws WasmvinoError `INVALID_SHAPE` if the shape does not fit into the caller's array; `INVALID_STATE` for a tensor in
   *   the engine's memory.
   * @example
   * const tensor = new ov.Tensor('f32', [2, 2], Float32Array.of(1, 2, 3, 4));
   * tensor.setShape([3]); // 1, 2, 3
   */
  setShape(shape: ArrayLike<number>): void {
    if (arguments.length !== 1) throw invalidArgument(`Wrong number of parameters. Expected 1, got ${arguments.length}.`);
    this.#setShape(checkShape(shape));
  }

  #setShape(wanted: number[]): void {
    const kept = this.#kept;
    if (isLive(kept) || (this.#storage as Partial<LatestTensor>).isView) {
      throw invalidState('The shape of a tensor inside the engine is set by the run and cannot be changed.');
    }
    const count = elementCount(wanted);
    if (count !== elementCount(kept.shape)) {
      const array = withinMemory(kept, count);
      if (!array && kept.borrowed) {
        void this.#array; // throws if the buffer became smaller
        const what = kept.isPart
          ? 'the part of a tensor that this view shows has'
          : 'the array that the tensor was made of has';
        throw invalidShape(
          `Could set new shape: [${wanted}] takes ${byteLength(kept.type, count)} bytes, ${what} ${kept.limit}. Create a tensor from a larger array.`,
        );
      }
      kept.array = array ?? newArray(kept.type, wanted);
    }
    kept.shape = wanted;
  }

  /**
   * Copies shape and values into another tensor of the same element type.
   *
   * @param tensor The tensor to copy to.
   * @throws WasmvinoError `INVALID_TYPE` if its element type differs; the errors of setShape() if it cannot have the shape.
   * @example
   * const copy = new ov.Tensor('f32', [0]);
   * tensor.copyTo(copy);
   */
  copyTo(tensor: Tensor): void {
    // Exactly the texts of OpenVINO's binding.
    if (arguments.length !== 1) throw invalidArgument('copyTo() must receive one argument, which is the destination Tensor.');
    if (!isTensor(tensor)) {
      const isObject = typeof tensor === 'object' && tensor !== null;
      throw invalidArgument(isObject ? 'Invalid argument' : 'The argument must be a Tensor object.', {
        expected: 'Tensor',
        actual: textOf(tensor),
      });
    }
    const [from, to] = [this.#info, tensor.#info];
    if (from.type !== to.type) {
      throw invalidType(`Tensor element types are not equal. (src: ${from.type} != dst: ${to.type})`, {
        expected: to.type,
        actual: from.type,
      });
    }
    const values = this.#copy();
    if (String(from.shape) !== String(to.shape)) tensor.#setShape([...from.shape]);
    tensor.#write(values);
  }

  // A view of the tensor's memory, from element `first` on, with another shape.
  #show(shape: number[], first: number): Tensor {
    const {type, shape: whole} = this.#info;
    const [start, bytes] = [byteOffset(type, first) ?? 0, byteLength(type, elementCount(shape))];
    const check = (now: number[]): void => {
      if (String(now) === String(whole)) return;
      throw invalidState(
        `This view was created for a tensor of shape [${whole}], which now has the shape [${now}]. Create a new view.`,
        {
          expected: `[${whole}]`,
          actual: `[${now}]`,
        },
      );
    };
    const storage = this.#storage!;
    if (isLive(storage)) {
      const {engine, find} = storage;
      const part = (): TensorInfo => {
        const info = find();
        check(info.shape);
        return {...info, shape, address: info.address + start, bytes};
      };
      return Tensor.of({engine, find: part});
    }
    const part = (array: TensorData): OwnTensor => {
      if (!isTypedArray(array)) return {type, shape, array};
      const ArrayType = arrayTypeOf(type);
      const {buffer, byteOffset} = partsOf(array);
      return {
        type,
        shape,
        array: bytes === 0 ? new ArrayType(0) : new ArrayType(buffer, byteOffset + start, bytes / ArrayType.BYTES_PER_ELEMENT),
        borrowed: true,
        isPart: true,
        limit: bytes,
      };
    };
    if (!('latest' in storage)) return Tensor.of(part(this.#array!));
    const latest = (): OwnTensor => {
      const own = storage.latest();
      check(own.shape);
      return part(own.array);
    };
    return Tensor.of({latest, isView: true});
  }

  /**
   * Returns the same values in another shape, like numpy's `reshape`.
   *
   * In row-major order the result is a view: it shares the memory of this tensor. In column-major order it is a copy.
   *
   * @param shape Dimensions, outermost first. One of them may be -1: it is computed from the number of elements.
   * @param order 'C' (row-major, the default) or 'F' (column-major: elements are read and written with the first index
   *   changing fastest).
   * @returns A tensor of the same element type.
   * @throws WasmvinoError `INVALID_SHAPE` if the shape has another number of elements; `INVALID_TYPE` if `order` is 'F' and
   *   elements are narrower than a byte; `INVALID_ARGUMENT` for another order.
   * @example
   * const tensor = new ov.Tensor('f32', [2, 3], [1, 2, 3, 4, 5, 6]);
   * tensor.reshape([3, -1]).data; // 1, 2, 3, 4, 5, 6: numpy's a.reshape(3, -1)
   * tensor.reshape([3, 2], 'F').data; // 1, 5, 4, 3, 2, 6: numpy's a.reshape((3, 2), order='F')
   */
  reshape(shape: ArrayLike<number>, order: 'C' | 'F' = 'C'): Tensor {
    const {type, shape: from} = this.#info;
    const wanted = shapeOf(shape, from);
    if (order === 'C') return this.#show(wanted, 0);
    if (order !== 'F')
      throw invalidArgument(`reshape() takes the order 'C' or 'F', not ${textOf(order)}.`, {
        expected: "'C' or 'F'",
        actual: textOf(order),
      });
    if (type !== 'string' && byteOffset(type, 1) === undefined)
      throw invalidType(`reshape() cannot reorder elements of type ${type}: they are narrower than a byte.`);
    const array = newArray(type, wanted);
    reorderColumnMajor(this.#copy(), from, array, wanted);
    return Tensor.of({type, shape: wanted, array});
  }

  /**
   * Returns a part of an axis as a view, like numpy's `a[begin:end]`. The view shares the memory of this tensor.
   *
   * @param begin First position. A negative one counts from the end.
   * @param end Position after the last one. A negative one counts from the end. Default: the end of the axis.
   * @param axis The axis. Default: 0. All axes before it must have size 1, so that the part is one block of memory.
   * @returns A tensor of the same element type and number of axes.
   * @throws WasmvinoError `INVALID_SHAPE` if the part is not one block of memory, or would begin inside a byte;
   *   `INVALID_TYPE` for a tensor of strings; `INVALID_VALUE` if there is no such axis.
   * @example
   * const tensor = new ov.Tensor('f32', [3, 2], [1, 2, 3, 4, 5, 6]);
   * tensor.slice(1).data; // 3, 4, 5, 6: numpy's a[1:]
   * tensor.slice(-1).reshape([2]).data; // 5, 6: numpy's a[-1]
   */
  slice(begin: number, end?: number, axis = 0): Tensor {
    const {type, shape} = this.#info;
    if (type === 'string') throw invalidType('A tensor of strings has no views of its parts: use its data.');
    const {sizes, offset} = sliceOf(shape, begin, end, axis);
    if (byteOffset(type, offset) === undefined)
      throw invalidShape(`A slice of type ${type} cannot begin at element ${offset}, which is inside a byte.`);
    return this.#show(sizes, offset);
  }

  /**
   * Returns one value, like numpy's `a[i, j]`. For loops over many values, `data` and `view()` are faster.
   *
   * @param indices One index for each axis. A negative one counts from the end.
   * @returns The value: a bigint for i64 and u64, a string for strings, 0 or 1 for boolean, a number for all others.
   * @throws WasmvinoError `INVALID_SHAPE` for a wrong number of indices; `INVALID_VALUE` for an index outside its axis;
   *   `INVALID_TYPE` for types that `data` holds as packed bytes.
   * @example
   * const tensor = new ov.Tensor('f32', [2, 2], [1, 2, 3, 4]);
   * tensor.at(1, 0); // 3
   * tensor.at(-1, -1); // 4
   */
  at<T extends TensorValue = number>(...indices: number[]): T {
    const {type, shape, strings} = this.#info;
    if (indices.length !== shape.length) {
      throw invalidShape(`at() takes one index per axis: expected ${shape.length}, got ${indices.length}.`, {
        expected: `${shape.length}`,
        actual: `${indices.length}`,
      });
    }
    const i = shape.reduce((at, size, axis) => at * size + checkIndex(indices[axis], size, axis), 0);
    if (type === 'string') return (strings ?? (this.#array as string[]))[i] as T;
    return this.view((array) => numbersOf(type, array.subarray(i, i + 1) as SupportedTypedArray, 'at')[0]) as T;
  }

  /**
   * Sets all elements to one value, like numpy's `a.fill(value)`.
   *
   * @param value A number, bigint, boolean or string. Floating-point types round it; integer types must represent it exactly.
   * @returns This tensor.
   * @throws WasmvinoError `INVALID_VALUE` if the type cannot represent the value; `INVALID_ARGUMENT` or `INVALID_TYPE` if the
   *   value or the tensor is of a wrong type.
   * @example
   * new ov.Tensor('f32', [2]).fill(0.5).data; // 0.5, 0.5
   */
  fill(value: TensorValue | boolean): this {
    const {type, shape} = this.#info;
    const [one] = encoded(type, [1], [value], 'fill');
    if (type === 'string') this.#write(new Array<string>(elementCount(shape)).fill(one as string));
    else this.view((array) => (array as Float64Array).fill(one as number));
    return this;
  }

  /**
   * Returns a copy with elements added before and after each axis, like numpy's `np.pad(a, widths, constant_values=value)`.
   *
   * @param widths One pair [before, after] per axis, or one number for all sides.
   * @param value Value of the added elements. Default: 0, or '' for strings.
   * @returns A new tensor.
   * @throws WasmvinoError `INVALID_SHAPE` for a wrong number of pairs; `INVALID_ARGUMENT` for negative widths; the errors of
   *   fill() for the value.
   * @example
   * const tensor = new ov.Tensor('f32', [1, 2], [1, 2]);
   * tensor.pad([[1, 0], [0, 1]], 9).data; // 9, 9, 9, 1, 2, 9
   */
  pad(widths: PadWidths, value: TensorValue | boolean = this.#info.type === 'string' ? '' : 0): Tensor {
    const {type, shape} = this.#info;
    const pairs = checkPadWidths(widths, shape);
    const padded = new Tensor(
      type,
      shape.map((size, axis) => pairs[axis]![0] + size + pairs[axis]![1]),
    );
    padded.fill(value);
    copyPadded(this.#copy(), shape, pairs, padded.#array!);
    return padded;
  }

  /**
   * Replaces each value by the result of a function, like numpy's `a[...] = np.vectorize(f)(a)`.
   *
   * @param f A function from the old value to the new one. If it throws, no value changes.
   * @returns This tensor.
   * @throws WasmvinoError `INVALID_VALUE` if the type cannot represent a result; `INVALID_TYPE` for types that `data` holds as
   *   packed bytes; `INVALID_ARGUMENT` if `f` is not a function.
   * @example
   * new ov.Tensor('f32', [3], [-1, 0, 2]).transform((x) => Math.max(x, 0)).data; // 0, 0, 2
   */
  transform<T extends TensorValue = number>(f: (value: T) => T | boolean): this {
    if (typeof f !== 'function') throw invalidArgument(`transform() takes a function, not ${textOf(f)}.`);
    const {type, shape} = this.#info;
    const data = this.#copy();
    const values = Array.isArray(data) ? data : numbersOf(type, data, 'transform');
    this.#write(
      encoded(
        type,
        shape,
        Array.from(values as ArrayLike<T>, (value) => f(value)),
        'transform',
      ),
    );
    return this;
  }

  /**
   * Sets all values to random numbers from 0 to 1. They are those of numpy's `np.random.RandomState(seed).rand(...shape)`,
   * rounded to the element type.
   *
   * @param seed An integer from 0 to 2^32 - 1. The same seed gives the same values.
   * @returns This tensor.
   * @throws WasmvinoError `INVALID_TYPE` for types other than f16, bf16, f32 and f64; `INVALID_ARGUMENT` for other seeds.
   * @example
   * new ov.Tensor('f32', [1, 3, 224, 224]).rand(1);
   */
  rand(seed: number): this {
    const {type, shape} = this.#info;
    if (!/^b?f(16|32|64)$/.test(type))
      throw invalidType(`rand() creates numbers from 0 to 1, which type ${type} cannot represent.`, {
        expected: 'f16, bf16, f32 or f64',
        actual: type,
      });
    if (!(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32))
      throw invalidArgument(`rand() takes a seed from 0 to ${2 ** 32 - 1}, not ${textOf(seed)}.`);
    const next = uniform(seed);
    this.#write(arrayOfNumbers(type, shape, Array.from({length: elementCount(shape)}, next), 'The tensor'));
    return this;
  }

  /** @internal The text that console.log() prints in Node.js. */
  [inspected](_depth: number, _options: object, inspect: (value: unknown) => string): string {
    if (!this.#storage) return 'Tensor (disposed)';
    const {type, shape} = this.#info;
    return `Tensor ${type} [${shape}] ${inspect(this.data)}`;
  }

  /**
   * Releases the memory. Using the tensor afterwards throws.
   *
   * @example
   * using tensor = new ov.Tensor('f32', [1, 3, 224, 224]); // disposed at the end of the block
   */
  dispose(): void {
    this.#storage = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
