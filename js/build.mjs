// SPDX-License-Identifier: Apache-2.0
// Builds dist/, the files of the npm package, from the TypeScript and from the modules that `scripts/build.sh modules` left
// in build/wasm/dist.
import {transformSync} from 'esbuild';
import {execFileSync} from 'node:child_process';
import {appendFileSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {bundle} from './bundles.mjs';
import {glueTypes} from './fields.mjs';
import {guardCalls} from './guard_calls.mjs';
import * as manifest from './manifest.mjs';
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

for (const build of manifest.builds) {
  const name = `wasmvino-${build}`;
  writeFileSync(join(dist, `${name}.d.mts`), glueTypes);
  for (const file of [name, ...manifest.parts.map((part) => `${name}.${part}`)]) {
    writeFileSync(join(dist, `${file}.wasm`), withProvenance(guardCalls(readFileSync(join(from, `wasm/${file}.wasm`))), provenance));
  }
  const glue = readFileSync(join(from, `wasm/${name}.mjs`), 'utf8');
  writeFileSync(join(dist, `${name}.mjs`), smaller(build.endsWith('-mt') ? separateThreads(build, glue) : glue));
  copyFileSync(join(from, `node/${name}.js`), join(dist, `node/${name}.cjs`));
}
// dist/cli.js contains the libraries that decode pictures, so their licences must be included.
const bundled = ['fast-png', 'fflate', 'iobuffer', 'jpeg-js'];
const rule = '='.repeat(78);
const notice = (name, where, file) => `\n\n${rule}\n${name} (${where})\n${rule}\n\n${readFileSync(join(root, file), 'utf8')}`;
const notices = bundled.map((name) => notice(name, 'dist/cli.js', `node_modules/${name}/LICENSE`));
// The npm package has no licence file.
notices.push(notice('onnxruntime-common', 'dist/ort.js', 'web/licenses/onnxruntime.txt'));
writeFileSync(join(dist, 'THIRD_PARTY_LICENSES.txt'), [readFileSync(join(from, 'THIRD_PARTY_LICENSES.txt'), 'utf8'), ...notices].join(''));

await bundle(dist, manifest, version);
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'js/tsconfig.json'], {cwd: root, stdio: 'inherit'});
for (const room of ['cli', 'arrays']) rmSync(join(dist, 'types', room), {recursive: true});
// The declarations of wasmvino/ort are those of onnxruntime-common, which is part of the bundle. So a program needs no other
// package to compile.
const common = join(root, 'node_modules/onnxruntime-common/dist/esm');
const ofCommon = join(dist, 'types/ort/onnxruntime-common');
mkdirSync(ofCommon);
for (const name of readdirSync(common)) {
  if (name.endsWith('.d.ts')) writeFileSync(join(ofCommon, name), readFileSync(join(common, name), 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?/m, ''));
}
for (const name of ['index', 'backend', 'session', 'element_types']) {
  const path = join(dist, `types/ort/${name}.d.ts`);
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll("'onnxruntime-common'", "'./onnxruntime-common/index.js'"));
}
// Declares the global variable of the classic script.
appendFileSync(join(dist, 'types/api/index.d.ts'), 'export as namespace wasmvino;\n');
// A copy of the declarations for require(). The package.json in their folder marks them as CommonJS.
cpSync(join(dist, 'types'), join(dist, 'commonjs'), {recursive: true});
writeFileSync(join(dist, 'commonjs/package.json'), '{"type": "commonjs"}\n');

for (const file of ['browser.js', 'shared.js', 'relaxed.js', 'worker.js', 'worker-relaxed.js', 'wasmvino.js', 'node.cjs', ...['relaxed', 'relaxed-mt'].flatMap((name) => [`wasmvino-${name}.mjs`, `wasmvino-${name}.wasm`])]) {
  const path = join(dist, file);
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;
  console.log(`${file.padEnd(26)} ${kilobytes(statSync(path).size)}, gzip ${kilobytes(gzipSync(readFileSync(path), {level: 9}).length)}`);
}
