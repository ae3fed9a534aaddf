// SPDX-License-Identifier: Apache-2.0
// The entry for pages and their workers: files are fetched.
import type {BuildName} from './build.js';
import {download, get} from './download.js';
import {unsupported} from './error.js';
import type {Factory} from './glue.js';
import {setPlatform} from './platform.js';
import {checkWasm, notWasm} from './sniff.js';

export * from './index.js';

// Written out one by one: bundlers find files by this very form.
const modules: Record<BuildName, () => URL> = {
  simd: () => new URL('./wasmvino-simd.wasm', import.meta.url),
  relaxed: () => new URL('./wasmvino-relaxed.wasm', import.meta.url),
  'simd-mt': () => new URL('./wasmvino-simd-mt.wasm', import.meta.url),
  'relaxed-mt': () => new URL('./wasmvino-relaxed-mt.wasm', import.meta.url),
};

const factories: Record<BuildName, () => Promise<{default: Factory}>> = {
  simd: () => import('./wasmvino-simd.mjs'),
  relaxed: () => import('./wasmvino-relaxed.mjs'),
  'simd-mt': () => import('./wasmvino-simd-mt.mjs'),
  'relaxed-mt': () => import('./wasmvino-relaxed-mt.mjs'),
};

async function module(build: BuildName, from: string | URL | undefined): Promise<WebAssembly.Module> {
  const named = from === undefined ? modules[build]() : new URL(from, globalThis.location?.href);
  const url = named.pathname.endsWith('/') ? new URL(`wasmvino-${build}.wasm`, named) : named;
  const response = await get(url, {});
  if (!response.ok) throw notWasm(String(url), `an answer of status ${response.status} ${response.statusText}`);
  if (response.headers.get('content-type')?.startsWith('application/wasm')) return WebAssembly.compileStreaming(response);
  const bytes = new Uint8Array(await response.arrayBuffer());
  checkWasm(bytes, String(url));
  return WebAssembly.compile(bytes);
}

function threadsRefused(): string | undefined {
  if (typeof crossOriginIsolated !== 'undefined' && !crossOriginIsolated) {
    return 'the page is not cross-origin isolated (headers COOP: same-origin and COEP: require-corp)';
  }
  if (typeof Worker === 'undefined') return 'there are no workers here';
  // WebKitGTK has none in isolated pages either.
  return typeof SharedArrayBuffer === 'undefined' ? 'memory cannot be shared' : undefined;
}

// A page may start workers of scripts of its own origin alone. Where this file came from another one (a CDN), the
// worker's script is a blob that imports it, which the page's policy must allow.
function workerMaker(build: BuildName): (() => Worker) | undefined {
  const here = new URL(import.meta.url);
  if (here.origin === globalThis.location?.origin || !here.protocol.startsWith('http')) return undefined;
  const script = new URL(`./wasmvino-${build}.mjs`, here);
  const blob = URL.createObjectURL(new Blob([`import ${JSON.stringify(String(script))};`], {type: 'text/javascript'}));
  return () => new Worker(blob, {type: 'module', name: 'em-pthread'});
}

setPlatform({
  relaxedAdvice: 'newer browsers have it',
  threadsRefused,
  processors: () => navigator.hardwareConcurrency,
  async factory(build) {
    // The glue would wait for its threads for ever.
    const refused = build.endsWith('-mt') && threadsRefused();
    if (refused) throw unsupported(`Build '${build}': ${refused}`);
    return (await factories[build]()).default;
  },
  module,
  workerMaker,
  isFetched: () => true,
  read: download,
  async digest(kind, bytes) {
    const subtle = globalThis.crypto?.subtle;
    if (!subtle) throw unsupported('integrity cannot be checked here: browsers compute hashes in secure contexts only (https, localhost).');
    return new Uint8Array(await subtle.digest(kind.replace('sha', 'SHA-'), bytes));
  },
});
