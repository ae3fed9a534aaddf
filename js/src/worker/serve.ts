// SPDX-License-Identifier: Apache-2.0
// The worker's side of the protocol: answers calls of the page with the engine of this thread.
import type {CompiledBackend, ModelBackend, ObservedValue, RequestBackend, RunProgress, Source} from '../backend/backend.js';
import {invalidState} from '../base/error.js';
import {configure, loadedEngine, whenReady} from '../engine/current.js';
import {hostHere} from '../engine/local.js';
import type {LoadSettings} from '../files/loading.js';
import type {LoadProgress} from '../files/progress.js';
import {Weights, withWeights} from '../files/weights.js';
import {Tensor} from '../tensor/tensor.js';
import {
  buffersOf,
  received,
  sentError,
  sentTensor,
  type Ask,
  type CallName,
  type Calls,
  type SentObservation,
  type SentPath,
  type SentSettings,
  type SentRunProgress,
  type SentSource,
  type Tell,
} from './protocol.js';

interface Request {
  backend: RequestBackend;
  outputs: number;
}

interface Disposable {
  dispose(): void;
}

class Objects<T> {
  readonly #all = new Map<number, T>();
  readonly #dispose: (object: T) => void;

  constructor(dispose: (object: T) => void) {
    this.#dispose = dispose;
  }

  get(id: number): T {
    const found = this.#all.get(id);
    if (!found) throw invalidState('The worker does not have this object: it was disposed.');
    return found;
  }

  // If the call was aborted meanwhile, the page does not use the object.
  add(id: number, object: T, signal: AbortSignal): void {
    if (signal.aborted) this.#dispose(object);
    else this.#all.set(id, object);
  }

  release(id: number): void {
    const found = this.#all.get(id);
    if (found) this.#dispose(found);
    this.#all.delete(id);
  }
}

const dispose = (object: Disposable) => object.dispose();
const models = new Objects<ModelBackend>(dispose);
const compiledModels = new Objects<CompiledBackend>(dispose);
const requests = new Objects<Request>(({backend}) => backend.dispose());

interface Context {
  signal: AbortSignal;
  onProgress: (progress: LoadProgress) => void;
  onRunProgress: (progress: SentRunProgress[], transfer: ArrayBuffer[]) => void;
}

// Milliseconds that progress reports without values are collected, so that the page gets fewer messages.
const longestWait = 10;

const sentObservation = ({tensor, ...rest}: ObservedValue): SentObservation => ({...rest, tensor: sentTensor(tensor, false)});
const buffersOfObservations = (list: SentObservation[]) => buffersOf(list.map(({tensor}) => tensor));

type Answer<K extends CallName> = {answer: Calls[K]['answer']; transfer?: ArrayBuffer[]};
type Handlers = {[K in CallName]: (order: Calls[K]['order'], context: Context) => Promise<Answer<K>>};

function sourceOf(source: SentSource, edits: Calls['read']['order']['edits'], onProgress: Context['onProgress']): Source {
  const path = ({text, isUrl}: SentPath) => (isUrl ? new URL(text) : text);
  const received = ({external, ...settings}: SentSettings): LoadSettings => ({
    ...settings,
    onProgress,
    external: external.map((file) => ({...file, data: 'isUrl' in file.data ? path(file.data) : file.data})),
  });
  if ('xml' in source) {
    const {xml, weights, parts, settings} = source;
    return {files: {xml, weights: weights && new Weights(weights), parts, edits}, settings: settings && received(settings)};
  }
  const settings = received(source.settings);
  if ('blobs' in source) return {blobs: source.blobs, settings, edits};
  const {xml, weights, optional} = source.paths;
  return {load: {xml: path(xml), weights: weights.map(path), optional}, settings, edits};
}

const described = (model: ModelBackend) => ({...model.info, ops: model.ops(), timings: model.timings});

const handlers: Handlers = {
  async start({options}) {
    configure(options);
    const {build, hasThreads} = await whenReady();
    return {answer: {build, threads: hasThreads}};
  },

  async read({id, source, edits, limits, extensions}, {signal, onProgress}) {
    const model = await hostHere.read(sourceOf(source, edits, onProgress), limits, extensions, signal);
    models.add(id, model, signal);
    return {answer: described(model)};
  },

  async copy({id, model}, {signal}) {
    return {answer: models.add(id, models.get(model).copy(), signal)};
  },

  async edit({id, edit}) {
    const model = models.get(id);
    await withWeights(
      () => model.edit(edit),
      (weights) => weights.restore(undefined),
    );
    return {answer: described(model)};
  },

  async compile({id, model, settings, limits}, {signal}) {
    const compiled = await models.get(model).compile(settings, limits, signal);
    compiledModels.add(id, compiled, signal);
    const request = compiled.createRequest();
    const variables = request.variables();
    request.dispose();
    const {inputs, outputs, threads} = compiled;
    return {answer: {inputs, outputs, threads, variables}};
  },

  async export({id}) {
    const bytes = new Uint8Array(await compiledModels.get(id).export());
    return {answer: bytes, transfer: [bytes.buffer]};
  },

  async create({id, compiled}, {signal}) {
    const from = compiledModels.get(compiled);
    return {answer: requests.add(id, {backend: from.createRequest(), outputs: from.outputs.length}, signal)};
  },

  async run({id, inputs, limits, progress}, {signal, onRunProgress}) {
    const {backend, outputs} = requests.get(id);
    let reports: SentRunProgress[] = [];
    let told = performance.now();
    const tell = () => {
      if (reports.length > 0) onRunProgress(reports, buffersOfObservations(reports.flatMap(({observed}) => observed)));
      reports = [];
      told = performance.now();
    };
    const onProgress = ({observed, ...rest}: RunProgress) => {
      reports.push({...rest, observed: observed.map(sentObservation)});
      if (observed.length > 0 || performance.now() - told > longestWait) tell();
    };
    return backend.inTurn(async () => {
      const options = {signal, transfer: false, onProgress: progress ? onProgress : undefined};
      await backend
        .run(
          inputs.map((input) => Tensor.of(received(input))),
          limits,
          options,
        )
        .finally(tell);
      const results = Array.from({length: outputs}, (_, i) => sentTensor(backend.result(i), false));
      const observations = backend.observations().map(sentObservation);
      const answer = {outputs: results, profiling: backend.profiling(), observations, memoryBytes: backend.memoryBytes()};
      return {answer, transfer: [...buffersOf(results), ...buffersOfObservations(observations)]};
    }, signal);
  },

  async explain({id}) {
    return {answer: await requests.get(id).backend.explain()};
  },

  async observe({id, ports}) {
    return {answer: requests.get(id).backend.observe(ports)};
  },

  async state({id, variable}) {
    const answer = sentTensor(requests.get(id).backend.stateNow(variable), false);
    return {answer, transfer: buffersOf([answer])};
  },

  async setState({id, variable, tensor}) {
    return {answer: requests.get(id).backend.setState(variable, Tensor.of(received(tensor)))};
  },

  async reset({id, variable}) {
    return {answer: requests.get(id).backend.reset(variable)};
  },
};

/** Returns a handler for the messages of the page. `tell` sends answers. */
export function serve(tell: (message: Tell, transfer: ArrayBuffer[]) => void): (ask: Ask) => Promise<void> {
  const running = new Map<number, AbortController>();

  async function hear(ask: Ask): Promise<void> {
    if ('abort' in ask) return running.get(ask.abort)?.abort();
    if ('release' in ask) {
      for (const objects of [models, compiledModels, requests]) objects.release(ask.release);
      return;
    }
    const {call, name, order} = ask;
    const controller = new AbortController();
    running.set(call, controller);
    const memoryBytes = () => loadedEngine()?.memoryBytes ?? 0;
    try {
      const onProgress = (progress: LoadProgress) => tell({call, progress}, []);
      const onRunProgress = (progress: SentRunProgress[], buffers: ArrayBuffer[]) => tell({call, progress}, buffers);
      const handle = handlers[name] as (given: typeof order, context: Context) => Promise<Answer<CallName>>;
      const {answer, transfer = []} = await handle(order, {signal: controller.signal, onProgress, onRunProgress});
      tell({call, answer, memoryBytes: memoryBytes()}, transfer);
    } catch (error) {
      tell({call, error: sentError(error), memoryBytes: memoryBytes()}, []);
    } finally {
      running.delete(call);
    }
  }

  tell({alive: true}, []);
  return hear;
}
