// SPDX-License-Identifier: Apache-2.0
// Operations that are written in JavaScript, as users describe them and as a Core keeps them.
import type {Url} from '../base/environment.js';
import type {SupportedTypedArray, elementTypeString} from '../tensor/element.js';
import type {Numbers} from '../tensor/numbers.js';
import type {PartialShape} from '../tensor/partial_shape.js';
import type {Tensor} from '../tensor/tensor.js';

/** Element type and shape of an input or output of an extension. */
export interface ExtensionValue {
  /** Element type. It may be 'dynamic' while a model is read. */
  type: elementTypeString | 'dynamic';
  /** The shape. Dimensions may be dynamic while a model is read. */
  shape: PartialShape;
}

/** Element type and shape of an output, as infer() returns it. In an array, -1 is a dynamic dimension. */
export interface InferredValue {
  /** Element type. It may be 'dynamic' while a model is read. */
  type: elementTypeString | 'dynamic';
  /** Dimensions, outermost first. */
  shape: PartialShape | string | number[];
}

/** An output, as evaluate() may return it instead of a Tensor. */
export interface ComputedValue {
  /** Element type. */
  type: elementTypeString;
  /** Dimensions, outermost first. */
  shape: number[];
  /** The values, in row-major order. */
  data: SupportedTypedArray | Numbers;
}

/** The functions of an extension. They run on the thread that called the engine. They must not call the engine. */
export interface ExtensionCode {
  /**
   * Infers types and shapes of the outputs. The engine calls it with partial shapes when it reads a model, and with static
   * shapes before a run.
   *
   * @param inputs Element types and shapes of the inputs.
   * @param attributes The attributes of the layer by name, as strings from the .xml.
   * @returns Element types and shapes of the outputs.
   * @example
   * infer: ([{type, shape}]) => [{type, shape}]
   */
  infer(inputs: ExtensionValue[], attributes: Record<string, string>): InferredValue[];
  /**
   * Computes the outputs.
   *
   * @param inputs Copies of the inputs.
   * @param attributes The attributes of the layer by name, as strings from the .xml.
   * @returns The outputs: tensors, or objects {type, shape, data}. Types and shapes must be those that infer() returned.
   * @example
   * evaluate: ([x]) => [{type: 'f32', shape: x.getShape(), data: x.data.map(Math.abs)}]
   */
  evaluate(inputs: Tensor[], attributes: Record<string, string>): (Tensor | ComputedValue)[];
}

/** Identifies the layers that an extension computes. */
export interface ExtensionName {
  /** The type of the layers: "Swoosh". */
  type: string;
  /** The version of the layers. Default: "extension", which OpenVINO writes for custom operations. */
  version?: string;
}

/** An extension given by its functions. */
export interface Extension extends ExtensionName, ExtensionCode {}

/** An extension given by a module that exports the functions `infer` and `evaluate`. It also works in a worker. */
export interface ExtensionModule extends ExtensionName {
  /** Path or URL of the module. */
  module: string | Url;
}

/** @internal An extension as a Core stores it. */
export type GivenExtension = Required<ExtensionName> & {number: number} & ({code: ExtensionCode} | {module: string | Url});
