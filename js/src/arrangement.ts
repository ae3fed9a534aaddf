// SPDX-License-Identifier: Apache-2.0
// Moves the elements of row-major arrays for reshape() and pad().
import {elementCount, type TensorData} from './element.js';
import {invalidArgument, invalidShape, textOf} from './error.js';

/** Number of elements to add before and after each axis, or one number for all sides. */
export type PadWidths = number | readonly (readonly [before: number, after: number])[];

// The row-major offset of each element, listed in column-major order.
function columnMajorOffsets(shape: readonly number[]): Uint32Array {
  const offsets = new Uint32Array(elementCount(shape));
  let [stride, filled] = [offsets.length, 1];
  if (stride === 0) return offsets;
  for (const size of shape) {
    stride /= size;
    for (let i = filled; i < filled * size; ++i) offsets[i] = offsets[i - filled]! + stride;
    filled *= size;
  }
  return offsets;
}

/** Reads the elements of `array` in column-major order of shape `from`, and writes them in that of shape `to`. */
export function reorderColumnMajor(array: TensorData, from: readonly number[], into: TensorData, to: readonly number[]): void {
  const [sources, targets] = [columnMajorOffsets(from), columnMajorOffsets(to)];
  for (let i = 0; i < sources.length; ++i) into[targets[i]!] = array[sources[i]!]!;
}

/** Checks the widths given to pad(), and returns one pair [before, after] per axis. */
export function checkPadWidths(widths: unknown, shape: readonly number[]): [number, number][] {
  const pairs: unknown = typeof widths === 'number' ? shape.map(() => [widths, widths]) : widths;
  if (!Array.isArray(pairs)) throw invalidArgument(`pad() takes a number or one pair [before, after] per axis, not ${textOf(widths)}.`);
  if (pairs.length !== shape.length) {
    throw invalidShape(`pad() takes one pair [before, after] per axis: expected ${shape.length} pairs, got ${pairs.length}.`, {
      expected: `${shape.length} pairs`,
      actual: `${pairs.length} pairs`,
    });
  }
  return pairs.map((pair: unknown) => {
    if (Array.isArray(pair) && pair.length === 2 && pair.every((width) => Number.isSafeInteger(width) && width >= 0)) {
      return pair as [number, number];
    }
    throw invalidArgument(`pad() takes pairs [before, after] of whole numbers of 0 or more, not ${textOf(pair)}.`);
  });
}

/** Copies an array into the middle of a larger one. `widths` is the distance to its edges. */
export function copyPadded(array: TensorData, shape: readonly number[], widths: readonly [number, number][], into: TensorData): void {
  const last = shape.length - 1;
  const row = shape[last] ?? 1;
  const index = shape.map(() => 0);
  for (let from = 0; from < array.length; from += row) {
    let to = 0;
    shape.forEach((size, axis) => {
      const [before, after] = widths[axis]!;
      to = to * (before + size + after) + before + index[axis]!;
    });
    for (let i = 0; i < row; ++i) into[to + i] = array[from + i]!;
    for (let axis = last - 1; axis >= 0 && ++index[axis]! === shape[axis]; --axis) index[axis] = 0;
  }
}
