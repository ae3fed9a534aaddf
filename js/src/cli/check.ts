// SPDX-License-Identifier: Apache-2.0
// `check FOLDER`: runs every conformance case below a folder and counts by operation.
import {isAbsolute, join, normalize} from 'node:path';
import {WasmvinoError, addon as ov, type InferRequest, type OVAny} from '../node.js';
import {writeArray, writeFile} from './arrays.js';
import {findCases, type Case, type CaseStep} from './cases.js';
import {judge, stepInputs} from './judge.js';

type Status = 'passed' | 'failed' | 'unsupported';

interface Outcome {
  status: Status;
  message: string;
  worst: number;
  milliseconds: number;
}

/** The file of a result below a folder: what a case is called must not lead out of it. */
function inside(folder: string, name: string): string {
  if (isAbsolute(name) || /^\.\.([\\/]|$)/.test(normalize(name))) throw new Error(`the result '${name}' would be written outside of ${folder}`);
  return join(folder, name);
}

function runStep(checked: Case, step: CaseStep, request: InferRequest, writeTo: string | undefined, outcome: Outcome): void {
  const inputs = stepInputs(step, request.getCompiledModel());
  for (const {position, tensor} of inputs) request.setInputTensor(position, tensor);
  request.infer();
  const got = step.outputs.map((output) => request.getOutputTensor(output.position));
  if (writeTo !== undefined) step.outputs.forEach((output, i) => writeArray(inside(writeTo, output.result), got[i]!));
  const {difference, worst} = judge(checked, step, inputs, got);
  outcome.worst = Math.max(outcome.worst, worst);
  if (difference === '' || outcome.status === 'failed') return;
  outcome.status = 'failed';
  outcome.message = difference;
}

/** What a model is compiled with. */
export function configOf(options: {'no-passes'?: boolean; 'no-integers'?: boolean; threads?: string}): Record<string, OVAny> {
  return {
    WASMVINO_PASSES: !options['no-passes'],
    LP_TRANSFORMS_MODE: !options['no-integers'],
    INFERENCE_NUM_THREADS: options.threads ?? 0,
  };
}

function runCase(core: InstanceType<typeof ov.Core>, checked: Case, config: Record<string, OVAny>, writeTo: string | undefined): Outcome {
  const outcome: Outcome = {status: 'passed', message: '', worst: 0, milliseconds: 0};
  const start = performance.now();
  let reading = true;
  const disposables: {dispose(): void}[] = [];
  const own = <T extends {dispose(): void}>(made: T): T => (disposables.unshift(made), made);
  try {
    const model = own(core.readModelSync(checked.model));
    reading = false;
    const request = own(own(core.compileModelSync(model, 'CPU', config)).createInferRequest());
    for (const sequence of checked.sequences) {
      request.resetState();
      for (const step of sequence) runStep(checked, step, request, writeTo, outcome);
    }
  } catch (error) {
    // What is there must work in every form: only a reader that does not know the operation makes a case unsupported.
    const unsupported = reading && error instanceof WasmvinoError && error.code === 'UNSUPPORTED';
    outcome.status = unsupported ? 'unsupported' : 'failed';
    outcome.message = error instanceof Error ? error.message : String(error);
  } finally {
    for (const made of disposables) made.dispose();
  }
  outcome.milliseconds = performance.now() - start;
  return outcome;
}

function newCounts(): Record<Status, number> {
  return {passed: 0, failed: 0, unsupported: 0};
}

function line(operation: string, cells: (string | number)[]): string {
  const widths = [8, 8, 12];
  return `${operation.padEnd(44)} ${cells.map((cell, i) => String(cell).padStart(widths[i]!)).join(' ')}`;
}

export function check(folder: string, options: {int8?: boolean; write?: string; json?: string; filter?: string; 'no-passes'?: boolean; threads?: string}): number {
  const filter = new RegExp(options.filter ?? '');
  // Goldens have FakeQuantize evaluated in f32, but those of int8 kernels.
  const config = configOf({...options, 'no-integers': !options.int8});
  const core = new ov.Core();
  const operations: Record<string, Record<Status, number>> = {};
  const total = newCounts();
  const cases: object[] = [];
  for (const checked of findCases(folder, options.int8)) {
    if (!filter.test(checked.name)) continue;
    const outcome = runCase(core, checked, config, options.write);
    ++(operations[checked.operation] ??= newCounts())[outcome.status];
    ++total[outcome.status];
    if (outcome.status === 'failed') console.log(`FAILED ${checked.name}: ${outcome.message}`);
    cases.push({name: checked.name, operation: checked.operation, ...outcome});
  }
  console.log(line('operation', ['passed', 'failed', 'unsupported']));
  const names = Object.keys(operations).sort();
  for (const name of names) console.log(line(name, Object.values(operations[name]!)));
  console.log(line('all', Object.values(total)));
  if (options.json !== undefined) {
    writeFile(options.json, JSON.stringify({build: ov.build.name, ...total, operations, cases}, null, 1) + '\n');
  }
  if (names.length === 0) {
    console.error(`no case found below ${folder}`);
    return 1;
  }
  // A run in which nothing could pass has shown nothing.
  return total.failed > 0 || total.passed === 0 ? 1 : 0;
}
