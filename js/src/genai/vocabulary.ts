// SPDX-License-Identifier: Apache-2.0
// The vocabulary of a detokenizer: the constants of its VocabDecoder.
import {check} from './check.js';
import {IrText, type Port} from './ir_text.js';

/** Returns the bytes of each token, or undefined if the model has no VocabDecoder with constants. */
export function vocabularyOf(xml: string, weights: Uint8Array): Uint8Array[] | undefined {
  const graph = new IrText(xml);
  const [decoder] = graph.ofType('VocabDecoder');
  if (!decoder) return undefined;
  const bytesOf = (port: Port | undefined) => {
    const layer = port && graph.layers.get(port.layer);
    if (layer?.type !== 'Const') return undefined;
    const [offset, size] = [Number(layer.data['offset']), Number(layer.data['size'])];
    check(offset >= 0 && size >= 0 && offset + size <= weights.length, `The constant '${layer.id}' of the detokenizer is outside its weights.`, 'INVALID_MODEL');
    return weights.slice(offset, offset + size);
  };
  const [, begins, ends, characters] = graph.inputsOf(decoder).map(bytesOf);
  if (!begins || !ends || !characters || begins.length !== ends.length) return undefined;
  const [first, last] = [new DataView(begins.buffer), new DataView(ends.buffer)];
  return Array.from({length: begins.length >> 2}, (_, i) => characters.subarray(first.getInt32(4 * i, true), last.getInt32(4 * i, true)));
}
