// SPDX-License-Identifier: Apache-2.0
// node demo/build.mjs: builds static files for any web server in build/demo, from the page, the package (dist) and the model.
import {build} from 'esbuild';
import {execFileSync} from 'node:child_process';
import {copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = dirname(here.replace(/\/$/, ''));
const dist = join(root, 'dist');
const model = join(root, 'build/testdata/models/g2p');
const out = join(root, 'build/demo');
const require = createRequire(import.meta.url);

for (const [path, made] of [
  [join(dist, 'browser.js'), 'scripts/build.sh modules package'],
  [join(model, 'model.xml'), 'scripts/setup/testdata.sh g2p'],
]) {
  if (!existsSync(path)) {
    console.error(`${path} is missing: ${made}`);
    process.exit(1);
  }
}

/** @param {string} folder @param {string[]} files @param {string} to */
function copy(folder, files, to) {
  mkdirSync(join(out, to), {recursive: true});
  for (const file of files) copyFileSync(join(folder, file), join(out, to, file));
}

rmSync(out, {recursive: true, force: true});
copy(here, ['index.html', 'icon.svg'], '.');
copy(model, ['model.xml', 'model.bin', 'vocab.json', 'LICENSE.txt', 'NOTICE.txt'], 'model');
copy(
  dist,
  readdirSync(dist).filter((name) => /^(browser|shared)\.js$|\.(mjs|wasm)$/.test(name)),
  'wasmvino',
);

// The fonts have Latin letters. The sans-serif font also has the symbols of the IPA.
let licences = '';
for (const [name, sets] of Object.entries({'source-sans-3': ['latin', 'latin-ext'], 'source-serif-4': ['latin']})) {
  const folder = dirname(require.resolve(`@fontsource-variable/${name}/package.json`));
  copy(
    join(folder, 'files'),
    sets.map((set) => `${name}-${set}-wght-normal.woff2`),
    'fonts',
  );
  licences += readFileSync(join(folder, 'LICENSE'), 'utf8') + '\n';
}
writeFileSync(join(out, 'fonts/OFL.txt'), licences);

await build({
  absWorkingDir: here,
  entryPoints: ['src/main.js', 'src/theme.js', 'src/style.css'],
  outdir: out,
  bundle: true,
  format: 'esm',
  minify: true,
  target: 'es2022',
  legalComments: 'none',
  logLevel: 'warning',
  external: ['*.woff2'],
  // The files of the package are served unbundled.
  plugins: [
    {
      name: 'package',
      setup: ({onResolve}) =>
        onResolve({filter: /^wasmvino$/}, () => ({path: './wasmvino/browser.js', external: true})),
    },
  ],
});
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', here], {stdio: 'inherit'});
console.log(`the demo is in ${out}`);
