// SPDX-License-Identifier: Apache-2.0
// node bench/readme.mjs: writes the paragraph about speed into README.md, from the numbers in docs/benchmarks.json.
import {readFileSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {withGeneratedSection} from '../scripts/generated_section.mjs';
import {digits} from './targets.mjs';

const NETWORKS = {
  mobilenet_v2: 'MobileNetV2',
  resnet50: 'ResNet-50',
  yolov8n_320: 'YOLOv8n',
  minilm_l6_s128: 'MiniLM',
};
const PEERS = ['onnxruntime-web', 'litert'];

/** Compares the times of the peers in Chromium, with one thread. */
function speed({places}) {
  const {engines, cases} = places.find(({name}) => name === 'Chromium');
  const ranges = PEERS.filter((peer) => engines[peer]).map((peer) => {
    const ratios = Object.keys(NETWORKS).map((name) => cases[name].engines[peer].min / cases[name].engines.wasmvino.min);
    const {name, version} = engines[peer];
    return `**${digits(Math.min(...ratios))} to ${digits(Math.max(...ratios))} times** as fast as in ${name} ${version}`;
  });
  const networks = new Intl.ListFormat('en-GB').format(Object.values(NETWORKS));
  return (
    `**Measured:** in Chromium, with f32 weights and one thread, ${networks}\n` +
    `run ${ranges.join('\nand ')}.\n` +
    '[All benchmarks](docs/benchmarks.md), with the cases where another engine is faster.'
  );
}

/**
 * Replaces the paragraph about speed in the README.
 * @param {string} readme
 * @param {object} run the content of docs/benchmarks.json
 */
export function withSpeed(readme, run) {
  return withGeneratedSection(readme, 'speed', 'bench/readme.mjs', speed(run));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const readme = fileURLToPath(new URL('../README.md', import.meta.url));
  const run = JSON.parse(readFileSync(new URL('../docs/benchmarks.json', import.meta.url), 'utf8'));
  writeFileSync(readme, withSpeed(readFileSync(readme, 'utf8'), run));
}
