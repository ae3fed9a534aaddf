// SPDX-License-Identifier: Apache-2.0
// The builds of the engine and the entries of the package. `node js/generate.mjs` writes what follows from these lists into
// package.json and js/src/base/builds.ts, and js/build.mjs makes the bundles and typings.
import {parts as contents} from '../web/parts.mjs';

/** The builds: SIMD or relaxed SIMD, one thread or several. Each is also an entry that contains only this build. */
export const builds = ['simd', 'relaxed', 'simd-mt', 'relaxed-mt'];

/** The parts of each build that are loaded only for models that need them. */
export const parts = Object.keys(contents);

/**
 * The entries. All entries of a page, or of a program for Node.js, share one engine.
 * - `name`: what programs import. '.' is 'wasmvino', and 'name' is 'wasmvino/name'.
 * - `source`: a file below js/src. Its exports are those of the entry.
 * - `platforms`: where the entry exists.
 * - `hasDefault`: whether the source has a default export.
 * - `hasSubpaths`: whether 'wasmvino/name/anything' is the entry too. Bundlers make it of 'onnxruntime-web/webgpu' if they replace
 *   'onnxruntime-web' by 'wasmvino/ort'.
 */
export const entries = [
  {name: '.', source: 'api/index.ts', platforms: ['browser', 'node'], hasDefault: true},
  {name: 'ort', source: 'ort/index.ts', platforms: ['browser', 'node'], hasDefault: true, hasSubpaths: true},
];

/**
 * The path of an entry's declarations in dist/types and dist/commonjs.
 *
 * @param {{source: string}} entry
 */
export const typesOf = ({source}) => source.replace(/\.ts$/, '.d.ts');
