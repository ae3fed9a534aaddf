// SPDX-License-Identifier: Apache-2.0

const MOST = 1000;
const STRIDES = [8, 16, 32]; // of the three maps that YOLO's heads look at
const LEAST_SCORE = 0.05; // of a cell of YOLO
const MOST_OVERLAP = 0.45; // of two boxes with the same label, as intersection over union

// The meaning of the columns, by their number. `corner` is the first of four columns: left, top, right, bottom.
const columns = {
  4: {corner: 0},
  5: {corner: 0, score: 4},
  6: {corner: 0, score: 4, label: 5},
  7: {corner: 3, score: 2, label: 1, image: 0}, // DetectionOutput
};

/**
 * Returns the boxes in an output, if its shape suggests that it holds boxes. Known are
 * - [1, 1, N, 7], the format of DetectionOutput,
 * - N rows of left, top, right, bottom, and optionally score and label,
 * - the raw outputs of YOLO: one column per cell (version 8 and later) or one row per cell and anchor (version 5).
 * Coordinates of at most 1.5 are relative to the size of the picture. Others are pixels.
 * @param {{type: string, shape: number[], data: ArrayLike<number>}} tensor
 * @param {{width: number, height: number}} picture
 * @returns {{x: number, y: number, width: number, height: number, score?: number, label?: number}[] | undefined} best first
 */
export function boxesOf(tensor, picture) {
  if (tensor.type !== 'f32') return undefined;
  const found = listed(tensor) ?? cells(tensor, picture);
  if (!found) return undefined;
  const parts = found.every((box) => Math.max(box.right, box.bottom) <= 1.5);
  const [sx, sy] = parts ? [picture.width, picture.height] : [1, 1];
  return found
    .map(({left, top, right, bottom, score, label}) => ({x: left * sx, y: top * sy, width: (right - left) * sx, height: (bottom - top) * sy, score, label}))
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
}

/** The boxes of a list with one row per box. */
function listed({shape, data}) {
  const [rows, count] = shape.slice(-2);
  const {corner, score, label, image} = columns[count] ?? {};
  const isList = corner !== undefined && shape.slice(0, -2).every((size) => size === 1) && (count === 7) === (shape.length === 4);
  if (!isList || rows > MOST) return undefined;
  const found = [];
  for (let at = 0; at < rows * count; at += count) {
    if (image !== undefined && data[at + image] < 0) break; // marks the end of the list
    const [left, top, right, bottom] = [0, 1, 2, 3].map((i) => data[at + corner + i]);
    if (right > left && bottom > top) found.push({left, top, right, bottom, score: data[at + score], label: data[at + label]});
  }
  return found;
}

/** The best boxes of YOLO's cells. Each cell has a centre, a width, a height, and the scores of all classes. */
function cells({shape, data}, {width, height}) {
  if (shape.length !== 3 || shape[0] !== 1) return undefined;
  const count = STRIDES.reduce((sum, stride) => sum + (width / stride) * (height / stride), 0);
  const [, a, b] = shape;
  const byColumn = b === count && a > 4; // version 8: [1, 4 + classes, cells]
  const byRow = a === 3 * count && b > 5; // version 5: [1, 3 * cells, 5 + classes], with the score that there is an object
  if (!byColumn && !byRow) return undefined;
  const [cellCount, first] = byColumn ? [b, 4] : [a, 5];
  const at = byColumn ? (cell, i) => data[i * b + cell] : (cell, i) => data[cell * b + i];
  const end = scoresEnd(at, cellCount, first, byColumn ? a : b);
  const found = [];
  for (let cell = 0; cell < cellCount; cell++) {
    let label = 0;
    for (let i = first; i < end; i++) if (at(cell, i) > at(cell, first + label)) label = i - first;
    const score = at(cell, first + label) * (byRow ? at(cell, 4) : 1);
    if (!(score >= LEAST_SCORE)) continue;
    const [x, y, w, h] = [0, 1, 2, 3].map((i) => at(cell, i));
    found.push({left: x - w / 2, top: y - h / 2, right: x + w / 2, bottom: y + h / 2, score, label});
  }
  return withoutOverlaps(found.sort((a, b) => b.score - a.score).slice(0, MOST));
}

// Scores are from 0 to 1. Networks for outlines and poses have other values behind them.
function scoresEnd(at, cellCount, first, end) {
  for (let i = first + 1; i < end; i++) {
    for (let cell = 0; cell < cellCount; cell++) if (at(cell, i) < 0 || at(cell, i) > 1) return i;
  }
  return end;
}

/** Drops each box that overlaps a better one with the same label. */
function withoutOverlaps(boxes) {
  const kept = [];
  const overlap = (a, b) => {
    const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    const both = Math.max(0, width) * Math.max(0, height);
    return both / ((a.right - a.left) * (a.bottom - a.top) + (b.right - b.left) * (b.bottom - b.top) - both);
  };
  for (const box of boxes) {
    if (!kept.some((better) => better.label === box.label && overlap(better, box) > MOST_OVERLAP)) kept.push(box);
  }
  return kept;
}
