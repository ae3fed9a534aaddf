// SPDX-License-Identifier: Apache-2.0
// report.mjs FILE: adds the numbers of compare.py to docs/benchmarks.json and rewrites docs/benchmarks.md.
import {readFileSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import {fileURLToPath} from 'node:url';
import {writeReport} from '../report.mjs';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const results = JSON.parse(readFileSync(`${docs}benchmarks.json`, 'utf8'));
results.native = {processor: os.cpus()[0].model.trim(), ...JSON.parse(readFileSync(process.argv[2], 'utf8'))};
writeFileSync(`${docs}benchmarks.json`, `${JSON.stringify(results, null, 1)}\n`);
writeFileSync(`${docs}benchmarks.md`, writeReport(results));
