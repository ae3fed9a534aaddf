// SPDX-License-Identifier: Apache-2.0
// The sources of the scripts that name files of builds: entries for pages, classic scripts and workers of browsers. Bundlers
// find these files only if import() and new URL() have exactly the forms below.
import {parts} from './manifest.mjs';

const glue = (build) => `'./wasmvino-${build}.mjs'`;
const wasm = (name) => `() => new URL('./wasmvino-${name}.wasm', import.meta.url)`;
const partsOf = (build) => `{${parts.map((part) => `${part}: ${wasm(`${build}.${part}`)}`).join(', ')}}`;
const filesOf = (builds, glueOf) =>
  `{${builds.map((build, i) => `'${build}': {glue: ${glueOf(build, i)}, wasm: ${wasm(build)}, parts: ${partsOf(build)}}`).join(', ')}}`;

// The glue is imported when it is needed.
const later = (builds) => filesOf(builds, (build) => `() => import(${glue(build)})`);

// The glue is part of the script: classic service workers and older bundlers refuse import(), and Firefox does not report at
// once that an import failed.
const imports = (builds) => builds.map((build, i) => `import * as glue${i} from ${glue(build)};\n`).join('');
const within = (builds) => filesOf(builds, (_, i) => `async () => glue${i}`);

/**
 * Sets the platform of a page. Programs may import several entries.
 *
 * @param builds The builds to choose from.
 * @param script The file of the worker that runs the engine.
 * @param worker The name of that worker. Each entry has its own, because webpack merges workers of the same name.
 */
export function pageScript(builds, script, worker) {
  const options = `{type: 'module', name: '${worker}'}`;
  return `import {usePlatform} from '../engine/current.ts';
import {pagePlatform} from '../platforms/page.ts';
usePlatform(pagePlatform(${later(builds)}, './${script}', (blob) => {
  if (blob !== undefined) return new Worker(blob, ${options});
  return new Worker(new URL('./${script}', import.meta.url), ${options});
}));
`;
}

/** The script of the worker that runs the engine in browsers. */
export function workerScript(builds) {
  return `import {browserPlatform} from '../platforms/browser.ts';
import {serveBrowser} from './serve_browser.ts';
${imports(builds)}serveBrowser(browserPlatform(${within(builds)}));
`;
}

/** The script for \`<script src>\` and importScripts(). It defines one global variable. */
export function classicScript(builds, script, source) {
  return `import {usePlatform} from '../engine/current.ts';
import {pagePlatform} from '../platforms/page.ts';
${imports(builds)}export * from '../${source}';
usePlatform(pagePlatform(${within(builds)}, './${script}', (blob) => new Worker(blob ?? new URL('./${script}', import.meta.url), {type: 'module', name: 'wasmvino'})));
`;
}
