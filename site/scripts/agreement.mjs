// SPDX-License-Identifier: Apache-2.0
// node site/scripts/agreement.mjs REPORT: writes docs/agreement.json, which the page of operations shows. The report is that of
// all cases: scripts/check build/testdata/cases --build relaxed --json REPORT
import {readFileSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

const root = new URL('../../', import.meta.url);
const contradictions = readFileSync(new URL('tests/conformance/contradictions.txt', root), 'utf8')
  .split('\n')
  .map((line) => line.replace(/\s+#.*|^#.*/, ''))
  .filter(Boolean)
  .map((pattern) => new RegExp(`^(${pattern})$`));

/** @type {Record<string, {cases: number, identical: number, contradictions: number}>} by operation, without its version */
const operations = {};
for (const {name, operation, status, worst} of JSON.parse(readFileSync(process.argv[2], 'utf8')).cases) {
  if (!/^(ops|types)\//.test(name)) continue; // the others are about formats
  if (/^(IRVariant|Net)-/.test(operation)) continue; // networks of several operations
  const counts = (operations[operation.replace(/-.*/, '')] ??= {cases: 0, identical: 0, contradictions: 0});
  if (contradictions.some((pattern) => pattern.test(name))) counts.contradictions += 1;
  else if (status !== 'passed') throw new Error(`${name} ${status}: the report does not show agreement`);
  else {
    counts.cases += 1;
    if (worst === 0) counts.identical += 1;
  }
}
const lines = Object.keys(operations).sort().map((name) => ` ${JSON.stringify(name)}: ${JSON.stringify(operations[name])}`);
writeFileSync(fileURLToPath(new URL('docs/agreement.json', root)), `{\n${lines.join(',\n')}\n}\n`);
