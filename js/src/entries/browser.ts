// SPDX-License-Identifier: Apache-2.0
// The entry for pages and workers. It chooses among all builds.
import {setPlatform} from '../base/platform.js';
import {pagePlatform} from '../platforms/page.js';
import {wasmFiles} from '../platforms/wasm_files.js';

export * from '../api/index.js';

// Do not shorten these expressions: bundlers find files only if import() and new URL() have exactly this form.
setPlatform(
  pagePlatform(
    {
      simd: {glue: () => import('../platforms/wasmvino-simd.mjs'), wasm: wasmFiles.simd},
      relaxed: {glue: () => import('../platforms/wasmvino-relaxed.mjs'), wasm: wasmFiles.relaxed},
      'simd-mt': {glue: () => import('../platforms/wasmvino-simd-mt.mjs'), wasm: wasmFiles['simd-mt']},
      'relaxed-mt': {glue: () => import('../platforms/wasmvino-relaxed-mt.mjs'), wasm: wasmFiles['relaxed-mt']},
    },
    './worker.js',
    (blob) => {
      if (blob !== undefined) return new Worker(blob, {type: 'module', name: 'wasmvino'});
      return new Worker(new URL('./worker.js', import.meta.url), {type: 'module', name: 'wasmvino'});
    },
  ),
);
