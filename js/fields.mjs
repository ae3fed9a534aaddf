// SPDX-License-Identifier: Apache-2.0
// What follows from the manifest: fields of package.json, and the source of the names of builds.
import {typesOf} from './manifest.mjs';

function conditions({name, platforms}, types) {
  const main = name === '.';
  const [browser, node] = main ? ['browser', 'node'] : [name, `node/${name}`];
  const inNode = (condition, folder, extension) => ({
    [condition]: {types: `./dist/${folder}/${types}`, default: `./dist/${node}.${extension}`},
  });
  return {
    ...(platforms.includes('node') && {node: {...inNode('import', 'types', 'js'), ...inNode('require', 'commonjs', 'cjs')}}),
    ...(platforms.includes('browser') && {default: {types: `./dist/types/${types}`, default: `./dist/${browser}.js`}}),
  };
}

/** The fields of package.json that name files of dist/. */
export function packageFields({builds, entries}) {
  const main = entries.find(({name}) => name === '.');
  const ofBuilds = builds.map((name) => ({...main, name}));
  const named = [...entries, ...ofBuilds];
  const glue = builds.map((build) => `wasmvino-${build}.mjs`);
  const inFolder = named.filter(({name}) => name !== '.');
  const pathsOf = ({name, hasSubpaths}) => [name, ...(hasSubpaths ? [`${name}/*`] : [])];
  return {
    sideEffects: [
      ...named.filter(({platforms}) => platforms.includes('browser')).map(({name}) => `./dist/${name === '.' ? 'browser' : name}.js`),
      './dist/shared*.js',
      './dist/wasmvino.js',
      './dist/worker*.js',
      './dist/*.cjs',
      './dist/node.js',
      './dist/node/*',
      './dist/cli.js',
      './js/**',
    ],
    types: `./dist/types/${typesOf(main)}`,
    typesVersions: {
      '*': {
        ...Object.fromEntries(inFolder.flatMap((entry) => pathsOf(entry).map((path) => [path, [`./dist/types/${typesOf(entry)}`]]))),
        ...Object.fromEntries(glue.map((name) => [name, [`./dist/${name.replace('.mjs', '.d.mts')}`]])),
      },
    },
    exports: {
      '.': conditions(main, typesOf(main)),
      ...Object.fromEntries(inFolder.flatMap((entry) => pathsOf(entry).map((path) => [`./${path}`, conditions(entry, typesOf(entry))]))),
      ...Object.fromEntries(glue.map((name) => [`./${name}`, `./dist/${name}`])),
      './*.wasm': './dist/*.wasm',
      './package.json': './package.json',
    },
  };
}

/** The text of package.json with its fields renewed. */
export function packageText(text, manifest) {
  return `${JSON.stringify({...JSON.parse(text), ...packageFields(manifest)}, null, 2)}\n`;
}

/** The text of js/src/base/builds.ts. */
export function buildsText({builds, parts}) {
  const [names, ofParts] = [builds, parts].map((list) => list.map((name) => `'${name}'`));
  return `// SPDX-License-Identifier: Apache-2.0
// Written by js/generate.mjs, from js/manifest.mjs.

/** The four builds: SIMD or relaxed SIMD, single-threaded or threaded (\`-mt\`). */
export type BuildName = ${names.join(' | ')};
export const buildNames: readonly BuildName[] = [${names.join(', ')}];

/** The parts of the engine that are loaded only for models that need them. */
export type PartName = ${ofParts.join(' | ')};
export const partNames: readonly PartName[] = [${ofParts.join(', ')}];
`;
}

/** The text of the declarations of a build's glue. */
export const glueTypes = `// SPDX-License-Identifier: Apache-2.0
import type {Factory} from './types/base/platform.js';
declare const createWasmvino: Factory;
export default createWasmvino;
`;
