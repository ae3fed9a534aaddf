// SPDX-License-Identifier: Apache-2.0
// Decides whether the outputs of a step match the goldens.
import {readArrayFile} from '../../js/src/arrays/array_files.mjs';
import {valuesOf} from '../../js/src/arrays/values.mjs';
import {arrayFile} from './cases.mjs';
import {compare, sortAlong} from './compare.mjs';

// Finds the rows of an output that belong to padding. If a step has an attention mask [batch, length], rows
// [batch, last positions] that the mask hides are meaningless.
function hiddenRows(mask, output) {
  const [batch, length] = mask?.shape ?? [];
  if (length === undefined || output.length !== 3 || output[0] !== batch || output[1] > length) return [];
  const values = valuesOf(mask);
  const hidden = [];
  for (let b = 0; b < batch; ++b) {
    for (let p = length - output[1]; p < length; ++p) hidden.push(Number(values[b * length + p]) === 0);
  }
  return hidden;
}

/**
 * Compares the outputs of a step with its goldens.
 * @param {import('./cases.mjs').Case} checked
 * @param {import('./cases.mjs').CaseStep} step
 * @param {import('./compare.mjs').StoredArray[]} outputs in the order of the step's outputs
 * @returns {import('./compare.mjs').Comparison} a description of the first difference, and the largest difference of all
 */
export function judge(checked, step, outputs) {
  const masked = step.inputs.find(({name}) => name === 'attention_mask');
  const mask = masked && readArrayFile(arrayFile(masked.file));
  let got = outputs;
  let want = step.outputs.map(({file, type}) => readArrayFile(arrayFile(file), type));
  if (checked.sortAxis !== undefined) [got, want] = [sortAlong(got, checked.sortAxis), sortAlong(want, checked.sortAxis)];
  const judged = {difference: '', worst: 0};
  step.outputs.forEach(({position, name, rule}, i) => {
    const {difference, worst} = compare(got[i], want[i], rule, hiddenRows(mask, want[i].shape));
    judged.worst = Math.max(judged.worst, worst);
    if (difference === '' || judged.difference !== '') return;
    judged.difference = `${step.name}${step.name && ', '}output ${position} '${name}': ${difference}`;
  });
  return judged;
}
