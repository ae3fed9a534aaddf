// SPDX-License-Identifier: Apache-2.0
import {parseNpy} from '../../../js/src/arrays/npy.mjs';

/**
 * Fetches and parses an .npy file.
 * @param {string} url
 */
export async function fetchNpy(url) {
  return parseNpy(new Uint8Array(await (await fetch(url)).arrayBuffer()));
}

/**
 * Draws bytes [1, height, width, 3] on a canvas.
 * @param {{shape: number[], data: Uint8Array}} tensor
 */
export function pictureOf({shape: [, height, width], data}) {
  const image = new ImageData(width, height);
  for (let i = 0; i < width * height; i++) image.data.set([data[3 * i], data[3 * i + 1], data[3 * i + 2], 255], 4 * i);
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext('2d').putImageData(image, 0, 0);
  return canvas;
}
