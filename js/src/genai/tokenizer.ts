// SPDX-License-Identifier: Apache-2.0
import {coreOf, Tensor, type Core, type InferRequest} from './engine.js';
import {ChatHistory, type ChatMessage, type ExtraContext, type ToolDefinition} from './chat_history.js';
import {ChatTemplate, remapTemplate, type SpecialTokens} from './chat_template.js';
import {aString, arrayOfStrings, check} from './check.js';
import {Folder, type FolderOptions, type FolderSource} from './folder.js';
import {IrText} from './ir_text.js';
import {encodedRows, type EncodeOptions, type TokenizedInputs} from './rows.js';
import {tokenGraph, type RowLayout} from './token_graph.js';
import {vocabularyOf} from './vocabulary.js';

/** Options of decoding. */
export interface DecodeOptions {
  /** Whether special tokens are left out. Default: true. */
  skip_special_tokens?: boolean;
}

/** Properties of a Tokenizer. Those of the engine have no effect on it. */
export type TokenizerProperties = Record<string, unknown> & {
  /** Whether pairs of texts can be encoded. Default: false. */
  add_second_input?: boolean;
  /** Whether the engine runs in a worker. Then the synchronous methods throw. Default: that of ov.configure(). */
  worker?: boolean;
};

interface ModelFile {
  xml: string;
  weights: Uint8Array;
}

/** What a folder says of special tokens and of the chat template. */
interface Facts {
  ids: {bos: number; eos: number; pad: number};
  tokens: SpecialTokens;
  template: string;
}

const names = ['bos', 'eos', 'pad'] as const;

function stringOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const content = typeof value === 'object' && value !== null ? (value as {content?: unknown}).content : undefined;
  return typeof content === 'string' ? content : '';
}

const isId = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 0;
type Json = Record<string, unknown>;
const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

function templateOf(file: unknown): string | undefined {
  const {chat_template: template} = objectOf(file);
  if (typeof template === 'string') return template;
  if (!Array.isArray(template)) return undefined;
  const item = template.find((one) => one?.name === 'default' && typeof one?.template === 'string');
  return item?.template;
}

// Later files override earlier ones, as in OpenVINO GenAI.
function factsOf(read: {config: unknown; specialTokens: unknown; tokenizer: unknown; processor: unknown; chatTemplate: unknown; jinja: string | undefined}): Facts {
  const [config, special, tokenizer] = [objectOf(read.config), objectOf(read.specialTokens), objectOf(read.tokenizer)];
  const ids = {bos: -1, eos: -1, pad: -1};
  const tokens: SpecialTokens = {bos: '', eos: '', pad: ''};
  for (const name of names) {
    const id = config[`${name}_token_id`];
    if (isId(id)) ids[name] = id;
    tokens[name] = stringOf(objectOf(special[`${name}_token`])) || stringOf(tokenizer[`${name}_token`]);
  }
  tokens.pad ||= tokens.eos;
  for (const [id, token] of Object.entries(objectOf(tokenizer['added_tokens_decoder']))) {
    const content = stringOf(token);
    for (const name of names) if (ids[name] < 0 && content !== '' && content === tokens[name]) ids[name] = Number(id);
  }
  if (ids.pad < 0) ids.pad = ids.eos;
  const template = read.jinja ?? templateOf(read.chatTemplate) ?? templateOf(read.processor) ?? templateOf(read.tokenizer) ?? '';
  return {ids, tokens, template};
}

const noFacts: Facts = {ids: {bos: -1, eos: -1, pad: -1}, tokens: {bos: '', eos: '', pad: ''}, template: ''};

// The part of a tokenizer that runs in the engine.
interface Encoder {
  request: InferRequest;
  /** Missing if the graph is not cut: it then makes rows by itself. */
  layout?: RowLayout;
}

const isTensor = (value: unknown): value is Tensor => value instanceof Tensor;

/**
 * Makes tokens of texts, and texts of tokens, with the models openvino_tokenizer and openvino_detokenizer of a folder.
 *
 * @example
 * const tokenizer = new Tokenizer('./model');
 * const {input_ids} = tokenizer.encode('Hello!');
 * console.log(tokenizer.decode(input_ids)); // ['Hello!']
 */
export class Tokenizer {
  readonly #core: Core;
  readonly #files: {encoder?: ModelFile; decoder?: ModelFile} = {};
  readonly #facts: Facts;
  readonly #paired: boolean;
  #encoder: Encoder | undefined;
  // With and without special tokens in texts.
  readonly #decoders = new Map<boolean, InferRequest>();
  #template: string;
  #originalTemplate: string;
  readonly #templates = new Map<string, ChatTemplate>();

  /**
   * Reads a tokenizer from a folder, in Node.js. Elsewhere, use Tokenizer.load().
   *
   * @param tokenizerPath Path of a folder with openvino_tokenizer.xml and openvino_detokenizer.xml.
   * @param properties Whether pairs can be encoded.
   * @throws WasmvinoError `INVALID_ARGUMENT`, `INVALID_MODEL` or `UNSUPPORTED` if the models cannot be read.
   */
  constructor(tokenizerPath: string, properties?: TokenizerProperties);
  /**
   * Makes a tokenizer of models in memory.
   *
   * @param tokenizerModel Text of openvino_tokenizer.xml.
   * @param tokenizerWeights Bytes of openvino_tokenizer.bin, u8.
   * @param detokenizerModel Text of openvino_detokenizer.xml.
   * @param detokenizerWeights Bytes of openvino_detokenizer.bin, u8.
   * @param properties Whether pairs can be encoded.
   */
  constructor(tokenizerModel: string, tokenizerWeights: Tensor, detokenizerModel: string, detokenizerWeights: Tensor, properties?: TokenizerProperties);
  constructor(...args: unknown[]) {
    const [first] = args;
    let properties: TokenizerProperties;
    if (first instanceof Loaded) {
      ({files: this.#files, facts: this.#facts, properties} = first);
    } else if (args.length <= 2) {
      check(typeof first === 'string', "Tokenizer constructor expects 'tokenizerPath' to be a string");
      check(!first.endsWith('.xml'), "'models_path' parameter should be a path to a dir not a xml file");
      const folder = new Folder(first);
      const file = (name: string): ModelFile | undefined => {
        const xml = folder.textNow(`${name}.xml`);
        return xml === undefined ? undefined : {xml, weights: folder.bytesNow(`${name}.bin`) ?? new Uint8Array()};
      };
      this.#files = {encoder: file('openvino_tokenizer'), decoder: file('openvino_detokenizer')};
      this.#facts = factsOf({
        config: folder.jsonNow('config.json'),
        specialTokens: folder.jsonNow('special_tokens_map.json'),
        tokenizer: folder.jsonNow('tokenizer_config.json'),
        processor: folder.jsonNow('processor_config.json'),
        chatTemplate: folder.jsonNow('chat_template.json'),
        jinja: folder.textNow('chat_template.jinja'),
      });
      properties = (args[1] ?? {}) as TokenizerProperties;
    } else {
      check(args.length === 4 || args.length === 5, 'Tokenizer constructor expects 1-2 arguments (path[, properties]) or 4-5 arguments (models, tensors[, properties])');
      const [model, weights, detokenizer, detokenizerWeights, more = {}] = args;
      check(typeof model === 'string', "The argument 'tokenizerModel' must be a string");
      check(isTensor(weights), "The argument 'tokenizerWeights' must be an OpenVINO Tensor");
      check(typeof detokenizer === 'string', "The argument 'detokenizerModel' must be a string");
      check(isTensor(detokenizerWeights), "The argument 'detokenizerWeights' must be an OpenVINO Tensor");
      this.#files = {
        encoder: {xml: model, weights: new Uint8Array(weights.data as Uint8Array)},
        decoder: {xml: detokenizer, weights: new Uint8Array(detokenizerWeights.data as Uint8Array)},
      };
      this.#facts = structuredClone(noFacts);
      properties = more as TokenizerProperties;
    }
    check(this.#files.encoder || this.#files.decoder, 'Neither tokenizer nor detokenzier models were provided');
    this.#paired = properties.add_second_input === true;
    this.#core = coreOf(properties);
    const given = new IrText((this.#files.encoder ?? this.#files.decoder)!.xml);
    for (const name of names) {
      const id = Number.parseInt(given.rtInfo(`${name}_token_id`) ?? '', 10);
      if (isId(id)) this.#facts.ids[name] = id;
    }
    this.#originalTemplate = given.rtInfo('chat_template') || this.#facts.template;
    this.#template = remapTemplate(this.#originalTemplate);
    if (!(first instanceof Loaded)) this.#start();
  }

  /**
   * Reads a tokenizer from a folder. Works everywhere, and with an engine in a worker.
   *
   * @param source Path or URL of a folder, Files, a directory handle, or bytes by the names of the files.
   * @param properties Whether pairs can be encoded, and how to load the files.
   * @returns A promise of the tokenizer.
   */
  static async load(source: FolderSource, properties: TokenizerProperties & FolderOptions = {}): Promise<Tokenizer> {
    return Tokenizer.ofFolder(new Folder(source, properties), properties);
  }

  /** @internal */
  static async ofFolder(folder: Folder, properties: TokenizerProperties = {}): Promise<Tokenizer> {
    const file = async (name: string): Promise<ModelFile | undefined> => {
      const [xml, weights] = await Promise.all([folder.text(`${name}.xml`), folder.bytes(`${name}.bin`)]);
      return xml === undefined ? undefined : {xml, weights: weights ?? new Uint8Array()};
    };
    const [encoder, decoder, config, specialTokens, tokenizer, processor, chatTemplate, jinja] = await Promise.all([
      file('openvino_tokenizer'),
      file('openvino_detokenizer'),
      folder.json('config.json'),
      folder.json('special_tokens_map.json'),
      folder.json('tokenizer_config.json'),
      folder.json('processor_config.json'),
      folder.json('chat_template.json'),
      folder.text('chat_template.jinja'),
    ]);
    const facts = factsOf({config, specialTokens, tokenizer, processor, chatTemplate, jinja});
    const made = new Tokenizer(new Loaded({encoder, decoder}, facts, properties) as never);
    await made.#startAsync();
    return made;
  }

  #encoderSource(): {xml: Uint8Array; weights: Uint8Array; layout?: RowLayout} | undefined {
    const file = this.#files.encoder;
    if (!file) return undefined;
    const graph = tokenGraph(file.xml, file.weights);
    check(!this.#paired || graph?.layout.pair, `Two input requested but AddSecondInputPass failed with ${graph?.layout.noPair ?? 'CombineSegments node not found.'}`, 'UNSUPPORTED');
    return {xml: new TextEncoder().encode(graph?.xml ?? file.xml), weights: file.weights, layout: graph?.layout};
  }

  #decoderSource(skip: boolean): {xml: Uint8Array; weights: Uint8Array} {
    const file = this.#files.decoder;
    check(file, 'Detokenizer model has not been provided. Tokenizer::decode is not available');
    let {xml} = file;
    if (!skip) {
      const graph = new IrText(xml);
      const [decoder] = graph.ofType('VocabDecoder');
      if (decoder && graph.inputsOf(decoder).length === 5) xml = graph.without(decoder, 4);
    }
    return {xml: new TextEncoder().encode(xml), weights: file.weights};
  }

  #start(): void {
    const source = this.#encoderSource();
    if (source) {
      const compiled = this.#core.compileModelSync(this.#core.readModelSync(source.xml, source.weights), 'CPU');
      this.#encoder = {request: compiled.createInferRequest(), layout: source.layout};
    }
    if (!this.#files.decoder) return;
    this.#decoderNow(true);
    for (const name of names) if (this.#lacks(name)) this.#facts.tokens[name] = this.decode([this.#facts.ids[name]], {skip_special_tokens: false});
  }

  async #startAsync(): Promise<void> {
    const source = this.#encoderSource();
    if (source) {
      const compiled = await this.#core.compileModel(await this.#core.readModel(source.xml, source.weights), 'CPU');
      this.#encoder = {request: compiled.createInferRequest(), layout: source.layout};
    }
    if (!this.#files.decoder) return;
    await this.#decoder(true);
    for (const name of names) if (this.#lacks(name)) this.#facts.tokens[name] = await this.decodeAsync([this.#facts.ids[name]], {skip_special_tokens: false});
  }

  #lacks(name: (typeof names)[number]): boolean {
    return this.#facts.ids[name] >= 0 && this.#facts.tokens[name] === '';
  }

  #decoderNow(skip: boolean): InferRequest {
    let request = this.#decoders.get(skip);
    if (!request) {
      const {xml, weights} = this.#decoderSource(skip);
      request = this.#core.compileModelSync(this.#core.readModelSync(xml, weights), 'CPU').createInferRequest();
      this.#decoders.set(skip, request);
    }
    return request;
  }

  async #decoder(skip: boolean): Promise<InferRequest> {
    const known = this.#decoders.get(skip);
    if (known) return known;
    const {xml, weights} = this.#decoderSource(skip);
    const compiled = await this.#core.compileModel(await this.#core.readModel(xml, weights), 'CPU');
    const request = compiled.createInferRequest();
    this.#decoders.set(skip, request);
    return request;
  }

  /**
   * Writes a chat as a prompt.
   *
   * @param chatHistory Messages, or a ChatHistory with tools and variables.
   * @param addGenerationPrompt Whether the prompt ends where the model's answer begins.
   * @param chatTemplate A template to use in place of the tokenizer's.
   * @param tools Tools that the model may call. Default: those of the history.
   * @param extraContext Variables for the template. Default: those of the history.
   * @returns The prompt.
   * @throws WasmvinoError `INVALID_ARGUMENT` if an argument has the wrong type, if there is no template, or if it refuses the
   *   messages.
   * @example
   * const prompt = tokenizer.applyChatTemplate([{role: 'user', content: 'Hello!'}], true);
   */
  applyChatTemplate(
    chatHistory: Record<string, unknown>[] | ChatHistory,
    addGenerationPrompt: boolean,
    chatTemplate?: string,
    tools?: Record<string, unknown>[],
    extraContext?: Record<string, unknown>,
  ): string {
    check(chatHistory !== undefined && addGenerationPrompt !== undefined, 'Tokenizer.applyChatTemplate requires at least two arguments: chatHistory and addGenerationPrompt');
    check(typeof chatHistory === 'object' && chatHistory !== null, "The argument 'chatHistory' must be an object");
    check(typeof addGenerationPrompt === 'boolean', "The argument 'addGenerationPrompt' must be a boolean");
    const history = chatHistory instanceof ChatHistory ? chatHistory : new ChatHistory(chatHistory as ChatMessage[]);
    const source = chatTemplate ? remapTemplate(String(chatTemplate)) : this.#template;
    check(
      source !== '',
      "Chat template wasn't found. This may indicate that the model wasn't trained for chat scenario. Please add 'chat_template' to tokenizer_config.json to use the model in chat scenario.",
    );
    const usedTools: ToolDefinition[] = tools ?? history.getTools();
    const usedContext: ExtraContext = extraContext ?? history.getExtraContext();
    check(Array.isArray(usedTools), `Tools should be an array-like JsonContainer, got: ${typeof usedTools}`);
    check(typeof usedContext === 'object' && usedContext !== null && !Array.isArray(usedContext), `Extra context should be an object-like JsonContainer, got: ${typeof usedContext}`);
    return this.#templateOf(source).apply({
      messages: history.getMessages(),
      tools: usedTools.length > 0 ? usedTools : undefined,
      addGenerationPrompt,
      extraContext: usedContext,
    });
  }

  #templateOf(source: string): ChatTemplate {
    let template = this.#templates.get(source);
    if (!template) {
      try {
        template = new ChatTemplate(source, this.#facts.tokens);
      } catch (cause) {
        check(false, `The chat template cannot be parsed: ${(cause as Error).message}`);
      }
      if (this.#templates.size >= 4) this.#templates.clear();
      this.#templates.set(source, template);
    }
    return template;
  }

  // What to run for the arguments of encode(), and what makes its result.
  #encoding(args: unknown[]): {request: InferRequest; texts: string[]; finish: (outputs: Record<string, Tensor>) => TokenizedInputs} {
    check(args.length >= 1, 'Tokenizer.encode requires at least one argument: text or prompts');
    check(this.#encoder, 'Either openvino_tokenizer.xml was not provided or it was not loaded correctly. Tokenizer::encode is not available');
    const {request, layout} = this.#encoder;
    const last = args.at(-1);
    const hasOptions = args.length > 1 && (last === undefined || (typeof last === 'object' && last !== null && !Array.isArray(last)));
    const options = (hasOptions ? (last ?? {}) : {}) as EncodeOptions;
    const [one, two] = hasOptions ? args.slice(0, -1) : args;
    const isPairs = two === undefined && Array.isArray(one) && Array.isArray(one[0]);
    const firsts = isPairs ? firstOf(one as unknown[][], 0) : typeof one === 'string' ? [one] : undefined;
    const known = firsts !== undefined || (Array.isArray(one) && (two === undefined || Array.isArray(two)));
    check(known, 'Unsupported input type for encode. Expected: string, string[], [string, string][], or two string arrays');
    const texts = firsts ?? arrayOfStrings(one);
    const others = isPairs ? firstOf(one as unknown[][], 1) : two === undefined ? undefined : arrayOfStrings(two);
    if (!layout) {
      check(!others, 'This tokenizer does not encode pairs of texts.', 'UNSUPPORTED');
      return {request, texts, finish: (outputs) => ({input_ids: outputs['input_ids']!, attention_mask: outputs['attention_mask']!})};
    }
    check(!others || this.#paired, 'The tokenizer has one input: create it with {add_second_input: true} to encode pairs of texts.');
    check(!others || texts.length === others.length || texts.length === 1 || others.length === 1, 'prompts_1 and prompts_2 should be of the same size or one of them should be of size 1');
    const all = [...texts, ...(others ?? [])];
    const finish = (outputs: Record<string, Tensor>) => {
      const [begins, ends, tokens] = Object.values(outputs).map((tensor) => tensor.data as Int32Array);
      const rows = all.map((_, i) => [...tokens!.subarray(begins![i], ends![i])]);
      if (!others) return encodedRows(rows.map((row) => [row]), layout, options);
      const at = (list: string[], i: number) => (list.length === 1 ? 0 : i);
      const pairs = Array.from({length: Math.max(texts.length, others.length)}, (_, i) => [rows[at(texts, i)]!, rows[texts.length + at(others, i)]!]);
      return encodedRows(pairs, layout, options);
    };
    return {request, texts: all, finish};
  }

  /**
   * Makes tokens of texts.
   *
   * @param prompts A text, several texts, or pairs of texts.
   * @param options Special tokens, padding, truncation.
   * @returns i64 tensors of shape [texts, length].
   * @throws WasmvinoError `INVALID_ARGUMENT` if an argument has the wrong type; `INVALID_STATE` if the engine is in a worker.
   * @example
   * const {input_ids, attention_mask} = tokenizer.encode(['Hello!', 'How are you?'], {padding_side: 'left'});
   */
  encode(prompts: string | string[], options?: EncodeOptions): TokenizedInputs;
  encode(prompts1: string[], prompts2: string[], options?: EncodeOptions): TokenizedInputs;
  encode(prompts: [string, string][], options?: EncodeOptions): TokenizedInputs;
  encode(...args: unknown[]): TokenizedInputs {
    const {request, texts, finish} = this.#encoding(args);
    if (texts.length === 0) return finish({});
    return finish(request.infer([new Tensor(texts)]));
  }

  /** The asynchronous form of encode(). It also works if the engine is in a worker. */
  encodeAsync(prompts: string | string[], options?: EncodeOptions): Promise<TokenizedInputs>;
  encodeAsync(prompts1: string[], prompts2: string[], options?: EncodeOptions): Promise<TokenizedInputs>;
  encodeAsync(prompts: [string, string][], options?: EncodeOptions): Promise<TokenizedInputs>;
  async encodeAsync(...args: unknown[]): Promise<TokenizedInputs> {
    const {request, texts, finish} = this.#encoding(args);
    if (texts.length === 0) return finish({});
    return finish(await request.inferAsync([new Tensor(texts)]));
  }

  /**
   * Makes texts of tokens.
   *
   * @param tokens Tokens of a text, or of several texts.
   * @param options Whether special tokens are left out.
   * @returns The text, or the texts.
   * @throws WasmvinoError `INVALID_ARGUMENT` if an argument has the wrong type; `INVALID_STATE` if the engine is in a worker.
   * @example
   * const text = tokenizer.decode([9906, 0]);
   */
  decode(tokens: number[] | bigint[], options?: DecodeOptions): string;
  decode(tokens: Tensor | number[][] | bigint[][], options?: DecodeOptions): string[];
  decode(tokens: unknown, options: DecodeOptions = {}): string | string[] {
    const {rows, isOne} = tokenRows(tokens);
    const request = this.#decoderNow(options.skip_special_tokens ?? true);
    const texts = rows.map((row) => (row.length === 0 ? '' : textOf(request.infer([rowTensor(row)]))));
    return isOne ? texts[0]! : texts;
  }

  /** The asynchronous form of decode(). It also works if the engine is in a worker. */
  decodeAsync(tokens: readonly number[] | bigint[], options?: DecodeOptions): Promise<string>;
  decodeAsync(tokens: Tensor | number[][] | bigint[][], options?: DecodeOptions): Promise<string[]>;
  async decodeAsync(tokens: unknown, options: DecodeOptions = {}): Promise<string | string[]> {
    const {rows, isOne} = tokenRows(tokens);
    const request = await this.#decoder(options.skip_special_tokens ?? true);
    const texts: string[] = [];
    for (const row of rows) texts.push(row.length === 0 ? '' : textOf(await request.inferAsync([rowTensor(row)])));
    return isOne ? texts[0]! : texts;
  }

  /** @internal The token that is exactly this text, or undefined if there is none. */
  tokenOf(text: string): number | undefined {
    const file = this.#files.decoder;
    const vocabulary = file && vocabularyOf(file.xml, file.weights);
    const decoder = new TextDecoder();
    const at = vocabulary?.findIndex((bytes) => decoder.decode(bytes) === text) ?? -1;
    return at < 0 ? undefined : at;
  }

  /** Returns the text of the token that begins a text, or '' if there is none. */
  getBosToken(): string {
    return this.#facts.tokens.bos;
  }

  /** Returns the token that begins a text, or -1 if there is none. */
  getBosTokenId(): bigint {
    return BigInt(this.#facts.ids.bos);
  }

  /** Returns the text of the token that ends a text, or '' if there is none. */
  getEosToken(): string {
    return this.#facts.tokens.eos;
  }

  /** Returns the token that ends a text, or -1 if there is none. */
  getEosTokenId(): bigint {
    return BigInt(this.#facts.ids.eos);
  }

  /** Returns the text of the token for padding, or '' if there is none. */
  getPadToken(): string {
    return this.#facts.tokens.pad;
  }

  /** Returns the token for padding, or -1 if there is none. */
  getPadTokenId(): bigint {
    return BigInt(this.#facts.ids.pad);
  }

  /** Returns the chat template that applyChatTemplate() renders, or '' if there is none. */
  getChatTemplate(): string {
    return this.#template;
  }

  /** Returns the chat template as the folder has it, or '' if there is none. */
  getOriginalChatTemplate(): string {
    return this.#originalTemplate;
  }

  /**
   * Sets the chat template.
   *
   * @param chatTemplate A Jinja template.
   * @throws WasmvinoError `INVALID_ARGUMENT` if this is no string.
   */
  setChatTemplate(chatTemplate: string): void {
    check(typeof chatTemplate === 'string', "The argument 'chatTemplate' must be a string");
    this.#originalTemplate = chatTemplate;
    this.#template = remapTemplate(chatTemplate);
  }

  /** The chat template. Setting it is the same as setChatTemplate(). */
  get chatTemplate(): string {
    return this.#template;
  }

  set chatTemplate(chatTemplate: string) {
    this.setChatTemplate(chatTemplate);
  }

  /** Returns whether pairs of texts can be encoded. */
  supportsPairedInput(): boolean {
    return this.#paired && this.#encoder?.layout?.pair !== undefined;
  }
}

// What load() gives the constructor.
class Loaded {
  constructor(
    readonly files: {encoder?: ModelFile; decoder?: ModelFile},
    readonly facts: Facts,
    readonly properties: TokenizerProperties,
  ) {}
}

function firstOf(pairs: unknown[][], place: number): string[] {
  return pairs.map((pair) => {
    check(Array.isArray(pair), 'Each pair must be an array');
    check(pair.length === 2, 'Each pair must contain exactly 2 strings');
    return aString(pair[place]);
  });
}

const tokenOf = (token: unknown): bigint => {
  check(typeof token === 'bigint' || typeof token === 'number', 'Passed argument must be of type Number or BigInt.');
  check(typeof token === 'bigint' || Number.isInteger(token), 'Passed argument must be an integer.');
  return BigInt(token);
};

function tokenRows(tokens: unknown): {rows: bigint[][]; isOne: boolean} {
  if (isTensor(tokens)) {
    check(tokens.getElementType() === 'i64', 'tokens tensor element type should be an i64');
    const shape = tokens.getShape();
    check(shape.length === 2, 'tokens tensor should of rank 2 with shape [batch_size, seq_len]');
    const data = tokens.data as BigInt64Array;
    return {rows: Array.from({length: shape[0]!}, (_, i) => [...data.subarray(i * shape[1]!, (i + 1) * shape[1]!)]), isOne: false};
  }
  check(tokens !== undefined, 'Tokenizer.decode requires at least one argument: tokens');
  check(Array.isArray(tokens), 'Passed argument must be of type Array or TypedArray.');
  if (!Array.isArray(tokens[0])) return {rows: [tokens.map(tokenOf)], isOne: true};
  return {
    rows: tokens.map((row) => {
      check(Array.isArray(row), 'Passed argument must be of type Array or TypedArray.');
      return row.map(tokenOf);
    }),
    isOne: false,
  };
}

const rowTensor = (row: bigint[]) => new Tensor('i64', [1, row.length], BigInt64Array.from(row));
const textOf = (outputs: Record<string, Tensor>) => (Object.values(outputs)[0]!.data as unknown as string[])[0]!;
