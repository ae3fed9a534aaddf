// SPDX-License-Identifier: Apache-2.0
// Parsers of reasoning and tool calls give the messages of native.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {golden, source} from './sources.mjs';

const parsers = await source('parsers');
const {cases, options, incremental} = golden('parsers');

test('the parsers give native\'s messages', () => {
  for (const {parser, text, message, error} of cases) {
    const made = {content: text};
    const parse = () => new parsers[parser]().parse(made);
    if (error !== undefined) {
      // What follows are the words of a library for JSON.
      assert.throws(parse, {code: 'INVALID_ARGUMENT', message: /^Failed to construct JsonContainer from JSON string: /});
      continue;
    }
    parse();
    assert.deepEqual(made, message, `${parser} on ${text}`);
  }
  assert.ok(cases.length >= 100);
});

const names = {expect_open_tag: 'expectOpenTag', keep_original_content: 'keepOriginalContent', open_tag: 'openTag', close_tag: 'closeTag'};

test('the options of ReasoningParser have their effect', () => {
  for (const {options: given, text, message} of options) {
    const made = {content: text};
    new parsers.ReasoningParser(Object.fromEntries(Object.entries(given).map(([name, value]) => [names[name], value]))).parse(made);
    assert.deepEqual(made, message, `${JSON.stringify(given)} on ${text}`);
  }
});

test('incremental parsers give native\'s chunks and messages, whatever the size of the chunks', () => {
  for (const {parser, text, size, returned, message} of incremental) {
    const made = new parsers[parser]();
    const parse = () => {
      const delta = {};
      const chunks = [];
      for (let i = 0; i < text.length; i += size) chunks.push(made.parse(delta, text.slice(i, i + size)));
      return {chunks, delta};
    };
    assert.deepEqual(parse(), {chunks: returned, delta: message}, `${parser} on ${text} by ${size}`);
    made.reset();
    assert.deepEqual(parse(), {chunks: returned, delta: message}, `${parser} on ${text} again`);
  }
});

test('a message without a text is refused', () => {
  assert.throws(() => new parsers.ReasoningParser().parse({}), {code: 'INVALID_ARGUMENT', message: /'content' must be a string/});
  assert.throws(() => new parsers.Llama3JsonToolParser().parse('text'), /Expected an object as the first argument/);
});
