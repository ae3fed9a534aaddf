// SPDX-License-Identifier: Apache-2.0
// Operations that are written in JavaScript.
import type {
  ComputedValue,
  Extension,
  ExtensionCode,
  ExtensionModule,
  ExtensionValue,
  GivenExtension,
  InferredValue,
} from '../backend/extensions.js';
import {invalidArgument, messageOf, textOf, unsupported} from '../base/error.js';
import {currentPlatform} from '../base/platform.js';
import {bytesOf} from '../base/typed_arrays.js';
import {checkElementType} from '../tensor/element.js';
import type {Numbers} from '../tensor/numbers.js';
import {PartialShape, shapeText} from '../tensor/partial_shape.js';
import {copyOut, type Memory, type TensorInfo} from '../tensor/storage.js';
import {Tensor, contentOf, isTensor} from '../tensor/tensor.js';
import type {Hooks} from './glue.js';

/** @internal */
export interface NumberedExtension {
  type: string;
  version: string;
  number: number;
  code: ExtensionCode;
}

/** @internal An extension as it is sent to a worker. */
export interface SentExtension {
  type: string;
  version: string;
  number: number;
  module: string;
}

let given = 0;

// The functions of an object. Undefined if it lacks one.
function codeOf(given: object, infer: unknown, evaluate: unknown): ExtensionCode | undefined {
  if (typeof infer !== 'function' || typeof evaluate !== 'function') return undefined;
  return {infer: infer.bind(given), evaluate: evaluate.bind(given)};
}

/** @internal Checks an extension and numbers it. */
export function givenExtension(extension: Extension | ExtensionModule): GivenExtension {
  const {type, version = 'extension', module, infer, evaluate, ...rest} = extension as Partial<Extension & ExtensionModule>;
  const refuse = (what: string, value: unknown) => invalidArgument(`addExtension(): ${what}, not ${textOf(value)}.`, {actual: textOf(value)});
  if (typeof type !== 'string' || type === '') throw refuse('type takes the type of the layers, a string', type);
  if (typeof version !== 'string' || version === '') throw refuse('version takes the version of the layers, a string', version);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw refuse('an extension has type, version, infer and evaluate, or type, version and module', unknown);
  const number = ++given;
  if (module === undefined) {
    const code = codeOf(extension, infer, evaluate);
    const names = Object.entries({infer, evaluate}).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    if (!code) throw refuse(`the extension '${type}' takes functions infer and evaluate, or the URL of a module`, names);
    return {type, version, number, code};
  }
  if (typeof module !== 'string' && !(module instanceof URL)) throw refuse('module takes a path or a URL', module);
  if (infer !== undefined || evaluate !== undefined) throw refuse(`the extension '${type}' takes a module or functions`, 'both');
  return {type, version, number, module};
}

const loaded = new Map<string, ExtensionCode>();

function withCode({type, version, number}: GivenExtension, code: ExtensionCode): NumberedExtension {
  return {type, version, number, code};
}

async function load(extension: GivenExtension): Promise<NumberedExtension> {
  if ('code' in extension) return withCode(extension, extension.code);
  const path = String(extension.module);
  const known = loaded.get(path);
  if (known) return withCode(extension, known);
  const module = (await currentPlatform().importModule(extension.module)) as Partial<ExtensionCode>;
  const code = codeOf(module, module.infer, module.evaluate);
  if (!code) {
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
  if (Array.isArray(values)) return [...values];
  throw invalidArgument(`it must return an array of ${what}, not ${textOf(values)}`);
}

// Calls infer(), and formats its result for the engine: one line "type shape" per output.
function inferredByExtension(code: ExtensionCode, {inputs, attributes}: Asked<{type: ExtensionValue['type']; shape: string}>): string {
  const values = inputs.map(({type, shape}) => ({type, shape: new PartialShape(shape)}));
  const outputs = arrayOf(code.infer(values, attributes), '{type, shape}') as InferredValue[];
  return outputs.map(({type, shape}) => `${type === 'dynamic' ? type : checkElementType(type)} ${shapeText(shape) ?? new PartialShape(String(shape))}\n`).join('');
}

const tensorOfComputed = ({type, shape, data}: ComputedValue) => new Tensor(type, shape, data as Numbers);

// Calls evaluate(), and converts its result for the engine: lines "type bytes shape", and the bytes of the outputs. What a
// tensor holds is read once, so that type, shape and bytes belong together. The engine compares the number of bytes.
function computedByExtension(
  code: ExtensionCode,
  {inputs, attributes}: Asked<TensorInfo>,
  tensorOf: (info: TensorInfo) => Tensor,
): {lines: string; outputs: Uint8Array[]} {
  const given = arrayOf(code.evaluate(inputs.map(tensorOf), attributes), 'tensors');
  // All are converted before any is read: converting calls getters, which could change a buffer.
  const tensors = given.map((output) => (isTensor(output) ? output : tensorOfComputed(output as ComputedValue)));
  const contents = tensors.map(contentOf);
  const outputs = contents.map(({array, engine, info}) => {
    const values = engine ? copyOut(engine, info!) : array!;
    if (Array.isArray(values)) throw invalidArgument('tensors of strings cannot be outputs of an extension');
    return bytesOf(values);
  });
  return {lines: contents.map(({type, shape}, i) => `${type} ${outputs[i]!.length} ${shape}\n`).join(''), outputs};
}

/** @internal The extensions of one engine, and the calls of their functions by the module. */
export class ExtensionCalls {
  readonly #memory: Memory;
  readonly #callOut: <T>(what: string, call: () => T) => T;
  readonly #codes = new Map<number, ExtensionCode>();
  #list = '';
  #outputs: Uint8Array[] = [];
  #failure: unknown;

  readonly hooks: Pick<Hooks, 'inferExtension' | 'evaluateExtension' | 'takeExtension'> = {
    inferExtension: (number, json) => this.#ask(number, 'infer', (code) => inferredByExtension(code, JSON.parse(json))),
    evaluateExtension: (number, json) =>
      this.#ask(number, 'evaluate', (code) => {
        const {lines, outputs} = computedByExtension(code, JSON.parse(json), (info) => Tensor.copyOf(this.#memory, info));
        this.#outputs = outputs;
        return lines;
      }),
    takeExtension: (output) => this.#outputs[output]!,
  };

  /** `callOut` calls a user's function, while which the engine must not be called. */
  constructor(memory: Memory, callOut: <T>(what: string, call: () => T) => T) {
    this.#memory = memory;
    this.#callOut = callOut;
  }

  // JavaScript exceptions must not unwind through the engine, so they become a text with the prefix "!".
  #ask(number: number, what: string, ask: (code: ExtensionCode) => string): string {
    try {
      return this.#callOut(`${what}() of an extension`, () => ask(this.#codes.get(number)!));
    } catch (error) {
      this.#failure = error;
      return `!${what}() of the extension failed: ${messageOf(error)}`;
    }
  }

  /** Sets the extensions. `tell` passes their types, versions and numbers to the module, unless it has the same already. */
  set(extensions: readonly NumberedExtension[], tell: (texts: string[]) => void): void {
    const list = String(extensions.map(({number}) => number));
    if (list === this.#list) return;
    for (const {number, code} of extensions) this.#codes.set(number, code);
    tell(extensions.flatMap(({type, version, number}) => [type, version, `${number}`]));
    this.#list = list;
  }

  /** The error of an extension that made the last call fail. */
  takeFailure(): unknown {
    const failure = this.#failure;
    this.#failure = undefined;
    return failure;
  }
}
