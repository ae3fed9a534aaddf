// SPDX-License-Identifier: Apache-2.0

const MOST = 1000;

// The meaning of the columns, by their number. `corner` is the first of four columns: left, top, right, bottom.
const columns = {
  4: {corner: 0},
  5: {corner: 0, score: 4},
  6: {corner: 0, score: 4, label: 5},
  7: {corner: 3, score: 2, label: 1, image: 0}, // DetectionOutput
};

/**
 * Returns the boxes in an output, if its shape suggests that it holds boxes: [1, 1, N, 7], the format of DetectionOutput, or N
 * rows of left, top, right, bottom, and optionally score and label. Coordinates of at most 1.5 are relative to the size of the
 * picture. Others are pixels.
 * @param {{type: string, shape: number[], data: ArrayLike<number>}} tensor
 * @param {{width: number, height: number}} picture
 * @returns {{x: number, y: number, width: number, height: number, score?: number, label?: number}[] | undefined} best first
 */
export function boxesOf({type, shape, data}, picture) {
  const [rows, count] = shape.slice(-2);
  const {corner, score, label, image} = columns[count] ?? {};
  const isList = corner !== undefined && shape.slice(0, -2).every((size) => size === 1) && (count === 7) === (shape.length === 4);
  if (!isList || type !== 'f32' || rows > MOST) return undefined;
  const found = [];
  for (let at = 0; at < rows * count; at += count) {
    if (image !== undefined && data[at + image] < 0) break; // marks the end of the list
    const [left, top, right, bottom] = [0, 1, 2, 3].map((i) => data[at + corner + i]);
    if (right > left && bottom > top) found.push({left, top, right, bottom, score: data[at + score], label: data[at + label]});
  }
  const parts = found.every((box) => Math.max(box.right, box.bottom) <= 1.5);
  const [sx, sy] = parts ? [picture.width, picture.height] : [1, 1];
  return found
    .map(({left, top, right, bottom, score, label}) => ({x: left * sx, y: top * sy, width: (right - left) * sx, height: (bottom - top) * sy, score, label}))
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
}
