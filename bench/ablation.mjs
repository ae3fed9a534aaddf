// SPDX-License-Identifier: Apache-2.0
// node bench/ablation.mjs [--models DIR] [--rounds N] [--slot MS] [--write]: what integers bring to quantised networks, in
// Chromium with one thread. Each network runs in f32 before quantisation, and quantised: in f32, in integers with dot products of
// i16, in integers whose results are f32 and quantised by a separate step, and as it runs by default. The forms take
// turns. --write puts the table into docs/performance.md. The networks are those of `npm run bench` (build/bench/models).
import {readFileSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {withGeneratedSection} from '../scripts/generated_section.mjs';
import {openChromium} from './harness/places.mjs';
import {digits} from './targets.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const {values: options} = parseArgs({
  options: {
    models: {type: 'string', default: join(root, 'build/bench/models')},
    rounds: {type: 'string', default: '7'},
    slot: {type: 'string', default: '250'},
    write: {type: 'boolean'},
  },
});

const NETWORKS = {
  mobilenet_v2: 'MobileNetV2',
  resnet50: 'ResNet-50',
  yolov8n_320: 'YOLOv8n',
  minilm_l6_s128: 'MiniLM, 128 tokens',
};
const IN_F32 = {LP_TRANSFORMS_MODE: false, DYNAMIC_QUANTIZATION_GROUP_SIZE: 0};
const FORMS = [
  {title: 'f32 network', quantised: false, build: 'relaxed', config: {}},
  {title: 'quantised, in f32', quantised: true, build: 'relaxed', config: IN_F32},
  {title: 'in integers, i16 products', quantised: true, build: 'simd', config: {}},
  {title: 'in integers, quantised separately', quantised: true, build: 'relaxed', config: {WASMVINO_SKIPPED_PASSES: 'store_levels'}},
  {title: 'in integers', quantised: true, build: 'relaxed', config: {}},
];

// The functions below run in the page.
async function prepare({path, folder, build, config}) {
  const {addon: ov} = await import(path);
  ov.configure({build});
  await ov.ready;
  const compiled = await new ov.Core().compileModel(`${folder}/model.xml`, 'CPU', {INFERENCE_NUM_THREADS: 1, ...config});
  const request = compiled.createInferRequest();
  const [input] = compiled.inputs;
  const type = input.getElementType();
  const size = input.shape.reduce((count, length) => count * length, 1);
  const values = type === 'f32' ? Float32Array.from({length: size}, (_, i) => Math.sin(i)) : new BigInt64Array(size).fill(5n);
  const inputs = Object.fromEntries(
    compiled.inputs.map((port) => [
      port.anyName,
      port === input ? new ov.Tensor(type, port.shape, values) : new ov.Tensor(port.getElementType(), port.shape),
    ]),
  );
  globalThis.turn = (milliseconds) => {
    let best = Infinity;
    const end = performance.now() + milliseconds;
    do {
      const begin = performance.now();
      request.infer(inputs);
      best = Math.min(best, performance.now() - begin);
    } while (performance.now() < end);
    return best;
  };
  globalThis.turn(1500);
}
const turn = (milliseconds) => globalThis.turn(milliseconds);

const place = await openChromium({
  models: options.models,
  wasmvino: {root, browser: 'dist/browser.js'},
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
});
const rows = [];
try {
  for (const [name, title] of Object.entries(NETWORKS)) {
    const forms = [];
    for (const {quantised, build, config} of FORMS) {
      const {page, close} = await place.start();
      const folder = place.caseFolder(quantised ? `${name}_nncf` : name);
      await page.evaluate(prepare, {path: place.paths.wasmvino, folder, build, config});
      forms.push({page, close, best: Infinity});
    }
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const form of forms) form.best = Math.min(form.best, await form.page.evaluate(turn, Number(options.slot)));
    }
    for (const {close} of forms) await close();
    rows.push([title, ...forms.map(({best}) => digits(best)), `${digits(forms[0].best / forms.at(-1).best)}×`]);
    console.log(rows.at(-1).join('  '));
  }
} finally {
  await place.close();
}

if (options.write) {
  const path = join(root, 'docs/performance.md');
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const text = [
    `Best of ${options.rounds} turns in ms, Chromium ${place.version}, ${os.cpus()[0].model.trim()}, one thread:`,
    '',
    line(['network, quantised by NNCF', ...FORMS.map(({title}) => title), 'f32 network ÷ integers']),
    line(['---', ...Array(FORMS.length + 1).fill('--:')]),
    ...rows.map(line),
  ].join('\n');
  writeFileSync(path, withGeneratedSection(readFileSync(path, 'utf8'), 'integers', 'bench/ablation.mjs', text));
}
