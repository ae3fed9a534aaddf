// SPDX-License-Identifier: Apache-2.0
// `check FOLDER`: runs every conformance case below a folder and counts by operation.
import {join} from 'node:path';
import {Tensor, WasmvinoError, addon as ov, type InferRequest} from '../node.js';
import {arrayFile, readArray, writeArray, writeFile} from './arrays.js';
import {findCases, type Case, type CaseStep} from './cases.js';
import {compare, sortAlong, valuesOf} from './compare.js';

type Status = 'passed' | 'failed' | 'unsupported';

interface Outcome {
  status: Status;
  message: string;
  worst: number;
  milliseconds: number;
}

// Rows of an output that belong to padding: where a step has an attention mask [batch, length], the rows
// [batch, last positions] of its outputs that the mask hides mean nothing.
function hiddenRows(mask: Tensor | undefined, output: number[]): boolean[] {
  const [batch, length] = mask?.getShape() ?? [];
  if (length === undefined || output.length !== 3 || output[0] !== batch || output[1]! > length) return [];
  const values = valuesOf(mask!);
  const hidden: boolean[] = [];
  for (let b = 0; b < batch!; ++b) {
    for (let p = length - output[1]!; p < length; ++p) hidden.push(Number(values[b * length + p]) === 0);
  }
  return hidden;
}

function runStep(checked: Case, step: CaseStep, request: InferRequest, writeTo: string | undefined, outcome: Outcome): void {
  const compiled = request.getCompiledModel();
  let mask: Tensor | undefined;
  for (const input of step.inputs) {
    const port = compiled.input(input.position ?? input.name);
    const tensor = readArray(arrayFile(input.file), (port.elementType as string) === 'dynamic' ? undefined : port.elementType);
    if (input.name === 'attention_mask') mask = tensor;
    request.setInputTensor(compiled.inputs.indexOf(port), tensor);
  }
  request.infer();
  let got = step.outputs.map((output) => request.getOutputTensor(output.position));
  let want = step.outputs.map((output) => readArray(arrayFile(output.file), output.type));
  if (writeTo !== undefined) step.outputs.forEach((output, i) => writeArray(join(writeTo, output.result), got[i]!));
  if (checked.sortAxis !== undefined) [got, want] = [sortAlong(got, checked.sortAxis), sortAlong(want, checked.sortAxis)];
  step.outputs.forEach((output, i) => {
    const {difference, worst} = compare(got[i]!, want[i]!, output.rule, hiddenRows(mask, want[i]!.getShape()));
    outcome.worst = Math.max(outcome.worst, worst);
    if (difference === '' || outcome.status === 'failed') return;
    outcome.status = 'failed';
    outcome.message = `${step.name}${step.name && ', '}output ${output.position} '${output.name}': ${difference}`;
  });
}

function runCase(core: InstanceType<typeof ov.Core>, checked: Case, writeTo: string | undefined): Outcome {
  const outcome: Outcome = {status: 'passed', message: '', worst: 0, milliseconds: 0};
  const start = performance.now();
  let reading = true;
  const disposables: {dispose(): void}[] = [];
  const own = <T extends {dispose(): void}>(made: T): T => (disposables.unshift(made), made);
  try {
    const model = own(core.readModelSync(checked.model));
    reading = false;
    const request = own(own(core.compileModelSync(model, 'CPU')).createInferRequest());
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

export function check(folder: string, options: {write?: string; json?: string; filter?: string}): number {
  const filter = new RegExp(options.filter ?? '');
  const core = new ov.Core();
  const operations: Record<string, Record<Status, number>> = {};
  const total = newCounts();
  const cases: object[] = [];
  for (const checked of findCases(folder)) {
    if (!filter.test(checked.name)) continue;
    const outcome = runCase(core, checked, options.write);
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
