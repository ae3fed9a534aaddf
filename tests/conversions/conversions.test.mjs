// SPDX-License-Identifier: Apache-2.0
// Runs the commands of the guides about conversion and quantisation as they are written, on randomly initialised networks and with
// pinned versions. The packed package must run each model that they make, and agree with OpenVINO.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {cpSync, mkdirSync, readFileSync, rmSync, symlinkSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {install, root} from '../package/install.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const build = join(root, 'build/conversions');
const makers = join(build, 'makers/bin/python');
const constraints = join(here, 'constraints.txt');
const env = {
  ...process.env,
  // `python` as a fresh environment or Windows names it. Debian has only python3.
  PATH: `${join(build, 'bin')}:${process.env.PATH}`,
  PIP_CONSTRAINT: constraints,
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  // Nothing is loaded from the Hub or from Ultralytics' releases.
  HF_HUB_OFFLINE: '1',
  YOLO_OFFLINE: 'true',
  YOLO_AUTOINSTALL: 'false',
};

/** The sections of a guide, by title: the blocks of code in each of them. */
function sectionsOf(guide) {
  const sections = new Map([['', []]]);
  let blocks = sections.get('');
  const text = readFileSync(join(root, `site/pages/guides/${guide}.md`), 'utf8');
  for (const [, title, language, code] of text.matchAll(/^## (.*?)(?: \{#.*\})?$|^```(\w+)\n([^]*?)^```$/gm)) {
    if (title !== undefined) sections.set(title, (blocks = []));
    else blocks.push({language, code});
  }
  return {sections, text};
}

const convert = sectionsOf('convert');
const quantisation = sectionsOf('quantisation');

/** What the sections take for granted: files, and variables of the Python code. Then the models that their commands make. */
const given = {
  'From ONNX': {maker: 'onnx', models: {'model.xml': 1e-3, 'fixed.xml': 1e-3}},
  'From PyTorch': {
    python: `import torch
from torch import nn
network = nn.Sequential(nn.Conv2d(3, 8, 3, stride=4), nn.BatchNorm2d(8), nn.GELU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5))
`,
    models: {'model.xml': 1e-3},
  },
  'From TensorFlow, Keras and TensorFlow Lite': {maker: 'tensorflow', models: {'model.xml': 1e-3, 'lite.xml': 1e-3}},
  'From Hugging Face': {network: 'hugging_face', models: {'minilm/openvino_model.xml': 1e-3}},
  'From Ultralytics': {network: 'ultralytics', models: {'yolov8n_openvino_model/yolov8n.xml': 1e-3}},
  'From PaddleOCR': {maker: 'paddle', models: {'model.xml': 1e-3}},
  'Put the preparation into the graph': {of: 'From ONNX', models: {'with_preparation.xml': 1e-3}},
  'Weights only': {of: 'From ONNX', models: {'int8.xml': 1e-3}},
  'Weights and activations': {
    of: 'From ONNX',
    python: `import numpy as np
samples = [np.random.default_rng(i).random((1, 3, 224, 224), np.float32) for i in range(20)]
`,
    models: {'int8.xml': 0.05},
  },
};

const python = join(build, 'venv/bin/python');
const inherit = ['ignore', 'inherit', 'inherit'];
const arrays = {f32: Float32Array, i32: Int32Array, i64: BigInt64Array, u8: Uint8Array};
const sh = (code, cwd) => execFileSync('bash', ['-euc', code], {cwd, env, stdio: inherit});

describe('the guides’ commands', () => {
  const {folder: installed, remove} = install();
  after(remove);
  const require = createRequire(join(installed, 'package.json'));
  const {addon: ov} = require('wasmvino');

  before(() => {
    mkdirSync(join(build, 'bin'), {recursive: true});
    rmSync(join(build, 'bin/python'), {force: true});
    symlinkSync(execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {encoding: 'utf8'}).trim(), join(build, 'bin/python'));
    for (const {sections} of [convert, quantisation]) for (const {code} of sections.get('')) sh(code, build);
    // Two sections need PyTorch before they are at the installation of it.
    for (const section of ['From Hugging Face', 'From Ultralytics']) sh(convert.sections.get(section)[0].code.split('\n')[0], build);
  });

  /** Compares the package's outputs with OpenVINO's: the largest difference, divided by the largest element. */
  async function compare(folder, xml, bound) {
    const expected = join(folder, `${xml}.expected`);
    execFileSync(python, [join(here, 'expected.py'), join(folder, xml), expected], {env, stdio: inherit});
    const {inputs, outputs} = JSON.parse(readFileSync(join(expected, 'tensors.json'), 'utf8'));
    const tensorOf = ({type, shape, file}) => new ov.Tensor(type, shape, new arrays[type](Uint8Array.from(readFileSync(join(expected, file))).buffer));
    const core = new ov.Core();
    const compiled = await core.compileModel(join(folder, xml), 'CPU', {DYNAMIC_QUANTIZATION_GROUP_SIZE: 0});
    const request = compiled.createInferRequest();
    inputs.forEach((input, i) => request.setInputTensor(i, tensorOf(input)));
    request.infer();
    assert.equal(outputs.length, compiled.outputs.length);
    outputs.forEach((output, i) => {
      const got = request.getOutputTensor(i);
      const elements = got.data;
      const wanted = tensorOf(output);
      assert.deepEqual([got.getElementType(), got.getShape()], [wanted.getElementType(), wanted.getShape()]);
      let [size, worst] = [0, 0];
      wanted.data.forEach((value, k) => {
        size = Math.max(size, Math.abs(Number(value)));
        worst = Math.max(worst, Math.abs(Number(value) - Number(elements[k])));
      });
      assert.ok(size > 0 && worst <= bound * size, `${xml}, output ${i}: a difference of ${worst} from OpenVINO, where the largest element is ${size}`);
    });
  }

  for (const [title, blocks] of [...convert.sections, ...quantisation.sections].filter(([title]) => given[title])) {
    test(title, async () => {
      const {maker, network, python: prelude = '', of, models} = given[title];
      const folder = join(build, title.replace(/\W+/g, '_').toLowerCase());
      rmSync(folder, {recursive: true, force: true});
      mkdirSync(folder);
      symlinkSync('../venv', join(folder, 'venv'));
      if (of) {
        for (const kind of ['xml', 'bin']) cpSync(join(build, of.replace(/\W+/g, '_').toLowerCase(), `fixed.${kind}`), join(folder, `model.${kind}`));
      }
      if (maker) execFileSync(makers, [join(here, 'networks.py'), maker], {cwd: folder, env, stdio: inherit});
      if (network) execFileSync(python, [join(here, 'networks.py'), network], {cwd: folder, env, stdio: inherit});
      for (const {language, code} of blocks) {
        if (language === 'sh') sh(code, folder);
        else execFileSync(python, ['-c', prelude + code], {cwd: folder, env, stdio: inherit});
      }
      for (const [xml, bound] of Object.entries(models)) await compare(folder, xml, bound);
    });
  }

  test('Check it', () => {
    for (const kind of ['xml', 'bin']) cpSync(join(build, `from_onnx/fixed.${kind}`), join(installed, `model.${kind}`));
    for (const {code} of convert.sections.get('Check it')) sh(code, installed);
  });

  test('every block of code ran', () => {
    const ran = new Set(['', 'Check it', ...Object.keys(given)]);
    for (const {sections} of [convert, quantisation]) {
      assert.deepEqual([...sections].filter(([title, blocks]) => blocks.length > 0 && !ran.has(title)).map(([title]) => title), []);
    }
  });

  test('the guide names the versions that ran', () => {
    const pinned = readFileSync(constraints, 'utf8');
    const [note] = /^::: info Which commands were tested\n[^]*?^:::$/m.exec(convert.text);
    for (const [name, distribution] of Object.entries({OpenVINO: 'openvino', 'optimum-intel': 'optimum-intel', Ultralytics: 'ultralytics', NNCF: 'nncf'})) {
      const [, version] = new RegExp(`^${distribution}==(.*)$`, 'm').exec(pinned);
      assert.ok(note.includes(`${name} ${version}`), `${name} ${version} is not in the note`);
    }
  });
});
