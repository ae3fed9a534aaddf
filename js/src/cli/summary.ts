// SPDX-License-Identifier: Apache-2.0
// Formats the values of tensors as text.
import type {Tensor} from '../entries/node.js';
import {valuesOf} from './arrays.js';

function valuesIn(tensor: Tensor): (i: number) => string {
  if (tensor.getElementType() === 'string') {
    const texts = tensor.data as unknown as string[];
    return (i) => JSON.stringify(texts[i]);
  }
  const values = valuesOf(tensor);
  return (i) => (typeof values[i] === 'bigint' ? String(values[i]) : String(Number((values[i] as number).toPrecision(6))));
}

/** Formats a tensor as numpy does. Beyond 100 values, long axes show only their first and last three elements. */
export function summary(tensor: Tensor): string {
  const shape = tensor.getShape();
  const valueAt = valuesIn(tensor);
  const edge = tensor.getSize() > 100 ? 3 : Infinity;
  const text = (axis: number, first: number, step: number, indent: string): string => {
    if (axis === shape.length) return valueAt(first);
    const length = shape[axis]!;
    const inner = length === 0 ? 0 : step / length;
    const parts: string[] = [];
    for (let i = 0; i < length; ++i) {
      if (i === edge && length > 2 * edge) {
        parts.push('...');
        i = length - edge;
      }
      parts.push(text(axis + 1, first + i * inner, inner, `${indent} `));
    }
    return `[${parts.join(axis === shape.length - 1 ? ' ' : `\n${indent} `)}]`;
  };
  return text(0, 0, tensor.getSize(), '');
}

/** Converts values for JSON. NaN, infinities and integers that a number cannot represent become strings. */
export function jsonValues(tensor: Tensor): (number | string)[] {
  if (tensor.getElementType() === 'string') return tensor.data as unknown as string[];
  return Array.from(valuesOf(tensor) as Float64Array, (value: number | bigint) => {
    const number = Number(value);
    return Number.isFinite(number) && (typeof value === 'number' || Number.isSafeInteger(number)) ? number : String(value);
  });
}
