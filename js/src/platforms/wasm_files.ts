// SPDX-License-Identifier: Apache-2.0
// The URLs of the modules of all builds. Do not shorten these expressions: bundlers find files only if new URL() has exactly
// this form.
import type {BuildName} from '../base/platform.js';

export const wasmFiles: Record<BuildName, () => URL> = {
  simd: () => new URL('./wasmvino-simd.wasm', import.meta.url),
  relaxed: () => new URL('./wasmvino-relaxed.wasm', import.meta.url),
  'simd-mt': () => new URL('./wasmvino-simd-mt.wasm', import.meta.url),
  'relaxed-mt': () => new URL('./wasmvino-relaxed-mt.wasm', import.meta.url),
};
