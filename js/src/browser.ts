// SPDX-License-Identifier: Apache-2.0
// The entry for pages and their workers: files are fetched.
import type {BuildName} from './build.js';
import {WasmvinoError, invalidArgument, messageOf, unsupported} from './error.js';
import type {Factory} from './glue.js';
import {setPlatform} from './platform.js';
import {checkWasm, notWasm} from './sniff.js';
import {allocate, unreadable} from './weights.js';

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

async function get(url: string | URL, signal?: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, {credentials: 'same-origin', signal});
  } catch (cause) {
    signal?.throwIfAborted();
    throw invalidArgument(`${url} cannot be fetched: ${messageOf(cause)}`, {cause});
  }
}

// Straight into an array of the length that the server announced, as large as memory goes: arrayBuffer() fails above
// 2 GB, and only when all has been transferred.
async function bodyOf(response: Response, path: string | URL, signal?: AbortSignal): Promise<Uint8Array> {
  const {headers, body} = response;
  if (!body) return new Uint8Array(await response.arrayBuffer());
  // Of a compressed transfer the length is another one.
  const announced = headers.has('content-encoding') ? 0 : Number(headers.get('content-length') ?? 0);
  let size = 0;
  let bytes: Uint8Array<ArrayBuffer>;
  const reader = body.getReader();
  try {
    bytes = allocate(path, announced);
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const end = size + part.value.length;
      if (end > bytes.length) {
        const longer = allocate(path, Math.max(end, Math.min(2 * bytes.length, 2 ** 32)));
        longer.set(bytes.subarray(0, size));
        bytes = longer;
      }
      bytes.set(part.value, size);
      size = end;
    }
  } catch (error) {
    void reader.cancel().catch(() => {});
    signal?.throwIfAborted();
    if (error instanceof WasmvinoError) throw error;
    const of = announced > 0 ? ` of ${announced}` : '';
    throw unreadable(path, `the transfer broke off after ${size}${of} bytes (${messageOf(error)})`, error);
  }
  return size === bytes.length ? bytes : bytes.slice(0, size);
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
  async read(path, signal) {
    const response = await get(path, signal);
    if (!response.ok) return `status ${response.status} ${response.statusText}`.trimEnd();
    return bodyOf(response, path, signal);
  },
});
