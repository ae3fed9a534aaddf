// SPDX-License-Identifier: Apache-2.0
// Shapes with dynamic dimensions.
import {incorrectConstruction, invalidArgument, textOf} from '../base/error.js';
import {inspected} from '../base/inspected.js';

/** A dimension: its size, or its minimum and maximum size. -1 stands for any size. */
export type Dimension = number | [number, number];

interface Bounds {
  min: number;
  max: number;
}

function parseBounds(text: string, whole: string): Bounds {
  const part = text.trim();
  if (part === '?' || part === '-1') return {min: 0, max: Infinity};
  const match = /^(\d+)$|^(\d*)\s*\.\.\s*(\d*)$/.exec(part);
  if (match?.[1]) return {min: Number(part), max: Number(part)};
  const min = Number(match?.[2] || 0);
  const max = match?.[3] ? Number(match[3]) : Infinity;
  if (!match || part === '..' || max < min) throw invalidArgument(`Cannot parse partial shape: ${whole}`);
  return {min, max};
}

function boundsText({min, max}: Bounds): string {
  if (min === max) return String(min);
  if (max === Infinity) return min === 0 ? '?' : `${min}..`;
  return `${min === 0 ? '' : min}..${max}`;
}

/**
 * @internal The text of a shape that a caller gave: a PartialShape, read from its private fields, or a text that is parsed.
 * Undefined for anything else.
 */
export let shapeText: (shape: unknown) => string | undefined;

/** A shape that may have dynamic dimensions. */
export class PartialShape {
  readonly #bounds: Bounds[] | null; // null if the rank is dynamic

  static {
    shapeText = (shape) => {
      if (typeof shape === 'string') return new PartialShape(shape).#text();
      return typeof shape === 'object' && shape !== null && #bounds in shape ? (shape as PartialShape).#text() : undefined;
    };
  }

  /**
   * Parses a shape.
   *
   * @param shape Comma-separated dimensions: "1,3,?,2..5". `?` and `-1` accept any size, `2..5` accepts 2 to 5, and "..."
   *   accepts any number of axes.
   * @throws WasmvinoError `INVALID_ARGUMENT` if the text is not a shape.
   * @example
   * const shape = new ov.PartialShape('1,3,?,2..5');
   */
  constructor(shape: string = '') {
    if (typeof shape !== 'string' || arguments.length > 1) throw incorrectConstruction('PartialShape', arguments, 'string', '');
    const inner = shape
      .trim()
      .replace(/^\[(.*)\]$|^\{(.*)\}$/s, (_, square, curly) => square ?? curly)
      .trim();
    this.#bounds = inner === '...' ? null : inner === '' ? [] : inner.split(',').map((part) => parseBounds(part, shape));
  }

  /**
   * Whether all dimensions are known.
   *
   * @returns Whether the shape has a fixed number of axes, each of one size.
   * @example
   * new ov.PartialShape('1,3').isStatic(); // true
   */
  isStatic(): boolean {
    return this.#bounds !== null && this.#bounds.every(({min, max}) => min === max);
  }

  /**
   * Whether a dimension or the number of axes is dynamic.
   *
   * @returns The opposite of isStatic().
   * @example
   * new ov.PartialShape('1,?').isDynamic(); // true
   */
  isDynamic(): boolean {
    return !this.isStatic();
  }

  /**
   * Returns the shape as text: `[1,3,?,2..5]`.
   *
   * @returns The text. The constructor accepts it.
   * @example
   * String(new ov.PartialShape('1, -1')); // [1,?]
   */
  toString(): string {
    return this.#text();
  }

  #text(): string {
    return this.#bounds === null ? '[...]' : `[${this.#bounds.map(boundsText).join(',')}]`;
  }

  /** @internal The text that console.log() prints in Node.js. */
  [inspected](): string {
    return `PartialShape ${this}`;
  }

  /**
   * Returns the dimensions, outermost first.
   *
   * @returns A number for each static dimension, [minimum, maximum] for each bounded one, and -1 for any size.
   * @throws WasmvinoError `INVALID_ARGUMENT` if the number of axes is dynamic.
   * @example
   * new ov.PartialShape('1,?,2..5').getDimensions(); // [1, -1, [2, 5]]
   */
  getDimensions(): Dimension[] {
    if (this.#bounds === null) throw invalidArgument('A shape of dynamic rank has no dimensions.');
    return this.#bounds.map(({min, max}) => (min === max ? min : max === Infinity ? -1 : [min, max]));
  }

  /**
   * Whether a tensor of this shape is accepted.
   *
   * @param shape Dimensions of the tensor, outermost first.
   * @returns Whether each dimension is within its bounds.
   * @throws WasmvinoError `INVALID_ARGUMENT` if it is not an array.
   * @example
   * new ov.PartialShape('1,2..5').contains([1, 3]); // true
   */
  contains(shape: readonly number[]): boolean {
    if (!Array.isArray(shape)) throw invalidArgument(`contains() takes an array of sizes, not ${textOf(shape)}.`);
    const sizes: unknown[] = [...shape];
    if (this.#bounds === null) return true;
    const fits = ({min, max}: Bounds, axis: number) => {
      const size = sizes[axis];
      return typeof size === 'number' && size >= min && size <= max;
    };
    return sizes.length === this.#bounds.length && this.#bounds.every(fits);
  }
}
