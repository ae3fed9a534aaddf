// SPDX-License-Identifier: Apache-2.0
// The numbers on the home page, from the last benchmark report and the list of operations.
import {readFileSync} from 'node:fs';
import {groupOf} from '../../../bench/report.mjs';

const docs = new URL('../../../docs/', import.meta.url);

// What readers call the networks. Others are shown by their names in the report.
const texts = {
  mobilenet_v2: 'MobileNet v2, a picture of 224 × 224',
  resnet50: 'ResNet-50, a picture of 224 × 224',
  yolov8n_320: 'YOLOv8 nano, a picture of 320 × 320',
  minilm_l6_s128: 'MiniLM L6, a text of 128 tokens',
};

export default {
  watch: ['../../../docs/benchmarks.json', '../../../docs/operators.md'],
  load() {
    const {machine, places} = JSON.parse(readFileSync(new URL('benchmarks.json', docs), 'utf8'));
    const {name, version, engines, cases, startUp} = places.find(({name}) => name === 'Chromium');
    // Variants, such as two threads, have a comma in their key.
    const compared = Object.keys(engines).filter((engine) => !engine.includes(','));
    const list = readFileSync(new URL('operators.md', docs), 'utf8');
    const [, operations] = /(\d+) operations in \d+ versions/.exec(list);
    const opsets = Array.from(list.matchAll(/^\| \w+ \| [^|]+ \| ([^|]+) \|/gm), ([, text]) => text.match(/\d+/g) ?? []).flat();
    const sizeOf = (engine) => startUp[engine]?.files?.reduce((sum, {gzip}) => sum + gzip, 0) / 1000;
    return {
      machine: `${machine.processor}, ${machine.cores} cores, ${machine.system}, ${name} ${version}`,
      operations: Number(operations),
      opset: Math.max(...opsets.map(Number)),
      engines: compared.map((engine) => ({
        name: `${engines[engine].name} ${engines[engine].version}`,
        own: engine === 'wasmvino',
        kilobytes: sizeOf(engine),
        startMs: startUp[engine]?.median,
      })),
      rows: Object.keys(cases)
        .filter((name) => groupOf(name) === 'Networks')
        .map((network) => ({
          text: texts[network] ?? network,
          times: compared.map((engine) => cases[network].engines[engine]?.min),
        })),
    };
  },
};
