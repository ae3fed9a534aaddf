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

// The glue of a plain and of a relaxed module is the same but for the names in it, so that one serves both.
function sharedGlue(folder, suffix, flavour) {
  const [simd, relaxed] = ['simd', 'relaxed'].map((name) =>
    readFileSync(join(from, folder, `wasmvino-${name}${flavour}${suffix}`), 'utf8'),
  );
  const plain = (text) => text.replaceAll(/wasmvino-(simd|relaxed)/g, 'wasmvino');
  if (plain(simd) !== plain(relaxed)) throw new Error(`the glues of ${folder}/wasmvino-*${flavour} differ`);
  return simd;
}

// What Closure leaves is 2% larger than it need be.
function smaller(text) {
  return transformSync(text, {minify: true, format: 'esm', target: 'es2022', legalComments: 'none'}).code;
}

writeFileSync(join(dist, 'wasmvino-glue.mjs'), smaller(sharedGlue('wasm', '.mjs', '')));
for (const flavour of ['', '-mt']) {
  writeFileSync(join(dist, `node/wasmvino${flavour}.cjs`), sharedGlue('node', '.js', flavour));
}
for (const name of ['simd', 'relaxed', 'simd-mt', 'relaxed-mt']) {
  copyFileSync(join(from, `wasm/wasmvino-${name}.wasm`), join(dist, `wasmvino-${name}.wasm`));
}
// A threaded module's workers load its glue by its name.
for (const name of ['simd-mt', 'relaxed-mt']) {
  writeFileSync(join(dist, `wasmvino-${name}.mjs`), smaller(readFileSync(join(from, `wasm/wasmvino-${name}.mjs`), 'utf8')));
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
  external: ['./wasmvino-glue.mjs', './wasmvino-simd-mt.mjs', './wasmvino-relaxed-mt.mjs'],
});
await build({...shared, entryPoints: ['js/src/node.ts'], outfile: 'dist/node.js', platform: 'node'});
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

for (const file of ['browser.js', 'wasmvino-glue.mjs', 'wasmvino-simd-mt.mjs', 'wasmvino-simd.wasm', 'wasmvino-relaxed.wasm', 'wasmvino-relaxed-mt.wasm']) {
  const path = join(dist, file);
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;
  console.log(`${file.padEnd(26)} ${kilobytes(statSync(path).size)}, gzip ${kilobytes(gzipSync(readFileSync(path), {level: 9}).length)}`);
}
