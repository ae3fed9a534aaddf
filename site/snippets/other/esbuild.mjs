import {build} from 'esbuild';
import {cpSync, readdirSync} from 'node:fs';

await build({
  entryPoints: ['main.js'],
  bundle: true,
  format: 'esm',
  outfile: 'built/main.js',
  // The engine's files are not bundled: they are copied beside the bundle.
  external: ['./wasmvino-*.mjs'],
});
const engine = 'node_modules/wasmvino/dist';
// worker.js is for new ov.Core({worker: true}).
for (const file of readdirSync(engine)) {
  if (!/^wasmvino-.*\.(mjs|wasm)$|^worker\.js$/.test(file)) continue;
  cpSync(`${engine}/${file}`, `built/${file}`);
}
