// SPDX-License-Identifier: Apache-2.0
// The entry for pages that contains only the build simd. js/build.mjs derives the entries of the other builds from this
// file by replacing the name.
import {setPlatform} from '../base/platform.js';
import {pagePlatform} from '../platforms/page.js';

export * from '../api/index.js';

setPlatform(
  pagePlatform(
    {'simd': {glue: () => import('../platforms/wasmvino-simd.mjs'), wasm: () => new URL('./wasmvino-simd.wasm', import.meta.url)}},
    './worker-simd.js',
    (blob) => {
      if (blob !== undefined) return new Worker(blob, {type: 'module', name: 'wasmvino-worker-simd'});
      return new Worker(new URL('./worker-simd.js', import.meta.url), {type: 'module', name: 'wasmvino-worker-simd'});
    },
  ),
);
