// SPDX-License-Identifier: Apache-2.0
// An instance of the WebAssembly module. All calls into the module go through here, and so does its failure.
import type {OperationInfo} from '../backend/records.js';
import type {PartName} from '../base/builds.js';
import {WasmvinoError, invalidArgument, invalidState, messageOf, unlessAborted} from '../base/error.js';
import {mayWait} from '../base/features.js';
import {currentPlatform, type Factory} from '../base/platform.js';
import {joined} from '../base/sink.js';
import {Turns} from '../base/turns.js';
import {Weights} from '../files/weights.js';
import {isThreaded, type Build} from './build.js';
import {ExtensionCalls, type NumberedExtension} from './extension.js';
import type {EngineFailure, Glue, Hooks, LentBytes, Result, RunReport} from './glue.js';
import {Jobs} from './jobs.js';
import {Lending, Writing} from './lending.js';
import {Parts, type Part} from './parts.js';

const encoder = new TextEncoder();

/** @internal */
export class Engine {
  readonly build: Build;
  /** Where the module was loaded from. Undefined: from its default location. */
  readonly wasmUrl: string | URL | undefined;
  readonly #glue: Glue;
  #parts!: Parts;
  readonly #registry = new FinalizationRegistry<number>((id) => this.release(id));
  readonly #lending = new Lending();
  readonly #writing = new Writing();
  readonly #extensions = new ExtensionCalls(this, (what, call) => this.#callOut(what, call));
  readonly #jobs = new Jobs();
  #listener: ((report: RunReport) => boolean) | undefined;
  #outside = ''; // name of the user's function that is running while the engine waits for it
  #calls = 0;
  readonly #turns = new Turns();
  #failure: WasmvinoError | undefined;
  #replaced = false;
  #warned = false;
  // Whether this thread may block to wait for others.
  readonly #waits = mayWait();

  /** Instantiates a compiled module. This is synchronous on every platform. */
  constructor(build: Build, factory: Factory, module: WebAssembly.Module, wasmUrl?: string | URL) {
    this.build = build;
    this.wasmUrl = wasmUrl;
    const hooks: Hooks = {
      ...this.#lending.hooks,
      ...this.#writing.hooks,
      ...this.#extensions.hooks,
      ...this.#jobs.hooks,
      progress: (text) => this.#progress(text),
      threadFailed: (message, ran) => this.#threadFailed(message, ran),
      makeWorker: isThreaded(build.name) ? currentPlatform().workerMaker?.(build.name) : undefined,
      instantiateWasm: (imports, done) => {
        const instance = new WebAssembly.Instance(module, imports);
        this.#parts = new Parts(module, instance.exports);
        return done(instance, module);
      },
    };
    factory(hooks);
    this.#glue = hooks as unknown as Glue;
    this.#glue.setUp?.(this.#waits);
  }

  get hasThreads(): boolean {
    return this.#glue.setUp !== undefined;
  }

  /** Starts a thread and waits until it runs. Rejects if that takes longer than `milliseconds`. */
  startThreads(milliseconds: number): Promise<void> {
    this.#glue.startRunner();
    return this.#jobs.untilStarted(milliseconds);
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
    this.#lending.clear();
    this.#jobs.end(this.#gone());
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
    this.#jobs.failToStart(notStarted);
    if (this.#replaced) return;
    if (ran || !this.#jobs.hasThread) this.#fail(ran ? message : notStarted);
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

  // Passes a report of a run to its listener. Returns whether the run should end.
  #progress(text: string): boolean {
    if (this.hasThreads) {
      const reports: RunReport[] = JSON.parse(text);
      if (reports.some((report) => this.#listener?.(report))) this.cancel();
      return false;
    }
    const report: RunReport = JSON.parse(text);
    return this.#callOut('onProgress', () => this.#listener?.(report) ?? false);
  }

  /** Sets the operations, in addition to those of the engine, that models read afterwards may use. */
  setExtensions(extensions: readonly NumberedExtension[]): void {
    this.#extensions.set(extensions, (texts) => {
      this.stageTexts(texts);
      this.call((glue) => glue.setExtensions());
    });
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
      const cause = unreadable && this.#lending.takeFailure();
      if (cause) throw cause;
      throw new WasmvinoError(failure.code, failure.message, {...failure, cause: this.#extensions.takeFailure()});
    }
    return result as T;
  }

  /** Calls the engine. Views of its memory become invalid. */
  call<T>(run: (glue: Glue) => Result<T>): T {
    ++this.#calls;
    return this.look(run);
  }

  /** The parts of the module that the engine runs to read a model file. */
  partsOf(file: Uint8Array): PartName[] {
    return this.look((glue) => glue.partsOf(this.lend(new Weights(file))));
  }

  /** The parts that are loaded. */
  get parts(): readonly PartName[] {
    return this.#parts.loaded;
  }

  /** The operations, with the operators of formats whose parts are loaded. */
  operations(): OperationInfo[] {
    return this.look((glue) => glue.operations(this.parts.join()));
  }

  /** Adds a part to the module, unless it has it. */
  addPart(name: PartName, {module, bytes}: Part): void {
    if (this.parts.includes(name)) return;
    if (this.hasThreads && !bytes) {
      throw invalidArgument(`configure(): parts.${name} is a WebAssembly.Module, but a build with threads needs the bytes of its .wasm file.`);
    }
    this.#parts.add(name, module, this.memory);
    if (!this.hasThreads) return;
    this.stage(bytes!);
    this.call((glue) => glue.addPart());
  }

  /** Adds a part that `load` loads. */
  loadPart(name: PartName, load: () => Promise<Part>): Promise<void> {
    return this.#parts.load(name, async () => this.addPart(name, await load()));
  }

  /** Passes bytes to the next call. */
  stage(bytes: Uint8Array): void {
    this.call((glue) => glue.stage(bytes.length)).set(bytes);
  }

  /** Returns the .xml of a model. Passes the bytes of its .bin in parts to `write`, which must copy them before it returns. */
  writeModel(id: number, compressToFp16: boolean, write: (bytes: Uint8Array) => void): string {
    return this.#writing.to(write, () => this.call((glue) => glue.writeModel(id, compressToFp16)).xml);
  }

  /** Passes a list of texts to the next call: their count, their lengths in bytes, then all of them in a row. */
  stageTexts(texts: readonly string[]): void {
    const parts = texts.map((text) => encoder.encode(text));
    const head = Uint32Array.from([parts.length, ...parts.map((part) => part.length)]);
    this.stage(joined('the texts', [new Uint8Array(head.buffer), ...parts]));
  }

  /** Lends the bytes of a model or its weights to the engine, until it releases them. */
  lend(weights: Weights | undefined): LentBytes {
    return this.#lending.lend(weights);
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
    try {
      await this.#jobs.run(() => this.call(start), () => this.cancel(), signal);
      return this.call<T>((glue) => glue.finish());
    } catch (error) {
      throw unlessAborted(error, signal);
    }
  }

  /** Stops the background computation, if there is one. */
  cancel(): void {
    if (this.#jobs.isBusy && !this.#failure) this.#glue.cancel();
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
