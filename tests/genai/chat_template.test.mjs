// SPDX-License-Identifier: Apache-2.0
// Published chat templates, rendered as OpenVINO GenAI renders them.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {golden, source} from './sources.mjs';

const {ChatTemplate, remapTemplate} = await source('chat_template');
const {Jinja} = await source('jinja');
const {models, cases, ...tokens} = golden('chat-templates');

test('the texts of all conversations equal those of native', () => {
  let compared = 0;
  for (const {model, template, cases: results} of models) {
    if (typeof template !== 'string') continue; // native refused a template that is no string
    const made = new ChatTemplate(remapTemplate(template), tokens);
    for (const {case: name, native} of results) {
      const {messages, tools, add_generation_prompt: addGenerationPrompt} = cases[name];
      const render = () => made.apply({messages, tools: tools ?? undefined, addGenerationPrompt});
      if (native === null) continue; // native failed, where Jinja need not
      assert.equal(render(), native, `${model}, ${name}`);
      ++compared;
    }
  }
  assert.ok(compared >= 50, `only ${compared} texts were compared`);
});

test('rendering does not change the messages', () => {
  const messages = [{role: 'assistant', content: null, tool_calls: [{type: 'function', function: {name: 'f', arguments: '{"a": 1}'}}]}];
  const before = structuredClone(messages);
  new ChatTemplate('{{ messages[0].content }}', tokens).apply({messages, addGenerationPrompt: true});
  assert.deepEqual(messages, before);
});

test('a template that refuses the messages says how to go on', () => {
  const template = new ChatTemplate("{{ raise_exception('no such role') }}", tokens);
  const render = () => template.apply({messages: [{role: 'user', content: 'Hi'}], addGenerationPrompt: true});
  assert.throws(render, {code: 'INVALID_ARGUMENT', message: /^Minja failed to apply chat template\.[^]*set_chat_template[^]*no such role$/});
  assert.throws(() => new ChatTemplate('', tokens).apply({messages: [], addGenerationPrompt: true}), /resulted in an empty string/);
});

test('texts join other values as in minja, and strip() takes characters', () => {
  const render = (template) => new Jinja(template).render({none: null, flag: true, list: ['a', 1], map: {k: "it's"}, text: '\n\n a'});
  assert.equal(render("{{ 'x' + none }}{{ 'x' + flag }}{{ 2 + 'x' }}{{ 'x' + missing }}"), 'xNonexTrue2xxNone');
  assert.equal(render("{{ '' + list }}{{ '' + map }}"), "['a', 1]{'k': 'it\\'s'}");
  assert.equal(render("{{ text.lstrip('\\n') }}|{{ 'xaxx'.rstrip('x') }}|{{ 'xax'.strip('x') }}"), ' a|xa|a');
  assert.equal(render('{% for i in range(1, 6, 2) %}{{ i }}{% endfor %}'), '135');
  assert.match(render("{{ strftime_now('%d %B %Y %%') }}"), /^\d\d [A-Z][a-z]+ 20\d\d %$/);
  assert.throws(() => render('{{ range(2000000) }}'), /too long/);
});
