// SPDX-License-Identifier: Apache-2.0
// Builds dist/, the files of the npm package, from the TypeScript and from the modules that `scripts/build.sh modules` left
// in build/wasm/dist.
import {build, transformSync} from 'esbuild';
import {execFileSync} from 'node:child_process';
import {appendFileSync, chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {guardCalls} from './guard_calls.mjs';
import {commitOf, withProvenance} from './provenance.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const from = join(root, 'build/wasm/dist');
const dist = join(root, 'dist');
const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

if (!existsSync(join(from, 'wasm/wasmvino-simd.wasm')) || !existsSync(join(from, 'toolchain.json'))) {
  console.error('The WebAssembly modules are missing: scripts/build.sh modules');
  process.exit(1);
}
rmSync(dist, {recursive: true, force: true});
mkdirSync(join(dist, 'node'), {recursive: true});

const provenance = {version, commit: commitOf(root), ...JSON.parse(readFileSync(join(from, 'toolchain.json'), 'utf8'))};

// esbuild makes the output of Closure 2% smaller.
const smaller = (text) => transformSync(text, {minify: true, format: 'esm', target: 'es2022', legalComments: 'none'}).code;

// Emscripten's glue is also the script of its threads. Bundlers warn about that cycle, and Turbopack never finishes. Threads
// therefore run a copy of the glue that starts no threads. Threads receive the module, so the copy does not name the .wasm:
// webpack's worker scripts would wait forever for a .wasm that the page also uses. webpack merges workers of the same name
// into one file, so each build has its own name. The glue recognises a thread by the beginning of that name. A page starts
// threads for an engine in its worker (js/src/platforms/page_threads.ts), so starting one is a function that the glue exports.
function separateThreads(build, glue) {
  const name = `wasmvino-${build}`;
  const start = `new Worker(new URL("${name}.mjs",import.meta.url),{type:"module",name:"em-pthread"})`;
  const module = `new URL("${name}.wasm",import.meta.url)`;
  for (const part of [start, module]) if (glue.split(part).length !== 2) throw new Error(`${name}.mjs does not have this once: ${part}`);
  const thread = readFileSync(join(root, 'js/thread_port.js'), 'utf8') + glue.replace(start, 'undefined').replace(module, 'undefined');
  writeFileSync(join(dist, `${name}-thread.mjs`), smaller(thread));
  const startThread = `new Worker(new URL("./${name}-thread.mjs",import.meta.url),{type:"module",name:"em-pthread-${build}"})`;
  return `export const startThread=()=>${startThread};${glue.replace(start, 'startThread()')}`;
}

const builds = ['simd', 'relaxed', 'simd-mt', 'relaxed-mt'];
for (const build of builds) {
  const name = `wasmvino-${build}`;
  const types = readFileSync(join(root, `js/src/platforms/${name}.d.mts`), 'utf8').replace("'../base/platform.js'", "'./types/base/platform.js'");
  writeFileSync(join(dist, `${name}.d.mts`), types);
  writeFileSync(join(dist, `${name}.wasm`), withProvenance(guardCalls(readFileSync(join(from, `wasm/${name}.wasm`))), provenance));
  const glue = readFileSync(join(from, `wasm/${name}.mjs`), 'utf8');
  writeFileSync(join(dist, `${name}.mjs`), smaller(build.endsWith('-mt') ? separateThreads(build, glue) : glue));
  copyFileSync(join(from, `node/${name}.js`), join(dist, `node/${name}.cjs`));
}
// dist/cli.js contains the libraries that decode pictures, so their licences must be included.
const bundled = ['fast-png', 'fflate', 'iobuffer', 'jpeg-js'];
const rule = '='.repeat(78);
const notices = bundled.map((name) => `\n\n${rule}\n${name} (dist/cli.js)\n${rule}\n\n${readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8')}`);
writeFileSync(join(dist, 'THIRD_PARTY_LICENSES.txt'), [readFileSync(join(from, 'THIRD_PARTY_LICENSES.txt'), 'utf8'), ...notices].join(''));

const shared = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  define: {WASMVINO_VERSION: JSON.stringify(version)},
  legalComments: 'none',
  logLevel: 'warning',
  // The names of packages' files are in cli.js. They must not depend on where a link to node_modules leads.
  preserveSymlinks: true,
};
// The glue is a file beside the entries, or a part of them.
const glueIs = (how) => ({
  name: 'the glue',
  setup: ({onResolve}) => onResolve({filter: /\/wasmvino-.*\.mjs$/}, ({path}) => how(basename(path))),
});
const withoutGlue = glueIs((name) => ({path: `./${name}`, external: true}));
const withGlue = glueIs((name) => ({path: join(dist, name)}));
const forBrowsers = {...shared, minify: true, keepNames: true};
const ofBuild = (name) => ({
  name: `the source for the build simd, for ${name}`,
  setup: ({onLoad}) =>
    onLoad({filter: /\/(worker_)?simd\.ts$/}, ({path}) => ({
      contents: readFileSync(path, 'utf8').replace(/(?<=['-])simd(?=['.])/g, name),
      loader: 'ts',
    })),
});
// Modules of extensions are imported at run time. The comments in the source tell bundlers to leave that import() alone, but
// esbuild removes them. This restores them.
async function buildForBrowsers(options) {
  await build(options);
  const path = join(root, options.outfile);
  const text = readFileSync(path, 'utf8');
  if (text.split('import(String(').length !== 2) throw new Error(`${options.outfile} does not import modules of extensions in one place`);
  writeFileSync(path, text.replace('import(String(', 'import(/* webpackIgnore: true */ /* @vite-ignore */ String('));
}
await buildForBrowsers({...forBrowsers, entryPoints: ['js/src/entries/browser.ts'], outfile: 'dist/browser.js', plugins: [withoutGlue]});
// The script of the worker that runs the engine. Pages fetch it only if they use the option `worker`.
await buildForBrowsers({...shared, minify: true, entryPoints: ['js/src/entries/worker.ts'], outfile: 'dist/worker.js', plugins: [withGlue]});
// Entries of a single build: a bundle of one contains nothing of the other builds. In Node.js they share the code, and so
// the engine, of the main entry.
for (const name of builds) {
  await buildForBrowsers({...forBrowsers, entryPoints: ['js/src/entries/simd.ts'], outfile: `dist/${name}.js`, plugins: [ofBuild(name), withoutGlue]});
  const worker = {entryPoints: ['js/src/entries/worker_simd.ts'], outfile: `dist/worker-${name}.js`, plugins: [ofBuild(name), withGlue]};
  await buildForBrowsers({...shared, minify: true, ...worker});
  writeFileSync(join(dist, `node/${name}.cjs`), `const wasmvino = require('../node.cjs');\nwasmvino.useOnly('${name}');\nmodule.exports = wasmvino;\n`);
  // Not by importing the .cjs: Node.js 20 ends the process if a CommonJS module throws while it is imported.
  writeFileSync(join(dist, `node/${name}.js`), `import {useOnly} from '../node.cjs';\nuseOnly('${name}');\nexport * from '../node.cjs';\n`);
}
// The classic script, for `<script src>` and importScripts().
await buildForBrowsers({
  ...forBrowsers,
  entryPoints: ['js/src/entries/classic.ts'],
  outfile: 'dist/wasmvino.js',
  format: 'iife',
  globalName: 'wasmvino',
  define: {...shared.define, 'import.meta.url': 'scriptUrl'},
  inject: ['js/src/entries/script_url.ts'],
  plugins: [withGlue],
});
// Both entries for Node.js use one CommonJS file, so a program that imports and requires the package has only one engine.
// Names stay readable and lines short, because Node.js shows them with errors. Comments and indentation would take 15 KB of
// the package. Users see the names of its classes, but not those in the worker.
const short = {minifyWhitespace: true, lineLimit: 200};
for (const [entryPoints, more] of [[{node: 'js/src/entries/node.ts'}, {keepNames: true}], [{worker: 'js/src/entries/node_worker.ts'}, {}]]) {
  await build({
    ...shared,
    ...short,
    ...more,
    entryPoints,
    outdir: 'dist',
    outExtension: {'.js': '.cjs'},
    format: 'cjs',
    platform: 'node',
    define: {...shared.define, 'import.meta.url': 'urlOfThisFile'},
    banner: {js: "const urlOfThisFile = require('node:url').pathToFileURL(__filename).href;"},
  });
}
writeFileSync(join(dist, 'node.js'), "export * from './node.cjs';\n");
await build({
  ...shared,
  ...short,
  entryPoints: ['js/src/cli/main.ts'],
  outfile: 'dist/cli.js',
  platform: 'node',
  plugins: [
    {
      name: 'the package itself stays a file of its own',
      setup: ({onResolve}) => onResolve({filter: /\/node\.js$/}, () => ({path: './node.js', external: true})),
    },
  ],
});
chmodSync(join(dist, 'cli.js'), 0o755);
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'js/tsconfig.json'], {cwd: root, stdio: 'inherit'});
for (const room of ['cli', 'arrays']) rmSync(join(dist, 'types', room), {recursive: true});
// Declares the global variable of the classic script.
appendFileSync(join(dist, 'types/api/index.d.ts'), 'export as namespace wasmvino;\n');
// A copy of the declarations for require(). The package.json in their folder marks them as CommonJS.
cpSync(join(dist, 'types'), join(dist, 'commonjs'), {recursive: true});
writeFileSync(join(dist, 'commonjs/package.json'), '{"type": "commonjs"}\n');

for (const file of ['browser.js', 'relaxed.js', 'worker.js', 'worker-relaxed.js', 'wasmvino.js', 'node.cjs', ...['relaxed', 'relaxed-mt'].flatMap((name) => [`wasmvino-${name}.mjs`, `wasmvino-${name}.wasm`])]) {
  const path = join(dist, file);
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;
  console.log(`${file.padEnd(26)} ${kilobytes(statSync(path).size)}, gzip ${kilobytes(gzipSync(readFileSync(path), {level: 9}).length)}`);
}
