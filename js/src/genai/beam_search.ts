// SPDX-License-Identifier: Apache-2.0
// Beam search with groups. Groups choose one after the other, so that later ones can avoid the tokens of earlier ones.
import {GenerationFinishReason, StopCriteria} from './enums.js';
import type {Settings} from './generation_config.js';
import {logSoftmax} from './logits.js';
import type {Generated, Search, Sequence, Task} from './sequences.js';

interface Beam {
  sequence: Sequence;
  /** Sum of log probabilities. For finished beams, divided by a power of the length. */
  score: number;
}

interface Candidate extends Beam {
  token: number;
  logProb: number;
}

const {fround} = Math;

// The positions of the largest values, largest first. Equal values keep their order.
function largest(values: Float32Array, count: number): number[] {
  const found: number[] = [];
  for (let i = 0; i < values.length; ++i) {
    if (found.length === count && !(values[i]! > values[found[count - 1]!]!)) continue;
    let at = Math.min(found.length, count - 1);
    while (at > 0 && values[i]! > values[found[at - 1]!]!) {
      found[at] = found[at - 1]!;
      --at;
    }
    found[at] = i;
  }
  return found;
}

// Tokens that would repeat a group of `size` tokens.
function repeats(tokens: readonly number[], size: number): number[] {
  const begin = tokens.length - size + 1;
  const banned: number[] = [];
  for (let i = 0; i + size <= tokens.length; ++i) {
    let same = 0;
    while (same < size - 1 && tokens[i + same] === tokens[begin + same]) ++same;
    if (same === size - 1) banned.push(tokens[i + same]!);
  }
  return banned;
}

class Group {
  ongoing: Beam[];
  readonly finished: Beam[] = [];
  done = false;
  readonly #settings: Settings;
  readonly #size: number;

  constructor(settings: Settings, size: number, first: Sequence) {
    this.#settings = settings;
    this.#size = size;
    // All beams begin alike. Only the first has a score, so that the others do not choose the same tokens.
    this.ongoing = Array.from({length: size}, (_, i) => ({sequence: first, score: i === 0 ? 0 : Number.NEGATIVE_INFINITY}));
  }

  /** Keeps the beam if it is among the best finished ones. `length` counts for its score. */
  finish(sequence: Sequence, score: number, length: number): void {
    this.finished.push({sequence, score: score / length ** this.#settings.length_penalty});
    this.finished.sort((a, b) => b.score - a.score);
    if (this.finished.length > this.#size) this.finished.pop();
  }

  /** Whether the beams before this step can still become better than the finished ones. */
  checkDone(limit: number): void {
    if (this.finished.length < this.#size) return;
    const {stop_criteria: criteria, length_penalty: penalty} = this.#settings;
    const [best] = this.ongoing;
    const current = best!.sequence.tokens.length;
    const length = criteria === StopCriteria.NEVER && penalty > 0 ? limit : current;
    const attainable = best!.score / length ** penalty;
    this.done = criteria === StopCriteria.EARLY || this.finished.at(-1)!.score >= attainable;
  }
}

export class BeamSearch implements Search {
  readonly #task: Task;
  readonly #groups: Group[];
  readonly #size: number;

  constructor(task: Task, row: number) {
    this.#task = task;
    const {num_beams: beams, num_beam_groups: groups} = task.settings;
    this.#size = beams / groups;
    const first: Sequence = {tokens: [], logProb: 0, row};
    this.#groups = Array.from({length: groups}, () => new Group(task.settings, this.#size, first));
  }

  get running(): readonly Sequence[] {
    const all = this.#groups.flatMap(({done, ongoing}) => (done ? [] : ongoing));
    return [...new Set(all.map(({sequence}) => sequence))];
  }

  // The best tokens of a beam.
  #candidatesOf({sequence, score}: Beam, probabilities: Float32Array, others: readonly Candidate[]): Candidate[] {
    const {diversity_penalty: diversity, no_repeat_ngram_size: ngram} = this.#task.settings;
    const {adjust} = this.#task;
    const values = adjust ? adjust(probabilities, sequence.tokens) : probabilities.slice();
    for (const {token} of others) values[token]! -= diversity;
    const text = [...this.#task.prompt, ...sequence.tokens];
    if (text.length > 1 && text.length >= ngram) for (const token of repeats(text, ngram)) values[token] = Number.NEGATIVE_INFINITY;
    return largest(values, 2 * this.#size).map((token) => ({sequence, score: fround(score + values[token]!), token, logProb: values[token]!}));
  }

  // The beams with which the group goes on. Finishes those that end here.
  async #childrenOf(group: Group, candidates: Candidate[]): Promise<Candidate[]> {
    const {settings, stops} = this.#task;
    const children: Candidate[] = [];
    for (const [place, {sequence, score, token, logProb}] of candidates.entries()) {
      const ended: Sequence = {tokens: [...sequence.tokens, token], logProb: sequence.logProb + logProb, row: 0, finish: GenerationFinishReason.STOP};
      if (settings.stop_token_ids.has(token)) {
        if (place < this.#size) group.finish(ended, score, ended.tokens.length);
        continue;
      }
      const removed = await stops.match(ended.tokens);
      if (removed !== undefined) {
        ended.tokens.length -= removed;
        if (place < this.#size) group.finish(ended, score, Math.max(1, sequence.tokens.length));
        continue;
      }
      children.push({sequence, score, token, logProb});
      if (children.length === this.#size) break;
    }
    return children;
  }

  async step(logits: (row: number) => Float32Array): Promise<number> {
    const {limit} = this.#task;
    const known = new Map<number, Float32Array>();
    const probabilities = (row: number) => {
      if (!known.has(row)) known.set(row, logSoftmax(logits(row)));
      return known.get(row)!;
    };
    const chosen: Candidate[] = [];
    for (const group of this.#groups) {
      if (group.done) continue;
      const candidates = group.ongoing.flatMap((beam) => this.#candidatesOf(beam, probabilities(beam.sequence.row), chosen));
      candidates.sort((a, b) => b.score - a.score);
      const children = await this.#childrenOf(group, candidates);
      group.checkDone(limit);
      group.done ||= children.length === 0;
      group.ongoing = children.map(({sequence, score, token, logProb}) => ({
        sequence: {tokens: [...sequence.tokens, token], logProb: sequence.logProb + logProb, row: sequence.row},
        score,
      }));
      chosen.push(...children);
    }
    if (this.running[0]?.tokens.length === limit) this.stop(GenerationFinishReason.LENGTH);
    return 1;
  }

  stop(finish: GenerationFinishReason): void {
    for (const group of this.#groups) {
      if (group.done) continue;
      for (const {sequence, score} of group.ongoing) group.finish({...sequence, finish}, score, Math.max(1, sequence.tokens.length));
      group.done = true;
    }
  }

  results(): Generated[] {
    const {num_return_sequences: count, length_penalty: penalty} = this.#task.settings;
    const all = this.#groups.flatMap(({finished}) => finished.map(({sequence}) => sequence));
    const scored = all.map(({tokens, logProb, finish}) => ({tokens, score: logProb / Math.max(1, tokens.length) ** penalty, finish: finish!}));
    return scored.sort((a, b) => b.score - a.score).slice(0, count);
  }
}
