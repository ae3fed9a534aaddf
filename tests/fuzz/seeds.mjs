// SPDX-License-Identifier: Apache-2.0
// node tests/fuzz/seeds.mjs FOLDER [EVERY]: writes the initial corpus of each libFuzzer target to a folder: small models of the
// cases (the .xml or .param, a zero byte, the .bin; or the .onnx) and their arrays. With EVERY, takes only one of that many files in IR.
import {mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const largest = 64 << 10;
const root = fileURLToPath(new URL('../..', import.meta.url));
const [folder, every = '1'] = process.argv.slice(2);
const files = readdirSync(join(root, 'build/testdata'), {recursive: true}).map(String).sort();
const known = new Set(files);
const read = (path) => readFileSync(join(root, 'build/testdata', path));

function writeModel(target, path) {
  const bin = path.replace(/\.\w+$/, '.bin');
  const bytes = Buffer.concat([read(path), Buffer.of(0), known.has(bin) ? read(bin) : Buffer.of()]);
  if (bytes.length <= largest) writeFileSync(join(folder, target, path.replaceAll('/', '-')), bytes);
}

for (const target of ['fuzz_ir', 'fuzz_pnnx', 'fuzz_onnx', 'fuzz_npy']) mkdirSync(join(folder, target), {recursive: true});
const chosen = files.filter((path) => path.endsWith('.xml') || basename(path) === 'in_0.npy');
for (const path of chosen.filter((_, i) => i % Number(every) === 0)) {
  if (path.endsWith('.xml')) writeModel('fuzz_ir', path);
  else writeFileSync(join(folder, 'fuzz_npy', path.replaceAll('/', '-')), Buffer.concat([Buffer.of(0), read(path)]));
}
for (const path of files.filter((path) => path.endsWith('.param'))) writeModel('fuzz_pnnx', path);
for (const path of files.filter((path) => path.endsWith('.onnx'))) {
  const bytes = read(path);
  if (bytes.length <= largest) writeFileSync(join(folder, 'fuzz_onnx', path.replaceAll('/', '-')), bytes);
}
