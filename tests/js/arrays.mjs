// SPDX-License-Identifier: Apache-2.0
// numpy's .npy files for tests: little-endian, C order.
import {readFileSync} from 'node:fs';

export function readArray(ov, file, type) {
  const content = readFileSync(file);
  const length = content.readUInt16LE(8);
  const header = content.subarray(10, 10 + length).toString('latin1');
  const shape = /'shape': \(([^)]*)\)/.exec(header)[1].split(',').filter((size) => size.trim()).map(Number);
  const tensor = new ov.Tensor(type, shape);
  new Uint8Array(tensor.view().buffer).set(content.subarray(10 + length, 10 + length + tensor.getByteSize()));
  return tensor;
}
