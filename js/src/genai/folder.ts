// SPDX-License-Identifier: Apache-2.0
// A folder of a model: a path in Node.js, a URL, files that the visitor chose, a directory handle, or bytes by name.
import {Core, WasmvinoError, type Model} from './engine.js';
import {check} from './check.js';

/** The bytes of a file. */
export type FileBytes = ArrayBuffer | Uint8Array;

/** A directory handle, as window.showDirectoryPicker() returns it. */
export interface DirectoryHandle {
  readonly kind: 'directory';
  getFileHandle(name: string): Promise<{getFile(): Promise<Blob>}>;
}

/**
 * Where a model is: the path of its folder (Node.js), the URL of its folder, `hf:Organisation/name@revision` on the Hugging
 * Face hub, Files, a directory handle, or bytes by the names of the files.
 */
export type FolderSource = string | URL | readonly File[] | DirectoryHandle | Readonly<Record<string, FileBytes | Blob>>;

/** Progress of loading all files of a folder. */
export interface FolderProgress {
  /** Bytes received so far, of all files together. */
  loaded: number;
  /** Size of all files together, in bytes. Missing while the size of a file is unknown. */
  total?: number;
  /** Name of the file that this report is about. */
  file: string;
}

/** Options of loading a folder. They are given among the properties of a pipeline. */
export interface FolderOptions {
  /** Receives the progress of all files together. */
  onProgress?: (progress: FolderProgress) => void;
  /** Aborting it rejects the promise with its reason, and stops downloads. */
  signal?: AbortSignal;
  /** Whether to cache files with the Cache API: true, or the name of a cache. Default: false. */
  cache?: boolean | string;
  /** The address to which hf: paths are relative. Default: 'https://huggingface.co'. */
  hub?: string;
}

interface NodeFiles {
  readFileSync(path: string): Uint8Array;
  existsSync(path: string): boolean;
}

// Node.js has this since 20.16. An import would be part of bundles for browsers.
function nodeFiles(): NodeFiles | undefined {
  const {process} = globalThis as unknown as {process?: {getBuiltinModule?: (name: string) => NodeFiles}};
  return process?.getBuiltinModule?.('node:fs');
}

const isUrl = (text: string) => /^(https?|blob|data|file):/.test(text);

/** The address of a folder on the hub: "hf:Organisation/name@revision". */
export function hubAddress(path: string, hub = 'https://huggingface.co'): string {
  const match = /^hf:([^/@]+\/[^/@]+)(?:@([^@]+))?$/.exec(path);
  check(match, `'${path}' is no model of the hub: expected hf:Organisation/name or hf:Organisation/name@revision.`);
  return `${hub.replace(/\/+$/, '')}/${match[1]}/resolve/${encodeURIComponent(match[2] ?? 'main')}`;
}

const endOf = (name: string) => name.slice(name.lastIndexOf('/') + 1);

// Reads files by name. `place` is the address of a file, if it has one.
interface Files {
  place?(name: string): string;
  read(name: string): Promise<Blob | undefined>;
  readNow?(name: string): Uint8Array | undefined;
}

function filesAt(base: string, cache: boolean | string | undefined, signal: AbortSignal | undefined): Files {
  const fs = isUrl(base) ? undefined : nodeFiles();
  const place = (name: string) => `${base.replace(/\/+$/, '')}/${name}`;
  const readNow = (name: string) => (fs!.existsSync(place(name)) ? fs!.readFileSync(place(name)) : undefined);
  if (fs) {
    const read = async (name: string) => {
      const bytes = readNow(name);
      return bytes && new Blob([bytes as Uint8Array<ArrayBuffer>]);
    };
    return {place, readNow, read};
  }
  const store = cache && typeof caches !== 'undefined' ? caches.open(cache === true ? 'wasmvino' : cache) : undefined;
  const read = async (name: string) => {
    const kept = await store;
    let response: Response | undefined;
    try {
      response = await fetch(place(name), {credentials: 'same-origin', signal});
    } catch (cause) {
      signal?.throwIfAborted();
      response = await kept?.match(place(name));
      if (!response) throw new WasmvinoError('INVALID_ARGUMENT', `${place(name)} cannot be fetched: ${(cause as Error).message}`, {cause});
    }
    if (response.status === 404) return undefined;
    check(response.ok, `${place(name)} cannot be fetched: status ${response.status} ${response.statusText}`);
    if (kept && response.type !== 'opaque') await kept.put(place(name), response.clone()).catch(() => {});
    return response.blob();
  };
  return {place, read};
}

function filesOf(source: FolderSource, {cache, hub, signal}: FolderOptions): Files {
  if (typeof source === 'string' || source instanceof URL) {
    const text = String(source);
    return filesAt(text.startsWith('hf:') ? hubAddress(text, hub) : text, cache, signal);
  }
  check(typeof source === 'object' && source !== null, 'Passed argument must be of type String.');
  if ('kind' in source && source.kind === 'directory') {
    const handle = source as DirectoryHandle;
    return {
      read: (name) =>
        handle.getFileHandle(name).then(
          (file) => file.getFile(),
          (error) => {
            if (error?.name === 'NotFoundError') return undefined;
            throw error;
          },
        ),
    };
  }
  if (Array.isArray(source)) {
    const files = new Map((source as File[]).map((file) => [endOf(file.name), file]));
    return {read: async (name) => files.get(name)};
  }
  const bytes = source as Readonly<Record<string, FileBytes | Blob>>;
  const found = (name: string) => (Object.hasOwn(bytes, name) ? bytes[name] : undefined);
  return {
    read: async (name) => {
      const file = found(name);
      return file === undefined || file instanceof Blob ? file : new Blob([file as ArrayBuffer]);
    },
  };
}

/** Reads the files of a folder. */
export class Folder {
  readonly #files: Files;
  readonly #options: FolderOptions;
  readonly #progress = new Map<string, {loaded: number; total?: number}>();

  constructor(source: FolderSource, options: FolderOptions = {}) {
    this.#files = filesOf(source, options);
    this.#options = options;
  }

  /** Returns the text of a file, or undefined if there is none. */
  async text(name: string): Promise<string | undefined> {
    this.#options.signal?.throwIfAborted();
    return (await this.#files.read(name))?.text();
  }

  /** The synchronous form of text(), for paths in Node.js. */
  textNow(name: string): string | undefined {
    check(this.#files.readNow, 'Files cannot be read synchronously here: create the tokenizer with a pipeline, or with Tokenizer.load().', 'INVALID_STATE');
    const bytes = this.#files.readNow(name);
    return bytes && new TextDecoder().decode(bytes);
  }

  /** Returns the content of a JSON file, or undefined if there is none. */
  async json(name: string): Promise<unknown> {
    return parsed(name, await this.text(name));
  }

  jsonNow(name: string): unknown {
    return parsed(name, this.textNow(name));
  }

  /** Returns the bytes of a file, or undefined if there is none. */
  async bytes(name: string): Promise<Uint8Array | undefined> {
    this.#options.signal?.throwIfAborted();
    const blob = await this.#files.read(name);
    return blob && new Uint8Array(await blob.arrayBuffer());
  }

  bytesNow(name: string): Uint8Array | undefined {
    check(this.#files.readNow, 'Files cannot be read synchronously here: create the tokenizer with a pipeline, or with Tokenizer.load().', 'INVALID_STATE');
    return this.#files.readNow(name);
  }

  #tell(file: string, loaded: number, total: number | undefined): void {
    this.#progress.set(file, {loaded, total});
    const all = [...this.#progress.values()];
    const sum = all.reduce((whole, part) => whole + part.loaded, 0);
    const known = all.every((part) => part.total !== undefined);
    this.#options.onProgress?.({loaded: sum, ...(known && {total: all.reduce((whole, part) => whole + part.total!, 0)}), file});
  }

  /** Reads the model `name`.xml with its weights. */
  async model(core: Core, name: string): Promise<Model> {
    const {signal, cache} = this.#options;
    const xml = `${name}.xml`;
    const onProgress = this.#options.onProgress && (({loaded, total}: {loaded: number; total?: number}) => this.#tell(xml, loaded, total));
    if (this.#files.place) return core.readModel(this.#files.place(xml), {signal, onProgress, ...(cache !== undefined && {cache})});
    const [file, weights] = await Promise.all([this.#files.read(xml), this.#files.read(`${name}.bin`)]);
    check(file, `The folder has no file ${xml}.`);
    return core.readModel(file, weights, {signal, onProgress});
  }
}

function parsed(name: string, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new WasmvinoError('INVALID_MODEL', `${name} is not valid JSON: ${(cause as Error).message}`, {cause});
  }
}
