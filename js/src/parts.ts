// SPDX-License-Identifier: Apache-2.0
// Runs of a model part by part: inputs are copied in, and outputs out, while they are in the cache. In a page a sum of
// 1M elements is 1.28 times as fast, 2.0 times where the output's array is used again.
import type {SupportedTypedArray} from './element.js';
import {call, look, memory, packTexts, type PartsInfo, type TensorInfo} from './engine.js';
import {bytesOf, type OwnTensor} from './tensor.js';

/** Runs a request for all parts of `inputs`; `outputs` are as large as the model's. */
export function inferInParts(request: number, parts: PartsInfo, inputs: OwnTensor[], outputs: OwnTensor[]): void {
  const {trailing, size, step} = parts;
  // Shape and bytes of a part of a tensor; of one that is given whole, its own.
  const cut = ({type, shape, array}: OwnTensor) => {
    const axis = shape.length - 1 - trailing;
    const bytes = bytesOf(array as SupportedTypedArray);
    const stride = shape[axis] === size ? bytes.length / size : 0;
    return (at: number, count: number) => ({
      type,
      shape: String(shape.map((length, i) => (stride && i === axis ? count : length))),
      bytes: stride ? bytes.subarray(at * stride, (at + count) * stride) : bytes,
    });
  };
  const from = inputs.map(cut);
  const to = outputs.map(cut);
  // Parts of one size have the same places: asking for them takes 4 µs each.
  const places: TensorInfo[] = [];
  const results: TensorInfo[] = [];
  for (let at = 0, last = 0; at < size; at += step) {
    const count = Math.min(step, size - at);
    from.forEach((partOf, i) => {
      const {type, shape, bytes} = partOf(at, count);
      if (count !== last) places[i] = call((engine) => engine.setInput(request, i, type, shape, ...packTexts([])));
      memory().set(bytes, places[i]!.address);
    });
    call((engine) => engine.infer(request, 0));
    to.forEach((partOf, i) => {
      if (count !== last) results[i] = look((engine) => engine.output(request, i));
      const {address, bytes} = results[i]!;
      partOf(at, count).bytes.set(memory().subarray(address, address + bytes));
    });
    last = count;
  }
}
