// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {source} from './sources.mjs';

const {TextStreamer} = await source('text_streamer');
const {StopStrings} = await source('stop_strings');

const decoderOf = (words) => async (tokens) => tokens.map((token) => words[token]).join('');

async function chunksOf(words, tokens, answer = () => undefined) {
  const chunks = [];
  const streamer = new TextStreamer(decoderOf(words), (chunk) => {
    chunks.push(chunk);
    return answer(chunk);
  });
  const statuses = [];
  for (const token of tokens) statuses.push(await streamer.write(token));
  await streamer.end();
  return {chunks, statuses};
}

test('a chunk comes two tokens late, a line at once, and the rest at the end', async () => {
  const {chunks} = await chunksOf(['a', 'b', '\n', 'c'], [0, 1, 1, 0, 2, 3]);
  assert.deepEqual(chunks, ['a', 'b', 'ba\n', 'c']);
});

test('no chunk ends within a character', async () => {
  const decode = async (tokens) => new TextDecoder().decode(Uint8Array.from(tokens));
  const chunks = [];
  const streamer = new TextStreamer(decode, (chunk) => void chunks.push(chunk));
  const bytes = [...new TextEncoder().encode('aé東b c')];
  for (const byte of bytes) await streamer.write(byte);
  await streamer.end();
  assert.equal(chunks.join(''), 'aé東b c');
  assert.ok(chunks.every((chunk) => !chunk.includes('\ufffd')));
});

test('what the streamer returns is the status; anything else means RUNNING', async () => {
  const {statuses} = await chunksOf(['a'], [0, 0, 0, 0], () => 2);
  assert.deepEqual(statuses, [0, 0, 2, 2]);
  assert.deepEqual((await chunksOf(['a'], [0, 0, 0], () => 'stop')).statuses, [0, 0, 0]);
});

test('stop strings: how many tokens to remove', async () => {
  const words = ['The', ' capital', ' of', ' is', '.', '\n'];
  const stops = (texts, window, include = false) => new StopStrings(new Set(texts), window, include, decoderOf(words));
  assert.equal(await stops([], 0).match([0, 1]), undefined);
  assert.equal(await stops(['capital'], 1).match([0, 1]), 1);
  assert.equal(await stops(['capital'], 2).match([0, 1]), 1);
  assert.equal(await stops(['capital'], 1, true).match([0, 1]), 0);
  assert.equal(await stops(['apita'], 2).match([0, 1]), 0); // the token that begins in front of the string stays
  assert.equal(await stops([' is', 'zzz'], 3).match([1, 2, 3]), 1);
  assert.equal(await stops(['.'], 3).match([1, 5, 4]), 2); // the line break goes too
  assert.equal(await stops(['zzz'], 3).match([0, 1]), undefined);
});
