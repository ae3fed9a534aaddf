// SPDX-License-Identifier: Apache-2.0
// Tests the declarations of the installed package with TypeScript, and the package with checkers.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, describe, it} from 'node:test';
import {publint} from 'publint';
import {formatMessage} from 'publint/utils';
import {builds} from '../../js/manifest.mjs';
import {install, root} from './install.mjs';

const {folder, packed, remove} = install();
after(remove);

const program = `
export async function run(data: Float32Array): Promise<Tensor | undefined> {
  ov.configure({build: 'simd'});
  await ov.ready;
  const {name}: Build = ov.build;
  const model = await new ov.Core().readModel('model.xml');
  const [one] = model.input('x').getPartialShape().getDimensions();
  const request = new ov.Core().compileModelSync(model, name === 'simd' ? 'CPU' : 'AUTO').createInferRequest();
  try {
    const results = request.infer({x: new ov.Tensor(ov.element.f32, [1, Number(one)], data), y: [1, 2n]}, {shareOutputs: true});
    request.observe([{layer: ['loop', 'inner'], port: 1}]);
    return results['y'];
  } catch (error) {
    if (error instanceof WasmvinoError && error.code === 'INVALID_SHAPE') return undefined;
    throw error;
  } finally {
    request.dispose();
  }
}
export function prepare(model: Model): void {
  const core = new ov.Core();
  core.addExtension({type: 'Swoosh', infer: ([{type, shape}]) => [{type, shape}], evaluate: ([x]) => [x]});
  const steps = new ov.preprocess.PrePostProcessor(model).input('x').preprocess();
  steps.custom((x, step) => step.add('Pad', [x, step.constant('i64', [1], [1n])], {pad_mode: 'edge'}).output(0));
}
// @ts-expect-error: there is no such element type
new ov.Tensor('f31', [1]);
// @ts-expect-error: there is no such build
ov.configure({build: 'mmx'});
// @ts-expect-error: there is no such option
ov.configure({wasmURL: '/'});
// @ts-expect-error: this is internal
ov.Tensor.of;
`;
const imports = `import {addon as ov, WasmvinoError, configure, ready, build, type Build, type Model, type Tensor} from 'wasmvino';
void [configure, ready, build.name];
`;
const factory = `import factory from 'wasmvino/wasmvino-simd.mjs';
ov.configure({build: 'simd', factory});
`;
const oneBuild = `import {Core as OfOne, Tensor as TensorOfOne, configure as configureOne} from 'wasmvino/relaxed';
configureOne({wasmUrl: '/wasm/'});
export const core: OfOne = new OfOne({worker: true});
export const tensor: TensorOfOne = new TensorOfOne('f32', [1]);
`;
const globalVariable = `export const core: wasmvino.Core = new wasmvino.Core();
`;
const halves = `export const halves: Float16Array = new Float16Array(2);
new ov.Tensor('f16', [2], halves);
`;
// A CommonJS program (.cts).
const requires = `import wasmvino = require('wasmvino');
const {addon: ov, WasmvinoError} = wasmvino;
type Build = wasmvino.Build;
type Model = wasmvino.Model;
type Tensor = wasmvino.Tensor;
`;

// wasmvino/ort can stand in for onnxruntime-common.
const asOnnxruntime = `import * as ort from 'wasmvino/ort';
import type {InferenceSession as Session, Tensor as OrtTensor} from 'onnxruntime-common';
export const same: typeof import('onnxruntime-common') = ort;
export const tensor: OrtTensor = new ort.Tensor('float32', [1, 2], [2]);
export const session: Promise<Session> = ort.InferenceSession.create('model.onnx', {executionProviders: ['wasm'], intraOpNumThreads: 2});
export const reverse = (given: Session): ort.InferenceSession => given;
ort.useGlobally();
`;

function compile(compiler, file, text, ...options) {
  writeFileSync(join(folder, file), text);
  const strict = ['--noEmit', '--strict', '--target', 'es2022', '--typeRoots', 'none'];
  const {status, stdout} = spawnSync(process.execPath, [join(root, `node_modules/${compiler}/bin/tsc`), ...strict, ...options, file], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout);
}

describe('types', () => {
  for (const compiler of ['typescript', 'typescript-5']) {
    for (const [module, moduleResolution] of [
      ['node16', 'node16'],
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ]) {
      it(`${compiler}: are resolved as ${moduleResolution}`, () => {
        const options = ['--module', module, '--moduleResolution', moduleResolution];
        compile(compiler, 'typed.mts', imports + program + factory + oneBuild, ...options);
        if (module !== 'esnext') compile(compiler, 'typed.cts', requires + program, ...options);
      });
    }

    it(`${compiler}: Float16Array is one of f16's arrays`, () => {
      const options = ['--module', 'nodenext', '--lib', 'es2022,dom,esnext.float16'];
      compile(compiler, 'halves.mts', imports + program + halves, ...options);
    });

    it(`${compiler}: wasmvino/ort has the types of onnxruntime-common`, () => {
      symlinkSync(join(root, 'node_modules/onnxruntime-common'), join(folder, 'node_modules/onnxruntime-common'));
      try {
        compile(compiler, 'ort.mts', asOnnxruntime, '--module', 'nodenext', '--lib', 'es2022,dom');
      } finally {
        rmSync(join(folder, 'node_modules/onnxruntime-common'));
      }
    });

    it(`${compiler}: need no DOM`, () => {
      compile(compiler, 'plain.mts', imports + program + factory, '--module', 'nodenext', '--lib', 'es2022');
    });
  }

  it('know the global variable of the classic script', () => {
    const options = ['--module', 'nodenext', '--lib', 'es2022,dom', '--allowUmdGlobalAccess', '--types', 'wasmvino', '--typeRoots', 'node_modules'];
    compile('typescript-5', 'classic.mts', globalVariable, ...options);
  });

  it('are resolved as node10, by the last compiler that knows it', () => {
    const options = ['--module', 'commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '5.0', '--esModuleInterop'];
    compile('typescript-5', 'typed10.ts', imports + program + oneBuild, ...options);
  });
});

describe('checkers', () => {
  it('publint has nothing to say', async () => {
    const {messages, pkg} = await publint({pkgDir: join(folder, 'node_modules/wasmvino'), pack: false, strict: true});
    assert.deepEqual(messages.map((message) => formatMessage(message, pkg)), []);
  });

  // Modules that are only for import are checked with the profile esm-only. The rule false-export-default reads esbuild's list of names,
  // which never has `default`. That require() gives it, and as the declarations say, is tested in tests/js/api/openvino_node.test.mjs.
  for (const [what, options] of [
    ['the package', ['--entrypoints', '.']],
    ['its entries of one build', ['--entrypoints', ...builds.map((name) => `./${name}`)]],
    ['its modules', ['--exclude-entrypoints', '.', ...builds.map((name) => `./${name}`), './package.json', '--profile', 'esm-only']],
  ]) {
    it(`are-the-types-wrong finds ${what} right`, () => {
      const cli = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js');
      const {status, stdout, stderr} = spawnSync(process.execPath, [cli, join(folder, packed.filename), '--no-definitely-typed', '--no-color', '--no-emoji', '--ignore-rules', 'false-export-default', ...options], {encoding: 'utf8'});
      assert.equal(status, 0, stdout + stderr);
    });
  }

  it('npm would publish it without a warning', () => {
    const {status, stderr} = spawnSync('npm', ['publish', '--dry-run', '--offline', root], {cwd: folder, encoding: 'utf8'});
    assert.equal(status, 0, stderr);
    const ofThisMachine = /Unknown (user|env|builtin|global|project) config|new (major|minor|patch) version|requires you to be logged in/;
    assert.deepEqual(stderr.split('\n').filter((line) => /warn/i.test(line) && !ofThisMachine.test(line)), []);
  });
});
