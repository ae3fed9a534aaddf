// SPDX-License-Identifier: Apache-2.0
// node demo/decode.mjs [--beam N] [--build NAME] WORD…: decodes words into phonemes in Node.js, like the page.
import {readFile} from 'node:fs/promises';
import {parseArgs} from 'node:util';
import {addon as ov} from '../dist/node.js';
import {decimal, milliseconds, percent} from './src/format.js';
import {Decoder, wordsOf} from './src/g2p.js';
import {ipaOf} from './src/phonemes.js';

// The first run of a word plans for its length, and its code is not optimised yet. The program shows the median of these runs.
const RUNS = 9;
const MODEL = new URL('../build/testdata/models/g2p/', import.meta.url);

const {values, positionals} = parseArgs({
  allowPositionals: true,
  options: {beam: {type: 'string', default: '5'}, build: {type: 'string'}},
});
const words = wordsOf(positionals.join(' '));
const beamWidth = Number(values.beam);
if (words.length === 0 || !Number.isInteger(beamWidth) || beamWidth < 1) {
  console.error('usage: node demo/decode.mjs [--beam N] [--build NAME] WORD…');
  process.exit(2);
}

if (values.build) ov.configure({build: values.build});
const started = performance.now();
const [xml, bin, vocabulary] = await Promise.all(
  ['model.xml', 'model.bin', 'vocab.json'].map((file) => readFile(new URL(file, MODEL))),
);
const core = new ov.Core();
const model = await core.compileModel(await core.readModel(xml, bin), 'CPU');
const decoder = new Decoder(ov, model, JSON.parse(vocabulary.toString()));
console.log(
  `build ${ov.build.name}: ${ov.build.reason}; model ready after ${milliseconds(performance.now() - started)}`,
);

for (const word of words) {
  const {hypotheses, milliseconds: again, planning = 0} = decoder.decode(word, beamWidth);
  const [best] = hypotheses;
  const times = Array.from({length: RUNS}, () => decoder.decode(word, beamWidth).milliseconds).sort((a, b) => a - b);
  const time = `${milliseconds(times[RUNS >> 1])} (first ${milliseconds(again + planning)})`;
  console.log(`\n${word}  ${best.phonemes}  /${ipaOf(best.phonemes)}/  ${time}`);
  hypotheses.forEach(({phonemes, score}, rank) => {
    const place = String(rank + 1).padStart(4);
    const share = percent(Math.exp(score)).padStart(7);
    console.log(`${place}  ${decimal(score, 3).padStart(8)}  ${share}  ${phonemes}`);
  });
}
