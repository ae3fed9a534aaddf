// SPDX-License-Identifier: Apache-2.0
// The form of an exported model: a line that names it, a line of JSON with lengths, the .xml, the .bin.
import {WasmvinoError} from './error.js';
import type {ModelFiles} from './model.js';

const title = 'wasmvino model 1';

export function exported({xml, weights, shapes}: ModelFiles): Uint8Array {
  const json = JSON.stringify({xml: xml.length, weights: weights?.length, shapes});
  const head = new TextEncoder().encode(`${title}\n${json}\n`);
  const bytes = new Uint8Array(head.length + xml.length + (weights?.length ?? 0));
  bytes.set(head);
  bytes.set(xml, head.length);
  if (weights) bytes.set(weights, head.length + xml.length);
  return bytes;
}

export function imported(bytes: Uint8Array): ModelFiles {
  const first = bytes.indexOf(10);
  const second = bytes.indexOf(10, first + 1);
  const decoder = new TextDecoder();
  const line = (start: number, end: number) => decoder.decode(bytes.subarray(start, end));
  if (line(0, first) === title) {
    const head = JSON.parse(line(first + 1, second));
    const xmlEnd = second + 1 + head.xml;
    if (xmlEnd + (head.weights ?? 0) === bytes.length) {
      const weights = head.weights === undefined ? undefined : bytes.slice(xmlEnd);
      return {xml: bytes.slice(second + 1, xmlEnd), weights, shapes: head.shapes};
    }
  }
  throw new WasmvinoError('INVALID_MODEL', 'This is no model that exportModelSync() gave, or not all of it.');
}
