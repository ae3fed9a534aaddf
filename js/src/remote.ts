// SPDX-License-Identifier: Apache-2.0
// The engine in a worker, as the public classes see it. Calls that compute are sent one at a time: a worker that is ended
// for the sake of one of them takes no other with it.
import type {CompiledBackend, Host, ModelBackend, ObservedPath, ObservedValue, RequestBackend, Source} from './backend.js';
import type {Build} from './build.js';
import type {SupportedTypedArray} from './element.js';
import {WasmvinoError, invalidState, messageOf, onlyAsync, unsupported} from './error.js';
import {asExported, type ExportedModel} from './exported.js';
import type {CompileSettings, PortInfo, ProfilingInfo} from './glue.js';
import type {Limits} from './limits.js';
import type {Edit} from './model.js';
import {PartialShape} from './partial_shape.js';
import {currentPlatform, type WorkerThread} from './platform.js';
import type {LoadProgress} from './progress.js';
import {
  buffersOf,
  received,
  receivedError,
  sentTensor,
  type Ask,
  type CallName,
  type Calls,
  type RunResult,
  type SentPath,
  type SentSource,
  type Tell,
} from './protocol.js';
import {Tensor, newArray, type OwnTensor} from './tensor.js';
import {Turns, untilAborted} from './turns.js';

// Milliseconds in which the script of the worker must have come and begun. A refusal is told by an event, much earlier.
const scriptStart = 10_000;

// Of a call whose worker was ended for the sake of another call.
const ended = Symbol('ended');

interface Pending {
  resolve(answer: never): void;
  reject(error: unknown): void;
  onProgress?: (progress: LoadProgress) => void;
}

interface AskOptions {
  signal?: AbortSignal;
  transfer?: ArrayBuffer[];
  onProgress?: (progress: LoadProgress) => void;
  /** Whether it may keep the worker's thread busy for long: without threads nothing but the worker's end ends it then. */
  computes?: boolean;
}

interface Running {
  readonly thread: WorkerThread;
  readonly started: Promise<void>;
  hasStarted: boolean;
  /** Ends the wait for its start. */
  fail(why: unknown): void;
}

type StartOptions = Calls['start']['order']['options'];

/**
 * An engine in a worker. A worker that was ended is followed by another one, in which objects are made again when they
 * are needed.
 */
export class RemoteEngine implements Host {
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

  /** `options` are asked for when a worker starts. */
  constructor(options: () => StartOptions) {
    this.#options = options;
  }

  /** The build in the worker, once one has started. */
  get build(): Build | undefined {
    return this.#build;
  }

  /** The engine's memory, as of the last answer. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get failure(): WasmvinoError | undefined {
    return this.#failure;
  }

  /** The worker that runs now, by which objects know whether they are there. Starts one where none does. */
  async started(): Promise<Running> {
    this.check();
    const running = (this.#running ??= this.#start());
    try {
      await running.started;
    } catch (error) {
      if (this.#running === running) this.#running = undefined; // it may go better another time
      if (error !== ended) throw error;
    }
    return this.#running === running ? running : this.started();
  }

  #start(): Running {
    let alive!: () => void;
    const runs = new Promise<void>((resolve) => (alive = resolve));
    const stop = new AbortController();
    const fail = (why: unknown) => stop.abort(why);
    const notStarted = (why: string) =>
      unsupported(`The worker of the engine cannot be started: ${why}. A Core without the option \`worker\` needs none.`);
    const platform = currentPlatform();
    const refused = platform.workersRefused();
    if (refused !== undefined) throw notStarted(refused);
    let thread: WorkerThread;
    try {
      thread = platform.startWorker!(
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
      const timer = setTimeout(() => fail(notStarted(`its script did not begin within ${scriptStart / 1000} s`)), scriptStart);
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
    started.catch(() => {}); // whoever needs it is told
    const running: Running = {thread, started, fail, hasStarted: false};
    return running;
  }

  #hear(message: Exclude<Tell, {alive: true}>): void {
    const call = this.#calls.get(message.call);
    if ('progress' in message) {
      try {
        call?.onProgress?.(message.progress);
      } catch (error) {
        this.#running?.thread.post({abort: message.call}, []);
        call?.reject(error);
      }
      return;
    }
    this.#memoryBytes = message.memoryBytes;
    if ('answer' in message) return call?.resolve(message.answer as never);
    const error = receivedError(message.error);
    if (error.code === 'ENGINE_FAILED') this.#failed(error);
    else call?.reject(error);
  }

  // Ends the worker, and rejects what waits for it.
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

  /** Ends its worker. What belongs to it says so from now on. */
  close(): void {
    this.#replaced = true;
    this.#end(() => this.#gone());
  }

  // Each error has a stack of its own.
  #gone(): WasmvinoError {
    if (this.#failure) return new WasmvinoError('ENGINE_FAILED', this.#failure.message);
    return invalidState('This belongs to an engine that ov.restart() replaced: read and compile the model again.');
  }

  /** Throws where the engine can do nothing more. */
  check(): void {
    if (this.#failure || this.#replaced) throw this.#gone();
  }

  // Another worker takes the place of one that computes what nobody wants any more.
  #renew(): void {
    this.#end(() => ended);
    void this.started().catch(() => {}); // whoever needs it is told
  }

  inTurn<T>(task: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#turns.take(() => {
      this.check();
      return task();
    }, signal);
  }

  newId(): number {
    return ++this.#ids;
  }

  /** Has the worker do something. An aborted signal rejects at once, with its reason. */
  async ask<K extends CallName>(name: K, order: Calls[K]['order'], options: AskOptions = {}): Promise<Calls[K]['answer']> {
    const {thread} = await untilAborted(this.started(), options.signal);
    return this.#post(thread, name, order, options);
  }

  async #post<K extends CallName>(
    thread: WorkerThread,
    name: K,
    order: Calls[K]['order'],
    {signal, transfer = [], onProgress, computes}: AskOptions,
  ): Promise<Calls[K]['answer']> {
    const call = ++this.#asked;
    const leave = currentPlatform().stayAlive?.();
    let abort!: () => void;
    try {
      return await new Promise<Calls[K]['answer']>((resolve, reject) => {
        abort = () => {
          reject(signal!.reason);
          if (computes && !this.#threads) this.#renew();
          else thread.post({abort: call}, []);
        };
        signal?.addEventListener('abort', abort);
        this.#calls.set(call, {resolve, reject, onProgress});
        thread.post({call, name, order} as Ask, transfer);
      });
    } finally {
      this.#calls.delete(call);
      signal?.removeEventListener('abort', abort);
      leave?.();
    }
  }

  async read(source: Source, limits: Limits, signal?: AbortSignal): Promise<RemoteModel> {
    const edits = ('files' in source && source.files.edits) || [];
    const recipe: Recipe = {source, edits, limits};
    const object = new RemoteObject<Description>(this, 'Model', (id, options) => readAgain(this, id, recipe, options));
    const onProgress = 'load' in source ? source.settings.onProgress : undefined;
    return new RemoteModel(this, object, recipe, await object.make({signal, onProgress}));
  }

  /** Frees an object of the worker's when its owner is collected. */
  own(owner: object, id: number, token: object): void {
    this.#registry.register(owner, id, token);
  }

  disown(token: object): void {
    this.#registry.unregister(token);
  }

  /** Frees an object of the worker's. */
  release(id: number): void {
    this.#running?.thread.post({release: id}, []);
  }
}

function endedByItself(why: string): WasmvinoError {
  const message = `The engine failed (its worker ended: ${why}) and cannot be used any more. Call ov.restart(), then read and compile models again.`;
  return new WasmvinoError('ENGINE_FAILED', message);
}

type Description = Calls['read']['answer'];

// From what a model can be read again.
interface Recipe {
  readonly source: Source;
  edits: readonly Edit[];
  readonly limits: Limits;
}

function sentPath(path: string | URL): SentPath {
  const whole = currentPlatform().absolute(path);
  return {text: String(whole), isUrl: whole instanceof URL};
}

interface Sent {
  source: SentSource;
  transfer: ArrayBuffer[];
  onProgress?: (progress: LoadProgress) => void;
}

function sentSource(source: Source, onProgress: AskOptions['onProgress']): Sent {
  if ('files' in source) {
    const xml = new Uint8Array(source.files.xml);
    const weights = source.files.weights && new Uint8Array(source.files.weights);
    return {source: {xml, weights}, transfer: weights ? [xml.buffer, weights.buffer] : [xml.buffer]};
  }
  const {onProgress: _, ...settings} = source.settings;
  const {xml, weights, optional} = source.load;
  // Progress is told of the files as the caller called them.
  const names = new Map([xml, ...weights].map((path) => [sentPath(path).text, String(path)]));
  return {
    source: {paths: {xml: sentPath(xml), weights: weights.map(sentPath), optional}, settings},
    transfer: [],
    onProgress: onProgress && ((progress) => onProgress({...progress, file: names.get(progress.file) ?? progress.file})),
  };
}

async function readAgain(engine: RemoteEngine, id: number, recipe: Recipe, options: AskOptions): Promise<Description> {
  for (;;) {
    const {source, transfer, onProgress} = sentSource(recipe.source, options.onProgress);
    try {
      return await engine.ask('read', {id, source, edits: recipe.edits, limits: recipe.limits}, {signal: options.signal, transfer, onProgress});
    } catch (error) {
      if (error !== ended) throw error;
    }
  }
}

type Maker<T> = (id: number, options: AskOptions) => Promise<T>;

/** An object of the worker's, by its number. */
class RemoteObject<T> {
  readonly #engine: RemoteEngine;
  readonly #what: string;
  readonly #id: number;
  readonly #again: Maker<T>;
  #worker: Running | undefined; // that has it
  #disposed = false;

  /** `again` makes it in a worker that does not have it. */
  constructor(engine: RemoteEngine, what: string, again: Maker<T>) {
    this.#engine = engine;
    this.#what = what;
    this.#id = engine.newId();
    this.#again = again;
  }

  /** Frees it with its owner. */
  ownedBy(owner: object): this {
    this.#engine.own(owner, this.#id, this);
    return this;
  }

  check(): void {
    if (this.#disposed) throw invalidState(`This ${this.#what} was disposed.`);
    this.#engine.check();
  }

  async make(options: AskOptions, how: Maker<T> = this.#again): Promise<T> {
    try {
      const made = await how(this.#id, options);
      this.#worker = await this.#engine.started();
      return made;
    } catch (error) {
      this.#engine.release(this.#id); // it may be made in spite of it
      throw error;
    }
  }

  /** Its number, in a worker that has it; to be called in turn. */
  async here(options: AskOptions): Promise<number> {
    if (this.#worker !== (await untilAborted(this.#engine.started(), options.signal))) await this.make(options);
    return this.#id;
  }

  /** Lets go of what here() made of one that was disposed. */
  leave(): void {
    if (this.#disposed) this.#engine.release(this.#id);
  }

  /** What was asked for before still finds it. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#engine.disown(this);
    this.#engine.inTurn(() => this.#engine.release(this.#id)).catch(() => {}); // nothing is left of a failed engine
  }
}

// What was asked for synchronously. What went wrong with it, the next asynchronous call says.
class Deferred {
  readonly #engine: RemoteEngine;
  #error: {value: unknown} | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(engine: RemoteEngine) {
    this.#engine = engine;
  }

  add(task: () => Promise<unknown>): void {
    const noted = async () => {
      try {
        await task();
      } catch (value) {
        this.#error ??= {value};
      }
    };
    // Of an engine that is gone, everything says so.
    this.#last = this.#engine.inTurn(noted).catch(() => {});
  }

  check(): void {
    const error = this.#error;
    this.#error = undefined;
    if (error) throw error.value;
  }

  /** Settles when all is done. */
  async settled(): Promise<void> {
    await this.#last;
    this.#engine.check();
    this.check();
  }
}

class RemoteModel implements ModelBackend {
  readonly #engine: RemoteEngine;
  readonly #object: RemoteObject<Description>;
  readonly #recipe: Recipe;
  readonly #changes: Deferred;
  #info: Description;
  #changing = false;

  constructor(engine: RemoteEngine, object: RemoteObject<Description>, recipe: Recipe, info: Description) {
    this.#engine = engine;
    this.#object = object.ownedBy(this);
    this.#recipe = recipe;
    this.#changes = new Deferred(engine);
    this.#info = info;
  }

  get info(): Description {
    if (this.#changing) {
      this.#engine.check();
      throw invalidState('The model is being changed in its worker, which has not said yet what its ports are then: `await model.ready` first.');
    }
    return this.#info;
  }

  get ready(): Promise<void> {
    return this.#changes.settled();
  }

  ops(): {name: string; type: string}[] {
    this.#object.check();
    return this.info.ops;
  }

  copy(): RemoteModel {
    this.#object.check();
    const {info} = this;
    const recipe = {...this.#recipe};
    const object = new RemoteObject<Description>(this.#engine, 'Model', (id, options) => readAgain(this.#engine, id, recipe, options));
    const copy = new RemoteModel(this.#engine, object, recipe, info);
    const make = async (id: number) => {
      await this.#engine.ask('copy', {id, model: await this.#object.here({})});
      return info;
    };
    copy.#changes.add(() => object.make({}, make));
    return copy;
  }

  edit(edit: Edit): void {
    this.#object.check();
    void this.info; // one change at a time
    this.#changing = true;
    this.#changes.add(async () => {
      try {
        this.#info = await this.#engine.ask('edit', {id: await this.#object.here({}), edit});
        this.#recipe.edits = [...this.#recipe.edits, edit];
      } finally {
        this.#changing = false;
      }
    });
  }

  // The worker checks it with everything else when the change is made.
  checkLayout(): void {}

  writeNow(): never {
    throw invalidState('saveModelSync() computes on the calling thread, and the model lies in a worker: read it by a core of {worker: false}.');
  }

  async compile(settings: CompileSettings, limits: Limits, signal?: AbortSignal): Promise<RemoteCompiled> {
    this.#object.check();
    const from = (model: number): Maker<Calls['compile']['answer']> => (id, {signal}) =>
      this.#engine.ask('compile', {id, model, settings, limits}, {signal, computes: true});
    return this.#engine.inTurn(async () => {
      this.#changes.check();
      const recipe = {...this.#recipe};
      // The model itself may be disposed by then.
      const object = new RemoteObject(this.#engine, 'CompiledModel', async (id, options) => {
        const model = this.#engine.newId();
        try {
          await readAgain(this.#engine, model, recipe, options);
          return await from(model)(id, options);
        } finally {
          this.#engine.release(model);
        }
      });
      const model = await this.#object.here({signal});
      return new RemoteCompiled(this.#engine, object, await object.make({signal}, from(model)));
    }, signal);
  }

  compileNow(): never {
    throw onlyAsync('compileModelSync', 'compileModel');
  }

  dispose(): void {
    this.#object.dispose();
  }
}

class RemoteCompiled implements CompiledBackend {
  readonly inputs: readonly PortInfo[];
  readonly outputs: readonly PortInfo[];
  readonly threads: number;
  readonly #engine: RemoteEngine;
  readonly #object: RemoteObject<Calls['compile']['answer']>;
  readonly #variables: readonly string[];

  constructor(engine: RemoteEngine, object: RemoteObject<Calls['compile']['answer']>, info: Calls['compile']['answer']) {
    this.inputs = info.inputs;
    this.outputs = info.outputs;
    this.threads = info.threads;
    this.#engine = engine;
    this.#object = object.ownedBy(this);
    this.#variables = info.variables;
  }

  createRequest(): RemoteRequest {
    this.#object.check();
    return new RemoteRequest(this.#engine, this.#object, this.outputs, this.#variables);
  }

  async export(): Promise<ExportedModel> {
    this.#object.check();
    return this.#engine.inTurn(async () => asExported(await this.#engine.ask('export', {id: await this.#object.here({})})));
  }

  exportNow(): never {
    throw onlyAsync('exportModelSync', 'exportModel');
  }

  dispose(): void {
    this.#object.dispose();
  }
}

// As in the engine: zeros before the first run.
function emptyOutput({names, friendlyName, type, shape}: PortInfo): OwnTensor {
  if ((type as string) === 'dynamic') throw invalidState(`output '${names[0] ?? friendlyName}' has no type before the first run`);
  const partial = new PartialShape(shape);
  const sizes = partial.isStatic() ? (partial.getDimensions() as number[]) : [0];
  return {type, shape: sizes, array: newArray(type, sizes)};
}

class RemoteRequest implements RequestBackend {
  readonly #engine: RemoteEngine;
  readonly #object: RemoteObject<void>;
  readonly #ports: readonly PortInfo[];
  readonly #variables: readonly string[];
  readonly #deferred: Deferred;
  #outputs: OwnTensor[] = [];
  #last: Omit<RunResult, 'outputs'> = {profiling: [], observations: [], memoryBytes: 0};
  #observed: ObservedPath[] = [];
  #running: AbortController | undefined;

  constructor(engine: RemoteEngine, compiled: RemoteObject<unknown>, ports: readonly PortInfo[], variables: readonly string[]) {
    this.#engine = engine;
    this.#ports = ports;
    this.#variables = variables;
    this.#deferred = new Deferred(engine);
    const again = async (id: number, options: AskOptions) => {
      await engine.ask('create', {id, compiled: await compiled.here(options)}, options);
      compiled.leave();
      if (this.#observed.length > 0) await engine.ask('observe', {id, ports: this.#observed}, options);
    };
    this.#object = new RemoteObject<void>(engine, 'InferRequest', again).ownedBy(this);
    this.#defer(() => {}); // made while the compiled model is there
  }

  // Has something done in turn, in a worker that has the request.
  #defer(task: (id: number) => unknown): void {
    this.#object.check();
    this.#deferred.add(async () => task(await this.#object.here({})));
  }

  inTurn<T>(task: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#engine.inTurn(task, signal);
  }

  async run(tensors: Tensor[], limits: Limits, {signal, transfer}: {signal?: AbortSignal; transfer: boolean}): Promise<void> {
    this.#object.check();
    this.#deferred.check();
    const running = (this.#running = new AbortController());
    const abort = () => running.abort(signal!.reason);
    signal?.addEventListener('abort', abort);
    try {
      const id = await this.#object.here(running);
      const inputs = tensors.map((tensor) => sentTensor(tensor, !transfer));
      const options = {signal: running.signal, transfer: buffersOf(inputs), computes: true};
      const {outputs, ...last} = await this.#engine.ask('run', {id, inputs, limits}, options);
      this.#outputs = outputs.map(received);
      this.#last = last;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#running = undefined;
    }
  }

  runNow(): never {
    throw onlyAsync('infer', 'inferAsync');
  }

  cancel(): void {
    this.#running?.abort(new WasmvinoError('CANCELLED', 'The run was ended by cancel().'));
  }

  #output(i: number): OwnTensor {
    this.#object.check();
    return (this.#outputs[i] ??= emptyOutput(this.#ports[i]!));
  }

  output(i: number): Tensor {
    return Tensor.of({latest: () => this.#output(i)});
  }

  result(i: number): Tensor {
    return Tensor.of({...this.#output(i)});
  }

  copyResult(i: number, into: Tensor): void {
    const {shape, array} = this.#output(i);
    into.setShape(shape);
    into.data = array as SupportedTypedArray;
  }

  variables(): string[] {
    this.#object.check();
    return [...this.#variables];
  }

  stateNow(): never {
    throw onlyAsync('getState', 'getStateAsync');
  }

  async state(variable: number): Promise<Tensor> {
    this.#object.check();
    return this.#engine.inTurn(async () => {
      this.#deferred.check();
      return Tensor.of(received(await this.#engine.ask('state', {id: await this.#object.here({}), variable})));
    });
  }

  setState(variable: number, tensor: Tensor): void {
    const sent = sentTensor(tensor, true);
    this.#defer((id) => this.#engine.ask('setState', {id, variable, tensor: sent}, {transfer: buffersOf([sent])}));
  }

  reset(variable?: number): void {
    this.#defer((id) => this.#engine.ask('reset', {id, variable}));
  }

  profiling(): ProfilingInfo[] {
    this.#object.check();
    return this.#last.profiling;
  }

  observe(ports: ObservedPath[]): void {
    this.#defer(async (id) => {
      await this.#engine.ask('observe', {id, ports});
      this.#observed = ports;
    });
  }

  observations(): ObservedValue[] {
    this.#object.check();
    return this.#last.observations.map(({tensor, ...rest}) => ({...rest, tensor: Tensor.of(received(tensor))}));
  }

  memoryBytes(): number {
    this.#object.check();
    return this.#last.memoryBytes;
  }

  dispose(): void {
    this.#object.dispose();
  }
}
