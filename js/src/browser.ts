// SPDX-License-Identifier: Apache-2.0
// The entry for pages and workers. It chooses among all builds.
import {pagePlatform} from './page_platform.js';
import {setPlatform} from './platform.js';
import {wasmFiles} from './wasm_files.js';

export * from './index.js';

// Do not shorten these expressions: bundlers find files only if import() and new URL() have exactly this form.
setPlatform(
  pagePlatform(
    {
      simd: {glue: () => import('./wasmvino-simd.mjs'), wasm: wasmFiles.simd},
      relaxed: {glue: () => import('./wasmvino-relaxed.mjs'), wasm: wasmFiles.relaxed},
      'simd-mt': {glue: () => import('./wasmvino-simd-mt.mjs'), wasm: wasmFiles['simd-mt']},
      'relaxed-mt': {glue: () => import('./wasmvino-relaxed-mt.mjs'), wasm: wasmFiles['relaxed-mt']},
    },
    './worker.js',
    (blob) => {
      if (blob !== undefined) return new Worker(blob, {type: 'module', name: 'wasmvino'});
      return new Worker(new URL('./worker.js', import.meta.url), {type: 'module', name: 'wasmvino'});
    },
  ),
);
