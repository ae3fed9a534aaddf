// SPDX-License-Identifier: Apache-2.0
// The platform of browsers, for pages and for workers.
import './worklet.js';
import type {BuildName} from './build.js';
import {download, get} from './download.js';
import {unsupported} from './error.js';
import type {Factory} from './glue.js';
import type {Platform, WorkerThread} from './platform.js';
import type {Tell} from './protocol.js';
import {checkWasm, notWasm} from './sniff.js';

/** @internal The files of a build. Entries spell them out, because bundlers recognise files by the form of the expression. */
export interface BuildFiles {
  glue(): Promise<{default: Factory}>;
  wasm(): URL;
}

async function compile(build: BuildName, file: () => URL, from: string | URL | undefined): Promise<WebAssembly.Module> {
  const named = from === undefined ? file() : new URL(from, globalThis.location?.href);
  const url = named.pathname.endsWith('/') ? new URL(`wasmvino-${build}.wasm`, named) : named;
  const response = await get(url, {});
  if (!response.ok) throw notWasm(String(url), `a response with status ${response.status} ${response.statusText}`);
  if (response.headers.get('content-type')?.startsWith('application/wasm')) return WebAssembly.compileStreaming(response);
  const bytes = new Uint8Array(await response.arrayBuffer());
  checkWasm(bytes, String(url));
  return WebAssembly.compile(bytes);
}

const notIsolated = 'the page is not cross-origin isolated (headers COOP: same-origin and COEP: require-corp)';

function threadsRefused(): string | undefined {
  if (typeof crossOriginIsolated !== 'undefined' && !crossOriginIsolated) {
    return notIsolated;
  }
  if (typeof Worker === 'undefined') return 'there are no workers here';
  // WebKitGTK has no SharedArrayBuffer even in isolated pages.
  return typeof SharedArrayBuffer === 'undefined' ? 'memory cannot be shared' : undefined;
}

// A page may only start workers from its own origin. If this file comes from another origin (a CDN), the worker's script
// is a blob that imports the real one. The page's policy must allow blobs.
// `text` returns the source of the blob for the quoted URL to import. Returns undefined if no blob is needed.
function blobOf(script: string, text: (url: string) => string): string | undefined {
  const here = new URL(import.meta.url);
  if (here.origin === globalThis.location?.origin || !here.protocol.startsWith('http')) return undefined;
  const url = JSON.stringify(String(new URL(script, here)));
  return URL.createObjectURL(new Blob([text(url)], {type: 'text/javascript'}));
}

function startWorker(script: string, fromUrl: (blob?: string) => Worker, hear: (message: Tell) => void, failed: (why: string) => void): WorkerThread {
  // Firefox fires no error event if an import fails, so the script reports the failure itself.
  const worker = fromUrl(blobOf(script, (url) => `import(${url}).catch((error) => postMessage({failed: String(error)}));`));
  worker.onmessage = ({data}) => ('failed' in data ? failed(data.failed) : hear(data));
  worker.onerror = (event) => {
    event.preventDefault();
    failed(event.message || 'its script is missing, or the page blocks it');
  };
  return {
    post: (ask, transfer) => worker.postMessage(ask, transfer),
    end() {
      worker.onmessage = worker.onerror = null;
      worker.terminate();
    },
  };
}

function workerMaker(build: BuildName): (() => Worker) | undefined {
  const blob = blobOf(`./wasmvino-${build}.mjs`, (url) => `import ${url};`);
  return blob === undefined ? undefined : () => new Worker(blob, {type: 'module', name: `em-pthread-${build}`});
}

/**
 * @internal Creates the platform of an entry with these builds.
 *
 * @param files The files of each build.
 * @param script Path of the worker's script.
 * @param fromUrl Starts a worker, from the URL of a blob or from its own URL. The entry provides this function, because
 *   bundlers recognise a worker by the form of the expression.
 */
export function browserPlatform(files: Partial<Record<BuildName, BuildFiles>>, script?: string, fromUrl?: (blob?: string) => Worker): Platform {
  const [only, ...others] = Object.keys(files) as BuildName[];
  return {
    only: others.length === 0 ? only : undefined,
    startWorker: script === undefined ? undefined : (hear, failed) => startWorker(script, fromUrl!, hear, failed),
    scriptStart: 2000,
    relaxedAdvice: 'newer browsers have it',
    threadsRefused,
    isolation() {
      const available = globalThis.crossOriginIsolated === true;
      return {available, reason: available ? 'the page is cross-origin isolated' : notIsolated};
    },
    // Service workers cannot start workers.
    workersRefused: () => (typeof Worker === 'undefined' ? 'there are no workers here' : undefined),
    absolute: (path) => String(new URL(path, globalThis.document?.baseURI ?? globalThis.location?.href)),
    processors: () => navigator.hardwareConcurrency,
    async factory(build) {
      // Without this check, the glue would wait for its threads forever.
      const refused = build.endsWith('-mt') && threadsRefused();
      if (refused) throw unsupported(`Build '${build}': ${refused}`);
      return (await files[build]!.glue()).default;
    },
    module: (build, from) => compile(build, files[build]!.wasm, from),
    workerMaker,
    importModule: (path) => import(/* webpackIgnore: true */ /* @vite-ignore */ String(new URL(path, globalThis.document?.baseURI ?? globalThis.location?.href))),
    isFetched: () => true,
    read: download,
    async digest(kind, bytes) {
      const subtle = globalThis.crypto?.subtle;
      if (!subtle) throw unsupported('integrity cannot be checked here: browsers compute hashes only in secure contexts (https, localhost).');
      return new Uint8Array(await subtle.digest(kind.replace('sha', 'SHA-'), bytes));
    },
  };
}
