// SPDX-License-Identifier: Apache-2.0
// An engine in a worker. Calls that compute are sent one at a time: if the worker must be ended to abort one of them, no other
// call is lost.
import {WasmvinoError, invalidState, messageOf, unsupported} from '../base/error.js';
import {currentPlatform, type WorkerThread} from '../base/platform.js';
import {Turns, abortable, untilAborted} from '../base/turns.js';
import type {Build} from '../engine/build.js';
import type {LoadProgress} from '../files/progress.js';
import {receivedError, type Ask, type CallName, type Calls, type SentRunProgress, type Tell} from './protocol.js';

// Milliseconds until a script that has not started is abandoned. It is longer than the wait of one call (scriptStart): on a
// slow connection, a later call may find the worker started.
const scriptEnd = 30_000;

interface Pending {
  /** Stops the work for this call. */
  stop(): void;
  resolve(answer: never): void;
  reject(error: unknown): void;
  onProgress?: (progress: LoadProgress) => void;
  onRunProgress?: (progress: SentRunProgress) => void;
}

// The rejection of a call whose worker was ended to abort another call.
export const ended = Symbol('ended');

export interface AskOptions {
  signal?: AbortSignal;
  transfer?: ArrayBuffer[];
  onProgress?: (progress: LoadProgress) => void;
  onRunProgress?: (progress: SentRunProgress) => void;
  /** Whether the call may block the worker's thread for long. In single-threaded builds, only ending the worker aborts it. */
  computes?: boolean;
}

/** A worker that is starting or running. */
export interface Running {
  readonly thread: WorkerThread<Ask>;
  /** Resolves when the script has started. */
  readonly alive: Promise<void>;
  /** Resolves when the engine in it is loaded. */
  readonly started: Promise<void>;
  hasStarted: boolean;
  /** Rejects `started`. */
  fail(why: unknown): void;
}

function notStarted(why: string): WasmvinoError {
  return unsupported(
    `The worker of the engine cannot be started: ${why}. A Core without the option \`worker\` does not need it.`,
  );
}

const late = (milliseconds: number) => notStarted(`its script did not start within ${milliseconds / 1000} s`);

// Waits until the script of a worker starts or fails. `started` reports the failure.
async function inTime({alive, started}: Running): Promise<void> {
  let timer;
  const {scriptStart = scriptEnd} = currentPlatform();
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late(scriptStart)), scriptStart);
  });
  try {
    await Promise.race([alive, started.catch(() => {}), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

type StartOptions = Calls['start']['order']['options'];

/**
 * An engine in a worker. If the worker was ended to abort a call, another one replaces it. Objects are created again in the
 * new worker when they are needed.
 */
export class RemoteEngine {
  readonly #options: () => StartOptions;
  readonly #turns = new Turns();
  readonly #registry = new FinalizationRegistry<number>((id) => this.release(id));
  readonly #calls = new Map<number, Pending>();
  #running: Running | undefined;
  #ids = 0;
  #asked = 0;
  #threads = false;
  #build: Build | undefined;
  #memoryBytes = 0;
  #failure: WasmvinoError | undefined;
  #replaced = false;

  /** `options` is called when a worker starts. */
  constructor(options: () => StartOptions) {
    this.#options = options;
  }

  /** The build in the worker. Undefined before the first worker has started. */
  get build(): Build | undefined {
    return this.#build;
  }

  /** Size of the engine's memory in bytes when the worker last answered. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get failure(): WasmvinoError | undefined {
    return this.#failure;
  }

  /** Returns the current worker, and starts one if there is none. Objects compare it with the one that created them. */
  async started(): Promise<Running> {
    this.check();
    const running = (this.#running ??= this.#start());
    await inTime(running);
    try {
      await running.started;
    } catch (error) {
      if (this.#running === running) this.#running = undefined; // allows another attempt
      if (error !== ended) throw error;
    }
    return this.#running === running ? running : this.started();
  }

  #start(): Running {
    let alive!: () => void;
    const runs = new Promise<void>((resolve) => (alive = resolve));
    const stop = new AbortController();
    const fail = (why: unknown) => stop.abort(why);
    const platform = currentPlatform();
    const refused = platform.workersRefused();
    if (refused !== undefined) throw notStarted(refused);
    let thread: WorkerThread<Ask>;
    try {
      thread = platform.startWorker!<Ask, Tell>(
        (message) => ('alive' in message ? alive() : this.#hear(message)),
        (why) => {
          fail(notStarted(why));
          if (running.hasStarted) this.#failed(endedByItself(why));
        },
      );
    } catch (error) {
      throw notStarted(messageOf(error));
    }
    const start = async () => {
      const leave = platform.stayAlive?.();
      const timer = setTimeout(() => fail(late(scriptEnd)), scriptEnd);
      try {
        await untilAborted(runs, stop.signal);
        clearTimeout(timer);
        const {build, threads} = await this.#post(thread, 'start', {options: this.#options()}, {signal: stop.signal});
        this.#build = build;
        this.#threads = threads;
        running.hasStarted = true;
      } catch (error) {
        thread.end();
        throw error;
      } finally {
        clearTimeout(timer);
        leave?.();
      }
    };
    const started = start();
    started.catch(() => {}); // callers of started() get the error
    const running: Running = {thread, alive: runs, started, fail, hasStarted: false};
    return running;
  }

  #hear(message: Exclude<Tell, {alive: true}>): void {
    const call = this.#calls.get(message.call);
    if ('progress' in message) {
      try {
        const {progress} = message;
        if (Array.isArray(progress)) progress.forEach((each) => call?.onRunProgress?.(each));
        else call?.onProgress?.(progress);
      } catch (error) {
        call?.reject(error);
        call?.stop();
      }
      return;
    }
    this.#memoryBytes = message.memoryBytes;
    if ('answer' in message) return call?.resolve(message.answer as never);
    const error = receivedError(message.error);
    if (error.code === 'ENGINE_FAILED') this.#failed(error);
    else call?.reject(error);
  }

  // Ends the worker and rejects all pending calls.
  #end(why: () => unknown): void {
    this.#running?.thread.end();
    this.#running?.fail(why());
    this.#running = undefined;
    this.#memoryBytes = 0;
    for (const call of [...this.#calls.values()]) call.reject(why());
  }

  #failed(error: WasmvinoError): void {
    this.#failure ??= error;
    this.#end(() => this.#gone());
  }

  /** Ends the worker. Objects of this engine throw from now on. */
  close(): void {
    this.#replaced = true;
    this.#end(() => this.#gone());
  }

  // A new error for each call, so that the stack shows where it was thrown.
  #gone(): WasmvinoError {
    if (this.#failure) return new WasmvinoError('ENGINE_FAILED', this.#failure.message);
    return invalidState('This belongs to an engine that ov.restart() replaced: read and compile the model again.');
  }

  /** Throws if the engine has failed or was replaced. */
  check(): void {
    if (this.#failure || this.#replaced) throw this.#gone();
  }

  // Replaces a worker that is busy with an aborted call.
  #renew(): void {
    this.#end(() => ended);
    void this.started().catch(() => {}); // later callers of started() get the error
  }

  /** Runs a task after all tasks that were queued before it. */
  inTurn<T>(task: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#turns.take(() => {
      this.check();
      return task();
    }, signal);
  }

  newId(): number {
    return ++this.#ids;
  }

  /** Sends a call to the worker. If the signal is aborted, the promise rejects at once with its reason. */
  async ask<K extends CallName>(name: K, order: Calls[K]['order'], options: AskOptions = {}): Promise<Calls[K]['answer']> {
    const {thread} = await untilAborted(this.started(), options.signal);
    return this.#post(thread, name, order, options);
  }

  async #post<K extends CallName>(
    thread: WorkerThread<Ask>,
    name: K,
    order: Calls[K]['order'],
    {signal, transfer = [], onProgress, onRunProgress, computes}: AskOptions,
  ): Promise<Calls[K]['answer']> {
    const call = ++this.#asked;
    const leave = currentPlatform().stayAlive?.();
    const stop = () => {
      if (computes && !this.#threads) this.#renew();
      else thread.post({abort: call}, []);
    };
    const answer = new Promise<Calls[K]['answer']>((resolve, reject) => {
      this.#calls.set(call, {resolve, reject, stop, onProgress, onRunProgress});
    });
    const abort = (reason: unknown) => {
      this.#calls.get(call)!.reject(reason);
      stop();
    };
    try {
      thread.post({call, name, order} as Ask, transfer);
      return await abortable(signal, abort, () => answer);
    } finally {
      this.#calls.delete(call);
      leave?.();
    }
  }

  /** Frees an object of the worker when the JavaScript object that owns it is garbage-collected. */
  own(owner: object, id: number, token: object): void {
    this.#registry.register(owner, id, token);
  }

  /** Undoes own(). */
  disown(token: object): void {
    this.#registry.unregister(token);
  }

  /** Frees an object of the worker. */
  release(id: number): void {
    this.#running?.thread.post({release: id}, []);
  }
}

function endedByItself(why: string): WasmvinoError {
  const message = `The engine failed (its worker ended: ${why}) and cannot be used any more. Call ov.restart(), then read and compile models again.`;
  return new WasmvinoError('ENGINE_FAILED', message);
}
