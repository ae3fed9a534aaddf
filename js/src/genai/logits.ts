// SPDX-License-Identifier: Apache-2.0
// Chooses a token by the logits: penalties, then the most probable token, or filters and a draw. Order and arithmetic are
// those of OpenVINO GenAI, in 32 bits.
import type {Settings} from './generation_config.js';
import type {MersenneTwister} from './random.js';

/** A chosen token. `logProb` is 0 for the most probable token unless log probabilities are asked for. */
export interface Choice {
  token: number;
  logProb: number;
}

/** What the choice depends on, besides the logits. */
export interface ChoiceContext {
  /** The tokens of the prompt, each once. */
  prompt: ReadonlySet<number>;
  /** How often each token was generated. */
  counts: ReadonlyMap<number, number>;
  /** Number of tokens generated. */
  length: number;
}

const {fround} = Math;

function logSumExp(logits: Float32Array): number {
  const largest = maximum(logits);
  let sum = 0;
  for (const value of logits) sum = fround(sum + fround(Math.exp(value - largest)));
  return fround(Math.log(sum) + largest);
}

function maximum(values: Float32Array): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (const value of values) if (value > largest) largest = value;
  return largest;
}

/** The natural logarithm of the softmax of the logits. */
export function logSoftmax(logits: Float32Array): Float32Array {
  const largest = maximum(logits);
  let sum = 0;
  for (const value of logits) sum = fround(sum + fround(Math.exp(fround(value - largest))));
  const logSum = fround(Math.log(sum));
  return logits.map((value) => fround(value - largest) - logSum);
}

// Changes logits by the tokens so far.
function applyPenalties(logits: Float32Array, settings: Settings, {prompt, counts, length}: ChoiceContext): void {
  if (length < settings.min_new_tokens) for (const id of settings.stop_token_ids) logits[id] = Number.NEGATIVE_INFINITY;
  const {repetition_penalty: repetition, presence_penalty: presence, frequency_penalty: frequency} = settings;
  if (repetition !== 1) {
    for (const id of new Set([...prompt, ...counts.keys()])) logits[id]! >= 0 ? (logits[id]! /= repetition) : (logits[id]! *= repetition);
  }
  const lower = (id: number, by: number) => (logits[id]! -= logits[id]! >= 0 ? by : -by);
  if (presence !== 0) for (const id of counts.keys()) lower(id, presence);
  if (frequency !== 0) for (const [id, count] of counts) lower(id, frequency * count);
}

/** Tokens with a value each: logits first, then probabilities. */
interface Candidates {
  ids: Uint32Array;
  values: Float32Array;
}

// The binary heap of libstdc++, with the smallest value first: the order in which it leaves the tokens decides draws.
class MinHeap {
  constructor(
    readonly ids: Uint32Array,
    readonly values: Float32Array,
  ) {
    for (let i = (values.length >> 1) - 1; i >= 0; --i) this.#sift(i, values.length, ids[i]!, values[i]!);
  }

  #put(at: number, id: number, value: number): void {
    this.ids[at] = id;
    this.values[at] = value;
  }

  #raise(at: number, top: number, id: number, value: number): void {
    let hole = at;
    for (let parent = (hole - 1) >> 1; hole > top && this.values[parent]! > value; parent = (hole - 1) >> 1) {
      this.#put(hole, this.ids[parent]!, this.values[parent]!);
      hole = parent;
    }
    this.#put(hole, id, value);
  }

  #sift(top: number, length: number, id: number, value: number): void {
    let hole = top;
    let child = top;
    while (child < (length - 1) >> 1) {
      child = 2 * (child + 1);
      if (this.values[child]! > this.values[child - 1]!) --child;
      this.#put(hole, this.ids[child]!, this.values[child]!);
      hole = child;
    }
    if (length % 2 === 0 && child === (length - 2) >> 1) {
      child = 2 * child + 1;
      this.#put(hole, this.ids[child]!, this.values[child]!);
      hole = child;
    }
    this.#raise(hole, top, id, value);
  }

  /** Replaces the smallest value. */
  replace(id: number, value: number): void {
    const last = this.values.length - 1;
    const [lastId, lastValue] = [this.ids[last]!, this.values[last]!];
    if (last > 0) this.#sift(0, last, lastId, lastValue);
    this.#raise(last, 0, id, value);
  }
}

function topK(logits: Float32Array, count: number): Candidates {
  const heap = new MinHeap(Uint32Array.from({length: count}, (_, i) => i), logits.slice(0, count));
  for (let i = count; i < logits.length; ++i) if (logits[i]! > heap.values[0]!) heap.replace(i, logits[i]!);
  return heap;
}

function softmax({values}: Candidates, temperature: number): void {
  const largest = maximum(values);
  const scale = fround(1 / fround(temperature));
  let sum = 0;
  for (let i = 0; i < values.length; ++i) {
    values[i] = Math.exp(fround(fround(values[i]! - largest) * scale));
    sum = fround(sum + values[i]!);
  }
  for (let i = 0; i < values.length; ++i) values[i]! /= sum;
}

function minP({ids, values}: Candidates, part: number): Candidates {
  const least = fround(fround(part) * maximum(values));
  const kept = [...values.keys()].filter((i) => values[i]! >= least);
  return {ids: Uint32Array.from(kept, (i) => ids[i]!), values: Float32Array.from(kept, (i) => values[i]!)};
}

function topP({ids, values}: Candidates, part: number): Candidates {
  const order = [...values.keys()].sort((a, b) => values[b]! - values[a]!);
  let sum = 0;
  let count = 0;
  while (count < order.length && sum <= part) sum = fround(sum + values[order[count++]!]!);
  const kept = order.slice(0, count);
  return {ids: Uint32Array.from(kept, (i) => ids[i]!), values: Float32Array.from(kept, (i) => values[i]!)};
}

/** The tokens from which one is drawn, with weights. */
export function filtered(logits: Float32Array, settings: Settings): Candidates {
  const {top_k: k, top_p: p, min_p: least, temperature} = settings;
  const whole = k === 0 || k >= logits.length;
  let kept: Candidates = whole ? {ids: Uint32Array.from(logits.keys()), values: logits.slice()} : topK(logits, k);
  softmax(kept, temperature);
  if (least > 0) kept = minP(kept, least);
  if (p !== 1) kept = topP(kept, p);
  return kept;
}

function draw({ids, values}: Candidates, random: MersenneTwister): Choice {
  let total = 0;
  for (const value of values) total = fround(total + value);
  const target = fround(total * random.uniform());
  let sum = 0;
  let at = values.length - 1;
  for (let i = 0; i < values.length; ++i) {
    sum = fround(sum + values[i]!);
    if (sum > target) {
      at = i;
      break;
    }
  }
  return {token: ids[at]!, logProb: Math.log(values[at]!) - Math.log(total)};
}

/**
 * Chooses `count` tokens: the most probable one, or drawn ones.
 *
 * @param raw The logits of the model. They are not changed.
 */
export function choose(raw: Float32Array, settings: Settings, context: ChoiceContext, random: MersenneTwister, count = 1): Choice[] {
  const logits = raw.slice();
  applyPenalties(logits, settings, context);
  const normaliser = settings.logprobs > 0 ? logSumExp(raw) : undefined;
  const scored = ({token, logProb}: Choice): Choice => ({token, logProb: normaliser === undefined ? logProb : fround(raw[token]! - normaliser)});
  if (!settings.do_sample) {
    let token = 0;
    for (let i = 1; i < logits.length; ++i) if (logits[i]! > logits[token]!) token = i;
    return [scored({token, logProb: 0})];
  }
  const candidates = filtered(logits, settings);
  return Array.from({length: count}, () => scored(draw(candidates, random)));
}
