// SPDX-License-Identifier: Apache-2.0
// Written by js/generate.mjs, from js/manifest.mjs.

/** The four builds: SIMD or relaxed SIMD, single-threaded or threaded (`-mt`). */
export type BuildName = 'simd' | 'relaxed' | 'simd-mt' | 'relaxed-mt';
export const buildNames: readonly BuildName[] = ['simd', 'relaxed', 'simd-mt', 'relaxed-mt'];

/** The parts of the engine that are loaded only for models that need them. */
export type PartName = 'onnx' | 'pnnx';
export const partNames: readonly PartName[] = ['onnx', 'pnnx'];
