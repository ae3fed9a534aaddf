// SPDX-License-Identifier: Apache-2.0
// node bench/survey/measure.mjs --models DIR [--package DIR] [--rounds N] [--slot MS] [--write] NAME…: measures networks in
// f32 and as NNCF quantises them, in Chromium on one thread, beside native OpenVINO. --write puts the table into
// docs/performance.md.
import {readFileSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import {join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {withGeneratedSection} from '../../scripts/generated_section.mjs';
import {measure, median} from '../harness/measure.mjs';
import {openChromium, openNode} from '../harness/places.mjs';
import {digits} from '../targets.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const {values: options, positionals: names} = parseArgs({
  allowPositionals: true,
  options: {
    models: {type: 'string'},
    package: {type: 'string', default: root},
    rounds: {type: 'string', default: '4'},
    slot: {type: 'string', default: '120'},
    write: {type: 'boolean'},
  },
});
const models = resolve(options.models);
const cases = names.flatMap((name) => [name, `${name}_nncf`]);
const folder = resolve(options.package);
const wasmvino = {root: folder, node: join(folder, 'dist/node.js'), browser: 'dist/browser.js'};

/** The best times of an engine in a place, by case. A case that the engine refuses has none. */
async function bestTimes(open, engine) {
  const place = await open({models, wasmvino, executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium'});
  try {
    const wanted = [{engine, threads: 1, cases}];
    const {cases: measured, engines, failures} = await measure(place, {
      cases, models, wanted, rounds: Number(options.rounds), slotMs: Number(options.slot), warmUpMs: 600,
    });
    if (failures.length) throw new Error(failures.map((f) => `${f.case}, ${f.engine}: ${f.error}`).join('\n'));
    const times = Object.entries(measured).map(([name, entry]) => [name, entry.engines[engine]?.min ?? NaN]);
    return {times: Object.fromEntries(times), version: engine === 'openvino' ? engines[engine].version : place.version};
  } finally {
    await place.close();
  }
}

const {times: ours, version: chromium} = await bestTimes(openChromium, 'wasmvino');
const {times: native, version: openvino} = await bestTimes(openNode, 'openvino');
const rows = names.map((name) => {
  const int8 = `${name}_nncf`;
  return {
    name,
    times: [ours[name], ours[int8]],
    ratios: [
      ours[name] / native[name], ours[int8] / native[int8], ours[int8] / ours[name], native[int8] / native[name],
    ],
  };
});
const medianRatio = (i) => {
  const known = rows.map(({ratios}) => ratios[i]).filter(Number.isFinite);
  return median(known.toSorted((a, b) => a - b));
};
const line = (name, times, ratios) => `| ${[name, ...times, ...ratios.map(digits)].join(' | ')} |`;
const table = [
  `Best of ${options.rounds} turns in ms, Chromium ${chromium}, OpenVINO ${openvino}, ${os.cpus()[0].model.trim()}, one thread.`,
  'Native OpenVINO ran after Chromium, not in turns with it.',
  '',
  '| network | f32, ms | int8, ms | f32 ÷ native | int8 ÷ native | int8 ÷ f32 | native int8 ÷ f32 |',
  '| --- | --: | --: | --: | --: | --: | --: |',
  ...rows.map(({name, times, ratios}) => line(`\`${name}\``, times.map(digits), ratios)),
  line('median', ['', ''], [0, 1, 2, 3].map(medianRatio)),
].join('\n');
console.log(`\n${table}`);
if (options.write) {
  const page = join(root, 'docs/performance.md');
  writeFileSync(page, withGeneratedSection(readFileSync(page, 'utf8'), 'survey', 'bench/survey/measure.mjs', table));
}
