// SPDX-License-Identifier: Apache-2.0
// Implements backend/backend.ts for an engine on this thread.
import type {
  CompiledBackend,
  Host,
  ModelBackend,
  ModelInfo,
  ObservedPath,
  ObservedValue,
  ReadTimings,
  RequestBackend,
  RunOptions,
  RunProgress,
  Source,
} from '../backend/backend.js';
import {limitsAfter, limitsOfCompiling, limitsOfRunning, type OwnedLimits} from '../backend/limits.js';
import type {CompileSettings, ExplanationData, PortInfo, ProfilingInfo, RuntimeOption} from '../backend/records.js';
import {WasmvinoError, invalidState, unlessAborted} from '../base/error.js';
import {abortable, untilAborted} from '../base/turns.js';
import {bytesOf} from '../base/typed_arrays.js';
import {readBlobs} from '../files/blobs.js';
import {exported, type ExportedModel} from '../files/exported.js';
import {explained} from '../files/file_errors.js';
import {load, loadExternal, loadExternalNow} from '../files/loading.js';
import type {Edit, ModelFiles} from '../files/model_files.js';
import {Progress} from '../files/progress.js';
import {Weights, withWeights} from '../files/weights.js';
import type {SupportedTypedArray} from '../tensor/element.js';
import {PartialShape} from '../tensor/partial_shape.js';
import {copyOut, type Content, type TensorInfo} from '../tensor/storage.js';
import {Tensor, contentOf, store} from '../tensor/tensor.js';
import {loadParts, whenReady} from './current.js';
import {withDimensionNames} from './dimension_names.js';
import type {Engine} from './engine.js';
import {loadExtensions, type NumberedExtension} from './extension.js';
import type {CompiledInfo, RunReport} from './glue.js';
import {Owned} from './owned.js';

async function filesOf(source: Source, progress: Progress, signal: AbortSignal | undefined): Promise<ModelFiles> {
  if ('files' in source) return source.files;
  if ('blobs' in source) return {...(await readBlobs(source.blobs, progress, signal)), edits: source.edits};
  return {...(await load(source.load, source.settings, progress, signal)), edits: source.edits};
}

const outlineOf = (engine: Engine, model: Uint8Array, limits: OwnedLimits) =>
  engine.call((glue) => glue.outline(engine.lend(new Weights(model)), limitsOfCompiling(limits)));

const nameOf = (source: Exclude<Source, {files: ModelFiles}>) => ('blobs' in source ? source.blobs.xml.name : String(source.load.xml));

/** Reads models with the engine of this thread. */
export const hostHere: Host = {
  async read(source, limits, given, signal) {
    const start = performance.now();
    const {settings} = source;
    const progress = new Progress(settings?.onProgress);
    const [files, engine, extensions] = await Promise.all([filesOf(source, progress, signal), whenReady(), loadExtensions(given)]);
    await untilAborted(loadParts(engine, engine.partsOf(files.xml)), signal);
    const outline = await engine.inTurn(() => outlineOf(engine, files.xml, limits), signal);
    const model = 'load' in source ? source.load.xml : undefined;
    const external = settings && (await loadExternal(model, outline.files, settings, progress, signal));
    const load = 'files' in source ? 0 : performance.now() - start;
    if (!('files' in source)) progress.tell(nameOf(source), 'read');
    return engine.inTurn(() => LocalModel.read(engine, {...files, ...external, outline}, limits, extensions, load), signal);
  },
};

export class LocalModel implements ModelBackend {
  readonly timings: ReadTimings;
  readonly #owned: Owned;
  readonly #limits: OwnedLimits;
  #files: ModelFiles;
  #info: ModelInfo;

  private constructor(engine: Engine, id: number, files: ModelFiles, limits: OwnedLimits, timings: ReadTimings) {
    this.timings = timings;
    this.#limits = limits;
    this.#owned = new Owned(this, engine, id, 'Model');
    this.#files = files;
    this.#info = this.#describe();
  }

  /** Reads a model and applies its edits. `load`: milliseconds that loading the files took. */
  static read(engine: Engine, files: ModelFiles, limits: OwnedLimits, extensions: readonly NumberedExtension[], load = 0): LocalModel {
    const start = performance.now();
    let id: number;
    try {
      engine.setExtensions(extensions);
      if (!files.outline) {
        const outline = outlineOf(engine, files.xml, limits);
        files = {...files, outline, ...(!files.parts && loadExternalNow(files.origin?.model, outline.files))};
      }
      engine.stageTexts((files.parts ?? []).flatMap(({path, size}) => [path, String(size)]));
      id = engine.call((glue) => glue.readModel(engine.lend(new Weights(files.xml)), engine.lend(files.weights), limitsOfCompiling(limits)));
    } catch (error) {
      throw explained(error, files);
    }
    const timings = {load, read: 0};
    const model = new LocalModel(engine, id, {...files, edits: files.edits ?? []}, limits, timings);
    try {
      for (const edit of files.edits ?? []) model.#apply(edit, performance.now() - start);
      model.#info = model.#describe();
      timings.read = performance.now() - start;
      return model;
    } catch (error) {
      model.dispose();
      throw error;
    }
  }

  #describe(): ModelInfo {
    const info = this.#owned.look((glue, id) => glue.describeModel(id));
    return {...info, ...this.#named(info)};
  }

  // Preprocessing may add, remove and move dimensions.
  #named({inputs, outputs}: Pick<ModelInfo, 'inputs' | 'outputs'>): Pick<ModelInfo, 'inputs' | 'outputs'> {
    const {outline, edits = []} = this.#files;
    if (!outline || edits.some(([kind]) => kind === 'preprocess')) return {inputs, outputs};
    return {inputs: withDimensionNames(inputs, outline.inputs), outputs: withDimensionNames(outputs, outline.outputs)};
  }

  get info(): ModelInfo {
    return this.#info;
  }

  get runtimeOptions(): readonly RuntimeOption[] {
    return this.#info.runtimeOptions;
  }

  get ready(): Promise<void> {
    return Promise.resolve();
  }

  ops(): {name: string; type: string}[] {
    return this.#owned.look((glue, id) => glue.modelOps(id));
  }

  copy(): LocalModel {
    const id = this.#owned.call((glue, id) => glue.copyModel(id));
    return new LocalModel(this.#owned.engine, id, this.#files, this.#limits, this.timings);
  }

  /** `spent`: milliseconds of the call before this edit. */
  #apply([kind, texts]: Edit, spent: number): void {
    const limits = limitsOfCompiling(limitsAfter(this.#limits, spent));
    this.#owned.engine.stageTexts(texts);
    this.#owned.call((glue, id) => (kind === 'reshape' ? glue.reshapeModel(id, limits) : glue.preprocessModel(id, limits)));
  }

  edit(edit: Edit): void {
    this.#apply(edit, 0);
    this.#files = {...this.#files, edits: [...(this.#files.edits ?? []), edit]};
    this.#info = this.#describe();
  }

  checkLayout(layout: string): void {
    this.#owned.engine.look((glue) => glue.checkLayout(layout));
  }

  writeNow(compressToFp16: boolean, write: (bytes: Uint8Array) => void): string {
    return this.#owned.engine.writeModel(this.#owned.id, compressToFp16, write);
  }

  #withThreads(settings: CompileSettings): CompileSettings {
    return {...settings, threads: this.#owned.engine.threadsFor(settings.threads)};
  }

  #compiled(info: CompiledInfo, {threads}: CompileSettings): LocalCompiled {
    return new LocalCompiled(this.#owned.engine, {...info, ...this.#named(info)}, this.#files, threads);
  }

  compileNow(settings: CompileSettings, limits: OwnedLimits): LocalCompiled {
    const settled = this.#withThreads(settings);
    return this.#compiled(
      this.#owned.call((glue, id) => glue.compileModel(id, settled, limitsOfCompiling(limits))),
      settled,
    );
  }

  compile(settings: CompileSettings, limits: OwnedLimits, signal?: AbortSignal): Promise<LocalCompiled> {
    const {engine} = this.#owned;
    const compile = async () => {
      if (!engine.hasThreads) return this.compileNow(settings, limits);
      const settled = this.#withThreads(settings);
      const {id} = this.#owned;
      const info = await engine.inBackground<CompiledInfo>((glue) => glue.startCompile(id, settled, limitsOfCompiling(limits)), signal);
      return this.#compiled(info, settled);
    };
    return engine.inTurn(() => withWeights(compile, (weights) => weights.restore(signal)), signal);
  }

  dispose(): void {
    this.#owned.dispose();
    this.#files = {...this.#files, weights: undefined};
  }
}

class LocalCompiled implements CompiledBackend {
  readonly inputs: readonly PortInfo[];
  readonly outputs: readonly PortInfo[];
  readonly threads: number;
  readonly #owned: Owned;
  #files: ModelFiles;

  constructor(engine: Engine, {id, inputs, outputs}: CompiledInfo, files: ModelFiles, threads: number) {
    this.inputs = inputs;
    this.outputs = outputs;
    this.threads = threads;
    this.#owned = new Owned(this, engine, id, 'CompiledModel');
    this.#files = files;
  }

  createRequest(): LocalRequest {
    const id = this.#owned.call((glue, id) => glue.createInferRequest(id));
    return new LocalRequest(this.#owned.engine, id, this.threads, this.#files.weights);
  }

  exportNow(): ExportedModel {
    void this.#owned.id; // throws if the model was disposed
    return exported(this.#files, this.#files.weights?.allNow());
  }

  export(): Promise<ExportedModel> {
    return this.#owned.engine.inTurn(async () => {
      void this.#owned.id; // throws if the model was disposed
      const files = this.#files;
      return exported(files, await files.weights?.all());
    });
  }

  dispose(): void {
    this.#owned.dispose();
    this.#files = {...this.#files, weights: undefined};
  }
}

type Giver = (type: string, shape: string) => TensorInfo;

// Makes the engine reserve memory for a tensor. Strings are passed in the same call.
function makeRoom(engine: Engine, {type, shape, array, info}: Content, into: Giver): TensorInfo {
  if (type === 'string') engine.stageTexts(info?.strings ?? (array as string[]));
  return into(type, String(shape));
}

// Copies the values of tensors into the memory reserved for them.
function fill(engine: Engine, contents: readonly Content[], places: TensorInfo[]): void {
  const heap = engine.memory;
  const values = contents.map(({array, engine: owner, info}, i) => {
    if (places[i]!.type === 'string') return undefined;
    if (!owner) return bytesOf(array as SupportedTypedArray);
    const {address, bytes} = info!;
    const from = owner.memory.subarray(address, address + bytes);
    if (owner !== engine) return from;
    // The tensor may be a result of the last run, in memory that another input now overwrites.
    const overwritten = places.some(
      (place, j) => j !== i && place.address < address + bytes && address < place.address + place.bytes,
    );
    return overwritten ? from.slice() : from;
  });
  values.forEach((array, i) => {
    if (!array) return;
    const {address, bytes} = places[i]!;
    if (array.length !== bytes) {
      throw invalidState(`The buffer of an input has ${array.length} bytes, expected ${bytes}: it was changed during the call.`);
    }
    heap.set(array, address);
  });
}

class LocalRequest implements RequestBackend {
  readonly #owned: Owned;
  readonly #threads: number;
  #weights: Weights | undefined;
  #runs = false; // whether a background run is in progress
  #restoring: AbortController | undefined; // while weights are being read again
  readonly #places: {limits: OwnedLimits; place: TensorInfo}[] = []; // memory of the inputs in the last run
  #observed: readonly ObservedPath[] = [];

  constructor(engine: Engine, id: number, threads: number, weights: Weights | undefined) {
    this.#owned = new Owned(this, engine, id, 'InferRequest');
    this.#threads = threads;
    this.#weights = weights;
  }

  inTurn<T>(task: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#owned.engine.inTurn(task, signal);
  }

  // The memory for the values of an input. Asks the engine only if something has changed since the last run: the call takes
  // as long as a run of a small model.
  #placeOf(content: Content, i: number, limits: OwnedLimits): TensorInfo {
    const last = this.#places[i];
    const {type, shape} = content;
    const isSame = last?.limits === limits && last.place.type === type && last.place.shape.join() === shape.join();
    if (isSame && type !== 'string' && !this.#runs) return last.place;
    const place = makeRoom(this.#owned.engine, content, (...values) =>
      this.#owned.call((glue, id) => glue.setInput(id, i, ...values, limitsOfRunning(limits))),
    );
    this.#places[i] = {limits, place};
    return place;
  }

  #give(tensors: Tensor[], limits: OwnedLimits): void {
    void this.#owned.id; // throws if the request was disposed
    // Throws before anything changes if a buffer was transferred.
    const places = tensors.map(contentOf).map((content, i) => this.#placeOf(content, i, limits));
    // Reserving memory may have moved values inside the engine.
    fill(this.#owned.engine, tensors.map(contentOf), places);
  }

  #infer(tensors: Tensor[], limits: OwnedLimits, progress = false): void {
    this.#give(tensors, limits);
    this.#owned.call((glue, id) => glue.infer(id, limitsOfRunning(limits), progress));
  }

  runNow(take: () => Tensor[], limits: OwnedLimits): void {
    this.#owned.engine.warnOfOneThread(this.#threads);
    const infer = () => this.#infer(take(), limits);
    if (this.#weights) this.#weights.duringNow(infer);
    else infer();
  }

  async run(tensors: Tensor[], limits: OwnedLimits, options: RunOptions): Promise<void> {
    const infer = () => withWeights(() => this.#runOnce(tensors, limits, options), (weights) => this.#restore(weights, options.signal));
    await (this.#weights ? this.#weights.during(infer) : infer());
  }

  // Reads weights again, until the signal or cancel() ends that.
  async #restore(weights: Weights, signal: AbortSignal | undefined): Promise<void> {
    const controller = new AbortController();
    this.#restoring = controller;
    try {
      await abortable(signal, (reason) => controller.abort(reason), () => weights.restore(controller.signal));
    } finally {
      this.#restoring = undefined;
    }
  }

  async #runOnce(tensors: Tensor[], limits: OwnedLimits, {signal, onProgress}: RunOptions): Promise<void> {
    const {engine} = this.#owned;
    if (!onProgress) return this.#runListened(tensors, limits, false, signal);
    let failure: {value: unknown} | undefined;
    const listener = (report: RunReport) => {
      try {
        if (!failure && !signal?.aborted) onProgress(this.#progressOf(report));
      } catch (value) {
        failure = {value};
      }
      return failure !== undefined || (signal?.aborted ?? false);
    };
    try {
      await engine.listening(listener, () => this.#runListened(tensors, limits, true, signal));
    } catch (error) {
      if (!failure) throw unlessAborted(error, signal);
    }
    if (failure) throw failure.value;
  }

  async #runListened(tensors: Tensor[], limits: OwnedLimits, progress: boolean, signal: AbortSignal | undefined): Promise<void> {
    const {engine} = this.#owned;
    if (!engine.hasThreads) return this.#infer(tensors, limits, progress);
    this.#give(tensors, limits);
    const {id} = this.#owned;
    this.#runs = true;
    try {
      await engine.inBackground((glue) => glue.startInfer(id, limitsOfRunning(limits), progress), signal);
    } finally {
      this.#runs = false;
    }
  }

  #progressOf({path, layer, type, iterations, done, total, observed}: RunReport): RunProgress {
    return {path: layer === undefined ? path : [...path, layer], type, iterations, done, total, observed: observed.map((each) => this.#observedValue(each))};
  }

  #observedValue({observed, iterations, value}: RunReport['observed'][number]): ObservedValue {
    return {...this.#observed[observed]!, iterations, tensor: Tensor.copyOf(this.#owned.engine, value)};
  }

  cancel(): void {
    this.#restoring?.abort(new WasmvinoError('CANCELLED', 'The run was ended by cancel().'));
    if (this.#runs) this.#owned.engine.cancel();
  }

  #find(i: number): TensorInfo {
    return this.#owned.look((glue, id) => glue.output(id, i));
  }

  output(i: number): Tensor {
    return Tensor.of({engine: this.#owned.engine, find: () => this.#find(i)});
  }

  result(i: number): Tensor {
    return Tensor.copyOf(this.#owned.engine, this.#find(i));
  }

  copyResult(i: number, into: Tensor): void {
    const info = this.#find(i);
    store(into, info.shape, copyOut(this.#owned.engine, info));
  }

  variables(): string[] {
    return this.#owned.look((glue, id) => glue.variables(id));
  }

  stateNow(variable: number): Tensor {
    const info = this.#owned.call((glue, id) => glue.variable(id, variable));
    if (info.value) return Tensor.copyOf(this.#owned.engine, info.value);
    const sizes = new PartialShape(info.shape === '[...]' ? '' : info.shape).getDimensions();
    return new Tensor(
      info.type === 'dynamic' ? 'f32' : info.type,
      sizes.map((size) => (typeof size === 'number' ? Math.max(0, size) : size[0])),
    );
  }

  async state(variable: number): Promise<Tensor> {
    return this.stateNow(variable);
  }

  setState(variable: number, tensor: Tensor): void {
    const {engine} = this.#owned;
    // All that may fail comes before the variable changes. Values inside the engine may be those that the variable had.
    const {type, shape, array, engine: owner, info} = contentOf(tensor);
    const content = {type, shape, array: owner ? copyOut(owner, info!) : array};
    const place = makeRoom(engine, content, (...values) => this.#owned.call((glue, id) => glue.setVariable(id, variable, ...values)));
    fill(engine, [content], [place]);
  }

  reset(variable?: number): void {
    this.#owned.call((glue, id) => (variable === undefined ? glue.resetState(id) : glue.resetVariable(id, variable)));
  }

  profiling(): ProfilingInfo[] {
    return this.#owned.look((glue, id) => glue.profiling(id));
  }

  observe(ports: ObservedPath[]): void {
    this.#owned.engine.stageTexts(ports.flatMap(({path, port}) => [`${port}`, `${path.length}`, ...path]));
    this.#owned.call((glue, id) => glue.observe(id));
    this.#observed = ports;
  }

  observations(): ObservedValue[] {
    return this.#owned.look((glue, id) => glue.observations(id)).map((each) => this.#observedValue(each));
  }

  explain(): Promise<ExplanationData> {
    const explain = () => this.#owned.call((glue, id) => glue.explain(id));
    return this.inTurn(() => withWeights(explain, (weights) => weights.restore(undefined)));
  }

  memoryBytes(): number {
    return this.#owned.look((glue, id) => glue.memoryBytes(id));
  }

  dispose(): void {
    this.#owned.dispose();
    this.#weights = undefined;
  }
}
