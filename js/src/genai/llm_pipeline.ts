// SPDX-License-Identifier: Apache-2.0
import {ChatHistory} from './chat_history.js';
import {arrayOfStrings, check} from './check.js';
import {DecodedResults} from './decoded_results.js';
import {coreOf, Tensor, WasmvinoError, type OVAny} from './engine.js';
import {StreamingStatus} from './enums.js';
import {Folder, type FolderOptions, type FolderSource} from './folder.js';
import {generate, streamerError, type Job} from './generation.js';
import {configOf, defaultSettings, settingsOf, settingsOfFile, validate, type GenerationConfig, type Settings} from './generation_config.js';
import {Network} from './network.js';
import type {ParsedMessage} from './parsers.js';
import {Stopwatch} from './perf_metrics.js';
import type {TokenizedInputs} from './rows.js';
import {StopStrings} from './stop_strings.js';
import {TextStreamer, type Streamer} from './text_streamer.js';
import {Tokenizer} from './tokenizer.js';

/** Properties of a pipeline: those of the engine, and how to load the folder. */
export type LLMPipelineProperties = Record<string, unknown> &
  FolderOptions & {
    /** Whether the engine runs in a worker, so that the page never blocks. Default: that of ov.configure(). */
    worker?: boolean;
  };

/** A prompt, several prompts, a chat, or tokens of prompts. */
export type LLMInputs = string | string[] | ChatHistory | TokenizedInputs | Tensor;

/** Options of a call. */
export interface GenerateOptions {
  /** Aborting it rejects the promise with its reason. */
  signal?: AbortSignal;
}

const folderOptions = ['onProgress', 'signal', 'cache', 'hub'] as const;
// Properties of OpenVINO GenAI that choose between its implementations.
const withoutEffect = ['schedulerConfig', 'ATTENTION_BACKEND', 'worker'];

/** @internal Separates the options of a pipeline from the properties of the engine. */
export function parted(properties: Record<string, unknown>): {options: FolderOptions; engine: Record<string, OVAny>} {
  const isOption = (name: string) => (folderOptions as readonly string[]).includes(name);
  const entries = Object.entries(properties);
  const engine = entries.filter(([name]) => !isOption(name) && !withoutEffect.includes(name));
  return {options: Object.fromEntries(entries.filter(([name]) => isOption(name))), engine: Object.fromEntries(engine) as Record<string, OVAny>};
}

const deprecated = () =>
  console.warn(
    'DEPRECATION WARNING: startChat() / finishChat() API is deprecated and will be removed in the next major release.',
    'Please, use generate() with ChatHistory argument.',
  );

interface Loaded {
  tokenizer: Tokenizer;
  network: Network;
  settings: Settings;
  loadTime: number;
}

/**
 * Generates text with a language model.
 *
 * @example
 * const pipeline = await LLMPipeline('./model', 'CPU');
 * const result = await pipeline.generate('What is the capital of France?', {max_new_tokens: 32});
 * console.log(result.toString());
 */
export class LLM {
  readonly modelPath: FolderSource;
  readonly device: string;
  readonly properties: LLMPipelineProperties;
  #loaded: Loaded | undefined;
  #busy = false;
  // The chat between startChat() and finishChat().
  #chat: ChatHistory | undefined;

  /**
   * Creates a pipeline. init() loads it. LLMPipeline() does both.
   *
   * @param modelPath Where the model is.
   * @param device 'CPU'.
   * @param properties Properties of the engine, and how to load the folder.
   */
  constructor(modelPath: FolderSource, device = 'CPU', properties: LLMPipelineProperties = {}) {
    this.modelPath = modelPath;
    this.device = device;
    this.properties = properties;
  }

  /**
   * Loads the model and its tokenizer.
   *
   * @returns A promise. It rejects with a WasmvinoError if the folder cannot be read or the model cannot run.
   */
  async init(): Promise<void> {
    check(!this.#loaded, 'LLMPipeline is already initialized', 'INVALID_STATE');
    const start = performance.now();
    const {options, engine} = parted(this.properties);
    const folder = new Folder(this.modelPath, options);
    const core = coreOf(this.properties);
    const [tokenizer, model, file] = await Promise.all([
      Tokenizer.ofFolder(folder, {worker: this.properties.worker}),
      folder.model(core, 'openvino_model'),
      folder.json('generation_config.json'),
    ]);
    const compiled = await core.compileModel(model, this.device, {WASMVINO_LAST_LOGITS: true, ...engine}, {signal: options.signal});
    model.dispose();
    const settings = file === undefined ? defaultSettings() : settingsOfFile(file);
    const eos = Number(tokenizer.getEosTokenId());
    if (settings.eos_token_id < 0 && eos >= 0) {
      settings.eos_token_id = eos;
      settings.stop_token_ids.add(eos);
    }
    check(!this.#loaded, 'LLMPipeline is already initialized', 'INVALID_STATE');
    this.#loaded = {tokenizer, network: new Network(compiled), settings, loadTime: performance.now() - start};
  }

  get #ready(): Loaded {
    check(this.#loaded, 'LLMPipeline is not initialized', 'INVALID_STATE');
    return this.#loaded;
  }

  /** Returns the tokenizer. */
  getTokenizer(): Tokenizer {
    return this.#ready.tokenizer;
  }

  /** Returns how generate() generates without a config. */
  getGenerationConfig(): GenerationConfig {
    return configOf(this.#ready.settings);
  }

  /**
   * Sets how generate() generates without a config. Stop tokens apply with every config.
   *
   * @param config The config. Members that are not given get their defaults.
   * @throws WasmvinoError `INVALID_ARGUMENT` if a member has the wrong type, or if members contradict each other.
   */
  setGenerationConfig(config: GenerationConfig): void {
    const loaded = this.#ready;
    const settings = this.#resolved(config);
    validate(settings);
    loaded.settings = settings;
  }

  // Settings of a config, with the stop tokens of the pipeline.
  #resolved(config: GenerationConfig): Settings {
    const {settings: own} = this.#ready;
    const settings = settingsOf(config);
    if (settings.stop_token_ids.size === 0) settings.stop_token_ids = new Set(own.stop_token_ids);
    if (settings.eos_token_id < 0 && own.eos_token_id >= 0) {
      settings.eos_token_id = own.eos_token_id;
      settings.stop_token_ids.add(own.eos_token_id);
    }
    return settings;
  }

  /**
   * Starts a chat: the prompts of generate() and its answers are remembered.
   *
   * @param systemMessage The first message.
   * @deprecated Use generate() with a ChatHistory.
   */
  async startChat(systemMessage = ''): Promise<void> {
    deprecated();
    void this.#ready;
    this.#chat = new ChatHistory(systemMessage === '' ? [] : [{role: 'system', content: systemMessage}]);
  }

  /**
   * Ends a chat.
   *
   * @deprecated Use generate() with a ChatHistory.
   */
  async finishChat(): Promise<void> {
    deprecated();
    this.#ready.network.reset();
    this.#chat = undefined;
  }

  async #encoded(texts: string[], special: boolean): Promise<number[][]> {
    return rowsOf(await this.#ready.tokenizer.encodeAsync(texts, {add_special_tokens: special}));
  }

  // The tokens of prompts.
  async #promptsOf(inputs: LLMInputs, settings: Settings, watch: Stopwatch): Promise<number[][]> {
    const {tokenizer} = this.#ready;
    const templated = (history: ChatHistory) => tokenizer.applyChatTemplate(history, true);
    const chat = inputs instanceof ChatHistory ? inputs : this.#chat;
    if (inputs instanceof ChatHistory) {
      check(settings.apply_chat_template, 'Chat template must be applied when using ChatHistory in generate method.');
      check(tokenizer.getChatTemplate() !== '', 'Chat template must not be empty when using ChatHistory in generate method.');
      check(!inputs.empty(), 'Chat history must not be empty when using ChatHistory in generate method.');
    }
    if (chat) {
      const text = templated(chat);
      return watch.encode(() => this.#encoded([text], false));
    }
    if (inputs instanceof Tensor || isTokens(inputs)) return rowsOf(inputs instanceof Tensor ? {input_ids: inputs} : inputs);
    const texts = typeof inputs === 'string' ? [inputs] : (inputs as string[]);
    const isTemplated = settings.apply_chat_template && tokenizer.getChatTemplate() !== '';
    const prompts = isTemplated ? texts.map((content) => templated(new ChatHistory([{role: 'user', content}]))) : texts;
    return watch.encode(() => this.#encoded(prompts, !isTemplated));
  }

  async #stopStrings(settings: Settings): Promise<StopStrings> {
    const {tokenizer} = this.#ready;
    const texts = [...settings.stop_strings].sort();
    const lengths = texts.length === 0 ? [] : (await this.#encoded(texts, false)).map(({length}) => length);
    return new StopStrings(new Set(texts), Math.max(0, ...lengths), settings.include_stop_str_in_output, (tokens) => tokenizer.decodeAsync(tokens));
  }

  /**
   * Generates text.
   *
   * @param inputs A prompt, several prompts, a ChatHistory, or tokens. Texts are rendered with the chat template, if the model has one.
   * @param generationConfig How to generate. Members that are not given have their defaults, not those of
   *   setGenerationConfig(). Without it, the config of the pipeline applies.
   * @param streamer Receives the text in chunks. It returns a StreamingStatus to end the text.
   * @param options A signal.
   * @returns A promise of the results. It rejects with a WasmvinoError: `INVALID_ARGUMENT` if an argument or the config is
   *   wrong, `INVALID_STATE` if the pipeline is not loaded or is generating, `OUT_OF_MEMORY` if the context is too long; or
   *   with the reason of the signal.
   * @example
   * const {texts} = await pipeline.generate('Count to ten.', {max_new_tokens: 40}, (chunk) => process.stdout.write(chunk));
   */
  async generate(inputs: LLMInputs, generationConfig?: GenerationConfig, streamer?: Streamer, options: GenerateOptions = {}): Promise<DecodedResults> {
    void this.#ready;
    check(generationConfig === undefined || (typeof generationConfig === 'object' && generationConfig !== null), 'Options must be an object');
    check(streamer === undefined || typeof streamer === 'function', 'Streamer must be a function');
    checkInputs(inputs);
    check(!this.#busy, 'Another generation is already in progress', 'INVALID_STATE');
    this.#busy = true;
    try {
      return await this.#generate(inputs, generationConfig, streamer, options);
    } finally {
      this.#busy = false;
    }
  }

  async #generate(inputs: LLMInputs, config: GenerationConfig | undefined, streamer: Streamer | undefined, {signal}: GenerateOptions): Promise<DecodedResults> {
    const {tokenizer, network, settings: own, loadTime} = this.#ready;
    const settings = config === undefined ? own : this.#resolved(config);
    validate(settings);
    signal?.throwIfAborted();
    const watch = new Stopwatch();
    const isTurn = this.#chat !== undefined && !(inputs instanceof ChatHistory);
    if (isTurn) {
      check(typeof inputs === 'string' || (Array.isArray(inputs) && inputs.length === 1), "Can't chat with multiple prompts");
      this.#chat!.push({role: 'user', content: typeof inputs === 'string' ? inputs : (inputs as string[])[0]});
    }
    let answer: string | undefined;
    try {
      const prompts = await this.#promptsOf(inputs, settings, watch);
      const decode = (tokens: number[]) => tokenizer.decodeAsync(tokens);
      const job: Job = {prompts, settings, stops: await this.#stopStrings(settings), streamer: streamer && new TextStreamer(decode, guarded(streamer)), signal, watch};
      const {sequences, cancelled} = await generate(network, job);
      const all = sequences.flat();
      const texts = await watch.decode(async () => {
        const found: string[] = [];
        for (const {tokens} of all) found.push(await tokenizer.decodeAsync(tokens));
        return found;
      });
      if (!cancelled) [answer] = texts;
      return new DecodedResults(
        texts,
        all.map(({score}) => score),
        watch.metrics(loadTime, prompts[0]!.length),
        settings.parsers.length === 0 ? [] : texts.map((text) => parsedBy(settings, text)),
        all.map(({finish}) => finish),
        all.map(({tokens}) => tokens),
      );
    } finally {
      if (isTurn) {
        if (answer === undefined) this.#chat!.pop();
        else this.#chat!.push({role: 'assistant', content: answer});
      }
    }
  }

  /**
   * Generates text in chunks.
   *
   * @param inputs A prompt or a ChatHistory.
   * @param generationConfig How to generate, as in generate().
   * @param options A signal.
   * @returns An asynchronous iterator of the chunks. Its return value is the whole text. Leaving a loop early cancels it.
   * @example
   * for await (const chunk of pipeline.stream('Count to ten.', {max_new_tokens: 40})) process.stdout.write(chunk);
   */
  stream(inputs: string | ChatHistory, generationConfig?: GenerationConfig, options: GenerateOptions = {}): TextStream {
    void this.#ready;
    check(!Array.isArray(inputs), 'Streaming is not supported for array of inputs. Please use LLMPipeline.generate() method.');
    check(generationConfig === undefined || (typeof generationConfig === 'object' && generationConfig !== null), 'Options must be an object');
    return streamOf((streamer) => this.generate(inputs, generationConfig, streamer, options).then(String));
  }
}

/** Chunks of a text as they come. */
export interface TextStream {
  next(): Promise<{value: string; done: boolean}>;
  return(): Promise<{value: string; done: boolean}>;
  [Symbol.asyncIterator](): TextStream;
}

/** @internal The chunks that a task gives its streamer. The result of the task ends them. */
export function streamOf(start: (streamer: Streamer) => Promise<string>): TextStream {
  let status = StreamingStatus.RUNNING;
  const ready: {value: string; done: boolean}[] = [];
  const waiting: {resolve: (item: {value: string; done: boolean}) => void; reject: (error: unknown) => void}[] = [];
  let failure: {error: unknown} | undefined;
  const tell = (item: {value: string; done: boolean}) => {
    const one = waiting.shift();
    if (one) one.resolve(item);
    else ready.push(item);
  };
  start((value) => {
    tell({value, done: false});
    return status;
  }).then(
    (value) => tell({value, done: true}),
    (error) => {
      const one = waiting.shift();
      if (one) one.reject(error);
      else failure = {error};
    },
  );
  return {
    next() {
      const item = ready.shift();
      if (item) return Promise.resolve(item);
      if (failure) return Promise.reject(failure.error);
      return new Promise((resolve, reject) => waiting.push({resolve, reject}));
    },
    async return() {
      status = StreamingStatus.CANCEL;
      return {done: true, value: ''};
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

// Errors of the streamer are told apart from those of the pipeline.
function guarded(streamer: Streamer): Streamer {
  return (chunk) => {
    try {
      return streamer(chunk);
    } catch (error) {
      throw streamerError(error);
    }
  };
}

function parsedBy({parsers}: Settings, content: string): ParsedMessage {
  const message: ParsedMessage = {content};
  for (const parser of parsers) parser.parse(message);
  return message;
}

const isTokens = (inputs: unknown): inputs is TokenizedInputs =>
  typeof inputs === 'object' && inputs !== null && (inputs as TokenizedInputs).input_ids instanceof Tensor;

function checkInputs(inputs: unknown): void {
  if (typeof inputs === 'string' || inputs instanceof ChatHistory || inputs instanceof Tensor || isTokens(inputs)) return;
  try {
    check(Array.isArray(inputs), 'Passed argument must be a string, ChatHistory or an array of strings.');
    arrayOfStrings(inputs);
    check(inputs.length > 0, 'Passed array must not be empty.');
  } catch (error) {
    const {message} = error as WasmvinoError;
    throw new WasmvinoError('INVALID_ARGUMENT', `An incorrect input value has been passed. ${message}`, {cause: error});
  }
}

// The tokens of each row, without padding.
function rowsOf({input_ids: ids, attention_mask: mask}: {input_ids: Tensor; attention_mask?: Tensor}): number[][] {
  const [rows, length] = ids.getShape();
  check(ids.getShape().length === 2, `Tokens must be of shape [batch, length], not [${ids.getShape()}].`, 'INVALID_SHAPE');
  const tokens = ids.data as BigInt64Array;
  const kept = mask && (mask.data as BigInt64Array);
  return Array.from({length: rows!}, (_, i) => {
    const places = Array.from({length: length!}, (_, j) => i * length! + j);
    return places.filter((place) => !kept || Number(kept[place]) === 1).map((place) => Number(tokens[place]));
  });
}
