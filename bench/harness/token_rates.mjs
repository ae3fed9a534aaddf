// SPDX-License-Identifier: Apache-2.0
// Tokens per second of the language model, as bench/llm measures it.

/** OpenVINO's configuration in which only the weights are quantised. */
export const NATIVE_F32 = 'native OpenVINO in f32';

export const withThreads = (threads) => `${threads} thread${threads > 1 ? 's' : ''}`;

const perSecond = (tokens, {best, median}) => ({best: (1000 * tokens) / best, median: (1000 * tokens) / median});

/** The steps that are compared: a whole prompt, and a token after each prompt. `rate` returns tokens per second. */
export function tokenSteps({prompts}) {
  return [
    {name: `prompt of ${prompts[0]}`, rate: ({results}) => perSecond(results[0].prompt, results[0].promptMs)},
    // The prompts of engines with tokenizers may be one token longer.
    ...prompts.map((length, i) => ({name: `decoding after ${length}`, rate: ({results}) => perSecond(1, results[i].tokenMs)})),
  ];
}
