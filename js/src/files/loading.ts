// SPDX-License-Identifier: Apache-2.0
// Loads the files of a model, reports progress, and checks hashes.
import type {Url} from '../base/environment.js';
import {WasmvinoError, invalidArgument, textOf} from '../base/error.js';
import {currentPlatform, type Reading, type Received, type Validator} from '../base/platform.js';
import {Sink, totalLength} from '../base/sink.js';
import {abortable} from '../base/turns.js';
import {CachedFile} from './cache.js';
import {isBlob, readBlob} from './blobs.js';
import {besideModel, externalFiles, givenFor, type ExternalData, type ExternalFile} from './external.js';
import {endOfWeights, noFile} from './file_errors.js';
import {checkIntegrity, parseIntegrity} from './integrity.js';
import type {ModelFiles, ModelPart} from './model_files.js';
import {Progress, checkProgress, type LoadProgress} from './progress.js';
import {Weights, asyncOrigin, changed, type WeightsOrigin} from './weights.js';

/** Options for loading the files of a model. */
export interface LoadOptions {
  /** Receives the progress of all files together. If it throws, the call rejects. */
  onProgress?: (progress: LoadProgress) => void;
  /**
   * Whether to cache the files with the Cache API: `true` uses the cache `wasmvino`, a string names another one. A cached
   * file is used if the server confirms it (ETag, Last-Modified) or cannot be reached. With `integrity`, the server is not
   * asked. Has no effect in Node.js. Default: false.
   */
  cache?: boolean | string;
  /** Hashes of the files, as in Subresource Integrity ("sha384-…"). Files with other hashes are rejected. */
  integrity?: Integrity;
  /** Paths or URLs of the parts, in order, if the weights are split into several files. */
  weights?: readonly (string | Url)[];
  /**
   * Files that hold tensors of an ONNX model, if they are not beside it under the paths by which it names them, or if the model
   * is not read from a path. A path alone stands for the file of that name. Models that need none ignore it.
   */
  externalData?: readonly (string | ExternalData)[];
}

/** Hashes of the files of a model. */
export interface Integrity {
  /** Hash of the .xml. */
  xml?: string;
  /** Hash of the weights, or one hash per part. */
  weights?: string | readonly string[];
  /** Hashes of the files that hold tensors of an ONNX model, by the paths by which the model names them. */
  externalData?: Readonly<Record<string, string>>;
}

/** @internal */
export const loadOptions: Record<keyof LoadOptions, true> = {
  onProgress: true,
  cache: true,
  integrity: true,
  weights: true,
  externalData: true,
};

/** @internal The files of a model to read. `optional`: weights may be missing. */
export interface FileSource {
  xml: string | URL;
  weights: readonly (string | URL)[];
  optional: boolean;
}

/** @internal Checked load options. Only `onProgress` depends on the thread. */
export interface LoadSettings {
  onProgress?: (progress: LoadProgress) => void;
  cache?: string;
  xmlIntegrity?: string;
  weightsIntegrity: string[];
  external: readonly ExternalFile[];
  externalIntegrity: Readonly<Record<string, string>>;
}

/** @internal Checks the options against the source. */
export function loadSettings(options: LoadOptions, source: FileSource): {source: FileSource; settings: LoadSettings} {
  const {cache = false, externalData = []} = options;
  const {integrity: given = {}} = options;
  const weights = Array.isArray(options.weights) ? [...options.weights] : options.weights;
  const refuse = (name: string, expected: string, value: unknown) =>
    invalidArgument(`The option ${name} takes ${expected}, not ${textOf(value)}.`, {expected, actual: textOf(value)});
  if (typeof cache !== 'boolean' && (typeof cache !== 'string' || cache === '')) {
    throw refuse('cache', 'true, false or the name of a cache', cache);
  }
  if (weights !== undefined) {
    if (
      !Array.isArray(weights) ||
      weights.length === 0 ||
      !weights.every((part) => typeof part === 'string' || part instanceof URL)
    ) {
      throw refuse('weights', 'an array of paths or URLs', weights);
    }
    if (!source.optional) {
      const actual = String(source.weights[0]);
      throw invalidArgument(
        `The weights are given twice, as the path '${actual}' and as the option weights. Leave one of them out.`,
        {actual},
      );
    }
    source = {...source, weights, optional: false};
  }
  if (typeof given !== 'object' || given === null) throw refuse('integrity', 'an object {xml, weights}', given);
  const integrity: Integrity = {...given};
  const unknown = Object.keys(integrity).find((name) => name !== 'xml' && name !== 'weights' && name !== 'externalData');
  if (unknown !== undefined) throw refuse('integrity', 'an object {xml, weights, externalData}', `one with '${unknown}'`);
  const {externalData: givenExternal = {}} = integrity;
  if (typeof givenExternal !== 'object' || givenExternal === null) {
    throw refuse('integrity.externalData', 'an object of hashes by path', givenExternal);
  }
  const externalIntegrity = {...givenExternal};
  const hashes =
    integrity.weights === undefined ? [] : typeof integrity.weights === 'string' ? [integrity.weights] : integrity.weights;
  if (!Array.isArray(hashes)) throw refuse('integrity.weights', 'a string or an array of strings', hashes);
  const texts = [...hashes, ...(integrity.xml === undefined ? [] : [integrity.xml]), ...Object.values(externalIntegrity)];
  for (const text of texts) parseIntegrity(text);
  const parts = source.weights.length;
  if (hashes.length > 0 && hashes.length !== parts) {
    throw invalidArgument(
      `The weights are ${parts} files, but integrity.weights has ${hashes.length} hashes: give one hash per file.`,
      {
        expected: String(parts),
        actual: String(hashes.length),
      },
    );
  }
  return {
    source,
    settings: {
      onProgress: checkProgress(options.onProgress),
      cache: cache === true ? 'wasmvino' : cache || undefined,
      xmlIntegrity: integrity.xml,
      weightsIntegrity: [...hashes],
      external: externalFiles(externalData),
      externalIntegrity,
    },
  };
}

// Appends a file to the sink.
async function readFile(
  path: string | URL,
  sink: Sink,
  progress: Progress,
  settings: {cache?: string; integrity?: string; signal?: AbortSignal; again?: boolean; expected?: Reading['expected']},
): Promise<Received> {
  const {cache, integrity, signal, again, expected} = settings;
  const start = sink.size;
  const file = String(path);
  const reading = (phase: 'download' | 'cache'): Reading => ({
    signal,
    again,
    hashed: integrity !== undefined,
    expected,
    report: (loaded, total) => progress.at(file, phase, loaded, total),
  });
  const verify = async () => {
    if (integrity === undefined) return;
    progress.tell(file, 'verify');
    await checkIntegrity(path, sink.piecesFrom(start), integrity);
    signal?.throwIfAborted();
  };
  const cached = cache === undefined || !currentPlatform().isFetched(path) ? undefined : await CachedFile.open(cache, path);
  // A file that is read again must be the version that was read, which originOf() compares.
  const kept = await cached?.read(sink, reading('cache'), integrity !== undefined || again === true);
  if (kept) {
    try {
      await verify();
      progress.done(file, sink.size - start);
      return {validator: kept};
    } catch (error) {
      // With a hash, the server is not asked, so the cache may hold an old version.
      if (!(error instanceof WasmvinoError)) throw error;
      await cached?.forget();
      sink.rewind(start);
    }
  }
  const received = await currentPlatform().read(path, sink, reading('download'));
  const {missing, validator} = received;
  progress.done(file, sink.size - start);
  if (missing !== undefined) return received;
  await verify();
  // Without a validator or a hash, a later version of the file could not be detected.
  if (validator && (integrity !== undefined || validator.etag !== undefined || validator.modified !== undefined)) {
    cached?.keep(sink.piecesFrom(start), validator);
    return {...received, shared: cached !== undefined};
  }
  return received;
}

// The value that identifies the version of a file, to be compared when it is read again. Undefined if there is none.
function versionOf({etag, modified}: Validator = {}, integrity: string | undefined): string | undefined {
  return etag ?? modified ?? (integrity !== undefined && parseIntegrity(integrity).hashes.length === 1 ? integrity : undefined);
}

// Where the weights can be read again, if a later version would be detected.
function originOf(
  weights: readonly (string | URL)[],
  {cache}: LoadSettings,
  weightsIntegrity: readonly (string | undefined)[],
  received: readonly Received[],
): WeightsOrigin | undefined {
  const name = weights.join(' + ');
  const [{readNow}] = received as [Received];
  if (readNow && received.length === 1) return {name, readNow};
  const versions = received.map(({validator}, i) => versionOf(validator, weightsIntegrity[i]));
  if (versions.includes(undefined)) return undefined;
  return asyncOrigin(
    name,
    received.some(({shared}) => shared),
    async (signal) => {
      const sink = new Sink(name);
      for (const [i, part] of weights.entries()) {
        const integrity = weightsIntegrity[i];
        const {missing, validator} = await readFile(part, sink, new Progress(undefined), {
          cache,
          integrity,
          signal,
          again: true,
        });
        if (missing !== undefined) throw noFile(part, missing);
        const version = versionOf(validator, integrity);
        if (version !== versions[i])
          throw changed(`version ${versions[i]}`, version === undefined ? 'none' : `version ${version}`);
      }
      return sink.takePieces();
    },
  );
}

/** @internal Reads the files concurrently. An aborted signal rejects with its reason. */
export function load(
  source: FileSource,
  settings: LoadSettings,
  progress: Progress,
  signal?: AbortSignal,
): Promise<ModelFiles> {
  const all = new AbortController();
  return abortable(
    signal,
    (reason) => all.abort(reason),
    () => loadAll(source, settings, progress, all),
  );
}

/**
 * @internal Reads the files that a model names. `model`: its path, if it has one. Files that are not given and cannot be
 * beside the model are left out, which the engine reports.
 */
export function loadExternal(
  model: string | URL | undefined,
  names: readonly string[],
  settings: LoadSettings,
  progress: Progress,
  signal?: AbortSignal,
): Promise<Pick<ModelFiles, 'weights' | 'parts'>> {
  const {cache, external, externalIntegrity} = settings;
  const files = names.flatMap((path): ExternalFile[] => {
    const given = givenFor(path, external);
    if (given) return [{path, data: given.data}];
    return model === undefined ? [] : [{path, data: besideModel(model, path)}];
  });
  if (files.length === 0) return Promise.resolve({});
  const nameOf = ({path, data}: ExternalFile) => (typeof data === 'string' || data instanceof URL ? String(data) : path);
  progress.expect(files.map(nameOf));
  const readAll = async (stop: AbortSignal) => {
    const pieces: Uint8Array[] = [];
    const parts: ModelPart[] = [];
    const received: Received[] = [];
    for (const file of files) {
      const {path, data} = file;
      const integrity = externalIntegrity[path];
      let read: readonly Uint8Array[];
      if (typeof data === 'string' || data instanceof URL) {
        const sink = new Sink(data);
        const got = await readFile(data, sink, progress, {cache, integrity, signal: stop});
        if (got.missing !== undefined) throw noFile(data, got.missing);
        received.push(got);
        read = sink.takePieces();
      } else {
        read = isBlob(data) ? await readBlob({blob: data, name: path}, progress, stop) : [data];
        if (integrity !== undefined) await checkIntegrity(path, read as Uint8Array<ArrayBuffer>[], integrity);
        progress.done(nameOf(file), totalLength(read));
      }
      pieces.push(...read);
      parts.push({path, size: totalLength(read)});
    }
    const paths = files.map(({data}) => data as string | URL);
    const origin =
      received.length === files.length
        ? originOf(
            paths,
            settings,
            files.map(({path}) => externalIntegrity[path]),
            received,
          )
        : undefined;
    return {weights: new Weights(pieces, origin), parts};
  };
  const all = new AbortController();
  return abortable(
    signal,
    (reason) => all.abort(reason),
    () => readAll(all.signal),
  );
}

/** @internal Reads the files beside a model synchronously, where that is possible. */
export function loadExternalNow(
  model: string | URL | undefined,
  names: readonly string[],
): Pick<ModelFiles, 'weights' | 'parts'> {
  const {readSync} = currentPlatform();
  if (model === undefined || names.length === 0 || !readSync) return {};
  const files = names.map((path) => {
    const place = besideModel(model, path);
    const read = readSync(place);
    if (typeof read === 'string') throw noFile(place, read);
    return {path, bytes: read.bytes};
  });
  return {
    weights: new Weights(files.map(({bytes}) => bytes)),
    parts: files.map(({path, bytes}) => ({path, size: bytes.length})),
  };
}

// If one file fails, `all` stops the others.
async function loadAll(
  source: FileSource,
  settings: LoadSettings,
  progress: Progress,
  all: AbortController,
): Promise<ModelFiles> {
  const {cache, xmlIntegrity, weightsIntegrity} = settings;
  progress.expect([source.xml, ...source.weights].map(String));

  const readXml = async () => {
    const sink = new Sink(source.xml);
    const {missing} = await readFile(source.xml, sink, progress, {cache, integrity: xmlIntegrity, signal: all.signal});
    if (missing !== undefined) throw noFile(source.xml, missing);
    return sink.take();
  };
  const xml = readXml();
  const expected = () => xml.then(endOfWeights, () => undefined);

  const readWeights = async (): Promise<{weights?: Weights; missing?: string}> => {
    if (source.weights.length === 0) return {};
    const one = source.weights.length === 1;
    const sink = new Sink(source.weights.join(' + '));
    if (!one) sink.reserve((await expected()) ?? 0);
    const received: Received[] = [];
    for (const [i, part] of source.weights.entries()) {
      const of = {cache, integrity: weightsIntegrity[i], signal: all.signal, expected: one ? expected : undefined};
      const file = await readFile(part, sink, progress, of);
      const {missing} = file;
      if (missing !== undefined && source.optional) return {missing};
      if (missing !== undefined) throw noFile(part, missing);
      received.push(file);
    }
    return {weights: new Weights(sink.takePieces(), originOf(source.weights, settings, weightsIntegrity, received))};
  };

  try {
    const [xmlBytes, {weights, missing}] = await Promise.all([xml, readWeights()]);
    return {xml: xmlBytes, weights, origin: {model: source.xml, path: source.weights.join(' + '), missing}};
  } catch (error) {
    all.abort(error);
    throw error;
  }
}
