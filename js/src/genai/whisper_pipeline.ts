// SPDX-License-Identifier: Apache-2.0
import {check} from './check.js';
import {DecodedResults} from './decoded_results.js';
import {Folder, type FolderOptions, type FolderSource} from './folder.js';
import {streamerError} from './generation.js';
import {configOf} from './generation_config.js';
import {parted, streamOf, type GenerateOptions, type TextStream} from './llm_pipeline.js';
import {Stopwatch, type ASRRawMetrics, type SpeechPerfMetrics} from './perf_metrics.js';
import {TextStreamer, type Streamer} from './text_streamer.js';
import type {Tokenizer} from './tokenizer.js';
import {Whisper, type Recognised} from './whisper.js';
import {validateWhisper, whisperSettingsOf, type WhisperGenerationConfig, type WhisperSettings} from './whisper_config.js';

/** Sound: samples from -1 to 1, 16,000 for each second, one channel. */
export type RawSpeechInput = Float32Array | number[];

/** Properties of a pipeline: those of the engine, and how to load the folder. */
export type SpeechPipelineProperties = Record<string, unknown> &
  FolderOptions & {
    /** Whether the engine runs in a worker, so that the page never blocks. Default: that of ov.configure(). */
    worker?: boolean;
  };

/** Options of recognising speech. */
export type WhisperGenerateOptions = GenerateOptions & {
  /** Language, task, times. Members that are not given are those of the pipeline. */
  generationConfig?: WhisperGenerationConfig;
  /** Receives the text in chunks. It returns a StreamingStatus to end the text. */
  streamer?: Streamer;
};

/** A part of a text with its times in seconds. `endTs` is -1 if the model gave none. */
export type WhisperDecodedResultChunk = {text: string; startTs: number; endTs: number};

/** A word with its times in seconds. */
export type WhisperWordTiming = {word: string; startTs: number; endTs: number; tokenIds?: BigInt64Array};

/** A part of a text with its times in seconds. `endTs` is -1 if the model gave none. */
export type ASRDecodedResultChunk = {text: string; startTs: number; endTs: number; tokenIds?: BigInt64Array};

/** What a WhisperPipeline recognised. */
export class WhisperDecodedResults extends DecodedResults {
  declare perfMetrics: SpeechPerfMetrics;

  /**
   * @param texts The text.
   * @param scores 1 for the text.
   * @param perfMetrics What recognising took.
   * @param chunks Parts of the text with times, with `return_timestamps`.
   * @param words Words with times.
   */
  constructor(
    texts: string[],
    scores: number[],
    perfMetrics: SpeechPerfMetrics,
    public chunks?: WhisperDecodedResultChunk[],
    public words?: WhisperWordTiming[],
  ) {
    super(texts, scores, perfMetrics, []);
  }
}

/** What an ASRPipeline recognised. */
export class ASRDecodedResults extends DecodedResults {
  declare perfMetrics: SpeechPerfMetrics;

  /**
   * @param texts The text.
   * @param scores 1 for the text.
   * @param perfMetrics What recognising took.
   * @param languages Code of the language: "en".
   * @param chunks Parts of the text with times, with `return_timestamps`.
   * @param words Words with times.
   */
  constructor(
    texts: string[],
    scores: number[],
    perfMetrics: SpeechPerfMetrics,
    public languages: string[] = [],
    public chunks?: ASRDecodedResultChunk[][],
    public words?: ASRDecodedResultChunk[][],
  ) {
    super(texts, scores, perfMetrics, []);
  }
}

interface Loaded {
  whisper: Whisper;
  settings: WhisperSettings;
  loadTime: number;
}

interface Spoken {
  recognised: Recognised;
  text: string;
  chunks: (WhisperDecodedResultChunk & {tokenIds: BigInt64Array})[] | undefined;
  metrics: SpeechPerfMetrics;
}

function soundOf(input: unknown): Float32Array {
  if (input instanceof Float32Array) return input;
  check(Array.isArray(input), 'Passed argument must be of type Array or Float32Array (e.g. raw speech).');
  return Float32Array.from(input as number[]);
}

// What both pipelines do.
abstract class SpeechPipeline<Results extends DecodedResults> {
  readonly modelPath: FolderSource;
  readonly device: string;
  readonly properties: SpeechPipelineProperties;
  #loaded: Loaded | undefined;
  #busy = false;
  protected abstract readonly name: string;
  protected abstract resultsOf(spoken: Spoken): Results;

  /**
   * Creates a pipeline. init() loads it.
   *
   * @param modelPath Where the model is.
   * @param device 'CPU'.
   * @param properties Properties of the engine, and how to load the folder.
   */
  constructor(modelPath: FolderSource, device = 'CPU', properties: SpeechPipelineProperties = {}) {
    this.modelPath = modelPath;
    this.device = device;
    this.properties = properties;
  }

  /** Loads the model and its tokenizer. */
  async init(): Promise<void> {
    const start = performance.now();
    const {word_timestamps: words, ...properties} = this.properties;
    check(words !== true, 'word_timestamps is not supported: use return_timestamps.', 'UNSUPPORTED');
    const {options, engine} = parted(properties);
    const loaded = await Whisper.load(new Folder(this.modelPath, options), this.device, engine, this.properties.worker, options.signal);
    this.#loaded = {...loaded, loadTime: performance.now() - start};
  }

  get #ready(): Loaded {
    check(this.#loaded, `${this.name} is not initialized`, 'INVALID_STATE');
    return this.#loaded;
  }

  /** Returns the tokenizer. */
  getTokenizer(): Tokenizer {
    return this.#ready.whisper.tokenizer;
  }

  /** Returns how speech is recognised without a config. */
  getGenerationConfig(): WhisperGenerationConfig & {word_timestamps: boolean} {
    return {...configOf(this.#ready.settings), word_timestamps: false};
  }

  /**
   * Sets how speech is recognised.
   *
   * @param config Members that are not given stay as they are.
   * @throws WasmvinoError `INVALID_ARGUMENT` if a member has the wrong type, or if members contradict each other.
   */
  setGenerationConfig(config: WhisperGenerationConfig): void {
    const loaded = this.#ready;
    const settings = whisperSettingsOf(config, loaded.settings);
    validateWhisper(settings);
    loaded.settings = settings;
  }

  /**
   * Recognises speech.
   *
   * @param rawSpeech Samples from -1 to 1, 16,000 for each second.
   * @param options Language, task, times, a streamer, a signal.
   * @returns A promise of the text. It rejects with a WasmvinoError: `INVALID_ARGUMENT` if an argument or the config is wrong,
   *   `INVALID_STATE` if the pipeline is not loaded or is busy; or with the reason of the signal.
   */
  async generate(rawSpeech: RawSpeechInput, options: WhisperGenerateOptions = {}): Promise<Results> {
    const {whisper, settings: own, loadTime} = this.#ready;
    const {generationConfig, streamer, signal} = options;
    check(streamer === undefined || typeof streamer === 'function', 'Streamer must be a function');
    check(generationConfig === undefined || (typeof generationConfig === 'object' && generationConfig !== null), 'Options must be an object');
    const sound = soundOf(rawSpeech);
    const settings = generationConfig ? whisperSettingsOf(generationConfig, own) : own;
    validateWhisper(settings);
    check(!streamer || settings.num_beams === 1, 'Currently streaming is possible only with batch size=1 and only for greedy or multinomial decoding');
    check(!this.#busy, 'Another generation is already in progress', 'INVALID_STATE');
    this.#busy = true;
    try {
      const watch = new Stopwatch();
      const speech: ASRRawMetrics = {featuresExtractionDurations: [], wordLevelTimestampsProcessingDurations: [0], encodeInferenceDurations: [], decodeInferenceDurations: []};
      const decode = (tokens: number[]) => whisper.tokenizer.decodeAsync(tokens);
      const guarded: Streamer | undefined =
        streamer &&
        ((chunk) => {
          try {
            return streamer(chunk);
          } catch (error) {
            throw streamerError(error);
          }
        });
      const recognised = await whisper.recognise({sound, settings, signal, watch, speech, streamer: guarded && new TextStreamer(decode, guarded)});
      const [text, chunks] = await watch.decode(async () => {
        const found: NonNullable<Spoken['chunks']> = [];
        for (const {start, end, tokens} of recognised.segments) {
          found.push({text: await decode(tokens), startTs: start, endTs: end, tokenIds: BigInt64Array.from(tokens, BigInt)});
        }
        return [await decode(recognised.tokens), found] as const;
      });
      return this.resultsOf({recognised, text, chunks: settings.return_timestamps ? chunks : undefined, metrics: watch.speechMetrics(loadTime, speech)});
    } finally {
      this.#busy = false;
    }
  }

  /**
   * Recognises speech in chunks.
   *
   * @param rawSpeech Samples from -1 to 1, 16,000 for each second.
   * @param options Language, task, a signal.
   * @returns An asynchronous iterator of the chunks. Its return value is the whole text.
   */
  stream(rawSpeech: RawSpeechInput, options: Omit<WhisperGenerateOptions, 'streamer'> = {}): TextStream {
    void this.#ready;
    return streamOf((streamer) => this.generate(rawSpeech, {...options, streamer}).then(({texts}) => texts[0]!));
  }
}

/**
 * Recognises speech with a Whisper model.
 *
 * @example
 * const pipeline = await WhisperPipeline('./whisper-base', 'CPU');
 * const {texts, chunks} = await pipeline.generate(samples, {generationConfig: {language: 'en', return_timestamps: true}});
 */
export class WhisperSpeech extends SpeechPipeline<WhisperDecodedResults> {
  protected override readonly name = 'WhisperPipeline';

  protected override resultsOf({text, chunks, metrics}: Spoken): WhisperDecodedResults {
    return new WhisperDecodedResults([text], [1], metrics, chunks?.map(({text: part, startTs, endTs}) => ({text: part, startTs, endTs})));
  }
}

/**
 * Recognises speech. Its model is a Whisper model.
 *
 * @example
 * const pipeline = await ASRPipeline('./whisper-base', 'CPU');
 * const {texts, languages} = await pipeline.generate(samples);
 */
export class ASR extends SpeechPipeline<ASRDecodedResults> {
  protected override readonly name = 'ASRPipeline';

  protected override resultsOf({recognised, text, chunks, metrics}: Spoken): ASRDecodedResults {
    return new ASRDecodedResults([text], [1], metrics, [recognised.language], chunks && [chunks]);
  }
}
