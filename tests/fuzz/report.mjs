// SPDX-License-Identifier: Apache-2.0
// node tests/fuzz/report.mjs [--add TARGET EXECUTIONS SECONDS FINDINGS] [--coverage FILE]: updates docs/fuzzing.json, the
// record of all fuzzing, and the tables in docs/reliability.md. --coverage reads the output of `llvm-cov export -summary-only`.
import {readFileSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {relative} from 'node:path';
import {withGeneratedSection} from '../../scripts/generated_section.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const record = JSON.parse(readFileSync(`${root}docs/fuzzing.json`, 'utf8'));
const described = {
  fuzz_ir: 'reads, compiles and runs models in IR twice, with AddressSanitizer and UndefinedBehaviorSanitizer',
  fuzz_pnnx: 'does the same with PNNX models',
  fuzz_onnx: 'does the same with ONNX models',
  fuzz_op: 'runs single operations with random attributes, types, shapes and values, with the same sanitizers',
  fuzz_npy: 'reads `.npy` files, with the same sanitizers',
  fuzz_ir_32: 'does the same as `fuzz_ir` in 32 bits, with AddressSanitizer and checks of integers',
  fuzz_pnnx_32: 'does the same as `fuzz_pnnx` in 32 bits',
  fuzz_onnx_32: 'does the same as `fuzz_onnx` in 32 bits',
  fuzz_op_32: 'does the same as `fuzz_op` in 32 bits',
  fuzz_npy_32: 'does the same as `fuzz_npy` in 32 bits',
  wasm: 'gives models, inputs, arrays, exported and saved models to two builds of the package, whose results must be equal',
};

const [command, ...given] = process.argv.slice(2);
if (command === '--add') {
  const [target, executions, seconds, findings] = given;
  const known = (record.targets[target] ??= {executions: 0, seconds: 0, findings: 0});
  known.executions += Number(executions);
  known.seconds += Number(seconds);
  known.findings += Number(findings);
} else if (command === '--coverage') {
  const folders = {};
  for (const {filename, summary} of JSON.parse(readFileSync(given[0], 'utf8')).data[0].files) {
    // Names are relative to the root, which llvm-cov takes for the folder of the build.
    const folder = relative(root, filename).replace('build/native-coverage/', '').split('/').slice(0, 2).join('/');
    if (!folder.startsWith('src/') || folder === 'src/cli') continue;
    const sum = (folders[folder] ??= {covered: 0, count: 0});
    sum.covered += summary.lines.covered;
    sum.count += summary.lines.count;
  }
  record.coverage = Object.fromEntries(Object.entries(folders).map(([folder, {covered, count}]) => [folder, Math.round((100 * covered) / count)]));
} else if (command) {
  throw new Error(`unknown: ${command}`);
}
writeFileSync(`${root}docs/fuzzing.json`, JSON.stringify(record, null, 2) + '\n');

const number = (value) => value.toLocaleString('en-US');
const targets = Object.keys(described).filter((name) => record.targets[name]).map((name) => [name, record.targets[name]]);
const hours = targets.reduce((sum, [, {seconds}]) => sum + seconds, 0) / 3600;
const lines = [
  `Total so far: ${hours.toFixed(1)} processor hours.`,
  '',
  '| target | what it does | executions | hours | findings, all fixed |',
  '|---|---|--:|--:|--:|',
  ...targets.map(([name, {executions, seconds, findings}]) => `| \`${name}\` | ${described[name]} | ${number(executions)} | ${(seconds / 3600).toFixed(2)} | ${findings} |`),
];
if (Object.keys(record.coverage).length > 0) {
  lines.push('', 'Line coverage of the corpus of `fuzz_ir`, `fuzz_pnnx` and `fuzz_op`:', '', '| folder | lines |', '|---|--:|');
  for (const [folder, percent] of Object.entries(record.coverage)) lines.push(`| \`${folder}\` | ${percent} % |`);
}
const path = `${root}docs/reliability.md`;
writeFileSync(path, withGeneratedSection(readFileSync(path, 'utf8'), 'fuzzing', 'tests/fuzz/report.mjs', lines.join('\n')));
