// SPDX-License-Identifier: Apache-2.0
// Operations that JavaScript computes.
import type {SupportedTypedArray, elementTypeString} from './element.js';
import {invalidArgument, textOf, unsupported} from './error.js';
import type {TensorInfo} from './glue.js';
import type {Numbers} from './numbers.js';
import {PartialShape} from './partial_shape.js';
import type {Url} from './places.js';
import {currentPlatform} from './platform.js';
import {Tensor, bytesOf} from './tensor.js';

/** Element type and shape of an input or output of an extension. */
export interface ExtensionValue {
  type: elementTypeString | 'dynamic';
  /** Its dimensions may be dynamic while a model is read. */
  shape: PartialShape;
}

/** What infer() of an extension gives for an output. In an array, -1 is a dynamic dimension. */
export interface InferredValue {
  type: elementTypeString;
  shape: PartialShape | string | number[];
}

/** An output as evaluate() of an extension gives it, where it is no Tensor. */
export interface ComputedValue {
  type: elementTypeString;
  shape: number[];
  data: SupportedTypedArray | Numbers;
}

/** The functions of an extension. They run on the thread of the engine's caller, and must not call the engine. */
export interface ExtensionCode {
  /**
   * Infers the outputs. The engine calls it with partial shapes when it reads a model, and with full ones before a run.
   *
   * @param inputs Types and shapes of the inputs.
   * @param attributes The attributes of the layer, as texts of the .xml.
   * @returns Types and shapes of the outputs.
   */
  infer(inputs: ExtensionValue[], attributes: Record<string, string>): InferredValue[];
  /**
   * Computes the outputs.
   *
   * @param inputs Copies of the inputs.
   * @param attributes The attributes of the layer.
   * @returns The outputs: tensors, or objects {type, shape, data}.
   */
  evaluate(inputs: Tensor[], attributes: Record<string, string>): (Tensor | ComputedValue)[];
}

/** Names the layers that an extension computes. */
export interface ExtensionName {
  /** The type of the layers: "Swoosh". */
  type: string;
  /** The version of the layers. Default: "extension", which OpenVINO writes for operations of extensions. */
  version?: string;
}

/** An extension whose functions are given. */
export interface Extension extends ExtensionName, ExtensionCode {}

/** An extension whose functions `infer` and `evaluate` a module exports: also for an engine in a worker. */
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

/** @internal As a Core keeps it. */
export type GivenExtension = Required<ExtensionName> & {number: number} & ({code: ExtensionCode} | {module: string | Url});

/** @internal As it is sent to a worker. */
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

/** @internal */
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

/** @internal With their modules. */
export function loadExtensions(extensions: readonly GivenExtension[]): Promise<NumberedExtension[]> {
  return Promise.all(extensions.map(load));
}

/** @internal For synchronous calls. */
export function readyExtensions(extensions: readonly GivenExtension[]): NumberedExtension[] {
  return extensions.map((extension) => {
    const code = 'code' in extension ? extension.code : loaded.get(String(extension.module));
    if (code) return withCode(extension, code);
    throw unsupported(`The module of the extension '${extension.type}' cannot be imported synchronously: use readModel(), or pass functions.`);
  });
}

/** @internal */
export function sentExtensions(extensions: readonly GivenExtension[]): SentExtension[] {
  return extensions.map((extension) => {
    const {type, version, number} = extension;
    if ('module' in extension) return {type, version, number, module: String(currentPlatform().absolute(extension.module))};
    throw unsupported(
      `The extension '${type}' consists of functions, which cannot be sent to the worker of the engine: pass a module that exports them, addExtension({type: '${type}', module: URL}).`,
    );
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

/** @internal What infer() gives, for the engine. */
export function inferredByExtension(code: ExtensionCode, {inputs, attributes}: Asked<{type: ExtensionValue['type']; shape: string}>): string {
  const values = inputs.map(({type, shape}) => ({type, shape: new PartialShape(shape)}));
  const outputs = arrayOf(code.infer(values, attributes), '{type, shape}') as InferredValue[];
  return outputs.map(({type, shape}) => `${type} ${shape instanceof PartialShape ? shape : new PartialShape(String(shape))}\n`).join('');
}

const tensorOfComputed = ({type, shape, data}: ComputedValue) => new Tensor(type, shape, data as Numbers);

/** @internal What evaluate() gives, for the engine. */
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
