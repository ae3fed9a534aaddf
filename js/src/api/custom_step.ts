// SPDX-License-Identifier: Apache-2.0
// Custom steps of PrePostProcessor: functions that add operations to the graph.
import {checkCaller, internally, invalidArgument, textOf} from '../base/error.js';
import {bytesOf} from '../base/typed_arrays.js';
import {isTypedArray, type SupportedTypedArray, type element} from '../tensor/element.js';
import type {Numbers} from '../tensor/numbers.js';
import {Tensor, contentOf} from '../tensor/tensor.js';

/** The value of an attribute. Arrays become lists. */
export type AttributeValue = string | number | boolean | readonly (string | number)[];

let placeOf: (value: CustomValue) => {step: CustomStep; node: number; port: number};

/** An output of an operation in a custom step. It has no data: the operations run with the model. */
export class CustomValue {
  readonly #step: CustomStep;
  readonly #node: number;
  readonly #port: number;

  static {
    placeOf = (value) => ({step: value.#step, node: value.#node, port: value.#port});
  }

  /** @internal */
  constructor(token: typeof internally, step: CustomStep, node: number, port = 0) {
    checkCaller(token, 'CustomValue', 'CustomStep.add()');
    this.#step = step;
    this.#node = node;
    this.#port = port;
  }

  /**
   * Returns another output of the same operation.
   *
   * @param index Position of the output.
   * @returns That output.
   * @throws WasmvinoError `INVALID_ARGUMENT` unless it is 0 or a positive whole number. Outputs that the operation does not
   *   have are errors of build().
   * @example
   * const indices = step.add('TopK', [x, k], {axis: -1, mode: 'max', sort: 'value'}, 2).output(1);
   */
  output(index: number): CustomValue {
    if (!Number.isSafeInteger(index) || index < 0) throw invalidArgument(`output() takes the position of an output, not ${textOf(index)}.`);
    return new CustomValue(internally, this.#step, this.#node, index);
  }
}

function lines(...texts: string[]): string {
  const broken = texts.find((text) => text.includes('\n'));
  if (broken !== undefined) throw invalidArgument(`Names and attributes of operations must not contain line breaks: ${textOf(broken)}.`);
  return texts.map((text) => `${text}\n`).join('');
}

function attributeText(name: string, value: unknown): string {
  const list: unknown[] = Array.isArray(value) ? [...value] : [value];
  const fits = (each: unknown) => typeof each === 'string' || (typeof each === 'number' && Number.isFinite(each)) || (typeof each === 'boolean' && each === value);
  if (!list.every(fits)) {
    throw invalidArgument(`The attribute ${name} takes a string, a finite number, a boolean, or an array of numbers or strings, not ${textOf(value)}.`);
  }
  return list.join(',');
}

/** Adds the operations of one custom step. A function given to custom() receives it. */
export class CustomStep {
  readonly #steps: string[];
  #count = 0;

  /** @internal `steps` receives keys and values of the engine's recipe (src/preprocess/recipe.h). */
  constructor(token: typeof internally, steps: string[]) {
    checkCaller(token, 'CustomStep', 'custom()');
    this.#steps = steps;
  }

  /**
   * Adds a constant.
   *
   * @param type Element type, such as 'f32'. It cannot be 'string'.
   * @param shape Dimensions, outermost first.
   * @param data The values, in row-major order.
   * @returns The constant.
   * @throws WasmvinoError `INVALID_ARGUMENT`, as the constructor of Tensor.
   * @example
   * const exponent = step.constant('f32', [1], [0.45]);
   */
  constant(type: element, shape: ArrayLike<number>, data: SupportedTypedArray | Numbers): CustomValue {
    const {shape: sizes, array: values} = contentOf(new Tensor(type, shape, data as SupportedTypedArray));
    if (!isTypedArray(values)) throw invalidArgument('constant() takes numbers. A constant of strings cannot be part of a step.');
    const digits = Array.from(bytesOf(values), (byte) => byte.toString(16).padStart(2, '0')).join('');
    return this.#add('customConstant', lines(type, `[${sizes}]`, digits));
  }

  /**
   * Adds an operation, in its newest version.
   *
   * @param type The type of the operation as its specification spells it, such as 'Clamp'.
   * @param inputs The inputs, in the order of the specification.
   * @param attributes The attributes by name: `{min: 0, max: 1}`. Names and values are those of the specification.
   * @param outputs The number of outputs.
   * @returns Output 0. Its method output() gives the others.
   * @throws WasmvinoError `INVALID_ARGUMENT` if an input does not belong to this step, or an attribute has an unsuitable
   *   value. Unknown operations, unknown attributes and inputs that do not fit are errors of build().
   * @example
   * const positive = step.add('Clamp', [x], {min: 0, max: 1});
   */
  add(type: string, inputs: readonly CustomValue[], attributes: Readonly<Record<string, AttributeValue>> = {}, outputs = 1): CustomValue {
    if (typeof type !== 'string') throw invalidArgument(`add() takes the type of an operation, a string, not ${textOf(type)}.`);
    if (!Array.isArray(inputs)) throw invalidArgument(`add() takes the inputs of ${type} as an array, not ${textOf(inputs)}.`);
    if (typeof attributes !== 'object' || attributes === null) throw invalidArgument(`add() takes the attributes of ${type} as an object, not ${textOf(attributes)}.`);
    if (!Number.isSafeInteger(outputs) || outputs < 1 || outputs > 65536) throw invalidArgument(`add() takes the number of outputs of ${type}, not ${textOf(outputs)}.`);
    const sources = [...inputs].map((input, i) => this.place(input, `Input ${i} of ${type}`));
    const texts = Object.entries(attributes).flatMap(([name, value]) => [name, attributeText(name, value)]);
    return this.#add('customNode', lines(type, sources.join(','), `${outputs}`, ...texts));
  }

  /** @internal The text by which a recipe refers to a value. */
  place(value: unknown, what: string): string {
    if (value instanceof CustomValue) {
      const {step, node, port} = placeOf(value);
      if (step === this) return `${node}.${port}`;
    }
    throw invalidArgument(`${what} is not a value of this step, but ${textOf(value)}. Use the value that custom() passes, and those that add() and constant() return.`);
  }

  #add(key: string, text: string): CustomValue {
    this.#steps.push(key, text);
    return new CustomValue(internally, this, ++this.#count);
  }
}
