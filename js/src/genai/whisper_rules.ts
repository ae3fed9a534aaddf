// SPDX-License-Identifier: Apache-2.0
// The rules of Whisper's tokens: which may follow, and what the times among them mean.
import {logSoftmax} from './logits.js';
import type {WhisperSettings} from './whisper_config.js';

/** A part of a text with its times in seconds. `end` is -1 if the model gave none. */
export interface Segment {
  start: number;
  end: number;
  tokens: number[];
}

const nothing = Number.NEGATIVE_INFINITY;

// Times come in pairs and do not decrease. Changes the logits.
function allowTimestamps(logits: Float32Array, tokens: readonly number[], settings: WhisperSettings): void {
  const {no_timestamps_token_id: none, eos_token_id: eos, max_initial_timestamp_index: latest} = settings;
  const first = none + 1;
  const isTime = (token: number | undefined) => token !== undefined && token >= first;
  logits[none] = nothing;
  const lastIsTime = isTime(tokens.at(-1));
  const previousIsTime = tokens.length < 2 || isTime(tokens.at(-2));
  if (lastIsTime && previousIsTime) logits.fill(nothing, first);
  else if (lastIsTime) logits.fill(nothing, 0, eos);
  const times = tokens.filter(isTime);
  if (times.length > 0) logits.fill(nothing, first, times.at(-1)! + (lastIsTime && !previousIsTime ? 0 : 1));
  if (tokens.length === 0) {
    logits.fill(nothing, 0, first);
    logits.fill(nothing, first + latest + 1);
  }
  const probabilities = logSoftmax(logits);
  let [sum, best] = [0, nothing];
  for (let i = first; i < logits.length; ++i) sum += Math.exp(probabilities[i]!);
  for (let i = 0; i < first; ++i) if (probabilities[i]! > best) best = probabilities[i]!;
  if (Math.log(sum) > best) logits.fill(nothing, 0, first);
}

/** Returns logits in which tokens that may not follow are impossible. */
export function allowed(logits: Float32Array, tokens: readonly number[], settings: WhisperSettings, withTimes: boolean): Float32Array {
  const changed = logits.slice();
  if (tokens.length === 0) for (const token of settings.begin_suppress_tokens) changed[token] = nothing;
  for (const token of settings.suppress_tokens) changed[token] = nothing;
  if (withTimes) allowTimestamps(changed, tokens, settings);
  return changed;
}

/** What the tokens of a window say. */
export interface Parsed {
  segments: Segment[];
  /** The tokens that belong to segments: from, to. */
  ranges: [number, number][];
  /** Number of frames after which the next window begins. */
  frames: number;
}

/** Finds the segments of a window. `step` is the time between two time tokens, `offset` the start of the window. */
export function segmentsOf(tokens: readonly number[], settings: WhisperSettings, windowFrames: number, step: number, offset: number): Parsed {
  const first = settings.no_timestamps_token_id + 1;
  const timeOf = (token: number) => Math.fround((token - first) * step + offset);
  const parsed: Parsed = {segments: [], ranges: [], frames: 0};
  let open: {token: number; at: number} | undefined;
  const add = (from: number, to: number, start: number, end: number) => {
    parsed.segments.push({start, end, tokens: tokens.slice(from, to)});
    parsed.ranges.push([from, to]);
  };
  for (const [i, token] of tokens.entries()) {
    if (token < first) continue;
    if (!open) open = {token, at: i};
    else if (open.token !== token) {
      add(open.at + 1, i, timeOf(open.token), timeOf(token));
      parsed.frames = (token - first) * 2;
      open = undefined;
    }
  }
  if (open && open.at < tokens.length - 1 && parsed.segments.length === 0) {
    add(open.at + 1, tokens.length, timeOf(open.token), -1);
    parsed.frames = windowFrames;
  }
  // A window always advances, whatever the model says.
  if (!open || parsed.frames === 0) parsed.frames = windowFrames;
  return parsed;
}
