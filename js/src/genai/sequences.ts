// SPDX-License-Identifier: Apache-2.0
// The sequences that are generated for one prompt.
import {GenerationFinishReason} from './enums.js';
import type {Settings} from './generation_config.js';
import {choose} from './logits.js';
import {MersenneTwister} from './random.js';
import type {StopStrings} from './stop_strings.js';

/** A sequence that is generated. `row` is its row in the last run of the network. */
export interface Sequence {
  tokens: number[];
  logProb: number;
  row: number;
  finish?: GenerationFinishReason;
}

/** A finished sequence. */
export interface Generated {
  tokens: number[];
  score: number;
  finish: GenerationFinishReason;
}

/** What sequences are generated for. */
export interface Task {
  prompt: readonly number[];
  settings: Settings;
  /** Most tokens to generate. */
  limit: number;
  stops: StopStrings;
  /** Changes what may follow the tokens. It returns new logits; for beams, it gets log probabilities. */
  adjust?: (logits: Float32Array, tokens: readonly number[]) => Float32Array;
}

/** Generates the sequences of one prompt. */
export interface Search {
  /** Sequences to continue. Empty when the search is over. */
  readonly running: readonly Sequence[];
  /** Adds a token to each running sequence. `logits` returns those of a row of the last run. Returns the number of tokens. */
  step(logits: (row: number) => Float32Array): Promise<number>;
  /** Ends all running sequences. */
  stop(finish: GenerationFinishReason): void;
  /** The best sequences, best first. */
  results(): Generated[];
}

const isStop = (token: number, {stop_token_ids: stops}: Settings) => stops.has(token);

/** Takes the most probable token, or draws one. */
export class Sampling implements Search {
  readonly #task: Task;
  readonly #prompt: ReadonlySet<number>;
  readonly #random: MersenneTwister;
  #sequences: Sequence[];
  readonly #counts = new Map<Sequence, Map<number, number>>();

  constructor(task: Task, row: number) {
    this.#task = task;
    this.#prompt = new Set(task.prompt);
    this.#random = new MersenneTwister(task.settings.rng_seed);
    this.#sequences = [this.#begin(row)];
  }

  #begin(row: number): Sequence {
    const sequence = {tokens: [], logProb: 0, row};
    this.#counts.set(sequence, new Map());
    return sequence;
  }

  get running(): readonly Sequence[] {
    return this.#sequences.filter(({finish}) => finish === undefined);
  }

  #add(sequence: Sequence, {token, logProb}: {token: number; logProb: number}): void {
    sequence.tokens.push(token);
    sequence.logProb += logProb;
    const counts = this.#counts.get(sequence)!;
    counts.set(token, (counts.get(token) ?? 0) + 1);
  }

  async #end(sequence: Sequence): Promise<void> {
    const {settings, limit, stops} = this.#task;
    if (isStop(sequence.tokens.at(-1)!, settings) && !settings.ignore_eos) {
      sequence.finish = GenerationFinishReason.STOP;
    } else if (sequence.tokens.length >= limit) {
      sequence.finish = GenerationFinishReason.LENGTH;
    } else {
      const removed = await stops.match(sequence.tokens);
      if (removed === undefined) return;
      sequence.tokens.length -= removed;
      sequence.finish = GenerationFinishReason.STOP;
    }
  }

  async step(logits: (row: number) => Float32Array): Promise<number> {
    const {settings, adjust = (row: Float32Array) => row} = this.#task;
    const {running} = this;
    for (const sequence of running) {
      const isFirst = sequence.tokens.length === 0;
      const count = isFirst ? settings.num_return_sequences : 1;
      const context = {prompt: this.#prompt, counts: this.#counts.get(sequence)!, length: sequence.tokens.length};
      const [first, ...more] = choose(adjust(logits(sequence.row), sequence.tokens), settings, context, this.#random, count);
      this.#add(sequence, first!);
      for (const choice of more) {
        const other = this.#begin(sequence.row);
        this.#sequences.push(other);
        this.#add(other, choice);
      }
    }
    const {length} = this.running;
    for (const sequence of this.running) await this.#end(sequence);
    return length;
  }

  stop(finish: GenerationFinishReason): void {
    for (const sequence of this.running) sequence.finish = finish;
  }

  results(): Generated[] {
    const all = this.#sequences.map(({tokens, logProb, finish}) => ({tokens, score: logProb, finish: finish!}));
    return all.sort((a, b) => b.score - a.score);
  }
}
