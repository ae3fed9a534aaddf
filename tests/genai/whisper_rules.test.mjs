// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {source} from './sources.mjs';

const {LogMel, defaultFeatures} = await source('log_mel');
const {segmentsOf, allowed} = await source('whisper_rules');
const {whisperSettingsOf} = await source('whisper_config');

test('features: a sine lies in its band, silence is the same everywhere', () => {
  const logMel = new LogMel(defaultFeatures);
  const {size, frames, data} = logMel.features(Float32Array.from({length: 16000}, (_, i) => Math.sin((2 * Math.PI * 440 * i) / 16000)));
  assert.deepEqual([size, frames], [80, 3000]);
  const column = Array.from({length: size}, (_, row) => data[row * frames + 50]);
  assert.equal(column.indexOf(Math.max(...column)), 11); // 440 Hz is mel 6.60, and this band's middle is mel 6.70
  const silent = logMel.features(new Float32Array(1000)).data;
  assert.ok(silent.every((value) => value === -1.5));
  assert.throws(() => logMel.features(new Float32Array(200)), /raw_speech too short for reflect padding: size=200, required > 200/);
});

test('time tokens come in pairs and do not decrease', () => {
  const settings = whisperSettingsOf({eos_token_id: 4, no_timestamps_token_id: 5, max_initial_timestamp_index: 1, suppress_tokens: [1], begin_suppress_tokens: [2], lang_to_id: {'<|en|>': 3}});
  const possible = (tokens, times = true, logits = new Float32Array(10)) => [...allowed(logits, tokens, settings, times).keys()].filter((i) => allowed(logits, tokens, settings, times)[i] > -Infinity);
  assert.deepEqual(possible([], false), [0, 3, 4, 5, 6, 7, 8, 9]);
  assert.deepEqual(possible([0], false), [0, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.deepEqual(possible([]), [6, 7]);
  const text = Float32Array.of(9, 9, 9, 9, 9, 9, 0, 0, 0, 0);
  assert.deepEqual(possible([7], true, text), [0, 2, 3, 4]);
  assert.deepEqual(possible([7, 0], true, text), [0, 2, 3, 4, 8, 9]);
  assert.deepEqual(possible([6, 0, 7], true, text), [4, 7, 8, 9]);
});

test('segments of a window', () => {
  const settings = whisperSettingsOf({eos_token_id: 4, no_timestamps_token_id: 5, lang_to_id: {'<|en|>': 3}});
  const parsed = (tokens) => segmentsOf(tokens, settings, 3000, 0.5, 10);
  assert.deepEqual(parsed([6, 1, 7, 7, 2, 9, 4]), {segments: [{start: 10, end: 10.5, tokens: [1]}, {start: 10.5, end: 11.5, tokens: [2]}], ranges: [[1, 2], [4, 5]], frames: 3000});
  assert.equal(parsed([6, 1, 8, 8, 4]).frames, 4); // the speech goes on in the next window
  assert.deepEqual(parsed([6, 1, 2]), {segments: [{start: 10, end: -1, tokens: [1, 2]}], ranges: [[1, 3]], frames: 3000});
  assert.equal(parsed([6]).frames, 3000); // a window always advances
});
