// SPDX-License-Identifier: Apache-2.0
// What the tests of wasmvino/genai share: goldens, folders of models, and parts of the entry that no user calls directly.
import {build} from 'esbuild';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const packed = join(root, 'build/testdata/genai');
// The full goldens and folders, where they stand beside the project.
const full = join(root, '../shared/genai');

/** Imports a source file of js/src/genai, with the built package below it. */
export async function source(name) {
  const outfile = join(root, `build/genai/${name}.mjs`);
  const engine = pathToFileURL(join(root, 'dist/node.js')).href;
  await build({
    entryPoints: [join(root, `js/src/genai/${name}.ts`)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    plugins: [{name: 'the package is built', setup: ({onResolve}) => onResolve({filter: /^\.\.\/api\/index\.js$/}, () => ({path: engine, external: true}))}],
  });
  return import(pathToFileURL(outfile).href);
}

const pathOf = (name) => [join(full, name), join(packed, name)].find((path) => existsSync(path));

/** Returns the goldens of a name: native's results. */
export function golden(name) {
  return JSON.parse(readFileSync(pathOf(`goldens/${name}.json`), 'utf8'));
}

/** Returns the path of a model's folder, or undefined if it is not here. */
export function folder(name) {
  return pathOf(`folders/${name}`);
}

/** The properties with which native computed the goldens. */
export const exact = {INFERENCE_PRECISION_HINT: 'f32', DYNAMIC_QUANTIZATION_GROUP_SIZE: 0, KV_CACHE_PRECISION: 'f32'};
