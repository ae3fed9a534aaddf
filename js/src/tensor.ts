// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
// Tensors: of JavaScript memory, or showing one of a request's.
import './dispose.js';
import {
  arrayTypeOf,
  byteLength,
  checkElementType,
  checkShape,
  element,
  elementCount,
  isTypedArray,
  type SupportedTypedArray,
  type TensorData,
} from './element.js';
import type {Engine} from './engine.js';
import {WasmvinoError, expectNoArguments, invalidArgument, invalidShape, invalidState, invalidType, textOf} from './error.js';
import type {TensorInfo} from './glue.js';
import {arrayOfMedia, pictureOf, type MediaOptions, type MediaSource, type Picture} from './media.js';
import {arrayOfNumbers, isNumbers, type Numbers} from './numbers.js';
import {inspected} from './inspected.js';
import {guardedView} from './view.js';

/** @internal An array with a type and a shape. */
export interface OwnTensor {
  type: element;
  shape: number[];
  array: TensorData;
  /** Where the array belongs to the caller: a larger one cannot take its place. */
  borrowed?: boolean;
}

/** @internal What a tensor shows: an array of its own, or whatever a request holds at a place when asked. */
export type Storage = OwnTensor | LiveTensor;

/** @internal A place in an engine's memory, looked up when it is asked for. */
export interface LiveTensor {
  engine: Engine;
  find(): TensorInfo;
}

function isLive(storage: Storage): storage is LiveTensor {
  return 'find' in storage;
}

// The first `count` values of an array whose memory has room for them, of which a smaller shape may have hidden some;
// undefined where it has not.
function withinMemory(type: element, array: TensorData, count: number): TensorData | undefined {
  if (!isTypedArray(array)) return count <= array.length ? array.slice(0, count) : undefined;
  const {buffer, byteOffset} = array;
  const bytes = byteLength(type, count);
  const ArrayType = arrayTypeOf(type);
  return bytes <= buffer.byteLength ? new ArrayType(buffer, byteOffset, bytes / ArrayType.BYTES_PER_ELEMENT) : undefined;
}

const sizeMismatch = 'Passed array must have the same size as the Tensor!';

/** @internal An array of zeros. */
export function newArray(type: element, shape: number[]): TensorData {
  const count = elementCount(shape);
  if (type === 'string') {
    // Beyond this arrays of JavaScript become hash tables, and beyond 2^32 there are none.
    if (count > 2 ** 26) throw new WasmvinoError('OUT_OF_MEMORY', `A tensor holds at most ${2 ** 26} strings; the shape [${shape}] has ${count}.`);
    return new Array<string>(count).fill('');
  }
  const bytes = byteLength(type, count);
  const ArrayType = arrayTypeOf(type);
  const refuse = (cause?: unknown) =>
    new WasmvinoError('OUT_OF_MEMORY', `There is no memory for a tensor of type ${type} and shape [${shape}]: ${bytes} bytes.`, {cause});
  // More than the engine addresses.
  if (bytes > 2 ** 32) throw refuse();
  try {
    return new ArrayType(bytes / ArrayType.BYTES_PER_ELEMENT);
  } catch (cause) {
    throw refuse(cause);
  }
}

/** @internal The memory of an array. */
export function bytesOf({buffer, byteOffset, byteLength}: SupportedTypedArray): Uint8Array {
  // An array whose buffer is gone has no place in it either.
  return byteLength === 0 ? new Uint8Array(0) : new Uint8Array(buffer, byteOffset, byteLength);
}

function checkStrings(values: readonly unknown[]): string[] {
  if (!values.every((value) => typeof value === 'string')) {
    throw invalidArgument('The array passed to create string tensor must contain only strings.');
  }
  return [...values] as string[];
}

/**
 * @internal The array of a tensor made from a caller's typed array, whose memory it shares. `whose`: "The tensor", or an
 * input's name.
 */
export function wrapArray(type: element, shape: number[], data: SupportedTypedArray, whose = 'The tensor'): TensorData {
  if (data.byteOffset !== 0) {
    throw invalidArgument(`TypedArray.byteOffset has to be equal to zero. ${whose} was given one of ${data.byteOffset}: slice() the array.`);
  }
  if (type === 'string') throw invalidType(`${whose} is of type string: an array of strings is wanted, ${data.constructor.name} came.`);
  const {buffer} = data;
  const [bytes, given] = [byteLength(type, elementCount(shape)), buffer.byteLength];
  if (given !== bytes) {
    const what = given === 0 ? `the buffer of the ${data.constructor.name} has none: it is empty, or was transferred` : `the buffer of the ${data.constructor.name} has ${given}`;
    throw invalidShape(
      `Memory allocated using shape and element::type mismatch passed data's size: ${whose} of type ${type} and shape [${shape}] takes ${bytes} bytes, ${what}.`,
      {expected: `${bytes} bytes`, actual: `${given} bytes`},
    );
  }
  const ArrayType = arrayTypeOf(type);
  // Of this length also where the buffer can grow.
  return new ArrayType(buffer, 0, bytes / ArrayType.BYTES_PER_ELEMENT);
}

function arrayOf(type: element, shape: number[], data: unknown): TensorData {
  if (isTypedArray(data)) return wrapArray(type, shape, data);
  if (isNumbers(data) && type !== 'string' && data.length === elementCount(shape)) return arrayOfNumbers(type, shape, data, 'The tensor');
  const what = isNumbers(data) ? `an array of ${data.length}` : data instanceof ArrayBuffer ? `an ArrayBuffer, of which new ${arrayTypeOf(type).name}(buffer) is one` : textOf(data);
  throw invalidArgument(
    `Third argument of a tensor must be TypedArray. An array of ${elementCount(shape)} numbers is taken too; ${what} came.`,
  );
}

/**
 * An array with an element type and a shape, row-major.
 *
 * Types narrower than a byte are packed as OpenVINO packs them, in a Uint8Array; bf16 is a Uint16Array of bits, and so
 * is f16 where JavaScript has no Float16Array.
 */
export class Tensor {
  #storage: Storage | undefined;

  /** A tensor of zeros (strings: empty). */
  constructor(type: element, shape: ArrayLike<number>);
  /** A tensor of the caller's array: not copied now, but each time a request runs with it. */
  constructor(type: element, shape: ArrayLike<number>, data: SupportedTypedArray);
  /** A tensor of these numbers, copied: integer types take them exactly or throw, floating-point types round. */
  constructor(type: element, shape: ArrayLike<number>, data: Numbers);
  /** A tensor of strings, of one axis. */
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
    const shape = checkShape(second);
    if (args.length === 2) this.#storage = {type, shape, array: newArray(type, shape)};
    else this.#storage = {type, shape, array: arrayOf(type, shape, data), borrowed: isTypedArray(data)};
  }

  /**
   * A tensor of a picture or of sound.
   *
   * @param source A picture: ImageData, ImageBitmap, an image, canvas or video element, OffscreenCanvas, VideoFrame, a Blob
   *   of an encoded picture, or `{width, height, data}` of RGBA; or an AudioBuffer.
   * @param options `channels`: 3 (by default) or 4 of a picture.
   * @returns Of a picture u8 [1, height, width, channels]; of sound f32 [channels, samples].
   * @throws WasmvinoError `INVALID_ARGUMENT` where it is none of these, not loaded yet, or its pixels must not be read;
   *   `UNSUPPORTED` of a Blob where nothing decodes pictures, as in Node.js.
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

  /** @internal A tensor of JavaScript memory with the values that the engine has now. */
  static copyOf(engine: Engine, info: TensorInfo): Tensor {
    return Tensor.of({type: info.type, shape: info.shape, array: copyOut(engine, info)});
  }

  /** @internal Takes the shape and the values that the engine has now into the tensor's own array. */
  take(engine: Engine, info: TensorInfo): void {
    this.setShape(info.shape);
    if (info.strings) {
      this.data = info.strings;
    } else {
      this.#bytes().set(engine.memory.subarray(info.address, info.address + info.bytes));
    }
  }

  get #kept(): Storage {
    if (!this.#storage) throw invalidState('This Tensor was disposed.');
    return this.#storage;
  }

  /** @internal Type and shape as they are now; also where the values are, for a tensor in the engine's memory. */
  get info(): Omit<TensorInfo, 'address' | 'bytes'> & Partial<TensorInfo> {
    const kept = this.#kept;
    return isLive(kept) ? kept.find() : kept;
  }

  /** @internal The engine in whose memory the values are; undefined for those in JavaScript's. */
  get engine(): Engine | undefined {
    const kept = this.#kept;
    return isLive(kept) ? kept.engine : undefined;
  }

  /** @internal The array that the values are in; undefined for those in the engine's memory. */
  get array(): TensorData | undefined {
    const kept = this.#kept;
    if (isLive(kept)) return undefined;
    const {type, shape, array} = kept;
    const bytes = byteLength(type, elementCount(shape));
    if (isTypedArray(array) && array.byteLength !== bytes) {
      throw invalidState(
        `The buffer of this tensor was transferred or made smaller since the tensor was made of it: ${type} [${shape}] takes ${bytes} bytes, ${array.byteLength} are there.`,
        {expected: `${bytes} bytes`, actual: `${array.byteLength} bytes`},
      );
    }
    return array;
  }

  /** The values: a copy. Setting it copies an array's values into the tensor. */
  get data(): SupportedTypedArray {
    // The type says numbers, as OpenVINO's binding does; a tensor of strings gives an array of strings.
    const kept = this.#kept;
    return (isLive(kept) ? copyOut(kept.engine, kept.find()) : this.array!.slice()) as SupportedTypedArray;
  }

  set data(values: TensorData) {
    const {type, shape} = this.info;
    const count = elementCount(shape);
    if (Array.isArray(values) && type === 'string') {
      const kept = this.#kept;
      if (values.length !== count) throw invalidShape(sizeMismatch);
      if (isLive(kept)) throw invalidState('Strings inside the engine cannot be set.');
      kept.array = checkStrings(values);
      return;
    }
    const ArrayType = arrayTypeOf(type);
    if (!isTypedArray(values) && !Array.isArray(values)) {
      throw invalidArgument('Passed argument must be TypedArray, or Array');
    }
    if (isTypedArray(values) && type !== 'string' && values.byteLength !== byteLength(type, count)) {
      throw invalidShape(sizeMismatch, {
        expected: `${byteLength(type, count)} bytes`,
        actual: `${values.byteLength} bytes`,
      });
    }
    // The bits of f16 are taken everywhere.
    if (type === 'string' || !(values instanceof ArrayType || (type === 'f16' && values instanceof Uint16Array))) {
      const expected = type === 'string' ? 'Array' : ArrayType.name;
      throw invalidType(`A tensor of type ${type} takes values from an object of type ${expected}.`, {
        expected,
        actual: values.constructor.name,
      });
    }
    const [into, from] = [this.#bytes(), bytesOf(values)];
    if (from.length !== into.length) throw invalidShape(sizeMismatch, {expected: `${into.length} bytes`, actual: `${from.length} bytes`});
    into.set(from);
  }

  #bytes(): Uint8Array {
    const kept = this.#kept;
    if (!isLive(kept)) return bytesOf(this.array as SupportedTypedArray);
    const {address, bytes} = kept.find();
    return kept.engine.memory.subarray(address, address + bytes);
  }

  getData(...args: []): SupportedTypedArray {
    expectNoArguments(args, 'getData');
    return this.data;
  }

  /**
   * The values without a copy: an array over the engine's memory, valid until the next call into the engine. After
   * that every use of it throws. For a tensor of JavaScript memory it is the array itself.
   *
   * Every use is checked, which has its price. With `use`, the bare array is handed to the function, for loops and for
   * calls that want a real typed array; it must not be kept, nor the engine be called meanwhile.
   */
  view(): SupportedTypedArray;
  view<T>(use: (array: SupportedTypedArray) => T): T;
  view<T>(use?: (array: SupportedTypedArray) => T): SupportedTypedArray | T {
    const kept = this.#kept;
    if (use !== undefined && typeof use !== 'function') throw invalidArgument(`view() takes a function, not ${textOf(use)}.`);
    const {type} = this.info;
    if (type === 'string') throw invalidType('A tensor of strings has no view: take its data.');
    if (!isLive(kept)) {
      const own = this.array as SupportedTypedArray;
      return use ? use(own) : own;
    }
    const {engine} = kept;
    const {address, bytes} = kept.find();
    const ArrayType = arrayTypeOf(type);
    const {calls} = engine;
    let array: SupportedTypedArray | undefined;
    const current = (): SupportedTypedArray => {
      if (this.#kept !== kept || engine.calls !== calls) {
        throw invalidState('This view is old: the engine was called since. Take a new one.');
      }
      // A mere look at something else may have made the memory grow.
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
   * The picture that the values are, for a canvas.
   *
   * @returns Opaque where the tensor has no fourth channel, and grey where it has one.
   * @throws WasmvinoError `INVALID_TYPE` and `INVALID_SHAPE` for tensors other than u8 [1, height, width, channels] and
   *   [height, width, channels] of 1, 3 or 4 channels; `UNSUPPORTED` where there is no ImageData, as in Node.js.
   * @example
   * canvas.getContext('2d').putImageData(tensor.toImageData(), 0, 0);
   */
  toImageData(): Picture {
    const {type, shape} = this.info;
    return pictureOf(type, shape, this.data as Uint8Array);
  }

  getElementType(): element {
    return this.info.type;
  }

  getShape(...args: []): number[] {
    if (args.length > 0) throw invalidArgument('No parameters are allowed for the getShape() method.');
    return [...this.info.shape];
  }

  /** Number of elements. */
  getSize(...args: []): number {
    expectNoArguments(args, 'getSize');
    return elementCount(this.info.shape);
  }

  /** Number of bytes; NaN for strings. */
  getByteSize(): number {
    const {type, shape} = this.info;
    return byteLength(type, elementCount(shape));
  }

  isContinuous(...args: []): boolean {
    expectNoArguments(args, 'isContinuous');
    return true;
  }

  /**
   * Gives the tensor another shape. A shape that the tensor's memory has room for keeps the values; for a larger one the
   * tensor takes new memory of zeros.
   *
   * @param shape Sizes, outermost first.
   * @throws WasmvinoError `INVALID_SHAPE` where the memory is an array of the caller's, which cannot grow; `INVALID_STATE`
   *   for a tensor inside the engine.
   * @example
   * const tensor = new ov.Tensor('f32', [2, 2], Float32Array.of(1, 2, 3, 4));
   * tensor.setShape([3]); // 1, 2, 3
   */
  setShape(shape: ArrayLike<number>): void {
    const kept = this.#kept;
    const wanted = checkShape(shape);
    if (isLive(kept)) {
      throw invalidState('A tensor inside the engine has the shape that the run gives it.');
    }
    const count = elementCount(wanted);
    if (count !== elementCount(kept.shape)) {
      const array = withinMemory(kept.type, kept.array, count);
      if (!array && kept.borrowed) {
        throw invalidShape(
          `Could set new shape: [${wanted}] takes ${byteLength(kept.type, count)} bytes, the array that the tensor was made of has ${(kept.array as SupportedTypedArray).buffer.byteLength}. Make a tensor of a larger array.`,
        );
      }
      kept.array = array ?? newArray(kept.type, wanted);
    }
    kept.shape = wanted;
  }

  /**
   * Copies the values into another tensor of the same type, which takes the shape of this one.
   *
   * @param tensor The tensor to copy to.
   * @throws WasmvinoError `INVALID_TYPE` where its type is another; what setShape() throws where it cannot take the shape.
   * @example
   * const copy = new ov.Tensor('f32', [0]);
   * tensor.copyTo(copy);
   */
  copyTo(tensor: Tensor): void {
    if (!(tensor instanceof Tensor)) throw invalidArgument(`Destination must be a Tensor, not ${textOf(tensor)}.`);
    const [from, to] = [this.info, tensor.info];
    if (from.type !== to.type) {
      throw invalidType(`Tensor element types are not equal. (src: ${from.type} != dst: ${to.type})`, {expected: to.type, actual: from.type});
    }
    if (String(from.shape) !== String(to.shape)) tensor.setShape(from.shape);
    tensor.data = this.data;
  }

  /** @internal What console.log() of Node.js prints. */
  [inspected](_depth: number, _options: object, inspect: (value: unknown) => string): string {
    if (!this.#storage) return 'Tensor (disposed)';
    const {type, shape} = this.info;
    return `Tensor ${type} [${shape}] ${inspect(this.data)}`;
  }

  /** Lets go of the memory. */
  dispose(): void {
    this.#storage = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

function copyOut(engine: Engine, {type, address, bytes, strings}: TensorInfo): TensorData {
  if (strings) return strings;
  const ArrayType = arrayTypeOf(type);
  const heap = engine.memory;
  // Of shared memory slice() is the faster one up to 1 MB. Of other memory it fills its result with zeros first in
  // Node.js, which an array made of an array does without: 0.45 and 0.29 ms for 4 MB.
  if (!(heap.buffer instanceof ArrayBuffer)) return new ArrayType(heap.slice(address, address + bytes).buffer);
  return new ArrayType(new ArrayType(heap.buffer, address, bytes / ArrayType.BYTES_PER_ELEMENT) as never);
}
