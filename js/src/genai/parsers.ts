// SPDX-License-Identifier: Apache-2.0
// Parsers of complete answers. They add members to a message {content}.
import {check} from './check.js';

/** A message that parsers read and extend. */
export type ParsedMessage = Record<string, unknown>;

/** Parses the complete text at the end of generation. */
export type Parser = {
  /** Reads `message.content` and stores results in the message. */
  parse: (message: ParsedMessage) => void;
};

/** Options of a ReasoningParser. */
export interface ReasoningParserOptions {
  /** Whether the text contains the opening tag. Default: true. */
  expectOpenTag?: boolean;
  /** Whether `content` keeps the reasoning. Default: true. */
  keepOriginalContent?: boolean;
  /** Default: '<think>'. */
  openTag?: string;
  /** Default: '</think>'. */
  closeTag?: string;
}

function contentOf(message: unknown): string {
  check(typeof message === 'object' && message !== null, 'Expected an object as the first argument');
  const {content} = message as ParsedMessage;
  check(typeof content === 'string', "The message has no text: its member 'content' must be a string.");
  return content;
}

/**
 * Moves the reasoning of an answer to `reasoning_content`.
 *
 * @example
 * const message = {content: '<think>2 + 2</think>4'};
 * new ReasoningParser({keepOriginalContent: false}).parse(message);
 * console.log(message.content, message.reasoning_content); // 4 2 + 2
 */
export class ReasoningParser {
  readonly #options: Required<ReasoningParserOptions>;

  /** @param options The tags, and what stays in the content. */
  constructor(options: ReasoningParserOptions = {}) {
    const {expectOpenTag = true, keepOriginalContent = true, openTag = '<think>', closeTag = '</think>'} = options;
    this.#options = {expectOpenTag, keepOriginalContent, openTag, closeTag};
  }

  /**
   * Reads `message.content`. Sets `reasoning_content`, and without `keepOriginalContent` removes the reasoning from the content.
   *
   * @param message The message.
   * @throws WasmvinoError `INVALID_ARGUMENT` if the message has no text.
   */
  parse(message: ParsedMessage): void {
    const content = contentOf(message);
    const {expectOpenTag, keepOriginalContent, openTag, closeTag} = this.#options;
    const close = content.indexOf(closeTag);
    const open = expectOpenTag ? content.indexOf(openTag) : 0;
    const start = expectOpenTag ? open + openTag.length : 0;
    let [reasoning, rest] = ['', content];
    if (!expectOpenTag && close < 0) [reasoning, rest] = [content, ''];
    else if (open >= 0 && close >= 0 && (!expectOpenTag || close > open)) {
      reasoning = content.slice(start, Math.max(start, close));
      rest = content.slice(0, open) + content.slice(close + closeTag.length);
    }
    message['reasoning_content'] = reasoning;
    if (!keepOriginalContent) message['content'] = rest;
  }
}

/** @internal The length of the longest end of the text that is a beginning of the tag. */
function unfinishedTag(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length); length > 0; --length) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}

/**
 * Separates reasoning from the answer while the text streams.
 *
 * @example
 * const parser = new ReasoningIncrementalParser();
 * for (const chunk of ['<think>2', ' + 2</think>', '4']) {
 *   const delta = {};
 *   parser.parse(delta, chunk);
 *   console.log(delta);
 * }
 */
export class ReasoningIncrementalParser {
  readonly #options: Required<ReasoningParserOptions>;
  #state: 'start' | 'inside' | 'done';
  #kept = '';

  /** @param options The tags, and what stays in the content. */
  constructor(options: ReasoningParserOptions = {}) {
    const {expectOpenTag = true, keepOriginalContent = true, openTag = '<think>', closeTag = '</think>'} = options;
    this.#options = {expectOpenTag, keepOriginalContent, openTag, closeTag};
    this.#state = expectOpenTag ? 'start' : 'inside';
  }

  /** Forgets the text so far. */
  reset(): void {
    this.#state = this.#options.expectOpenTag ? 'start' : 'inside';
    this.#kept = '';
  }

  /**
   * Reads a chunk. Text that may be part of a tag is kept until the next chunk.
   *
   * @param delta Receives `reasoning_content` and `content` of this chunk.
   * @param chunk The text.
   * @returns The text that belongs to the content.
   */
  parse(delta: ParsedMessage, chunk: string): string {
    if (this.#state === 'done') return chunk;
    const {keepOriginalContent, openTag, closeTag} = this.#options;
    const text = this.#kept + chunk;
    const [open, close] = [text.indexOf(openTag), text.indexOf(closeTag)];
    if (this.#state === 'start' && open < 0) {
      this.#kept = text;
      return '';
    }
    if (this.#state === 'start' && close <= open) {
      delta['reasoning_content'] = text.slice(open + openTag.length);
      [this.#state, this.#kept] = ['inside', ''];
      return keepOriginalContent ? text : '';
    }
    if (close >= 0) {
      const content = text.slice(close + closeTag.length);
      const wasInside = this.#state === 'inside';
      delta['reasoning_content'] = text.slice(wasInside ? 0 : open + openTag.length, close);
      delta['content'] = content;
      [this.#state, this.#kept] = ['done', ''];
      if (!keepOriginalContent) return content;
      return wasInside ? text : chunk;
    }
    const end = text.length - unfinishedTag(text, closeTag);
    this.#kept = text.slice(end);
    delta['reasoning_content'] = text.slice(0, end);
    return keepOriginalContent ? text.slice(0, end) : '';
  }
}

/** The ReasoningIncrementalParser for DeepSeek R1, whose answers begin inside the reasoning. */
export class DeepSeekR1ReasoningIncrementalParser extends ReasoningIncrementalParser {
  constructor() {
    super({expectOpenTag: false});
  }
}

/** The ReasoningIncrementalParser for Phi-4. */
export class Phi4ReasoningIncrementalParser extends ReasoningIncrementalParser {
  constructor() {
    super({expectOpenTag: true});
  }
}

/** The ReasoningParser for DeepSeek R1, whose answers begin inside the reasoning. */
export class DeepSeekR1ReasoningParser extends ReasoningParser {
  constructor() {
    super({expectOpenTag: false});
  }
}

/** The ReasoningParser for Phi-4. */
export class Phi4ReasoningParser extends ReasoningParser {
  constructor() {
    super({expectOpenTag: true});
  }
}

/**
 * Reads a tool call in Python's syntax, as Llama 3 writes it: `[get_weather(city="Paris")]`. Reads string arguments only, like
 * OpenVINO GenAI.
 */
export class Llama3PythonicToolParser {
  /**
   * Sets `message.tool_calls` if the content has a call.
   *
   * @param message The message.
   * @throws WasmvinoError `INVALID_ARGUMENT` if the message has no text.
   */
  parse(message: ParsedMessage): void {
    const content = contentOf(message);
    const open = /\[[^\]\n\r\u2028\u2029]*\]/.exec(content);
    if (!open) return;
    const call = open[0].slice(1, -1);
    const at = call.indexOf('(');
    const name = at < 0 ? call : call.slice(0, at);
    const text = call.slice(at + 1, -1);
    const values = [...text.matchAll(/(\w+)\s*=\s*"([^"]*)"/g)].map((match) => [match[1]!, match[2]!]);
    message['tool_calls'] = [{name, arguments: Object.fromEntries(values)}];
  }
}

/** Reads a tool call in JSON, as Llama 3 writes it: `{"name": …, "parameters": …}`. */
export class Llama3JsonToolParser {
  /**
   * Sets `message.tool_calls` if the content has an object.
   *
   * @param message The message.
   * @throws WasmvinoError `INVALID_ARGUMENT` if the message has no text, or if the braces do not enclose JSON.
   */
  parse(message: ParsedMessage): void {
    const content = contentOf(message);
    const [start, end] = [content.indexOf('{'), content.lastIndexOf('}')];
    if (start < 0 || end <= start) return;
    const text = content.slice(start, end + 1);
    let call: unknown;
    try {
      call = JSON.parse(text);
    } catch (cause) {
      check(false, `Failed to construct JsonContainer from JSON string: ${(cause as Error).message} in ${text}`);
    }
    message['tool_calls'] = [call];
  }
}
