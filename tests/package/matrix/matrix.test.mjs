// SPDX-License-Identifier: Apache-2.0
// Tests the packed package in common JavaScript runtimes. matrix/package.json lists what is installed for this.
import assert from 'node:assert/strict';
import {execFile, spawn} from 'node:child_process';
import {cpSync, existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {promisify} from 'node:util';
import {build as esbuild} from 'esbuild';
import {goldenScores, install, root} from '../install.mjs';

const installed = join(root, 'tests/package/matrix/node_modules');
if (!existsSync(installed)) throw new Error('tests/package/matrix is not installed: scripts/setup/npm.sh tests/package/matrix');
const {folder, remove} = install();
after(remove);
const dist = '/node_modules/wasmvino/dist/';
const letters = [...[...'browser'].map((letter) => letter.charCodeAt(0) - 94), 2];

const near = (scores) => {
  const wanted = goldenScores();
  assert.equal(scores?.length, wanted.length);
  scores.forEach((score, i) => assert.ok(Math.abs(score - wanted[i]) < 1e-3, `${scores}, expected ${wanted}`));
};

// Defines decode({Core, Tensor}, model, options), which gives the scores of a word.
const decoding = `
async function decode({Core, Tensor}, model, options) {
  const compiled = await new Core(options).compileModel(model, 'CPU');
  const letters = ${JSON.stringify(letters)};
  const {scores} = await compiled.createInferRequest().inferAsync([new Tensor('i32', [1, letters.length], letters), new Tensor('i32', [], [3])]);
  return [...scores.data];
}
`;

describe('runtimes', () => {
  const main = `${decoding}
    const here = await decode(wasmvino, 'model.xml', {});
    const inWorker = await decode(wasmvino, 'model.xml', {worker: true});
    console.log(JSON.stringify({here, inWorker, build: {...wasmvino.addon.build}}));
    process.exit();`;

  const programs = {
    'runtime.mjs': `import * as wasmvino from 'wasmvino';\n${main}`,
    'runtime.cjs': `const wasmvino = require('wasmvino');\n(async () => {${main}})();`,
    'one.mjs': `import * as wasmvino from 'wasmvino/simd';\n${main}`,
  };
  before(() => {
    for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text);
  });

  for (const [name, file, ...args] of [
    ['Node.js 20.0', 'node-20/bin/node'],
    ['Node.js 22', 'node-22/bin/node'],
    ['Node.js 24', 'node-24/bin/node'],
    ['Deno', '@deno/linux-x64-glibc/deno', 'run', '--allow-all', '--node-modules-dir=manual', '--no-lock', '--quiet'],
    ['Bun', '@oven/bun-linux-x64/bin/bun'],
  ]) {
    for (const program of Object.keys(programs)) {
      it(`${name} runs ${program}`, async () => {
        const {stdout} = await promisify(execFile)(join(installed, file), [...args, program], {cwd: folder, encoding: 'utf8', timeout: 60_000});
        const {here, inWorker, build} = JSON.parse(stdout);
        near(here);
        near(inWorker);
        if (program === 'one.mjs') assert.equal(build.name, 'simd');
      });
    }
  }

  // workerd forbids compiling modules at run time, so the module must be part of the worker, like its script.
  it('workerd runs a bundle with its module', async () => {
    const worker = `
      import * as wasmvino from 'wasmvino/simd';
      import factory from 'wasmvino/wasmvino-simd.mjs';
      import module from './wasmvino-simd.wasm';
      import xml from './model.xml';
      import bin from './model.bin';
      ${decoding.replace("compileModel(model, 'CPU')", "readModel(...model).then((model) => new Core().compileModel(model, 'CPU'))")}
      wasmvino.configure({factory, wasmBinary: module});
      export default {
        async fetch() {
          try {
            return Response.json({here: await decode(wasmvino, [new TextEncoder().encode(xml), new Uint8Array(bin)], {}), build: {...wasmvino.addon.build}});
          } catch (error) {
            return Response.json({failed: String(error), stack: error.stack});
          }
        },
      };`;
    const work = join(folder, 'workerd');
    mkdirSync(work);
    for (const file of ['model.xml', 'model.bin', `${dist}wasmvino-simd.wasm`.slice(1)]) cpSync(join(folder, file), join(work, file.split('/').pop()));
    await esbuild({
      stdin: {contents: worker, resolveDir: folder, sourcefile: 'worker.js'},
      bundle: true,
      format: 'esm',
      outfile: join(work, 'worker.js'),
      external: ['./wasmvino-simd.wasm', './model.xml', './model.bin'],
      conditions: ['workerd', 'worker'],
      logLevel: 'warning',
    });
    const embed = (name, kind) => `(name = "${name}", ${kind} = embed "${name}")`;
    const modules = [embed('worker.js', 'esModule'), embed('wasmvino-simd.wasm', 'wasm'), embed('model.xml', 'text'), embed('model.bin', 'data')];
    writeFileSync(
      join(work, 'config.capnp'),
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (modules = [${modules.join(', ')}], compatibilityDate = "2026-01-01"))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
`,
    );
    const server = spawn(join(installed, '@cloudflare/workerd-linux-64/bin/workerd'), ['serve', 'config.capnp', '--control-fd=3'], {
      cwd: work,
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    });
    try {
      const port = await new Promise((resolve, reject) => {
        let text = '';
        server.stdio[3].on('data', (data) => {
          text += data;
          const found = /"event":"listen","socket":"http","port":(\d+)/.exec(text);
          if (found) resolve(found[1]);
        });
        server.on('exit', (code) => reject(new Error(`workerd ended with code ${code}: ${text}`)));
      });
      const {here, build, failed, stack} = await (await fetch(`http://127.0.0.1:${port}/`)).json();
      assert.equal(failed, undefined, stack);
      near(here);
      assert.equal(build.name, 'simd');
    } finally {
      server.kill();
    }
  });
});
