// SPDX-License-Identifier: Apache-2.0
// Bundles the TypeScript into the scripts of the package. Entries share what they have in common, so that all entries of a
// page, or of a program for Node.js, share one engine.
import {build, transformSync} from 'esbuild';
import {chmodSync, mkdirSync, writeFileSync} from 'node:fs';
import {basename, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {classicScript, pageScript, workerScript} from './scripts.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'js/src');

const minified = {minify: true, keepNames: true};
// Names stay readable and lines short, because Node.js shows them with errors. Comments and indentation would take 15 KB of
// the package. Users see the names of its classes, but not those in the worker.
const short = {minifyWhitespace: true, lineLimit: 200};
// A script of Node.js in the format of CommonJS.
const commonjs = {
  format: 'cjs',
  platform: 'node',
  banner: "const urlOfThisFile = require('node:url').pathToFileURL(__filename).href;",
};

const options = (version) => ({
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  define: {WASMVINO_VERSION: JSON.stringify(version)},
  legalComments: 'none',
  logLevel: 'warning',
  // The names of packages' files are in cli.js. They must not depend on where a link to node_modules leads.
  preserveSymlinks: true,
});

/** Sources that are not files, by their names. Their imports are relative to js/src/entries. */
const texts = (sources) => ({
  name: 'generated sources',
  setup({onResolve, onLoad}) {
    onResolve({filter: /^text:/}, ({path}) => ({path, namespace: 'text'}));
    onLoad({filter: /./, namespace: 'text'}, ({path}) => ({contents: sources[path.slice('text:'.length)], loader: 'ts', resolveDir: join(source, 'entries')}));
  },
});

const glue = /^\.\/wasmvino-.*\.mjs$/;
// Scripts that stay files of their own: the glue, and what generated sources import as "beside:PATH".
const beside = {
  name: 'scripts beside the bundle',
  setup({onResolve}) {
    onResolve({filter: glue}, ({path}) => ({path, external: true}));
    onResolve({filter: /^beside:/}, ({path}) => ({path: path.slice('beside:'.length), external: true}));
  },
};
const glueIn = (dist) => ({
  name: 'the glue is part of the bundle',
  setup: ({onResolve}) => onResolve({filter: glue}, ({path}) => ({path: join(dist, path)})),
});

// Modules of extensions are imported at run time. The comments in the source tell bundlers to leave that import() alone, but
// esbuild removes them. This restores them.
function withComments(text, name) {
  if (text.split('import(String(').length !== 2) throw new Error(`${name} does not import modules of extensions in one place`);
  return text.replace('import(String(', 'import(/* webpackIgnore: true */ /* @vite-ignore */ String(');
}

// What entries share has a name that does not change with its content: service workers list the files of a page.
function nameOfChunk(inputs) {
  const files = Object.keys(inputs);
  return files.includes('js/src/base/platform.ts') ? 'shared' : `shared-${basename(files.at(-1)).replace(/\.\w+$/, '')}`;
}

/** Bundles entries with what they share. Returns the texts of the scripts by their paths in dist/, and whether each is shared. */
async function bundleTogether(config) {
  const {outputFiles, metafile} = await build({
    ...config,
    splitting: true,
    write: false,
    metafile: true,
    outdir: join(root, 'dist'),
    chunkNames: 'chunk-[hash]',
  });
  const names = new Map();
  for (const [path, {entryPoint, inputs}] of Object.entries(metafile.outputs)) {
    if (entryPoint !== undefined) continue;
    const name = nameOfChunk(inputs);
    if ([...names.values()].includes(name)) throw new Error(`two scripts would be named ${name}`);
    names.set(basename(path, '.js'), name);
  }
  const renamed = (text) => text.replace(/\bchunk-[A-Z0-9]+\b/g, (chunk) => names.get(chunk) ?? chunk);
  return new Map(outputFiles.map(({path, text}) => [renamed(path.slice(join(root, 'dist/').length)), renamed(text)]));
}

const entrySource = (path) => resolve(source, path);
const exportsOf = (path, hasDefault) => {
  const file = JSON.stringify(entrySource(path));
  return `export * from ${file};\n${hasDefault ? `export {default} from ${file};\n` : ''}`;
};

// Node.js takes all exports of a CommonJS file for its default one.
const defaultOf = (file) => `import all from '${file}';\nexport default all.default;\n`;

async function bundlePages(config, dist, {builds, entries}) {
  const main = entries.find(({name}) => name === '.');
  const exported = exportsOf(main.source, main.hasDefault);
  const sources = {browser: exported + pageScript(builds, 'worker.js', 'wasmvino')};
  for (const name of builds) sources[name] = exported + pageScript([name], `worker-${name}.js`, `wasmvino-worker-${name}`);
  for (const {name, source: path, platforms, hasDefault} of entries) {
    if (name === '.' || !platforms.includes('browser')) continue;
    // The second import keeps all that pages need in one script: esbuild makes one for each set of entries that share something.
    sources[name] = `import 'beside:./browser.js';\nimport '../platforms/page.ts';\n${exportsOf(path, hasDefault)}`;
  }
  const scripts = await bundleTogether({
    ...config,
    ...minified,
    entryPoints: Object.fromEntries(Object.keys(sources).map((name) => [name, `text:${name}`])),
    plugins: [texts(sources), beside],
  });
  for (const [path, text] of scripts) writeFileSync(join(dist, path), path === 'shared.js' ? withComments(text, path) : text);
}

async function bundleScript(config, dist, name, text, more = {}) {
  const {outputFiles} = await build({
    ...config,
    ...more,
    minify: true,
    write: false,
    // esbuild reads no tsconfig for generated sources: classic scripts are strict, too.
    tsconfigRaw: {compilerOptions: {alwaysStrict: true}},
    outfile: join(dist, name),
    entryPoints: ['text:script'],
    plugins: [texts({script: text}), glueIn(dist)],
  });
  writeFileSync(join(dist, name), withComments(outputFiles[0].text, name));
}

// Node.js loads CommonJS files, so a program that imports and requires the package has only one engine. esbuild splits only
// modules, so these are split first and then converted.
async function bundleForNode(config, dist, {builds, entries}) {
  const inNode = entries.filter(({platforms}) => platforms.includes('node'));
  const others = inNode.filter(({name}) => name !== '.');
  const sources = Object.fromEntries(others.map(({name, source: path, hasDefault}) => [name, `import 'beside:../node.cjs';\n${exportsOf(path, hasDefault)}`]));
  const scripts = await bundleTogether({
    ...config,
    keepNames: true,
    platform: 'node',
    entryPoints: {node: 'js/src/entries/node.ts', ...Object.fromEntries(others.map(({name}) => [`node/${name}`, `text:${name}`]))},
    plugins: [texts(sources), beside],
  });
  for (const [path, text] of scripts) {
    const {code} = transformSync(text.replace(/(["'].*\/shared[a-z_-]*)\.js(["'])/g, '$1.cjs$2'), {
      ...short,
      ...commonjs,
      target: config.target,
      legalComments: 'none',
      define: {'import.meta.url': 'urlOfThisFile'},
    });
    writeFileSync(join(dist, path.replace(/\.js$/, '.cjs')), code);
  }
  for (const {name, hasDefault} of others) {
    const file = `./${name}.cjs`;
    writeFileSync(join(dist, `node/${name}.js`), `export * from '${file}';\n${hasDefault ? defaultOf(file) : ''}`);
  }
  writeFileSync(join(dist, 'node.js'), `export * from './node.cjs';\n${defaultOf('./node.cjs')}`);
  for (const name of builds) {
    writeFileSync(join(dist, `node/${name}.cjs`), `const wasmvino = require('../node.cjs');\nwasmvino.useOnly('${name}');\nmodule.exports = wasmvino;\n`);
    // Not by importing the .cjs: Node.js 20 ends the process if a CommonJS module throws while it is imported.
    writeFileSync(join(dist, `node/${name}.js`), `import {useOnly} from '../node.cjs';\nuseOnly('${name}');\nexport * from '../node.cjs';\n${defaultOf('../node.cjs')}`);
  }
  await build({
    ...config,
    ...short,
    ...commonjs,
    banner: {js: commonjs.banner},
    define: {...config.define, 'import.meta.url': 'urlOfThisFile'},
    entryPoints: ['js/src/entries/node_worker.ts'],
    outfile: join(dist, 'worker.cjs'),
  });
}

/** Bundles the scripts of the package into `dist`, which contains the glue of the builds. */
export async function bundle(dist, manifest, version) {
  const config = options(version);
  const {builds, entries} = manifest;
  mkdirSync(join(dist, 'node'), {recursive: true});
  await bundlePages(config, dist, manifest);
  // The script of the worker that runs the engine. Pages fetch it only if they use the option `worker`.
  await bundleScript(config, dist, 'worker.js', workerScript(builds));
  for (const name of builds) await bundleScript(config, dist, `worker-${name}.js`, workerScript([name]));
  await bundleScript(config, dist, 'wasmvino.js', classicScript(builds, 'worker.js', entries.find(({name}) => name === '.').source), {
    keepNames: true,
    format: 'iife',
    globalName: 'wasmvino',
    define: {...config.define, 'import.meta.url': 'scriptUrl'},
    inject: ['js/src/entries/script_url.ts'],
  });
  await bundleForNode(config, dist, manifest);
  await build({
    ...config,
    ...short,
    entryPoints: ['js/src/cli/main.ts'],
    outfile: join(dist, 'cli.js'),
    platform: 'node',
    plugins: [
      {
        name: 'the package itself stays a file of its own',
        setup: ({onResolve}) => onResolve({filter: /\/node\.js$/}, () => ({path: './node.js', external: true})),
      },
    ],
  });
  chmodSync(join(dist, 'cli.js'), 0o755);
}
