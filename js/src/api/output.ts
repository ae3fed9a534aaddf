// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of models.
import type {PortInfo} from '../backend/records.js';
import {checkCaller, internally, invalidArgument, invalidShape, textOf} from '../base/error.js';
import {inspected} from '../base/inspected.js';
import type {element} from '../tensor/element.js';
import {PartialShape} from '../tensor/partial_shape.js';

/** An input or output of a model. */
export class Output {
  readonly #info: PortInfo;
  readonly #shape: PartialShape;

  /** @internal */
  constructor(token: typeof internally, info: PortInfo) {
    checkCaller(token, new.target.name, 'a model');
    this.#info = info;
    this.#shape = new PartialShape(info.shape);
  }

  /** The first tensor name, or the name of the layer if there are no tensor names. */
  get anyName(): string {
    return this.#info.names[0] ?? this.#info.friendlyName;
  }

  /** All tensor names, sorted. */
  get names(): string[] {
    return [...this.#info.names];
  }

  /** The element type. */
  get elementType(): element {
    return this.#info.type;
  }

  /**
   * The shape: its dimensions, outermost first.
   *
   * @throws WasmvinoError `INVALID_SHAPE` if a dimension is dynamic: use getPartialShape().
   */
  get shape(): number[] {
    if (this.#shape.isDynamic()) {
      throw invalidShape(`'${this.anyName}' has the dynamic shape ${this.#shape}`, {
        port: this.anyName,
        actual: String(this.#shape),
      });
    }
    return this.#shape.getDimensions() as number[];
  }

  /**
   * Returns `anyName`.
   *
   * @returns The name.
   * @example
   * const name = compiledModel.output(0).getAnyName();
   */
  getAnyName(): string {
    return this.anyName;
  }

  /**
   * Returns `names`.
   *
   * @returns The names, sorted. May be empty.
   * @example
   * const isScores = compiledModel.output(0).getNames().includes('scores');
   */
  getNames(): string[] {
    return this.names;
  }

  /**
   * Returns `elementType`.
   *
   * @returns The name of the type, such as 'f32'.
   * @example
   * const type = compiledModel.input(0).getElementType();
   */
  getElementType(): element {
    return this.elementType;
  }

  /**
   * Returns `shape`.
   *
   * @returns Dimensions, outermost first.
   * @throws WasmvinoError `INVALID_SHAPE` if a dimension is dynamic: use getPartialShape().
   * @example
   * const [batch, channels, height, width] = compiledModel.input(0).getShape();
   */
  getShape(): number[] {
    return this.shape;
  }

  /**
   * Returns the shape, which may have dynamic dimensions.
   *
   * @returns The shape.
   * @example
   * console.log(String(model.input(0).getPartialShape())); // [1,3,?,?]
   */
  getPartialShape(): PartialShape {
    return this.#shape;
  }

  /**
   * Returns the names that an ONNX file gives to dynamic dimensions, such as 'batch_size'. Preprocessed models have none.
   *
   * @returns One name per dimension, empty for dimensions without one. An empty array if no dimension has a name.
   * @example
   * model.input(0).getDimensionNames(); // ['batch_size', '', 'height', 'width']
   */
  getDimensionNames(): string[] {
    return [...(this.#info.dimensionNames ?? [])];
  }

  /**
   * Returns `anyName`.
   *
   * @returns The name.
   * @example
   * console.log(`${model.output(0)}`);
   */
  toString(): string {
    return this.anyName;
  }

  /** @internal The text that console.log() prints in Node.js. */
  [inspected](): string {
    return `${this.constructor.name} '${this.anyName}' ${this.elementType} ${this.shapeText}`;
  }

  /** @internal The shape with the names of its dimensions: "[batch_size,3,?]". */
  get shapeText(): string {
    const names = this.#info.dimensionNames;
    const text = String(this.#shape);
    if (names === undefined) return text;
    return `[${text.slice(1, -1).split(',').map((size, i) => names[i] || size)}]`;
  }

  /** @internal Whether this is a tensor name of the port or the name of its layer. */
  isCalled(name: string): boolean {
    return this.#info.names.includes(name) || this.#info.friendlyName === name;
  }
}

/** An input or output of a compiled model. */
export class ConstOutput extends Output {}

/**
 * @internal Finds a port by position, by name, or by the port itself. Without `which`, the model must have exactly one.
 *
 * @returns Its position.
 * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such port.
 */
export function findPort(ports: readonly Output[], which: unknown, kind: string): number {
  const at =
    which === undefined
      ? ports.length - 1
      : typeof which === 'number'
        ? which
        : ports.findIndex((port) => (typeof which === 'string' ? port.isCalled(which) : port === which));
  if (!ports[at] || (which === undefined && at > 0)) {
    const expected = ports.map((port) => `'${port}'`).join(', ');
    const what =
      which === undefined
        ? `The model has ${ports.length} ${kind}s: specify one.`
        : typeof which === 'number'
          ? `${kind === 'input' ? 'Input' : 'Output'} port for index ${which} was not found!`
          : typeof which === 'string' || which instanceof Output
            ? `Port for tensor name ${which} was not found.`
            : `Error while getting model ${kind}s: a port has a name or an index, not ${textOf(which)}.`;
    throw invalidArgument(`${what} ${ports.length === 0 ? 'There are none' : `There ${ports.length === 1 ? 'is' : 'are'} ${expected}`}`, {expected, actual: textOf(which)});
  }
  return at;
}

/** @internal The port that `input()` or `output()` returns, which was called with `count` arguments. */
export function givenPort<Port extends Output>(ports: readonly Port[], which: unknown, count: number, kind: 'input' | 'output'): Port {
  if (count > 1) throw invalidArgument(`Invalid number of arguments -> ${count}: ${kind}() takes a name or an index.`);
  return ports[findPort(ports, which, kind)]!;
}

/** @internal Lists ports, one per line. */
export function portLines(kind: string, ports: readonly Output[]): string {
  return ports.map((port) => `\n  ${kind} ${port.anyName}: ${port.elementType} ${port.shapeText}`).join('');
}
