// SPDX-License-Identifier: Apache-2.0
import {check} from './check.js';

/** A message of a chat. */
// biome-ignore lint/suspicious/noExplicitAny: the declaration of openvino-genai-node
export type ChatMessage = Record<string, any>;
/** A tool that the model may call. */
// biome-ignore lint/suspicious/noExplicitAny: the declaration of openvino-genai-node
export type ToolDefinition = Record<string, any>;
/** Variables for a chat template. */
// biome-ignore lint/suspicious/noExplicitAny: the declaration of openvino-genai-node
export type ExtraContext = Record<string, any>;

// Values are kept as copies, as JSON can hold them.
function copyOf<T>(value: T, what: string): T {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    check(false, `${what} cannot be written as JSON: ${(cause as Error).message}`);
  }
  check(text !== undefined, `${what} must be a JS object or an array but got ${String(value)}`);
  return JSON.parse(text) as T;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * The messages of a chat, with tools and variables for the chat template. It keeps copies of what it is given.
 *
 * @example
 * const history = new ChatHistory([{role: 'system', content: 'Be brief.'}]);
 * history.push({role: 'user', content: 'Hello!'});
 */
export class ChatHistory {
  #messages: ChatMessage[] = [];
  #tools: ToolDefinition[] = [];
  #extraContext: ExtraContext = {};

  /**
   * @param messages The first messages.
   * @throws WasmvinoError `INVALID_ARGUMENT` if this is no array of objects.
   */
  constructor(messages?: ChatMessage[]) {
    if (messages !== undefined) this.setMessages(messages);
  }

  /**
   * Adds a message.
   *
   * @param message The message, for example {role: 'user', content: 'Hello!'}.
   * @returns This history.
   * @throws WasmvinoError `INVALID_ARGUMENT` if this is no object.
   */
  push(message: ChatMessage): ChatHistory {
    check(isObject(message), `JsonContainer must be a JS object or an array but got ${String(message)}`);
    this.#messages.push(copyOf(message, 'The message'));
    return this;
  }

  /**
   * Removes the last message.
   *
   * @throws WasmvinoError `INVALID_STATE` if there is none.
   */
  pop(): void {
    check(this.#messages.length > 0, 'Cannot pop_back from an empty chat history.', 'INVALID_STATE');
    this.#messages.pop();
  }

  /** Returns copies of all messages. */
  getMessages(): ChatMessage[] {
    return copyOf(this.#messages, 'The messages');
  }

  /**
   * Replaces all messages.
   *
   * @param messages The new messages.
   * @returns This history.
   * @throws WasmvinoError `INVALID_ARGUMENT` if this is no array of objects.
   */
  setMessages(messages: ChatMessage[]): ChatHistory {
    check(Array.isArray(messages), 'Chat history must be initialized with a JSON array.');
    check(messages.every(isObject), 'Each message of a chat history must be an object.');
    this.#messages = copyOf(messages, 'The messages');
    return this;
  }

  /** Removes messages, tools and variables. */
  clear(): void {
    [this.#messages, this.#tools, this.#extraContext] = [[], [], {}];
  }

  /** Returns the number of messages. */
  size(): number {
    return this.#messages.length;
  }

  /** Returns whether there are no messages. */
  empty(): boolean {
    return this.#messages.length === 0;
  }

  /**
   * Sets the tools that the model may call.
   *
   * @param tools Definitions of the tools.
   * @returns This history.
   * @throws WasmvinoError `INVALID_ARGUMENT` if this is no array.
   */
  setTools(tools: ToolDefinition[]): ChatHistory {
    check(Array.isArray(tools), 'Tools must be an array-like JsonContainer.');
    this.#tools = copyOf(tools, 'The tools');
    return this;
  }

  /** Returns copies of the tools. */
  getTools(): ToolDefinition[] {
    return copyOf(this.#tools, 'The tools');
  }

  /**
   * Sets variables for the chat template.
   *
   * @param context The variables by name, for example {enable_thinking: false}.
   * @returns This history.
   * @throws WasmvinoError `INVALID_ARGUMENT` if this is no object.
   */
  setExtraContext(context: ExtraContext): ChatHistory {
    check(isObject(context) && !Array.isArray(context), 'Extra context must be an object-like JsonContainer.');
    this.#extraContext = copyOf(context, 'The extra context');
    return this;
  }

  /** Returns a copy of the variables. */
  getExtraContext(): ExtraContext {
    return copyOf(this.#extraContext, 'The extra context');
  }
}
