// SPDX-License-Identifier: Apache-2.0
// Where the values of tensors are, and how arrays are made for them.
import {WasmvinoError} from '../base/error.js';
import {partsOf, sizeOfBuffer} from '../base/typed_arrays.js';
import {arrayTypeOf, byteLength, elementCount, isTypedArray, type TensorData, type element} from './element.js';

/** A tensor in the engine's memory. */
export interface TensorInfo {
  type: element;
  shape: number[];
  address: number;
  bytes: number;
  /** For strings, instead of address and bytes. */
  strings?: string[];
}

/** @internal The memory of an engine. */
export interface Memory {
  /** The memory. It is a new array after it has grown. */
  readonly memory: Uint8Array;
  /** Number of calls of the engine so far. Each call may move or overwrite what views of the memory show. */
  readonly calls: number;
}

/** @internal An array with a type and a shape. */
export interface OwnTensor {
  type: element;
  shape: number[];
  array: TensorData;
  /** Whether the array belongs to the caller or to another tensor. A larger array cannot replace it then. */
  borrowed?: boolean;
  /** Whether it shows a part of another tensor. */
  isPart?: boolean;
  /** The number of bytes that a borrowed array had. Its buffer may grow, but the tensor may use no more. */
  limit?: number;
}

/** @internal Where the values are: in the tensor's own array, in an engine's memory, or in a worker's last answer. */
export type Storage = OwnTensor | LiveTensor | LatestTensor;

/** @internal Values in an engine's memory. Each access looks up their address, because runs may move them. */
export interface LiveTensor {
  engine: Memory;
  find(): TensorInfo;
}

/** @internal An output of a request in a worker, or a view of one. It shows the last run. */
export interface LatestTensor {
  latest(): OwnTensor;
  isView?: true;
}

/** @internal */
export function isLive(storage: Storage): storage is LiveTensor {
  return 'find' in storage;
}

/**
 * @internal The first `count` values in an array's memory, or undefined if the memory is too small. If the shape was reduced
 * before, the memory holds more values than the array.
 */
export function withinMemory({type, array, limit}: OwnTensor, count: number): TensorData | undefined {
  if (!isTypedArray(array)) return count <= array.length ? array.slice(0, count) : undefined;
  const {buffer, byteOffset} = partsOf(array);
  const bytes = byteLength(type, count);
  const ArrayType = arrayTypeOf(type);
  const room = sizeOfBuffer(buffer) - byteOffset;
  if (room === 0 && bytes === 0) return new ArrayType(0); // the buffer may have been transferred
  return bytes <= Math.min(room, limit ?? room)
    ? new ArrayType(buffer, byteOffset, bytes / ArrayType.BYTES_PER_ELEMENT)
    : undefined;
}

/** @internal An array of zeros. */
export function newArray(type: element, shape: number[]): TensorData {
  const count = elementCount(shape);
  if (type === 'string') {
    // Longer JavaScript arrays become slow hash tables. Beyond 2^32 elements they are impossible.
    if (count > 2 ** 26)
      throw new WasmvinoError(
        'OUT_OF_MEMORY',
        `A tensor holds at most ${2 ** 26} strings, but the shape [${shape}] has ${count}.`,
      );
    return new Array<string>(count).fill('');
  }
  const bytes = byteLength(type, count);
  const ArrayType = arrayTypeOf(type);
  const refuse = (cause?: unknown) =>
    new WasmvinoError(
      'OUT_OF_MEMORY',
      `There is not enough memory for a tensor of type ${type} and shape [${shape}]: ${bytes} bytes.`,
      {cause},
    );
  // The engine cannot address more.
  if (bytes > 2 ** 32) throw refuse();
  try {
    return new ArrayType(bytes / ArrayType.BYTES_PER_ELEMENT);
  } catch (cause) {
    throw refuse(cause);
  }
}

/**
 * @internal What a tensor holds at this moment. It is read from private fields, so that no subclass, property or Proxy can
 * alter it.
 */
export interface Content {
  type: element;
  shape: readonly number[];
  /** The values of a tensor in JavaScript memory, as many as type and shape say. Undefined for one in an engine's memory. */
  array?: TensorData;
  /** The engine in whose memory the values are, and where. */
  engine?: Memory;
  info?: TensorInfo;
}

/** @internal A copy of values in the engine's memory. */
export function copyOut(engine: Memory, {type, address, bytes, strings}: TensorInfo): TensorData {
  if (strings) return strings;
  const ArrayType = arrayTypeOf(type);
  const heap = engine.memory;
  // Two ways to copy. For shared memory, slice() is faster up to 1 MB. For other memory, constructing an array from an array
  // is faster: in Node.js, slice() first fills its result with zeros. 4 MB take 0.29 ms instead of 0.45 ms.
  if (!(heap.buffer instanceof ArrayBuffer)) return new ArrayType(heap.slice(address, address + bytes).buffer);
  return new ArrayType(new ArrayType(heap.buffer, address, bytes / ArrayType.BYTES_PER_ELEMENT) as never);
}
