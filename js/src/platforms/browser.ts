// SPDX-License-Identifier: Apache-2.0
// What pages and workers of browsers have in common.
import './worklet.js';
import type {BuildName, PartName} from '../base/builds.js';
import {unsupported} from '../base/error.js';
import type {Factory, Platform} from '../base/platform.js';
import {free, joined} from '../base/sink.js';
import {download, get} from '../files/download.js';
import {checkWasm, notWasm} from '../files/formats.js';
import {moduleUrl} from './module_url.js';

/** @internal The files of a build. Entries spell them out, because bundlers recognise files by the form of the expression. */
export interface BuildFiles {
  glue(): Promise<{default: Factory; startThread?: () => Worker}>;
  wasm(): URL;
  parts: Record<PartName, () => URL>;
}

/** @internal */
export type Files = Partial<Record<BuildName, BuildFiles>>;

async function fetchWasm(url: URL): Promise<Response> {
  const response = await get(url, {});
  if (!response.ok) throw notWasm(String(url), `a response with status ${response.status} ${response.statusText}`);
  return response;
}

async function bytesFrom(response: Response, url: URL): Promise<Uint8Array> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  checkWasm(bytes, String(url));
  return bytes;
}

async function compile(url: URL): Promise<WebAssembly.Module> {
  const response = await fetchWasm(url);
  if (response.headers.get('content-type')?.startsWith('application/wasm')) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile((await bytesFrom(response, url)) as BufferSource);
}

const placeOf = (build: BuildName, from: string | URL | undefined, part?: PartName) =>
  from === undefined ? undefined : moduleUrl(new URL(from, globalThis.location?.href), build, part);

const notIsolated = 'the page is not cross-origin isolated (headers COOP: same-origin and COEP: require-corp)';

function threadsRefused(): string | undefined {
  if (typeof crossOriginIsolated !== 'undefined' && !crossOriginIsolated) {
    return notIsolated;
  }
  if (typeof Worker === 'undefined') return 'there are no workers here';
  // WebKitGTK has no SharedArrayBuffer even in isolated pages.
  return typeof SharedArrayBuffer === 'undefined' ? 'memory cannot be shared' : undefined;
}

/** @internal The platform of a script with these builds. The entries for pages use pagePlatform() instead. */
export function browserPlatform(files: Files): Platform {
  const [only, ...others] = Object.keys(files) as BuildName[];
  return {
    only: others.length === 0 ? only : undefined,
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
    module: (build, from) => compile(placeOf(build, from) ?? files[build]!.wasm()),
    async part(build, part, from) {
      const url = placeOf(build, from, part) ?? files[build]!.parts[part]();
      return bytesFrom(await fetchWasm(url), url);
    },
    importModule: (path) => import(/* webpackIgnore: true */ /* @vite-ignore */ String(new URL(path, globalThis.document?.baseURI ?? globalThis.location?.href))),
    isFetched: () => true,
    read: download,
    async digest(kind, path, pieces) {
      const subtle = globalThis.crypto?.subtle;
      if (!subtle) throw unsupported('integrity cannot be checked here: browsers compute hashes only in secure contexts (https, localhost).');
      const bytes = joined(path, pieces);
      try {
        return new Uint8Array(await subtle.digest(kind.replace('sha', 'SHA-'), bytes));
      } finally {
        if (bytes !== pieces[0]) free(bytes);
      }
    },
  };
}
