// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {source} from './sources.mjs';

const {ChatHistory} = await source('chat_history');

test('a history keeps copies of messages, tools and variables', () => {
  const message = {role: 'user', content: 'Hi', more: {n: 1}};
  const history = new ChatHistory([{role: 'system', content: 'Be brief.'}]);
  assert.equal(history.push(message), history);
  message.more.n = 2;
  history.getMessages()[0].content = 'changed';
  assert.deepEqual(history.getMessages(), [{role: 'system', content: 'Be brief.'}, {role: 'user', content: 'Hi', more: {n: 1}}]);
  assert.equal(history.size(), 2);
  assert.deepEqual(history.setTools([{type: 'function'}]).getTools(), [{type: 'function'}]);
  assert.deepEqual(history.setExtraContext({enable_thinking: false}).getExtraContext(), {enable_thinking: false});
  history.pop();
  assert.equal(history.size(), 1);
  history.clear();
  assert.ok(history.empty());
  assert.deepEqual([history.getTools(), history.getExtraContext()], [[], {}]);
});

test('wrong arguments are refused and change nothing', () => {
  const history = new ChatHistory([{role: 'user', content: 'Hi'}]);
  assert.throws(() => history.setMessages('text'), /must be initialized with a JSON array/);
  assert.throws(() => history.setMessages([1]), /must be an object/);
  assert.throws(() => history.push('text'), /must be a JS object or an array/);
  assert.throws(() => history.setTools('text'), /array-like/);
  assert.throws(() => history.setExtraContext([]), /object-like/);
  assert.throws(() => history.push({content: 1n}), /cannot be written as JSON/);
  assert.throws(() => new ChatHistory().pop(), {code: 'INVALID_STATE', message: /Cannot pop_back from an empty chat history/});
  assert.deepEqual(history.getMessages(), [{role: 'user', content: 'Hi'}]);
});
