// SPDX-License-Identifier: Apache-2.0
import type {GenerationFinishReason} from './enums.js';
import {WasmvinoError} from './engine.js';
import type {ParsedMessage} from './parsers.js';
import type {PerfMetrics} from './perf_metrics.js';

/** Results of generate(): for each prompt, `num_return_sequences` texts. */
export class DecodedResults {
  /**
   * @param texts The texts.
   * @param scores A score for each text.
   * @param perfMetrics What generation took.
   * @param parsed What the parsers found in each text.
   * @param finishReasons Why each text ended.
   * @param tokens The tokens of each text.
   */
  constructor(
    public texts: string[],
    public scores: number[],
    public perfMetrics: PerfMetrics,
    public parsed: ParsedMessage[],
    public finishReasons: GenerationFinishReason[] = [],
    public tokens: number[][] = [],
  ) {}

  /** Returns the text. If there are several, returns a line with score and text for each. */
  toString(): string {
    if (this.scores.length !== this.texts.length) {
      throw new WasmvinoError('INVALID_STATE', "The number of scores and texts doesn't match in DecodedResults.");
    }
    if (this.texts.length <= 1) return this.texts[0] ?? '';
    return this.scores.map((score, i) => `${score.toFixed(6)}: ${this.texts[i]}`).join('\n');
  }
}
