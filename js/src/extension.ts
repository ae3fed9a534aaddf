// SPDX-License-Identifier: Apache-2.0
// Operations that are written in JavaScript.
import type {SupportedTypedArray, elementTypeString} from './element.js';
import {invalidArgument, textOf, unsupported} from './error.js';
import type {TensorInfo} from './glue.js';
import type {Numbers} from './numbers.js';
import {PartialShape} from './partial_shape.js';
import type {Url} from './places.js';
import {currentPlatform} from './platform.js';
import {Tensor} from './tensor.js';
import {bytesOf} from './tensor_storage.js';

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

/** @internal */
export interface NumberedExtension {
  type: string;
  version: string;
  number: number;
  code: ExtensionCode;
}

/** @internal An extension as a Core stores it. */
export type GivenExtension = Required<ExtensionName> & {number: number} & ({code: ExtensionCode} | {module: string | Url});

/** @internal An extension as it is sent to a worker. */
export interface SentExtension {
  type: string;
  version: string;
  number: number;
  module: string;
}

let given = 0;

function isCode(value: unknown): value is ExtensionCode {
  const {infer, evaluate} = value as Partial<ExtensionCode>;
  return typeof infer === 'function' && typeof evaluate === 'function';
}

/** @internal Checks an extension and numbers it. */
export function givenExtension(extension: Extension | ExtensionModule): GivenExtension {
  const {type, version = 'extension', module, ...rest} = extension as Partial<Extension & ExtensionModule>;
  const refuse = (what: string, value: unknown) => invalidArgument(`addExtension(): ${what}, not ${textOf(value)}.`, {actual: textOf(value)});
  if (typeof type !== 'string' || type === '') throw refuse('type takes the type of the layers, a string', type);
  if (typeof version !== 'string' || version === '') throw refuse('version takes the version of the layers, a string', version);
  const unknown = Object.keys(rest).find((name) => name !== 'infer' && name !== 'evaluate');
  if (unknown !== undefined) throw refuse('an extension has type, version, infer and evaluate, or type, version and module', unknown);
  const number = ++given;
  if (module === undefined) {
    if (!isCode(extension)) throw refuse(`the extension '${type}' takes functions infer and evaluate, or the URL of a module`, Object.keys(rest));
    return {type, version, number, code: extension};
  }
  if (typeof module !== 'string' && !(module instanceof URL)) throw refuse('module takes a path or a URL', module);
  if (Object.keys(rest).length > 0) throw refuse(`the extension '${type}' takes a module or functions`, 'both');
  return {type, version, number, module};
}

const loaded = new Map<string, ExtensionCode>();

function withCode({type, version, number}: GivenExtension, code: ExtensionCode): NumberedExtension {
  return {type, version, number, code};
}

async function load(extension: GivenExtension): Promise<NumberedExtension> {
  if ('code' in extension) return withCode(extension, extension.code);
  const path = String(extension.module);
  const code = loaded.get(path) ?? (await currentPlatform().importModule(extension.module));
  if (!isCode(code)) {
    throw invalidArgument(`The module ${path} of the extension '${extension.type}' does not export functions infer and evaluate.`, {actual: path});
  }
  loaded.set(path, code);
  return withCode(extension, code);
}

/** @internal Loads the modules of extensions. */
export function loadExtensions(extensions: readonly GivenExtension[]): Promise<NumberedExtension[]> {
  return Promise.all(extensions.map(load));
}

/** @internal The same for synchronous calls. Throws if a module is not loaded yet. */
export function readyExtensions(extensions: readonly GivenExtension[]): NumberedExtension[] {
  return extensions.map((extension) => {
    const code = 'code' in extension ? extension.code : loaded.get(String(extension.module));
    if (code) return withCode(extension, code);
    throw unsupported(`The module of the extension '${extension.type}' cannot be imported synchronously: use readModel(), or pass functions.`);
  });
}

/** @internal Throws if an extension consists of functions. */
export function checkSendable(extension: GivenExtension): asserts extension is Extract<GivenExtension, {module: unknown}> {
  if ('module' in extension) return;
  const {type} = extension;
  throw unsupported(
    `The extension '${type}' consists of functions, which cannot be sent to the worker of the engine: pass a module that exports them, addExtension({type: '${type}', module: URL}).`,
  );
}

/** @internal Converts extensions for a worker. */
export function sentExtensions(extensions: readonly GivenExtension[]): SentExtension[] {
  return extensions.map((extension) => {
    checkSendable(extension);
    const {type, version, number, module} = extension;
    return {type, version, number, module: String(currentPlatform().absolute(module))};
  });
}

interface Asked<T> {
  inputs: T[];
  attributes: Record<string, string>;
}

function arrayOf(values: unknown, what: string): unknown[] {
  if (Array.isArray(values)) return values;
  throw invalidArgument(`it must return an array of ${what}, not ${textOf(values)}`);
}

/** @internal Calls infer(), and formats its result for the engine: one line "type shape" per output. */
export function inferredByExtension(code: ExtensionCode, {inputs, attributes}: Asked<{type: ExtensionValue['type']; shape: string}>): string {
  const values = inputs.map(({type, shape}) => ({type, shape: new PartialShape(shape)}));
  const outputs = arrayOf(code.infer(values, attributes), '{type, shape}') as InferredValue[];
  return outputs.map(({type, shape}) => `${type} ${shape instanceof PartialShape ? shape : new PartialShape(String(shape))}\n`).join('');
}

const tensorOfComputed = ({type, shape, data}: ComputedValue) => new Tensor(type, shape, data as Numbers);

/** @internal Calls evaluate(), and converts its result for the engine: lines "type shape", and the bytes of the outputs. */
export function computedByExtension(
  code: ExtensionCode,
  {inputs, attributes}: Asked<TensorInfo>,
  tensorOf: (info: TensorInfo) => Tensor,
): {lines: string; outputs: Uint8Array[]} {
  const outputs = arrayOf(code.evaluate(inputs.map(tensorOf), attributes), 'tensors').map((output) =>
    output instanceof Tensor ? output : tensorOfComputed(output as ComputedValue),
  );
  const lines = outputs.map((tensor) => `${tensor.getElementType()} ${tensor.getShape()}\n`).join('');
  return {
    lines,
    outputs: outputs.map((tensor) => {
      const {data} = tensor;
      if (Array.isArray(data)) throw invalidArgument('tensors of strings cannot be outputs of an extension');
      return bytesOf(data);
    }),
  };
}
