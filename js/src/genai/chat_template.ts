// SPDX-License-Identifier: Apache-2.0
// Renders chat templates as OpenVINO GenAI does: with Jinja, and with messages rewritten for templates that do not know
// system messages, tools, tool calls or their results. What a template knows is found by rendering it.
import type {ChatMessage, ExtraContext, ToolDefinition} from './chat_history.js';
import {check} from './check.js';
import {Jinja} from './jinja.js';

/** The texts of special tokens. */
export interface SpecialTokens {
  bos: string;
  eos: string;
  pad: string;
}

/** What a template is rendered with. */
export interface TemplateInputs {
  messages: ChatMessage[];
  tools?: ToolDefinition[];
  addGenerationPrompt: boolean;
  extraContext?: ExtraContext;
}

interface Capabilities {
  tools: boolean;
  toolCalls: boolean;
  toolResponses: boolean;
  systemRole: boolean;
  objectArguments: boolean;
  nonNullContent: boolean;
  typedContent: boolean;
}

// Templates that GenAI replaces because it cannot render them, with what replaces them.
const replaced = new Map([
  [
    "{% for message in messages %}{% if loop.first %}[gMASK]sop<|{{ message['role'] }}|>\n {{ message['content'] }}{% else %}<|{{ message['role'] }}|>\n {{ message['content'] }}{% endif %}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}",
    "{% for message in messages %}{% if loop.first %}[gMASK]sop<|{{ message['role'] }}|>\n{{ ' ' }}{{ message['content'] }}{% else %}<|{{ message['role'] }}|>\n{{ ' ' }}{{ message['content'] }}{% endif %}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}",
  ],
  [
    "{% if messages is string %}{{ messages }}{% else %}{% for content in messages %}{% if content['type'] == 'image' or 'image' in content or 'image_url' in content %}<|vision_start|><|image_pad|><|vision_end|>{% elif content['type'] == 'video' or 'video' in content %}<|vision_start|><|video_pad|><|vision_end|>{% elif 'text' in content %}{{ content['text'] }}{% endif %}{% endfor %}{% endif %}",
    "{% for message in messages %}{{ message['content'] }}{% endfor %}",
  ],
]);

/** The template that is rendered in place of the given one. */
export function remapTemplate(template: string): string {
  return replaced.get(template) ?? template;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const functionCall = (name: string, args: unknown) => ({id: 'call_1___', type: 'function', function: {arguments: args, name}});

// A value in the syntax of Python's json.dumps: a space follows commas and colons.
function spacedJson(value: unknown, indent?: number): string {
  if (indent !== undefined) return JSON.stringify(value, null, indent);
  if (Array.isArray(value)) return `[${value.map((item) => spacedJson(item)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${spacedJson(item)}`).join(', ')}}`;
}

// How the template writes a tool call: what follows the common beginning of a prompt with and without a call.
function differenceOf(prefix: string, full: string): string {
  let common = 0;
  for (let i = 0; i < prefix.length && i < full.length && prefix[i] === full[i]; ++i) {
    // Some templates end the prompt with a tag that they leave out of past messages.
    if (prefix[i] !== '<') common = i + 1;
  }
  return full.slice(common);
}

// Adds a text to the system message.
function withSystem(messages: ChatMessage[], text: string): ChatMessage[] {
  const [first, ...rest] = messages;
  if (first?.['role'] !== 'system') return [{role: 'system', content: text}, ...messages];
  return [{role: 'system', content: `${first['content']}\n\n${text}`}, ...rest];
}

// The messages with tool calls and results as JSON in their contents.
function rewritten(message: ChatMessage, {calls, objects, responses}: {calls: boolean; objects: boolean; responses: boolean}): ChatMessage {
  const copy = structuredClone(message);
  if ('tool_calls' in copy && (calls || objects)) {
    for (const call of copy['tool_calls'] ?? []) {
      const target = call['type'] === 'function' ? call['function'] : undefined;
      if (!target || !isText(target['arguments'])) continue;
      try {
        target['arguments'] = JSON.parse(target['arguments']);
      } catch {
        // Not JSON: the template gets the text.
      }
    }
  }
  if ('tool_calls' in copy && calls) {
    const list = (copy['tool_calls'] ?? [])
      .filter((call: ChatMessage) => call['type'] === 'function')
      .map((call: ChatMessage) => {
        const {name, arguments: args} = call['function'];
        return {name, arguments: args, ...('id' in call && {id: call['id']})};
      });
    const content = copy['content'];
    const hasContent = content !== undefined && content !== null && (isText(content) || Object.keys(content).length > 0);
    copy['content'] = JSON.stringify({tool_calls: list, ...(hasContent && {content})}, null, 2);
    delete copy['tool_calls'];
  }
  if (responses && copy['role'] === 'tool') {
    const {name, content, tool_call_id: id} = copy;
    const response = {...(name !== undefined && {tool: name}), content, ...(id !== undefined && {tool_call_id: id})};
    copy['role'] = 'user';
    copy['content'] = JSON.stringify({tool_response: response}, null, 2);
    delete copy['name'];
  }
  return copy;
}

/** A chat template, ready to render. */
export class ChatTemplate {
  readonly #template: Jinja;
  readonly #tokens: SpecialTokens;
  readonly #can: Capabilities;
  readonly #callExample: string;

  /** Parses the template, and probes what it can do. Throws if it is no template. */
  constructor(source: string, tokens: SpecialTokens) {
    this.#template = new Jinja(source);
    this.#tokens = tokens;
    this.#can = this.#probe();
    this.#callExample = this.#can.tools ? '' : this.#exampleOfCall();
  }

  #render(inputs: TemplateInputs): string {
    const {messages, tools, addGenerationPrompt, extraContext} = inputs;
    const {bos, eos} = this.#tokens;
    return this.#template.render({
      messages: structuredClone(messages),
      add_generation_prompt: addGenerationPrompt,
      bos_token: bos,
      eos_token: eos,
      ...(tools && {tools: structuredClone(tools)}),
      ...extraContext,
    });
  }

  #tried(messages: ChatMessage[], tools?: ToolDefinition[]): string {
    try {
      return this.#render({messages, tools, addGenerationPrompt: false});
    } catch {
      return '';
    }
  }

  #probe(): Capabilities {
    const [userText, systemText] = ['<User Needle>', '<System Needle>'];
    const typed = (text: string) => [{type: 'text', text}];
    const plainUser = {role: 'user', content: userText};
    const typedUser = {role: 'user', content: typed(userText)};
    const typedContent = !this.#tried([plainUser]).includes(userText) && this.#tried([typedUser]).includes(userText);
    const user = typedContent ? typedUser : plainUser;
    const system = {role: 'system', content: typedContent ? typed(systemText) : systemText};
    const systemRole = this.#tried([system, user]).includes(systemText);

    const parameters = {type: 'object', properties: {arg: {type: 'string', description: 'Some argument.'}}, required: ['arg']};
    const tool = {name: 'some_tool', type: 'function', function: {name: 'some_tool', description: 'Some tool.', parameters}};
    const tools = this.#tried([user], [tool]).includes('some_tool');

    // Two answers: some templates treat the last one differently.
    const withContent = (content: unknown) => {
      const answer = {role: 'assistant', content};
      return this.#tried([user, answer, user, answer]).includes(userText);
    };
    const nonNullContent = withContent('') && !withContent(null);

    const callWith = (args: unknown) => {
      const call = functionCall('ipython', args);
      return this.#tried([user, {role: 'assistant', content: nonNullContent ? '' : null, tool_calls: [call]}]);
    };
    const shows = (text: string) => ['<parameter=argument_needle>', '"argument_needle":', "'argument_needle':"].some((part) => text.includes(part));
    const args = {argument_needle: "print('Hello, World!')"};
    const rendersText = shows(callWith(JSON.stringify(args)));
    const rendersObject = shows(callWith(args));
    const toolCalls = rendersText || rendersObject;
    const objectArguments = !rendersText && rendersObject;
    let toolResponses = false;
    if (toolCalls) {
      const call = functionCall('test_tool1', objectArguments ? args : JSON.stringify(args));
      const answer = {role: 'assistant', content: nonNullContent ? '' : null, tool_calls: [call]};
      const response = {role: 'tool', name: 'test_tool1', content: 'Some response!', tool_call_id: 'call_911_'};
      toolResponses = this.#tried([user, answer, response]).includes('Some response!');
    }
    return {tools, toolCalls, toolResponses, systemRole, objectArguments, nonNullContent, typedContent};
  }

  // An empty text if the template writes none.
  #exampleOfCall(): string {
    const user = {role: 'user', content: 'Hey'};
    const args = {arg1: 'some_value'};
    const call = functionCall('tool_name', this.#can.objectArguments ? args : spacedJson(args));
    const answer = {role: 'assistant', content: this.#can.nonNullContent ? '' : null, tool_calls: [call]};
    try {
      const prefix = this.#apply({messages: [user], addGenerationPrompt: true}, '');
      let full = this.#apply({messages: [user, answer], addGenerationPrompt: false}, '');
      const {eos} = this.#tokens;
      const at = full.lastIndexOf(eos);
      if (at === prefix.length - eos.length || (full.endsWith('\n') && at === full.length - eos.length - 1)) full = full.slice(0, Math.max(at, 0));
      const example = differenceOf(prefix, full);
      return example.includes('tool_name') || example.includes('some_value') ? example : '';
    } catch {
      return '';
    }
  }

  #apply(inputs: TemplateInputs, callExample: string): string {
    const {messages, tools} = inputs;
    const some = (test: (message: ChatMessage) => boolean) => messages.some(test);
    const hasCalls = some((message) => message['tool_calls'] !== undefined && message['tool_calls'] !== null);
    const addTools = tools !== undefined && tools.length > 0 && !this.#can.tools;
    const calls = hasCalls && !this.#can.toolCalls;
    const objects = hasCalls && this.#can.objectArguments;
    const responses = some(({role}) => role === 'tool') && !this.#can.toolResponses;
    const typed = some(({content}) => isText(content)) && this.#can.typedContent;
    const noSystem = !this.#can.systemRole;
    if (!(noSystem || addTools || calls || objects || responses || typed)) return this.#render(inputs);

    const result: ChatMessage[] = [];
    const add = (message: ChatMessage) => {
      const isTyped = typed && isText(message['content']);
      result.push(isTyped ? {role: message['role'], content: [{type: 'text', text: message['content']}]} : message);
    };
    let pending = '';
    const flush = () => {
      if (pending !== '') add({role: 'user', content: pending});
      pending = '';
    };
    const example = callExample === '' ? '' : `\n\nExample tool call syntax:\n\n${callExample}\n\n`;
    const intro = "You can call any of the following tools to satisfy the user's requests: ";
    const all = addTools ? withSystem(messages, `${intro}${spacedJson(tools, 2)}${example}`) : messages;
    for (const given of all) {
      if (!('role' in given) || !('content' in given || 'tool_calls' in given)) {
        throw new Error(`message must have 'role' and one of 'content' or 'tool_calls' fields: ${JSON.stringify(given)}`);
      }
      const {role} = given;
      const message = rewritten(given, {calls, objects, responses});
      message['content'] ??= null;
      const {content} = message;
      if (noSystem && content !== null) {
        if (!isText(content)) throw new Error(`the content of a message must be a text: ${JSON.stringify(given)}`);
        if (role === 'system') {
          pending += pending === '' ? content : `\n${content}`;
          continue;
        }
        if (role !== 'user') flush();
        else if (pending !== '') {
          message['content'] = content === '' ? pending : `${pending}\n${content}`;
          pending = '';
        }
      }
      add(message);
    }
    flush();
    return this.#render({...inputs, messages: result});
  }

  /** Renders the messages. Throws WasmvinoError `INVALID_ARGUMENT` if the template refuses them, or if the text is empty. */
  apply(inputs: TemplateInputs): string {
    const {bos, eos, pad} = this.#tokens;
    const extraContext = {bos_token: bos, eos_token: eos, pad_token: pad, ...inputs.extraContext};
    let text: string;
    try {
      text = this.#apply({...inputs, extraContext}, this.#callExample);
    } catch (cause) {
      check(false, failure((cause as Error).message));
    }
    check(
      text !== '',
      'Applied chat template resulted in an empty string. Please check the chat template or apply template manually to your prompt before calling generate.For example: <start_of_turn>user{user_prompt}<end_of_turn><start_of_turn>model',
    );
    return text;
  }
}

function failure(message: string): string {
  return [
    'Minja failed to apply chat template. Possible solutions are',
    '* Provide a simplified chat template with set_chat_template().',
    "* Set apply_chat_template to false in GenerationConfig. It's possible to apply the template manually to your prompt before calling generate. For example: <|user|>\\n{prompt}</s>\\n<|assistant|>\\n",
    '',
    `Minja's error: ${message}`,
  ].join('\n');
}
