// SPDX-License-Identifier: Apache-2.0
// Filters and draws: which tokens are kept, with which probabilities, and which tokens native draws.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {golden, source} from './sources.mjs';

const {choose, filtered, logSoftmax} = await source('logits');
const {settingsOf} = await source('generation_config');
const {MersenneTwister} = await source('random');

const nothing = {prompt: new Set(), counts: new Map(), length: 0};

test('the random numbers are those of std::mt19937', () => {
  const random = new MersenneTwister(5489);
  for (let i = 1; i < 10000; ++i) random.bits();
  assert.equal(random.bits(), 4123659995); // the C++ standard names the 10,000th
});

const {first_logits: logits, sampling} = golden('qwen3');
const raw = Float32Array.from(logits);

for (const {config, tokens, probabilities, kept, native_seed42: drawn} of sampling) {
  test(`sampling with ${JSON.stringify(config)} keeps native's tokens`, () => {
    const settings = settingsOf({do_sample: true, ...config});
    const {ids, values} = filtered(raw, settings);
    assert.equal(ids.length, kept);
    const sum = values.reduce((total, value) => total + value, 0);
    const probability = new Map([...ids].map((id, i) => [id, values[i] / sum]));
    tokens.forEach((token, i) => assert.ok(Math.abs(probability.get(token) - probabilities[i]) < 5e-6, `token ${token}`));
    const [{token}] = choose(raw, settings, nothing, new MersenneTwister(42));
    assert.equal(token, drawn[0]);
  });
}

test('draws follow the probabilities, and repeat with the seed', () => {
  const settings = settingsOf({do_sample: true, temperature: 3, top_k: 5});
  const draw = (seed) => choose(raw, settings, nothing, new MersenneTwister(seed), 5000).map(({token}) => token);
  assert.deepEqual(draw(1), draw(1));
  assert.notDeepEqual(draw(1), draw(2));
  const {ids, values} = filtered(raw, settings);
  const all = draw(3);
  ids.forEach((id, i) => {
    const share = all.filter((token) => token === id).length / all.length;
    assert.ok(Math.abs(share - values[i]) < 0.03, `token ${id} was drawn ${share}, expected ${values[i]}`);
  });
});

test('penalties change the logits, but not the reported log probabilities', () => {
  const values = Float32Array.of(2, 1.5, -1, -3);
  const context = {prompt: new Set([0]), counts: new Map([[1, 2]]), length: 1};
  const best = (config) => choose(values, settingsOf({eos_token_id: 0, ...config}), context, new MersenneTwister(0))[0];
  assert.equal(best({}).token, 0);
  assert.equal(best({repetition_penalty: 10}).token, 0);
  assert.equal(best({repetition_penalty: 0.1}).token, 0);
  assert.equal(best({presence_penalty: -1}).token, 1);
  assert.equal(best({frequency_penalty: -0.3}).token, 1);
  assert.equal(best({min_new_tokens: 2, max_new_tokens: 3}).token, 1);
  const {token, logProb} = best({min_new_tokens: 2, max_new_tokens: 3, logprobs: 1});
  assert.ok(Math.abs(logProb - logSoftmax(values)[token]) < 1e-6);
  assert.deepEqual([...values], [2, 1.5, -1, -3]);
});
