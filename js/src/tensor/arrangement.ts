// SPDX-License-Identifier: Apache-2.0
// Shapes and elements of row-major arrays, for the methods of Tensor that follow numpy.
import {WasmvinoError, invalidArgument, invalidShape, textOf} from '../base/error.js';
import {arrayName} from '../base/typed_arrays.js';
import {checkShape, elementCount, type TensorData} from './element.js';

/** Number of elements to add before and after each axis, or one number for all sides. */
export type PadWidths = number | readonly (readonly [before: number, after: number])[];

/** The new shape of reshape(). One size may be -1. It is computed from the number of elements. */
export function shapeOf(wanted: unknown, from: readonly number[]): number[] {
  const given = Array.isArray(wanted) || arrayName(wanted) === 'Int32Array' ? [...(wanted as unknown[])] : wanted;
  const unknown = Array.isArray(given) ? given.indexOf(-1) : -1;
  const shape = checkShape(Array.isArray(given) ? given.map((size: unknown, i) => (i === unknown ? 1 : size)) : given);
  const count = elementCount(from);
  if (unknown >= 0 && elementCount(shape) > 0) shape[unknown] = Math.floor(count / elementCount(shape));
  if (elementCount(shape) !== count) {
    throw invalidShape(`A tensor of shape [${from}] has ${count} elements and cannot be reshaped to [${given as number[]}].`, {
      expected: `${count} elements`,
      actual: `[${given as number[]}]`,
    });
  }
  return shape;
}

/** Checks an index, and converts a negative one, which counts from the end. */
export function checkIndex(index: unknown, size: number, axis: number): number {
  if (!Number.isSafeInteger(index)) throw invalidArgument(`An index is a whole number, not ${textOf(index)}.`);
  const from = index as number;
  if (from < -size || from >= size) {
    throw new WasmvinoError('INVALID_VALUE', `The index ${from} is outside axis ${axis}, whose size is ${size}.`, {
      expected: `${-size} to ${size - 1}`,
      actual: String(from),
    });
  }
  return from < 0 ? from + size : from;
}

/** The shape of a slice, and its first element. Positions may be negative, and then count from the end. */
export function sliceOf(
  shape: readonly number[],
  begin: unknown,
  end: unknown,
  axis: number,
): {sizes: number[]; offset: number} {
  if (!Number.isSafeInteger(axis)) throw invalidArgument(`slice() takes the number of an axis, not ${textOf(axis)}.`);
  const at = axis < 0 ? axis + shape.length : axis;
  const size = shape[at];
  if (size === undefined) {
    throw new WasmvinoError(
      'INVALID_VALUE',
      `slice() has no axis ${textOf(axis)}: the shape [${shape}] has ${shape.length} axes.`,
      {actual: textOf(axis)},
    );
  }
  const bound = (position: unknown, otherwise: number): number => {
    if (position === undefined) return otherwise;
    if (!Number.isSafeInteger(position)) throw invalidArgument(`slice() takes whole numbers, not ${textOf(position)}.`);
    const from = position as number;
    return Math.min(Math.max(from < 0 ? from + size : from, 0), size);
  };
  const first = bound(begin, 0);
  const sizes = shape.map((all, i) => (i === at ? Math.max(bound(end, size) - first, 0) : all));
  if (shape.slice(0, at).some((before) => before !== 1) && sizes[at] !== size) {
    throw invalidShape(
      `A slice of axis ${at} of the shape [${shape}] is not one block of memory: the axes before it must have size 1.`,
      {actual: `[${shape}]`},
    );
  }
  return {sizes, offset: first * elementCount(shape.slice(at + 1))};
}

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
  const given: unknown = typeof widths === 'number' ? shape.map(() => [widths, widths]) : widths;
  if (!Array.isArray(given))
    throw invalidArgument(`pad() takes a number or one pair [before, after] per axis, not ${textOf(widths)}.`);
  const pairs = [...given].map((pair: unknown) => (Array.isArray(pair) ? [...pair] : pair));
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
export function copyPadded(
  array: TensorData,
  shape: readonly number[],
  widths: readonly [number, number][],
  into: TensorData,
): void {
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
