// SPDX-License-Identifier: Apache-2.0
// An instance of the WebAssembly module: every call into it, what it has been lent, and what becomes of it when it fails.
import {isThreaded, type Build} from './build.js';
import {WasmvinoError, invalidState, messageOf, type Failure} from './error.js';
import {computedByExtension, inferredByExtension, type ExtensionCode, type NumberedExtension} from './extension.js';
import {mayWait} from './features.js';
import type {Factory, Glue, Hooks, LentBytes, Result, RunReport} from './glue.js';
import {currentPlatform} from './platform.js';
import {Tensor} from './tensor.js';
import {Turns} from './turns.js';

const encoder = new TextEncoder();

/** A promise that other code settles. */
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
  readonly #lent = new Map<number, Uint8Array>();
  readonly #registry = new FinalizationRegistry<number>((id) => this.release(id));
  readonly #alive = new Deferred();
  #hasThread = false; // that computes in the background
  #timesLent = 0;
  #writeFailure: unknown;
  #writeWeights: ((bytes: Uint8Array) => void) | undefined; // of the model that is being written
  readonly #extensions = new Map<number, ExtensionCode>();
  #extensionList = '';
  #extensionOutputs: Uint8Array[] = [];
  #extensionFailure: unknown;
  #listener: ((report: RunReport) => boolean) | undefined;
  #outside = ''; // the caller's function that the engine waits for
  #calls = 0;
  readonly #turns = new Turns();
  #job: Deferred | undefined; // what runs in the background
  #failure: WasmvinoError | undefined;
  #replaced = false;
  #warned = false;
  // Whether this thread may wait for others.
  readonly #waits = mayWait();

  /** An instance of a compiled module; there is one at once everywhere. */
  constructor(build: Build, factory: Factory, module: WebAssembly.Module) {
    this.build = build;
    this.#alive.promise.catch(() => {}); // it may fail before anybody asks
    const hooks: Hooks = {
      // The engine copies what it needs; undefined where the buffer was transferred or shrunk.
      weights: (id, offset, count) => {
        const bytes = this.#lent.get(id)!;
        return offset + count <= bytes.length ? bytes.subarray(offset, offset + count) : undefined;
      },
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

  /** Starts a thread and waits until it runs; rejects where it does not within `milliseconds`. */
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

  /** Ends its threads. What belongs to it says so from now on. */
  close(): void {
    this.#replaced = true;
    this.#end();
  }

  /** Why the engine can do nothing more; undefined while it can. */
  get failure(): WasmvinoError | undefined {
    return this.#failure;
  }

  #end(): void {
    if (this.hasThreads) this.#glue.terminate();
    this.#lent.clear();
    this.#job?.reject(this.#gone());
    this.#job = undefined;
  }

  // A trap leaves memory as it was in the midst of a computation, so nothing is computed there any more.
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
    // The other threads do the work of one that is missing.
    else console.warn(`wasmvino: ${notStarted}`);
  }

  // Each error has a stack of its own.
  #gone(): WasmvinoError {
    if (this.#failure) return new WasmvinoError('ENGINE_FAILED', this.#failure.message, {cause: this.#failure.cause});
    return invalidState('This belongs to an engine that ov.restart() replaced: read and compile the model again.');
  }

  /** Throws where the engine can do nothing more. */
  check(): void {
    if (this.#failure || this.#replaced) throw this.#gone();
  }

  /** How often the engine has been called: what was seen of its memory before the last call may be gone. */
  get calls(): number {
    return this.#calls;
  }

  /** The engine's memory as it is now. */
  get memory(): Uint8Array {
    this.check();
    return this.#glue.HEAPU8;
  }

  /** Bytes of WebAssembly memory, which grows and never shrinks. */
  get memoryBytes(): number {
    return this.#glue.HEAPU8.byteLength;
  }

  // Calls a function of the caller's, which must not call the engine that waits for it.
  #callOut<T>(what: string, call: () => T): T {
    const before = this.#outside;
    this.#outside = what;
    try {
      return call();
    } finally {
      this.#outside = before;
    }
  }

  // No exception may pass through the engine.
  #askExtension(number: number, what: string, ask: (code: ExtensionCode) => string): string {
    try {
      return this.#callOut(`${what}() of an extension`, () => ask(this.#extensions.get(number)!));
    } catch (error) {
      this.#extensionFailure = error;
      return `!${what}() of the extension failed: ${messageOf(error)}`;
    }
  }

  /** Sets the operations that models read from now on may have beside those of the engine. */
  setExtensions(extensions: readonly NumberedExtension[]): void {
    const list = String(extensions.map(({number}) => number));
    if (list === this.#extensionList) return;
    for (const {number, code} of extensions) this.#extensions.set(number, code);
    this.stageTexts(extensions.flatMap(({type, version, number}) => [type, version, `${number}`]));
    this.call((glue) => glue.setExtensions());
    this.#extensionList = list;
  }

  /** Has `listener` hear of what runs meanwhile; it tells whether the run is to end. */
  async listening<T>(listener: ((report: RunReport) => boolean) | undefined, run: () => T | Promise<T>): Promise<T> {
    this.#listener = listener;
    try {
      return await run();
    } finally {
      this.#listener = undefined;
    }
  }

  /** Calls the engine where only something is looked up: views stay valid. */
  look<T>(ask: (glue: Glue) => Result<T>): T {
    this.check();
    if (this.#outside) throw invalidState(`The engine is waiting for ${this.#outside}, which must not call the engine: call it after the run.`);
    let result: Result<T>;
    try {
      result = ask(this.#glue);
    } catch (error) {
      if (error instanceof WasmvinoError) throw error;
      // A trap, or a stack that was too small: no C++ exception leaves the engine. Where another thread failed, this
      // one was waiting for it, and Emscripten throws 'unwind'.
      throw this.#fail(error === 'unwind' ? 'one of its threads failed' : messageOf(error), error);
    }
    const {failure} = (result ?? {}) as {failure?: Failure};
    if (failure) {
      const cause = this.#extensionFailure;
      this.#extensionFailure = undefined;
      throw new WasmvinoError(failure.code, failure.message, {...failure, cause});
    }
    return result as T;
  }

  /** Calls the engine. */
  call<T>(run: (glue: Glue) => Result<T>): T {
    ++this.#calls;
    return this.look(run);
  }

  /** Puts bytes where the next call takes them. */
  stage(bytes: Uint8Array): void {
    this.call((glue) => glue.stage(bytes.length)).set(bytes);
  }

  /** The .xml of a model. The bytes of its .bin go to `write` as they come, which copies them at once. */
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

  /** Stages a list of texts: how many, their lengths in bytes, all of them in a row. */
  stageTexts(texts: readonly string[]): void {
    const parts = texts.map((text) => encoder.encode(text));
    const head = Uint32Array.from([parts.length, ...parts.map((part) => part.length)]);
    const joined = new Uint8Array(head.byteLength + parts.reduce((size, part) => size + part.length, 0));
    joined.set(new Uint8Array(head.buffer));
    let at = head.byteLength;
    for (const part of parts) {
      joined.set(part, at);
      at += part.length;
    }
    this.stage(joined);
  }

  /** Lends a model or its weights to the engine, until it gives them back. */
  lend(bytes: Uint8Array | undefined): LentBytes {
    if (!bytes) return {id: 0, size: 0};
    this.#lent.set(++this.#timesLent, bytes);
    return {id: this.#timesLent, size: bytes.length};
  }

  /**
   * Does something after what was asked for before it, and before what is asked for later. An aborted `signal` ends the
   * wait; what runs already ends itself.
   */
  inTurn<T>(task: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#turns.take(task, signal);
  }

  /** Has a thread of the engine compute something; to be called in turn, of an engine that has threads. */
  async inBackground<T>(start: (glue: Glue) => Result<void>, signal?: AbortSignal): Promise<T> {
    const job = (this.#job = new Deferred());
    this.call(start);
    const leave = currentPlatform().stayAlive?.();
    const cancel = () => this.cancel();
    signal?.addEventListener('abort', cancel);
    try {
      await job.promise;
      this.#job = undefined;
      return this.call<T>((glue) => glue.finish());
    } catch (error) {
      if (signal?.aborted && error instanceof WasmvinoError && error.code === 'CANCELLED') throw signal.reason;
      throw error;
    } finally {
      signal?.removeEventListener('abort', cancel);
      leave?.();
    }
  }

  /** Ends what runs in the background, if something does. */
  cancel(): void {
    if (this.#job && !this.#failure) this.#glue.cancel();
  }

  /** Threads that a model is compiled for, where so many are wanted; 0: as many as there are processors. */
  threadsFor(wanted: number): number {
    // At most eight: beyond that, memory bandwidth limits networks that fit into 4 GB.
    return this.hasThreads ? wanted || Math.min(8, currentPlatform().processors()) : 1;
  }

  /** Says once that a synchronous run on a thread that must not wait leaves the other threads alone. */
  warnOfOneThread(threads: number): void {
    if (threads === 1 || this.#waits || this.#warned) return;
    this.#warned = true;
    console.warn(
      `wasmvino: infer() on the main thread of a page uses 1 of ${threads} threads and blocks the page. Call inferAsync(), which uses all threads and does not block.`,
    );
  }

  /** Frees an object of the engine when its owner is collected. */
  own(owner: object, id: number, token: object): void {
    this.#registry.register(owner, id, token);
  }

  disown(token: object): void {
    this.#registry.unregister(token);
  }

  /** Frees an object of the engine. */
  release(id: number): void {
    if (!this.#failure && !this.#replaced) this.call((glue) => glue.release(id));
  }
}

/** @internal An object of the engine that a JavaScript object owns: freed by dispose(), or when that object is collected. */
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

  /** Asks the engine about the object. */
  look<T>(ask: (glue: Glue, id: number) => Result<T>): T {
    const {id} = this;
    return this.engine.look((glue) => ask(glue, id));
  }

  /** Calls the engine with the object. */
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
