// SPDX-License-Identifier: Apache-2.0
// Builds what npm packs (dist) from the modules (build/wasm/dist, by `scripts/build.sh modules`) and the TypeScript.
import {build, transformSync} from 'esbuild';
import {execFileSync} from 'node:child_process';
import {chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const from = join(root, 'build/wasm/dist');
const dist = join(root, 'dist');
const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

if (!existsSync(join(from, 'wasm/wasmvino-simd.wasm'))) {
  console.error('The WebAssembly modules are missing: scripts/build.sh modules');
  process.exit(1);
}
rmSync(dist, {recursive: true, force: true});
mkdirSync(join(dist, 'node'), {recursive: true});

// What Closure leaves is 2% larger than it need be.
const smaller = (text) => transformSync(text, {minify: true, format: 'esm', target: 'es2022', legalComments: 'none'}).code;

for (const name of ['simd', 'relaxed', 'simd-mt', 'relaxed-mt'].map((build) => `wasmvino-${build}`)) {
  copyFileSync(join(from, `wasm/${name}.wasm`), join(dist, `${name}.wasm`));
  writeFileSync(join(dist, `${name}.mjs`), smaller(readFileSync(join(from, `wasm/${name}.mjs`), 'utf8')));
  copyFileSync(join(from, `node/${name}.js`), join(dist, `node/${name}.cjs`));
}

const shared = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  define: {WASMVINO_VERSION: JSON.stringify(version)},
  legalComments: 'none',
  logLevel: 'warning',
};
await build({
  ...shared,
  entryPoints: ['js/src/browser.ts'],
  outfile: 'dist/browser.js',
  minify: true,
  // Names of properties that neither callers nor the engine's JSON see, and that no text names ("'files' in source").
  mangleProps:
    /^(array|compileInBackground|config|copyOf|device|factory|factorySync|isLive|moduleSync|optional|processors|relaxedAdvice|stayAlive|threadsRefused|wasmUrl)$/,
  external: ['./wasmvino-*.mjs'],
});
await build({...shared, entryPoints: ['js/src/node.ts'], outfile: 'dist/node.js', platform: 'node', keepNames: true});
await build({
  ...shared,
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

for (const file of ['browser.js', ...['relaxed', 'relaxed-mt'].flatMap((name) => [`wasmvino-${name}.mjs`, `wasmvino-${name}.wasm`])]) {
  const path = join(dist, file);
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;
  console.log(`${file.padEnd(26)} ${kilobytes(statSync(path).size)}, gzip ${kilobytes(gzipSync(readFileSync(path), {level: 9}).length)}`);
}
