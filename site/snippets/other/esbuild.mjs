import {build} from 'esbuild';
import {cpSync, readdirSync} from 'node:fs';

await build({
  entryPoints: ['main.js'],
  bundle: true,
  format: 'esm',
  outfile: 'built/main.js',
  external: ['./wasmvino-*.mjs'], // the engine's files are not bundled: they are copied beside the bundle
});
const engine = 'node_modules/wasmvino/dist';
// worker.js is for new ov.Core({worker: true}).
for (const file of readdirSync(engine).filter((name) => /^wasmvino-.*\.(mjs|wasm)$|^worker\.js$/.test(name))) {
  cpSync(`${engine}/${file}`, `built/${file}`);
}
