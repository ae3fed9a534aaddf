// SPDX-License-Identifier: Apache-2.0
// Models and compiled models of an engine in a worker.
import type {CompiledBackend, Host, ModelBackend, ReadTimings, Source} from '../backend/backend.js';
import type {OwnedLimits} from '../backend/limits.js';
import type {CompileSettings, PortInfo, RuntimeOption} from '../backend/records.js';
import {invalidState, onlyAsync} from '../base/error.js';
import {currentPlatform} from '../base/platform.js';
import {joined} from '../base/sink.js';
import {sentExtensions, type SentExtension} from '../engine/extension.js';
import {asExported, type ExportedModel} from '../files/exported.js';
import type {LoadSettings} from '../files/loading.js';
import type {Edit} from '../files/model_files.js';
import type {LoadProgress} from '../files/progress.js';
import type {Calls, SentPath, SentSettings, SentSource} from './protocol.js';
import {ended, type AskOptions, type RemoteEngine} from './remote_engine.js';
import {Effects, RemoteObject, type Maker} from './remote_object.js';
import {RemoteRequest} from './remote_request.js';

type Description = Calls['read']['answer'];

// Everything needed to read a model again in another worker.
interface Recipe {
  readonly source: Source;
  edits: readonly Edit[];
  readonly limits: OwnedLimits;
  readonly extensions: SentExtension[];
}

function sentPath(path: string | URL): SentPath {
  const whole = currentPlatform().absolute(path);
  return {text: String(whole), isUrl: whole instanceof URL};
}

const isPath = (data: unknown): data is string | URL => typeof data === 'string' || data instanceof URL;

function sentSettings({onProgress: _, external, ...settings}: LoadSettings): SentSettings {
  return {...settings, external: external.map(({path, data}) => ({path, data: isPath(data) ? sentPath(data) : data}))};
}

interface Sent {
  source: SentSource;
  transfer: ArrayBuffer[];
  onProgress?: (progress: LoadProgress) => void;
}

function sentSource(source: Source, onProgress: AskOptions['onProgress']): Sent {
  if ('files' in source) {
    const xml = new Uint8Array(source.files.xml);
    const pieces = source.files.weights?.allNow();
    // A copy, since it is transferred. Weights that were given are one piece.
    const weights = pieces && new Uint8Array(joined('the weights', pieces));
    const settings = source.settings && sentSettings(source.settings);
    return {
      source: {xml, weights, parts: source.files.parts, settings},
      transfer: weights ? [xml.buffer, weights.buffer] : [xml.buffer],
      onProgress,
    };
  }
  const settings = sentSettings(source.settings);
  if ('blobs' in source) return {source: {blobs: source.blobs, settings}, transfer: [], onProgress};
  const {xml, weights, optional} = source.load;
  // Progress reports must name the files as the caller did, not by their absolute paths.
  const given = source.settings.external.map(({data}) => data).filter(isPath);
  const names = new Map([xml, ...weights, ...given].map((path) => [sentPath(path).text, String(path)]));
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
      return await engine.ask(
        'read',
        {id, source, edits: recipe.edits, limits: recipe.limits, extensions: recipe.extensions},
        {signal: options.signal, transfer, onProgress},
      );
    } catch (error) {
      if (error !== ended) throw error;
    }
  }
}

/** Reads models in a worker. */
export function hostInWorker(engine: RemoteEngine): Host {
  return {
    async read(source, limits, given, signal) {
      const edits = ('files' in source && source.files.edits) || [];
      const recipe: Recipe = {source, edits, limits, extensions: sentExtensions(given)};
      const object = new RemoteObject<Description>(engine, 'Model', (id, options) => readAgain(engine, id, recipe, options));
      const onProgress = source.settings?.onProgress;
      return new RemoteModel(engine, object, recipe, await object.make({signal, onProgress}));
    },
  };
}

export class RemoteModel implements ModelBackend {
  readonly #engine: RemoteEngine;
  readonly #object: RemoteObject<Description>;
  readonly #recipe: Recipe;
  readonly #changes: Effects;
  #info: Description;
  #changing = false;

  constructor(engine: RemoteEngine, object: RemoteObject<Description>, recipe: Recipe, info: Description) {
    this.#engine = engine;
    this.#object = object.ownedBy(this);
    this.#recipe = recipe;
    this.#changes = new Effects(engine);
    this.#info = info;
  }

  get info(): Description {
    if (this.#changing) {
      this.#engine.check();
      throw invalidState(
        'The model is being changed in its worker, so its ports are not known yet: `await model.ready` first.',
      );
    }
    return this.#info;
  }

  get runtimeOptions(): readonly RuntimeOption[] {
    return this.#info.runtimeOptions;
  }

  get timings(): ReadTimings {
    return this.#info.timings;
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
    const object = new RemoteObject<Description>(this.#engine, 'Model', (id, options) =>
      readAgain(this.#engine, id, recipe, options),
    );
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

  // The worker checks layouts when the change is made.
  checkLayout(): void {}

  writeNow(): never {
    throw invalidState(
      'saveModelSync() computes on the calling thread, but the model is in a worker: read it with a Core of {worker: false}.',
    );
  }

  async compile(settings: CompileSettings, limits: OwnedLimits, signal?: AbortSignal): Promise<RemoteCompiled> {
    this.#object.check();
    const from =
      (model: number): Maker<Calls['compile']['answer']> =>
      (id, {signal}) =>
        this.#engine.ask('compile', {id, model, settings, limits}, {signal, computes: true});
    return this.#engine.inTurn(async () => {
      this.#changes.check();
      const recipe = {...this.#recipe};
      // The model may be disposed before the compiled model must be created again, so the recipe reads it anew.
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
