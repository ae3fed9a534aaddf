import {build} from 'esbuild';
import {cpSync} from 'node:fs';

await build({
  entryPoints: ['main.js'],
  bundle: true,
  format: 'esm',
  outfile: 'built/main.js',
  external: ['./wasmvino-*.mjs'], // the engine's own files are not bundled: they go beside the bundle
});
for (const file of ['simd', 'relaxed', 'simd-mt', 'relaxed-mt'].flatMap((name) => [`${name}.mjs`, `${name}.wasm`])) {
  cpSync(`node_modules/wasmvino/dist/wasmvino-${file}`, `built/wasmvino-${file}`);
}
cpSync('node_modules/wasmvino/dist/worker.js', 'built/worker.js'); // for new ov.Core({worker: true})
