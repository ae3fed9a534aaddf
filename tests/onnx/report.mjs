// SPDX-License-Identifier: Apache-2.0
// node tests/onnx/report.mjs REPORT.json: writes the section of docs/conformance.md about ONNX's own test cases, from a report of
// `scripts/check FOLDER --json REPORT.json` over the cases that generate.py made.
import {readFileSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {withGeneratedSection} from '../../scripts/generated_section.mjs';

// Why a case does not pass: the first rule that its name matches, and otherwise what the engine says.
const reasons = [
  [/^test_(adagrad|adam|momentum|nesterov)/, 'trains a model, which wasmvino does not do'],
  [/bernoulli|^test_training_dropout|^test_dropout_random/, 'draws random numbers, whose generator the specification leaves open'],
  [/^test_image_decoder/, 'decodes the file of a picture; pages have `createImageBitmap`'],
  [/FNUZ/i, 'has tensors of type float8e4m3fnuz or float8e5m2fnuz'],
  [/_INT2|_UINT2|int2\b/i, 'has tensors of type int2 or uint2'],
  [/sequence|^test_loop1[36]_seq|^test_if_(seq|opt)|optional/, 'has a sequence or an optional value as an input, an output or the state of a loop'],
];

const reasonOf = ({name, message}) => reasons.find(([names]) => names.test(name))?.[1] ?? message.replace(/^.*?: /s, '').split('\n')[0];

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const groups = new Map();
for (const each of report.cases.filter(({status}) => status !== 'passed')) {
  const reason = reasonOf(each);
  const group = groups.get(reason) ?? {count: 0, operations: new Set(), wrong: 0};
  group.count += 1;
  group.wrong += each.status === 'failed' ? 1 : 0;
  group.operations.add(each.operation);
  groups.set(reason, group);
}
const cell = (text) => text.replaceAll('|', '\\|');
const rows = [...groups].sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1));
const all = report.passed + report.failed + report.unsupported;
const lines = [
  `${report.passed} of the ${all} cases pass.`,
  '',
  '| cases that do not pass | operators | reason |',
  '|--:|---|---|',
  ...rows.map(([reason, {count, operations}]) => `| ${count} | ${[...operations].sort().map((name) => `\`${name}\``).join(', ')} | ${cell(reason)} |`),
];
const page = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));
writeFileSync(page, withGeneratedSection(readFileSync(page, 'utf8'), 'onnx', 'tests/onnx/report.mjs', lines.join('\n')));
