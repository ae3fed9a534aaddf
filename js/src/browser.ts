// SPDX-License-Identifier: Apache-2.0
// The entry for pages and their workers: files are fetched.
import {setPlatform, type BuildName, type Factory} from './engine.js';
import {invalidArgument, messageOf, unsupported} from './error.js';
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

async function get(url: string | URL): Promise<Response> {
  try {
    return await fetch(url, {credentials: 'same-origin'});
  } catch (cause) {
    throw invalidArgument(`${url} cannot be fetched: ${messageOf(cause)}`, {cause});
  }
}

async function module(build: BuildName, from: string | URL | undefined): Promise<WebAssembly.Module> {
  const named = from === undefined ? modules[build]() : new URL(from, globalThis.location?.href);
  const url = named.pathname.endsWith('/') ? new URL(`wasmvino-${build}.wasm`, named) : named;
  const response = await get(url);
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
  return typeof Worker === 'undefined' ? 'there are no workers here' : undefined;
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
  async read(path) {
    const response = await get(path);
    if (response.status === 404) return undefined;
    if (!response.ok) {
      throw invalidArgument(`${path} cannot be fetched: status ${response.status} ${response.statusText}`);
    }
    return new Uint8Array(await response.arrayBuffer());
  },
});
