// SPDX-License-Identifier: Apache-2.0
// Runs of a model part by part: inputs are copied in, and outputs out, while they are in the cache. In a page a sum of
// 1M elements is 1.28 times as fast, 2.0 times where the output's array is used again.
import type {SupportedTypedArray} from './element.js';
import {call, look, memory, packTexts, type PartsInfo, type TensorInfo, type Texts} from './engine.js';
import {bytesOf, type OwnTensor} from './tensor.js';

/** Runs a request for all parts of `inputs`; `outputs` are as large as the model's. */
export function inferInParts(request: number, parts: PartsInfo, inputs: OwnTensor[], outputs: OwnTensor[]): void {
  const from = inputs.map((tensor) => new Cut(parts, tensor));
  const to = outputs.map((tensor) => new Cut(parts, tensor));
  // Parts of one size have the same places: asking for them takes 4 µs each.
  let places: TensorInfo[] = [];
  let results: TensorInfo[] = [];
  let last = 0;
  for (let at = 0; at < parts.size; at += parts.step) {
    const count = Math.min(parts.step, parts.size - at);
    const same = count === last;
    if (!same) places = from.map((tensor, i) => call((engine) => engine.setInput(request, i, ...tensor.describe(count))));
    from.forEach((tensor, i) => memory().set(tensor.part(at, count), places[i]!.address));
    call((engine) => engine.infer(request, 0));
    if (!same) results = to.map((_, i) => look((engine) => engine.output(request, i)));
    to.forEach((tensor, i) => {
      const {address, bytes} = results[i]!;
      tensor.part(at, count).set(memory().subarray(address, address + bytes));
    });
    last = count;
  }
}

// A tensor and its parts.
class Cut {
  readonly #type: string;
  readonly #shape: number[];
  readonly #axis: number;
  readonly #bytes: Uint8Array;
  // Of one element along the axis; 0 of a tensor that is given whole.
  readonly #stride: number;

  constructor({trailing, size}: PartsInfo, {type, shape, array}: OwnTensor) {
    this.#type = type;
    this.#shape = shape;
    this.#axis = shape.length - 1 - trailing;
    this.#bytes = bytesOf(array as SupportedTypedArray);
    this.#stride = shape[this.#axis] === size ? this.#bytes.length / size : 0;
  }

  describe(count: number): [type: string, shape: string, ...Texts] {
    const shape = this.#shape.map((size, axis) => (this.#stride && axis === this.#axis ? count : size));
    return [this.#type, String(shape), ...packTexts([])];
  }

  part(at: number, count: number): Uint8Array {
    return this.#stride ? this.#bytes.subarray(at * this.#stride, (at + count) * this.#stride) : this.#bytes;
  }
}
