// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {source} from './sources.mjs';

const {configOf, settingsOf, settingsOfFile, validate} = await source('generation_config');

test('defaults are those of OpenVINO GenAI', () => {
  const config = configOf(settingsOf({}));
  assert.equal(config.max_new_tokens, 2n ** 64n - 1n);
  assert.equal(config.top_k, 2n ** 64n - 1n);
  const {do_sample, temperature, top_p, num_beams, stop_criteria, apply_chat_template, stop_strings} = config;
  assert.deepEqual({do_sample, temperature, top_p, num_beams, stop_criteria, apply_chat_template, stop_strings}, {do_sample: false, temperature: 1, top_p: 1, num_beams: 1, stop_criteria: 1, apply_chat_template: true, stop_strings: undefined});
});

test('a config survives the way through the settings', () => {
  const config = {max_new_tokens: 42, top_k: 50, top_p: 0.9, do_sample: true, stop_criteria: 2, stop_strings: new Set(['end']), stop_token_ids: new Set([1, 2]), rng_seed: 7};
  const back = configOf(settingsOf(config));
  for (const [name, value] of Object.entries(config)) assert.deepEqual(back[name], value, name);
  assert.deepEqual(configOf(settingsOf(back)), back);
});

test('values of wrong types are refused', () => {
  const refused = (config, message) => assert.throws(() => settingsOf(config), {code: 'INVALID_ARGUMENT', message});
  refused({max_new_tokens: 1.5}, /max_new_tokens must be an integer, but got 1\.5/);
  refused({max_new_tokens: -1}, /max_new_tokens must be a non-negative integer, but got -1/);
  refused({max_new_tokens: 2n ** 100n}, /BigInt value is too large/);
  refused({stop_criteria: 3}, /Invalid stop criteria: 3\. Expected 0 \(EARLY\), 1 \(HEURISTIC\), or 2 \(NEVER\)\./);
  refused({stop_criteria: 'EARLY'}, /stop_criteria must be a number/);
  refused({do_sample: 1}, /do_sample must be true or false/);
  refused({stop_strings: 'end'}, /stop_strings must be a Set/);
  refused({parsers: [{}]}, /must have a 'parse' method/);
  assert.throws(() => settingsOf({structured_output_config: {json_schema: '{}'}}), {code: 'UNSUPPORTED'});
});

test('settings that contradict each other are refused in native\'s words', () => {
  const refused = (config, message) => assert.throws(() => validate(settingsOf({eos_token_id: 1, ...config})), {code: 'INVALID_ARGUMENT', message});
  refused({num_return_sequences: 0}, /^num_return_sequences must be greater than 0$/);
  refused({num_return_sequences: 2}, /can be more than 1 only in case of beam search or multinomial sampling, but got 2$/);
  refused({stop_token_ids: new Set([-1])}, /^'stop_token_ids' must be non-negative, but it contains a value -1$/);
  refused({ignore_eos: true}, /^ignore_eos is true, in this case either 'max_new_tokens', or 'max_length' should be defined\.$/);
  refused({max_new_tokens: 0}, /^'max_new_tokens' must be greater than 0, if `echo` is set, 0 is also accepted$/);
  refused({min_new_tokens: 5, max_new_tokens: 4}, /^min_new_tokens must be less or equal max_new_tokens$/);
  refused({frequency_penalty: 3}, /^'frequence_penalty' penalty must be within \[-2\.0; 2\.0\], but got 3$/);
  refused({presence_penalty: -3}, /^'presence_penalty' penalty must be within/);
  refused({repetition_penalty: 0}, /^'repetition_penalty' must be a strictly positive float, but got 0$/);
  refused({do_sample: true, top_p: 0}, /top_p must be a positive float > 0\.0 and <= 1\.0, but got 0$/);
  refused({do_sample: true, temperature: 0}, /temperature must be a strictly positive float, but got 0$/);
  refused({do_sample: true, min_p: 1}, /min_p must be in \[0\.0, 1\.0\), but got 1$/);
  refused({num_beams: 3, num_beam_groups: 2}, /^'num_beams' \(3\) should be divisible by 'num_beam_groups' \(2\)$/);
  refused({num_beams: 2, num_return_sequences: 3}, /^'num_beams' \(2\) must be greater equal than 'num_return_sequences' \(3\)$/);
  refused({num_beams: 2, do_sample: true}, /^Beam search with sampling is not supported yet/);
  refused({num_beams: 2, no_repeat_ngram_size: 0}, /^'no_repeat_ngram_size' must be positive$/);
  refused({num_beams: 4, num_beam_groups: 2}, /^For grouped beam search 'diversity_penalty' should not be zero/);
  refused({num_beams: 2, diversity_penalty: 1}, /^For beam search 'diversity_penalty' is applicable only when grouped/);
  refused({num_beams: 2, repetition_penalty: 1.2}, /^'repetition_penalty' is not currently supported by beam search/);
  assert.throws(() => validate(settingsOf({})), /^[^]*Either 'eos_token_id', or 'stop_token_ids'/);
  validate(settingsOf({eos_token_id: 1}));
});

test('generation_config.json: lists of end tokens, early stopping', () => {
  const settings = settingsOfFile({eos_token_id: [5, 6], do_sample: true, temperature: 0.6, top_k: 20, early_stopping: true, transformers_version: '5', pad_token_id: 5});
  assert.deepEqual([settings.eos_token_id, [...settings.stop_token_ids], settings.temperature, settings.top_k, settings.stop_criteria], [5, [5, 6], 0.6, 20, 0]);
  assert.deepEqual([...settingsOfFile({eos_token_id: 7}).stop_token_ids], [7]);
  assert.equal(settingsOfFile({early_stopping: 'never'}).stop_criteria, 2);
  assert.throws(() => settingsOfFile(null), {code: 'INVALID_MODEL'});
});
