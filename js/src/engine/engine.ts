// SPDX-License-Identifier: Apache-2.0
// An instance of the WebAssembly module. All calls into the module go through here. This file also keeps the buffers that
// the module borrows, and handles its failure.
import type {ExtensionCode} from '../backend/extensions.js';
import {WasmvinoError, invalidState, messageOf, unlessAborted} from '../base/error.js';
import {mayWait} from '../base/features.js';
import {currentPlatform, type Factory} from '../base/platform.js';
import {joined} from '../base/sink.js';
import {Turns, abortable} from '../base/turns.js';
import type {Weights} from '../files/weights.js';
import {Tensor} from '../tensor/tensor.js';
import {isThreaded, type Build} from './build.js';
import {computedByExtension, inferredByExtension, type NumberedExtension} from './extension.js';
import type {EngineFailure, Glue, Hooks, LentBytes, Result, RunReport} from './glue.js';

const encoder = new TextEncoder();

/** A promise with its resolve and reject functions. */
class Deferred {
  readonly promise = new Promise<void>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
  declare resolve: () => void;
  declare reject: (error: unknown) => void;
}

/** @internal */
export class Engine {
  readonly build: Build;
  readonly #glue: Glue;
  readonly #lent = new Map<number, Weights>();
  readonly #registry = new FinalizationRegistry<number>((id) => this.release(id));
  readonly #alive = new Deferred();
  #hasThread = false; // whether the thread that computes in the background has started
  #timesLent = 0;
  #readFailure: unknown; // why weights could not be read
  #writeFailure: unknown;
  #writeWeights: ((bytes: Uint8Array) => void) | undefined; // set while a model is being written
  readonly #extensions = new Map<number, ExtensionCode>();
  #extensionList = '';
  #extensionOutputs: Uint8Array[] = [];
  #extensionFailure: unknown;
  #listener: ((report: RunReport) => boolean) | undefined;
  #outside = ''; // name of the user's function that is running while the engine waits for it
  #calls = 0;
  readonly #turns = new Turns();
  #job: Deferred | undefined; // the background computation
  #failure: WasmvinoError | undefined;
  #replaced = false;
  #warned = false;
  // Whether this thread may block to wait for others.
  readonly #waits = mayWait();

  /** Instantiates a compiled module. This is synchronous on every platform. */
  constructor(build: Build, factory: Factory, module: WebAssembly.Module) {
    this.build = build;
    this.#alive.promise.catch(() => {}); // it may reject before anything awaits it
    const hooks: Hooks = {
      // The engine copies what it needs.
      weights: (id, offset, count) => {
        try {
          const parts = this.#lent.get(id)!.part(offset, count);
          if (!parts) this.#readFailure = undefined; // the engine's error tells what happened
          return parts;
        } catch (error) {
          this.#readFailure = error;
          return undefined;
        }
      },
      keepWeights: (id, offset, count) => this.#lent.get(id)!.keep(offset, count),
      releaseWeights: (id) => this.#lent.delete(id),
      writeWeights: (bytes) => {
        try {
          this.#writeWeights!(bytes);
          return true;
        } catch (error) {
          this.#writeFailure = error;
          return false;
        }
      },
      progress: (text) => {
        if (this.hasThreads) {
          const reports: RunReport[] = JSON.parse(text);
          if (reports.some((report) => this.#listener?.(report))) this.cancel();
          return false;
        }
        const report: RunReport = JSON.parse(text);
        return this.#callOut('onProgress', () => this.#listener?.(report) ?? false);
      },
      inferExtension: (number, json) => this.#askExtension(number, 'infer', (code) => inferredByExtension(code, JSON.parse(json))),
      evaluateExtension: (number, json) =>
        this.#askExtension(number, 'evaluate', (code) => {
          const {lines, outputs} = computedByExtension(code, JSON.parse(json), (info) => Tensor.copyOf(this, info));
          this.#extensionOutputs = outputs;
          return lines;
        }),
      takeExtension: (output) => this.#extensionOutputs[output]!,
      alive: () => {
        this.#hasThread = true;
        this.#alive.resolve();
      },
      finished: () => this.#job?.resolve(),
      threadFailed: (message, ran) => this.#threadFailed(message, ran),
      makeWorker: isThreaded(build.name) ? currentPlatform().workerMaker?.(build.name) : undefined,
      instantiateWasm: (imports, done) => done(new WebAssembly.Instance(module, imports), module),
    };
    factory(hooks);
    this.#glue = hooks as unknown as Glue;
    this.#glue.setUp?.(this.#waits);
  }

  get hasThreads(): boolean {
    return this.#glue.setUp !== undefined;
  }

  /** Starts a thread and waits until it runs. Rejects if that takes longer than `milliseconds`. */
  async startThreads(milliseconds: number): Promise<void> {
    let timer;
    try {
      this.#glue.startRunner();
      await Promise.race([
        this.#alive.promise,
        new Promise((_, reject) => {
          timer = setTimeout(() => reject(new Error(`no thread started within ${milliseconds / 1000} s`)), milliseconds);
        }),
      ]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the threads. Objects of this engine throw from now on. */
  close(): void {
    this.#replaced = true;
    this.#end();
  }

  /** The error that ended the engine. Undefined while it works. */
  get failure(): WasmvinoError | undefined {
    return this.#failure;
  }

  #end(): void {
    if (this.hasThreads) this.#glue.terminate();
    this.#lent.clear();
    this.#job?.reject(this.#gone());
    this.#job = undefined;
  }

  // A trap interrupts a computation and may leave memory inconsistent, so the engine must not be used again.
  #fail(message: string, cause?: unknown): WasmvinoError {
    if (!this.#failure) {
      this.#failure = new WasmvinoError(
        'ENGINE_FAILED',
        `The engine failed (${message || 'without a message'}) and cannot be used any more. Call ov.restart(), then read and compile models again.`,
        {cause},
      );
      this.#end();
    }
    return this.#gone();
  }

  #threadFailed(message: string, ran: boolean): void {
    const notStarted = `a worker did not start: ${message || 'its script is missing, or the page blocks it'}`;
    this.#alive.reject(new Error(notStarted));
    if (this.#replaced) return;
    if (ran || !this.#hasThread) this.#fail(ran ? message : notStarted);
    // The other threads do the work of a missing one.
    else console.warn(`wasmvino: ${notStarted}`);
  }

  // A new error for each call, so that the stack shows where it was thrown.
  #gone(): WasmvinoError {
    if (this.#failure) return new WasmvinoError('ENGINE_FAILED', this.#failure.message, {cause: this.#failure.cause});
    return invalidState('This belongs to an engine that ov.restart() replaced: read and compile the model again.');
  }

  /** Throws if the engine has failed or was replaced. */
  check(): void {
    if (this.#failure || this.#replaced) throw this.#gone();
  }

  /** Number of calls so far. Each call may move or overwrite what views of the memory show. */
  get calls(): number {
    return this.#calls;
  }

  /** The engine's current memory. It is a new array after the memory has grown. */
  get memory(): Uint8Array {
    this.check();
    return this.#glue.HEAPU8;
  }

  /** Size of the WebAssembly memory in bytes. It never shrinks. */
  get memoryBytes(): number {
    return this.#glue.HEAPU8.byteLength;
  }

  // Calls a user's function. The engine waits for it, so the function must not call the engine.
  #callOut<T>(what: string, call: () => T): T {
    const before = this.#outside;
    this.#outside = what;
    try {
      return call();
    } finally {
      this.#outside = before;
    }
  }

  // JavaScript exceptions must not unwind through the engine, so they become a text with the prefix "!".
  #askExtension(number: number, what: string, ask: (code: ExtensionCode) => string): string {
    try {
      return this.#callOut(`${what}() of an extension`, () => ask(this.#extensions.get(number)!));
    } catch (error) {
      this.#extensionFailure = error;
      return `!${what}() of the extension failed: ${messageOf(error)}`;
    }
  }

  /** Sets the operations, in addition to those of the engine, that models read afterwards may use. */
  setExtensions(extensions: readonly NumberedExtension[]): void {
    const list = String(extensions.map(({number}) => number));
    if (list === this.#extensionList) return;
    for (const {number, code} of extensions) this.#extensions.set(number, code);
    this.stageTexts(extensions.flatMap(({type, version, number}) => [type, version, `${number}`]));
    this.call((glue) => glue.setExtensions());
    this.#extensionList = list;
  }

  /** Passes the reports of `run` to `listener`. The run stops if the listener returns true. */
  async listening<T>(listener: ((report: RunReport) => boolean) | undefined, run: () => T | Promise<T>): Promise<T> {
    this.#listener = listener;
    try {
      return await run();
    } finally {
      this.#listener = undefined;
    }
  }

  /** Calls the engine for a lookup that changes nothing. Views of its memory stay valid. */
  look<T>(ask: (glue: Glue) => Result<T>): T {
    this.check();
    if (this.#outside) throw invalidState(`The engine is waiting for ${this.#outside}, which must not call the engine: call it after the run.`);
    let result: Result<T>;
    try {
      result = ask(this.#glue);
    } catch (error) {
      if (error instanceof WasmvinoError) throw error;
      // A trap or a stack overflow: C++ exceptions never leave the engine. Emscripten throws 'unwind' if this thread was
      // waiting for another one that failed.
      throw this.#fail(error === 'unwind' ? 'one of its threads failed' : messageOf(error), error);
    }
    const failed = ((result ?? {}) as {failure?: EngineFailure}).failure;
    if (failed) {
      const {unreadable, ...failure} = failed;
      if (unreadable && this.#readFailure) {
        const cause = this.#readFailure;
        this.#readFailure = undefined; // it refers to the weights
        throw cause;
      }
      const cause = this.#extensionFailure;
      this.#extensionFailure = undefined;
      throw new WasmvinoError(failure.code, failure.message, {...failure, cause});
    }
    return result as T;
  }

  /** Calls the engine. Views of its memory become invalid. */
  call<T>(run: (glue: Glue) => Result<T>): T {
    ++this.#calls;
    return this.look(run);
  }

  /** Passes bytes to the next call. */
  stage(bytes: Uint8Array): void {
    this.call((glue) => glue.stage(bytes.length)).set(bytes);
  }

  /** Returns the .xml of a model. Passes the bytes of its .bin in parts to `write`, which must copy them before it returns. */
  writeModel(id: number, compressToFp16: boolean, write: (bytes: Uint8Array) => void): string {
    this.#writeWeights = write;
    this.#writeFailure = undefined;
    try {
      return this.call((glue) => glue.writeModel(id, compressToFp16)).xml;
    } catch (error) {
      throw this.#writeFailure ?? error;
    } finally {
      this.#writeWeights = undefined;
    }
  }

  /** Passes a list of texts to the next call: their count, their lengths in bytes, then all of them in a row. */
  stageTexts(texts: readonly string[]): void {
    const parts = texts.map((text) => encoder.encode(text));
    const head = Uint32Array.from([parts.length, ...parts.map((part) => part.length)]);
    this.stage(joined('the texts', [new Uint8Array(head.buffer), ...parts]));
  }

  /** Lends the bytes of a model or its weights to the engine, until it releases them. */
  lend(weights: Weights | undefined): LentBytes {
    if (!weights) return {id: 0, size: 0};
    this.#lent.set(++this.#timesLent, weights);
    return {id: this.#timesLent, size: weights.size};
  }

  /**
   * Runs a task after all tasks that were queued before it. Aborting `signal` ends the wait. A task that is already running
   * must check the signal itself.
   */
  inTurn<T>(task: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#turns.take(task, signal);
  }

  /** Computes on a thread of the engine. Threaded builds only. Call it inside inTurn(). */
  async inBackground<T>(start: (glue: Glue) => Result<void>, signal?: AbortSignal): Promise<T> {
    const job = (this.#job = new Deferred());
    this.call(start);
    const leave = currentPlatform().stayAlive?.();
    try {
      await abortable(signal, () => this.cancel(), () => job.promise);
      this.#job = undefined;
      return this.call<T>((glue) => glue.finish());
    } catch (error) {
      throw unlessAborted(error, signal);
    } finally {
      leave?.();
    }
  }

  /** Stops the background computation, if there is one. */
  cancel(): void {
    if (this.#job && !this.#failure) this.#glue.cancel();
  }

  /** Number of threads to compile a model for. `wanted` 0 means one per processor, at most eight. */
  threadsFor(wanted: number): number {
    // Beyond eight threads, memory bandwidth limits the networks that fit into 4 GB.
    return this.hasThreads ? wanted || Math.min(8, currentPlatform().processors()) : 1;
  }

  /** Warns once if a synchronous run cannot use the other threads, because this thread must not block. */
  warnOfOneThread(threads: number): void {
    if (threads === 1 || this.#waits || this.#warned) return;
    this.#warned = true;
    console.warn(
      `wasmvino: infer() on the main thread of a page uses 1 of ${threads} threads and blocks the page. Call inferAsync(), which uses all threads and does not block.`,
    );
  }

  /** Frees an object of the engine when the JavaScript object that owns it is garbage-collected. */
  own(owner: object, id: number, token: object): void {
    this.#registry.register(owner, id, token);
  }

  /** Undoes own(). */
  disown(token: object): void {
    this.#registry.unregister(token);
  }

  /** Frees an object of the engine. */
  release(id: number): void {
    if (!this.#failure && !this.#replaced) this.call((glue) => glue.release(id));
  }
}

/** @internal An object of the engine, owned by a JavaScript object. dispose() or garbage collection of the owner frees it. */
export class Owned {
  readonly engine: Engine;
  readonly #what: string;
  #id: number;

  constructor(owner: object, engine: Engine, id: number, what: string) {
    this.engine = engine;
    this.#id = id;
    this.#what = what;
    engine.own(owner, id, this);
  }

  get id(): number {
    if (!this.#id) throw invalidState(`This ${this.#what} was disposed.`);
    this.engine.check();
    return this.#id;
  }

  /** Calls Engine.look() with the object's id. */
  look<T>(ask: (glue: Glue, id: number) => Result<T>): T {
    const {id} = this;
    return this.engine.look((glue) => ask(glue, id));
  }

  /** Calls Engine.call() with the object's id. */
  call<T>(run: (glue: Glue, id: number) => Result<T>): T {
    const {id} = this;
    return this.engine.call((glue) => run(glue, id));
  }

  dispose(): void {
    if (!this.#id) return;
    this.engine.disown(this);
    this.engine.release(this.#id);
    this.#id = 0;
  }
}
