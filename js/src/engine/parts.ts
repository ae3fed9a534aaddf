// SPDX-License-Identifier: Apache-2.0
// The parts of a module that are loaded only for models that need them. A part imports the memory, the table and the functions
// of the module, and puts its own functions into the table (web/finish_module.mjs).
import type {PartName} from '../base/builds.js';
import {invalidArgument} from '../base/error.js';

const idOf = (module: WebAssembly.Module) => {
  const [id] = WebAssembly.Module.customSections(module, 'wasmvino.id');
  return id ? new TextDecoder().decode(id) : 'none';
};

/** A part that was loaded. Threads instantiate it from its bytes. */
export interface Part {
  module: WebAssembly.Module;
  bytes: Uint8Array | undefined;
}

/** The parts of an instance of a module. */
export class Parts {
  readonly #module: WebAssembly.Module;
  readonly #exports: WebAssembly.Exports;
  readonly #loaded = new Set<PartName>();
  readonly #loading = new Map<PartName, Promise<void>>();

  constructor(module: WebAssembly.Module, exports: WebAssembly.Exports) {
    this.#module = module;
    this.#exports = exports;
  }

  get loaded(): readonly PartName[] {
    return [...this.#loaded];
  }

  /** Instantiates a part, unless that was done before. `memory` is that of the module. */
  add(name: PartName, part: WebAssembly.Module, memory: Uint8Array): void {
    if (this.#loaded.has(name)) return;
    const [expected, actual] = [idOf(this.#module), idOf(part)];
    const [data] = WebAssembly.Module.customSections(part, 'wasmvino.data');
    if (expected !== actual || !data) {
      throw invalidArgument(
        `The part '${name}' does not fit the engine (expected the id ${expected}, found ${actual}): both files must come from one build of one version of the package.`,
        {expected, actual},
      );
    }
    memory.set(new Uint8Array(data, 4), new DataView(data).getUint32(0, true));
    new WebAssembly.Instance(part, {e: this.#exports});
    this.#loaded.add(name);
  }

  /** Loads a part once. After a failure, the next call tries again. */
  load(name: PartName, load: () => Promise<void>): Promise<void> {
    if (this.#loaded.has(name)) return Promise.resolve();
    const before = this.#loading.get(name);
    if (before) return before;
    const loading = load().finally(() => this.#loading.delete(name));
    this.#loading.set(name, loading);
    return loading;
  }
}
