// SPDX-License-Identifier: Apache-2.0
// Tensors of onnxruntime as tensors of the engine, and back.
import {Tensor as OrtTensor} from 'onnxruntime-common';
import {Tensor, type element, type SupportedTypedArray, type TensorData} from '../api/index.js';

const elements: Readonly<Record<string, element>> = {
  float32: 'f32',
  float16: 'f16',
  float64: 'f64',
  int8: 'i8',
  int16: 'i16',
  int32: 'i32',
  int64: 'i64',
  int4: 'i4',
  uint8: 'u8',
  uint16: 'u16',
  uint32: 'u32',
  uint64: 'u64',
  uint4: 'u4',
  bool: 'boolean',
  string: 'string',
};
const types = new Map(Object.entries(elements).map(([type, name]) => [name, type as OrtTensor.Type]));

/** The name of an element type in onnxruntime, or undefined if its Tensor cannot hold it. */
export const ortType = (type: element): OrtTensor.Type | undefined => types.get(type);

// A tensor of any copy of onnxruntime-common: apps may bundle their own.
interface Given {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: unknown;
  readonly location?: string;
}

// The array itself if it begins at the start of its buffer and fills it, as Tensor() wants it; else a copy.
function wholeBuffer(array: SupportedTypedArray): SupportedTypedArray {
  return array.byteOffset === 0 && array.byteLength === array.buffer.byteLength ? array : (array.slice() as SupportedTypedArray);
}

/**
 * A tensor of the engine with the values of one of onnxruntime.
 *
 * @param name The name of the input, for errors.
 * @param value The tensor. Each of its properties is read once.
 * @throws Error If the value is not a tensor on the CPU, or if its element type is unknown.
 */
export function toEngine(name: string, value: unknown): Tensor {
  if (typeof value !== 'object' || value === null) {
    throw new TypeError(`input '${name}' is not a tensor but ${value === null ? 'null' : typeof value}.`);
  }
  const {type, dims, location = 'cpu'} = value as Given;
  if (location !== 'cpu' && location !== 'cpu-pinned') {
    throw new Error(`input '${name}' is in '${location}': call getData() and pass a tensor on the CPU.`);
  }
  const element = elements[type];
  if (element === undefined) throw new TypeError(`input '${name}' has the unknown type '${String(type)}'.`);
  const {data} = value as Given;
  if (element === 'string') return new Tensor(data as string[]).reshape(dims);
  if (!ArrayBuffer.isView(data)) throw new TypeError(`input '${name}' of type '${type}' has no typed array as data.`);
  return new Tensor(element, dims, wholeBuffer(data as SupportedTypedArray));
}

/**
 * A tensor of onnxruntime with a copy of the values of one of the engine.
 *
 * @param name The name of the output, for errors.
 * @param tensor The tensor.
 * @throws Error If onnxruntime's Tensor cannot hold the element type.
 */
export function fromEngine(name: string, tensor: Tensor): OrtTensor {
  const type = ortType(tensor.getElementType());
  if (type === undefined) {
    throw new Error(`output '${name}' has the element type ${tensor.getElementType()}, which a Tensor of onnxruntime cannot hold.`);
  }
  return new OrtTensor(type as 'float32', tensor.data.slice() as Float32Array, tensor.getShape());
}

/**
 * Copies the values of an output into a tensor that the caller allocated.
 *
 * @throws Error If type, shape or location differ. Then nothing is copied.
 */
export function copyTo(name: string, target: OrtTensor, tensor: Tensor): void {
  const [type, shape] = [ortType(tensor.getElementType()), tensor.getShape()];
  const {dims, location} = target;
  if (target.type !== type || dims.length !== shape.length || dims.some((size, i) => size !== shape[i]) || location !== 'cpu') {
    throw new Error(
      `output '${name}' is ${type} [${shape}] on the CPU, but the tensor given for it is ${target.type} [${dims}] in '${location}'.`,
    );
  }
  const values = tensor.data as TensorData;
  const into = target.data as TensorData;
  for (let i = 0; Array.isArray(into) && i < values.length; ++i) into[i] = values[i] as string;
  if (!Array.isArray(into)) (into as Uint8Array).set(values as Uint8Array);
}
