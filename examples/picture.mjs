// SPDX-License-Identifier: Apache-2.0
import {readFileSync} from 'node:fs';
import {decode} from 'fast-png';
import {addon as ov} from 'wasmvino';

/** Reads a PNG file with 8 bits per channel as a tensor u8 [1, height, width, 3]. */
export function readPicture(path) {
  const {width, height, channels, data} = decode(readFileSync(path));
  const rgb = new Uint8Array(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (let channel = 0; channel < 3; channel++) rgb[3 * pixel + channel] = data[channels * pixel + (channels < 3 ? 0 : channel)];
  }
  return new ov.Tensor(ov.element.u8, [1, height, width, 3], rgb);
}
