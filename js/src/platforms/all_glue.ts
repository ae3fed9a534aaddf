// SPDX-License-Identifier: Apache-2.0
// Imports the glue of all builds statically, for scripts that cannot use dynamic import().
import {wasmFiles} from './wasm_files.js';
import * as relaxedThreads from './wasmvino-relaxed-mt.mjs';
import * as relaxed from './wasmvino-relaxed.mjs';
import * as simdThreads from './wasmvino-simd-mt.mjs';
import * as simd from './wasmvino-simd.mjs';

export const allBuilds = {
  simd: {glue: async () => simd, wasm: wasmFiles.simd},
  relaxed: {glue: async () => relaxed, wasm: wasmFiles.relaxed},
  'simd-mt': {glue: async () => simdThreads, wasm: wasmFiles['simd-mt']},
  'relaxed-mt': {glue: async () => relaxedThreads, wasm: wasmFiles['relaxed-mt']},
};
