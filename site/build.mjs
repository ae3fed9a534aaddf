// SPDX-License-Identifier: Apache-2.0
// node site/build.mjs: builds static files for any web server in build/site, from the pages, the package (dist), its
// declarations, the demo and, if they exist, the networks of the examples (../shared/models).
import {execFileSync} from 'node:child_process';
import {copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {FRAME_POLICY, frameHtml} from './frame/page.mjs';
import {copyModels} from './scripts/models.mjs';
import {makeReference} from './scripts/reference.mjs';

const site = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '');
const root = dirname(site);
const out = join(root, 'build/site');

for (const [path, made] of [
  [join(root, 'dist/browser.js'), 'scripts/build.sh modules package'],
  [join(root, 'build/demo/index.html'), 'node demo/build.mjs'],
]) {
  if (!existsSync(path)) {
    console.error(`${path} is missing: ${made}`);
    process.exit(1);
  }
}

await makeReference();
execFileSync(process.execPath, ['node_modules/vitepress/bin/vitepress.js', 'build'], {cwd: site, stdio: 'inherit'});

cpSync(join(root, 'build/demo'), join(out, 'demo'), {recursive: true});
mkdirSync(join(out, 'wasmvino'), {recursive: true});
for (const name of readdirSync(join(root, 'dist')).filter((name) => /^(browser|shared)\.js$|\.(mjs|wasm)$|^THIRD_PARTY/.test(name))) {
  copyFileSync(join(root, 'dist', name), join(out, 'wasmvino', name));
}
copyModels(join(out, 'models'));

// The frame for edited code.
mkdirSync(join(out, 'frame'), {recursive: true});
writeFileSync(join(out, 'frame/run.html'), frameHtml(readFileSync(join(site, 'frame/run.js'), 'utf8')));

// Some hosts read this file (Netlify, Cloudflare Pages). Threads need the first two headers. With these, the sandboxed frame
// needs the third one.
writeFileSync(
  join(out, '_headers'),
  '/*\n  Cross-Origin-Opener-Policy: same-origin\n  Cross-Origin-Embedder-Policy: require-corp\n' +
    `/frame/*\n  Cross-Origin-Resource-Policy: cross-origin\n  Content-Security-Policy: ${FRAME_POLICY}\n`,
);
console.log(`the site is in ${out}`);
