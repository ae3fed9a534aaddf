// SPDX-License-Identifier: Apache-2.0
// A step of a case: the arrays that go in, and whether those that came out are the golden ones.
import type {CompiledModel, Tensor} from '../node.js';
import {arrayFile, readArray} from './arrays.js';
import type {Case, CaseStep} from './cases.js';
import {compare, sortAlong, valuesOf, type Comparison} from './compare.js';

export interface StepInput {
  /** Of the model's input. */
  position: number;
  name: string;
  tensor: Tensor;
}

export function stepInputs(step: CaseStep, compiled: CompiledModel): StepInput[] {
  return step.inputs.map(({position, name, file}) => {
    const port = compiled.input(position ?? name);
    const type = (port.elementType as string) === 'dynamic' ? undefined : port.elementType;
    return {position: compiled.inputs.indexOf(port), name, tensor: readArray(arrayFile(file), type)};
  });
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

/** The first difference from the goldens in words, empty where there is none, and the largest of all. */
export function judge(checked: Case, step: CaseStep, inputs: StepInput[], outputs: Tensor[]): Comparison {
  const mask = inputs.find((input) => input.name === 'attention_mask')?.tensor;
  let got = outputs;
  let want = step.outputs.map((output) => readArray(arrayFile(output.file), output.type));
  if (checked.sortAxis !== undefined) [got, want] = [sortAlong(got, checked.sortAxis), sortAlong(want, checked.sortAxis)];
  const judged: Comparison = {difference: '', worst: 0};
  step.outputs.forEach((output, i) => {
    const {difference, worst} = compare(got[i]!, want[i]!, output.rule, hiddenRows(mask, want[i]!.getShape()));
    judged.worst = Math.max(judged.worst, worst);
    if (difference === '' || judged.difference !== '') return;
    judged.difference = `${step.name}${step.name && ', '}output ${output.position} '${output.name}': ${difference}`;
  });
  return judged;
}
