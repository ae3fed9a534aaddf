// SPDX-License-Identifier: Apache-2.0
// Runs conformance cases with the native engine, in a separate process (native.cc).
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {readArrayFile} from '../../js/src/arrays/array_files.mjs';
import {arrayFile} from './cases.mjs';

// Number of cases sent in advance, so that the process computes while this one compares.
const AHEAD = 4;

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Path of the native program, if it has been built. The one with sanitizers takes precedence. */
export const program = ['native-asan', 'native-ci', 'native']
  .map((preset) => `${root}build/${preset}/tests/conformance`)
  .find((path) => existsSync(path));

const portOf = ({position, name}) => (position === undefined ? {name} : {position});

// Converts a step to the format of the process. Its outputs go to files in `folder`.
function jobStep(step, fresh, folder) {
  return {
    fresh,
    inputs: step.inputs.map((input) => ({...portOf(input), file: arrayFile(input.file)})),
    outputs: step.outputs.map(({position}) => ({position, stem: join(folder, `${position}`)})),
  };
}

function outputsOf({outputs}, types) {
  return outputs.map(({stem}, i) => readArrayFile(arrayFile(stem), types[i]));
}

/**
 * @param {object} how
 * @param {boolean} how.passes
 * @param {boolean} how.integers
 * @param {number} how.threads 0 means one
 */
export async function nativeEngine({passes, integers, threads}) {
  if (program === undefined) throw new Error('there is no native engine here: scripts/build.sh native or asan');
  const folder = mkdtempSync(join(tmpdir(), 'wasmvino-'));
  process.on('exit', () => rmSync(folder, {recursive: true, force: true}));

  let child;
  let lines;
  const start = () => {
    const env = {...process.env, ASAN_OPTIONS: 'allocator_may_return_null=1'};
    child = spawn(program, {stdio: ['pipe', 'pipe', 'inherit'], env});
    child.stdin.on('error', () => {}); // the end of the process shows in its output
    lines = createInterface({input: child.stdout})[Symbol.asyncIterator]();
  };
  const send = (job) => child.stdin.write(`${JSON.stringify(job)}\n`);

  return {
    name: 'native',

    /** See wasm_engine.mjs. */
    async *run(cases) {
      start();
      try {
        const waiting = [];
        let next = 0;
        for (const [i] of cases.entries()) {
          for (; next < cases.length && next < i + AHEAD; ++next) {
            const {model, rowGroup, sequences} = cases[next];
            const job = {model, passes, integers, rowGroup, threads: threads || 1};
            try {
              const steps = sequences.flatMap((sequence, q) =>
                sequence.map((step, t) => {
                  const own = join(folder, `${next}_${q}_${t}`);
                  mkdirSync(own);
                  return jobStep(step, t === 0, own);
                }),
              );
              send(Object.assign(job, {steps}));
            } catch (error) {
              job.failure = error.message; // an input is missing
            }
            waiting.push(job);
          }
          const {failure, steps: jobSteps = []} = waiting[0];
          let answer = {stage: 'read', code: '', message: failure, milliseconds: 0};
          if (failure === undefined) {
            const {done, value} = await lines.next();
            if (done) {
              if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
              answer.message = `the process ended with ${child.signalCode ?? `status ${child.exitCode}`}`;
              start();
              for (const job of waiting.slice(1)) if (job.failure === undefined) send(job);
            } else {
              answer = JSON.parse(value);
            }
          }
          waiting.shift();
          const {stage, code, message, milliseconds, types} = answer;
          // Null if the first step failed.
          const steps = (types ?? []).map((each, s) => outputsOf(jobSteps[s], each));
          for (const {outputs} of jobSteps) rmSync(join(outputs[0].stem, '..'), {recursive: true});
          yield {steps, milliseconds, ...(stage !== 'done' && {unsupported: stage === 'read' && code === 'UNSUPPORTED', message})};
        }
      } finally {
        child.stdin.end();
      }
    },
  };
}
