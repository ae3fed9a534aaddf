// SPDX-License-Identifier: Apache-2.0
// Runs all conformance cases below a folder, and counts the results by operation (scripts/check).
import {isAbsolute, join, normalize} from 'node:path';
import {parseArgs} from 'node:util';
import '../js/relaxed_simd.mjs';
import {writeArrayFile, writeFile} from '../../js/src/arrays/array_files.mjs';
import {findCases} from './cases.mjs';
import {judge} from './judge.mjs';

const usage = `scripts/check FOLDER [--build NAME] [--filter REGEX] [--int8] [--write DIR] [--json FILE]
    runs every conformance case below FOLDER and counts by operation
--build NAME: native, simd, relaxed, simd-mt or relaxed-mt; by default the build that the package chooses here
--filter REGEX: only cases whose name it matches
--int8: quantised networks run in integers, compared with the outputs of OpenVINO's int8 kernels if a case has them,
    which had activations quantised while they ran; by default they run in f32, as their goldens did
--write DIR: the outputs go there as .npy files (strings as .json)
--json FILE: a report of all cases
--no-passes: the graph runs as it was read
--threads N: threads of a threaded build or of the native engine; by default as many as there are processors, and 1 natively
`;

const options = {
  help: {type: 'boolean'},
  build: {type: 'string'},
  filter: {type: 'string', default: ''},
  int8: {type: 'boolean', default: false},
  write: {type: 'string'},
  json: {type: 'string'},
  'no-passes': {type: 'boolean', default: false},
  threads: {type: 'string', default: '0'},
};

// Path of a result file. The name of a case must not lead out of the folder.
function inside(folder, name) {
  if (isAbsolute(name) || /^\.\.([\\/]|$)/.test(normalize(name))) throw new Error(`the result '${name}' would be written outside of ${folder}`);
  return join(folder, name);
}

// Compares the outputs of a case with its goldens, and writes the outputs to files.
function outcomeOf(checked, {steps, milliseconds, unsupported, message}, writeTo) {
  const outcome = {status: 'passed', message: '', worst: 0, milliseconds};
  const fail = (status, text) => {
    if (outcome.status === 'passed') Object.assign(outcome, {status, message: text});
  };
  const known = checked.sequences.flat();
  try {
    steps.forEach((outputs, s) => {
      const step = known[s];
      if (writeTo !== undefined) step.outputs.forEach(({result}, i) => writeArrayFile(inside(writeTo, result), outputs[i]));
      const {difference, worst} = judge(checked, step, outputs);
      outcome.worst = Math.max(outcome.worst, worst);
      if (difference !== '') fail('failed', difference);
    });
  } catch (error) {
    fail('failed', error.message);
  }
  // Only an unknown operation makes a case unsupported. A model that can be read must also compile and run.
  if (message !== undefined) fail(unsupported ? 'unsupported' : 'failed', message);
  return outcome;
}

const newCounts = () => ({passed: 0, failed: 0, unsupported: 0});

function line(operation, cells) {
  const widths = [8, 8, 12];
  return `${operation.padEnd(44)} ${cells.map((cell, i) => String(cell).padStart(widths[i])).join(' ')}`;
}

async function check(folder, values) {
  const filter = new RegExp(values.filter);
  const threads = Number(values.threads);
  if (!Number.isInteger(threads) || threads < 0) throw new Error(`--threads takes a whole number, not '${values.threads}'`);
  const cases = findCases(folder, values.int8).filter(({name}) => filter.test(name));
  // The goldens evaluate FakeQuantize in f32, except for those of int8 kernels.
  const how = {build: values.build, passes: !values['no-passes'], integers: values.int8, threads};
  const {name: build, run} =
    values.build === 'native'
      ? await (await import('./native_engine.mjs')).nativeEngine(how)
      : await (await import('./wasm_engine.mjs')).wasmEngine(how);
  const operations = {};
  const total = newCounts();
  const reported = [];
  let next = 0;
  for await (const answer of run(cases)) {
    const checked = cases[next++];
    const outcome = outcomeOf(checked, answer, values.write);
    operations[checked.operation] ??= newCounts();
    ++operations[checked.operation][outcome.status];
    ++total[outcome.status];
    if (outcome.status === 'failed') console.log(`FAILED ${checked.name}: ${outcome.message}`);
    reported.push({name: checked.name, operation: checked.operation, ...outcome});
  }
  const sorted = Object.fromEntries(Object.entries(operations).sort(([a], [b]) => (a < b ? -1 : 1)));
  console.log(line('operation', ['passed', 'failed', 'unsupported']));
  for (const [operation, counts] of Object.entries(sorted)) console.log(line(operation, Object.values(counts)));
  console.log(line('all', Object.values(total)));
  if (values.json !== undefined) {
    writeFile(values.json, `${JSON.stringify({build, ...total, operations: sorted, cases: reported}, null, 1)}\n`);
  }
  if (cases.length === 0) {
    console.error(`no case found below ${folder}`);
    return 1;
  }
  // A run without any passing case is a failure too.
  return total.failed > 0 || total.passed === 0 ? 1 : 0;
}

try {
  const {values, positionals} = parseArgs({options, allowPositionals: true});
  if (values.help || positionals.length !== 1) {
    (values.help ? process.stdout : process.stderr).write(usage);
    process.exitCode = values.help ? 0 : 2;
  } else {
    process.exitCode = await check(positionals[0], values);
  }
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
