// SPDX-License-Identifier: Apache-2.0
// The properties that typed arrays and buffers really have. Subclasses and properties set by callers cannot change what these
// functions return.

// Declared by the getters of %TypedArray%.prototype. A Proxy of an array is not an array for them.
const getterOf = (prototype: object, name: PropertyKey) => Object.getOwnPropertyDescriptor(prototype, name)!.get!;
const prototype: object = Object.getPrototypeOf(Uint8Array.prototype);
const getters = {
  name: getterOf(prototype, Symbol.toStringTag),
  buffer: getterOf(prototype, 'buffer'),
  byteOffset: getterOf(prototype, 'byteOffset'),
  byteLength: getterOf(prototype, 'byteLength'),
};
const bytesOfBuffer = getterOf(ArrayBuffer.prototype, 'byteLength');
const bytesOfShared = typeof SharedArrayBuffer === 'function' ? getterOf(SharedArrayBuffer.prototype, 'byteLength') : bytesOfBuffer;

/** What a typed array is: the name of its built-in class, and its part of a buffer. */
export interface ArrayParts {
  name: string;
  buffer: ArrayBufferLike;
  byteOffset: number;
  byteLength: number;
}

/** The name of the built-in class of a typed array, such as 'Float32Array'. Undefined for anything else. */
export function arrayName(value: unknown): string | undefined {
  return Reflect.apply(getters.name, value, []) as string | undefined;
}

/** Size of a typed array in bytes. 0 if its buffer was transferred, or became too small. */
export function sizeOfArray(array: ArrayBufferView): number {
  return Reflect.apply(getters.byteLength, array, []) as number;
}

/** The parts of a typed array at this moment. */
export function partsOf(array: ArrayBufferView): ArrayParts {
  return {
    name: arrayName(array)!,
    buffer: Reflect.apply(getters.buffer, array, []) as ArrayBufferLike,
    byteOffset: Reflect.apply(getters.byteOffset, array, []) as number,
    byteLength: sizeOfArray(array),
  };
}

/** Whether a value is an ArrayBuffer, which is not shared. */
export function isBuffer(value: unknown): value is ArrayBuffer {
  try {
    Reflect.apply(bytesOfBuffer, value, []);
    return true;
  } catch {
    return false;
  }
}

/** Size of a buffer in bytes, which may be shared. 0 if it was transferred. */
export function sizeOfBuffer(buffer: ArrayBufferLike): number {
  return Reflect.apply(isBuffer(buffer) ? bytesOfBuffer : bytesOfShared, buffer, []) as number;
}

/** The bytes of a typed array, as a view of fixed length. Empty if its buffer was transferred. */
export function bytesOf(array: ArrayBufferView): Uint8Array {
  const {buffer, byteOffset, byteLength} = partsOf(array);
  return byteLength === 0 ? new Uint8Array(0) : new Uint8Array(buffer, byteOffset, byteLength);
}
