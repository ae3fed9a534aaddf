// SPDX-License-Identifier: Apache-2.0
// What generation took. Times are in milliseconds, those of the raw metrics in microseconds.
import {check} from './check.js';

/** Mean and standard deviation. */
export type MeanStdPair = {mean: number; std: number};
/** Mean, standard deviation, smallest and largest value. */
export type SummaryStats = MeanStdPair & {min: number; max: number};

/** Times of the parts of generation, in microseconds unless said otherwise. */
export type RawMetrics = {
  /** Of each call of generate(). */
  generateDurations: number[];
  /** Of encoding prompts. */
  tokenizationDurations: number[];
  /** Of decoding tokens. */
  detokenizationDurations: number[];
  /** From the call to the first token. */
  timesToFirstToken: number[];
  /** Points in time at which tokens were chosen, in milliseconds. */
  newTokenTimes: number[];
  /** Of each run of the network. */
  tokenInferDurations: number[];
  /** Number of tokens that each run generated. */
  batchSizes: number[];
  /** Of each token after the first. */
  durations: number[];
  /** Of all runs of the network together. */
  inferenceDurations: number[];
  /** Of compiling grammars. */
  grammarCompileTimes: number[];
};

const none: MeanStdPair = {mean: -1, std: -1};

function meanStd(microseconds: number[]): MeanStdPair {
  const {length} = microseconds;
  if (length === 0) return {...none};
  const values = microseconds.map((value) => value / 1000);
  const mean = values.reduce((sum, value) => sum + value, 0) / length;
  const squares = values.reduce((sum, value) => sum + value * value, 0) / length;
  return {mean, std: Math.sqrt(Math.max(0, squares - mean * mean))};
}

/** Measures of one or more calls of generate(). */
export class PerfMetrics {
  readonly #loadTime: number;
  readonly #raw: RawMetrics;
  #inputTokens: number;
  #generatedTokens: number;

  /** @internal */
  constructor(loadTime: number, inputTokens: number, generatedTokens: number, raw: RawMetrics) {
    this.#loadTime = loadTime;
    this.#inputTokens = inputTokens;
    this.#generatedTokens = generatedTokens;
    this.#raw = raw;
  }

  /** Returns how long loading the pipeline took, in milliseconds. */
  getLoadTime(): number {
    return this.#loadTime;
  }

  /** Returns the number of generated tokens. */
  getNumGeneratedTokens(): number {
    return this.#generatedTokens;
  }

  /** Returns the number of tokens of the prompt; of the first one, if there are several. */
  getNumInputTokens(): number {
    return this.#inputTokens;
  }

  /** Returns the time to the first token, in milliseconds. */
  getTTFT(): MeanStdPair {
    return meanStd(this.#raw.timesToFirstToken);
  }

  /** Returns the time for each token after the first, in milliseconds. */
  getTPOT(): MeanStdPair {
    return meanStd(this.#raw.durations);
  }

  /** Returns the time of the network for each run, in milliseconds. */
  getIPOT(): MeanStdPair {
    return meanStd(this.#raw.tokenInferDurations);
  }

  /** Returns the number of tokens per second, after the first. */
  getThroughput(): MeanStdPair {
    const {mean, std} = this.getTPOT();
    return {mean: 1000 / mean, std: (std * 1000) / (mean * mean)};
  }

  /** Returns the time of all runs of the network, in milliseconds. */
  getInferenceDuration(): MeanStdPair {
    return meanStd(this.#raw.inferenceDurations);
  }

  /** Returns the time of a call of generate(), in milliseconds. */
  getGenerateDuration(): MeanStdPair {
    return meanStd(this.#raw.generateDurations);
  }

  /** Returns the time of encoding prompts, in milliseconds. */
  getTokenizationDuration(): MeanStdPair {
    return meanStd(this.#raw.tokenizationDurations);
  }

  /** Returns the time of decoding tokens, in milliseconds. */
  getDetokenizationDuration(): MeanStdPair {
    return meanStd(this.#raw.detokenizationDurations);
  }

  /** Returns how long starting each compiler of grammars took, in milliseconds. */
  getGrammarCompilerInitTimes(): {[key: string]: number} {
    return {};
  }

  /** Returns how long compiling grammars took, in milliseconds. */
  getGrammarCompileTime(): SummaryStats {
    const times = this.#raw.grammarCompileTimes;
    if (times.length === 0) return {...none, min: -1, max: -1};
    return {...meanStd(times), min: Math.min(...times) / 1000, max: Math.max(...times) / 1000};
  }

  /** The times that the statistics are made of. */
  get rawMetrics(): RawMetrics {
    return structuredClone(this.#raw);
  }

  /**
   * Adds the measures of another call.
   *
   * @param other Measures of the same pipeline.
   * @returns This object.
   * @throws WasmvinoError `INVALID_ARGUMENT` if this is not a PerfMetrics of the same pipeline.
   */
  add(other: PerfMetrics): this {
    check(other instanceof PerfMetrics, 'Passed argument is not of type PerfMetrics');
    check(other.#loadTime === this.#loadTime, 'generation metrics can be accumulated only for the same pipeline');
    for (const name of Object.keys(this.#raw) as (keyof RawMetrics)[]) this.#raw[name].push(...other.#raw[name]);
    this.#inputTokens += other.#inputTokens;
    this.#generatedTokens += other.#generatedTokens;
    return this;
  }
}

/** Times of recognising speech, in microseconds. */
export type ASRRawMetrics = {
  /** Of making features of the sound. */
  featuresExtractionDurations: number[];
  /** Of aligning words with times. */
  wordLevelTimestampsProcessingDurations: number[];
  /** Of each run of the encoder. */
  encodeInferenceDurations: number[];
  /** Of each run of the decoder. */
  decodeInferenceDurations: number[];
};
/** Times of recognising speech, in microseconds. */
export type WhisperRawMetrics = Pick<ASRRawMetrics, 'featuresExtractionDurations' | 'wordLevelTimestampsProcessingDurations'>;

/** Measures of one or more calls of a WhisperPipeline or an ASRPipeline. */
export class SpeechPerfMetrics extends PerfMetrics {
  readonly #speech: ASRRawMetrics;

  /** @internal */
  constructor(loadTime: number, generatedTokens: number, raw: RawMetrics, speech: ASRRawMetrics) {
    super(loadTime, 0, generatedTokens, raw);
    this.#speech = speech;
  }

  /** Returns the time of making features of the sound, in milliseconds. */
  getFeaturesExtractionDuration(): MeanStdPair {
    return meanStd(this.#speech.featuresExtractionDurations);
  }

  /** Returns the time of aligning words with times, in milliseconds. */
  getWordLevelTimestampsProcessingDuration(): MeanStdPair {
    return meanStd(this.#speech.wordLevelTimestampsProcessingDurations);
  }

  /** Returns the time of each run of the encoder, in milliseconds. */
  getEncodeInferenceDuration(): MeanStdPair {
    return meanStd(this.#speech.encodeInferenceDurations);
  }

  /** Returns the time of each run of the decoder, in milliseconds. */
  getDecodeInferenceDuration(): MeanStdPair {
    return meanStd(this.#speech.decodeInferenceDurations);
  }

  /** The times that the statistics are made of. */
  get whisperRawMetrics(): WhisperRawMetrics {
    const {featuresExtractionDurations, wordLevelTimestampsProcessingDurations} = structuredClone(this.#speech);
    return {featuresExtractionDurations, wordLevelTimestampsProcessingDurations};
  }

  /** The times that the statistics are made of. */
  get asrRawMetrics(): ASRRawMetrics {
    return structuredClone(this.#speech);
  }

  override add(other: PerfMetrics): this {
    check(other instanceof SpeechPerfMetrics, 'Passed argument is not of type PerfMetrics');
    super.add(other);
    for (const name of Object.keys(this.#speech) as (keyof ASRRawMetrics)[]) this.#speech[name].push(...other.#speech[name]);
    return this;
  }
}

/** @internal Measures a call of generate(). */
export class Stopwatch {
  readonly #start = performance.now();
  readonly #raw: RawMetrics = {
    generateDurations: [],
    tokenizationDurations: [],
    detokenizationDurations: [],
    timesToFirstToken: [],
    newTokenTimes: [],
    tokenInferDurations: [],
    batchSizes: [],
    durations: [],
    inferenceDurations: [],
    grammarCompileTimes: [],
  };

  async #timed<T>(task: () => Promise<T>, tell: (microseconds: number) => void): Promise<T> {
    const start = performance.now();
    const result = await task();
    tell((performance.now() - start) * 1000);
    return result;
  }

  /** Runs a task that encodes prompts. */
  encode<T>(task: () => Promise<T>): Promise<T> {
    return this.#timed(task, (time) => this.#raw.tokenizationDurations.push(time));
  }

  /** Runs a task that decodes tokens. */
  decode<T>(task: () => Promise<T>): Promise<T> {
    return this.#timed(task, (time) => this.#raw.detokenizationDurations.push(time));
  }

  /** Runs the network. */
  infer<T>(task: () => Promise<T>): Promise<T> {
    const {tokenInferDurations, inferenceDurations} = this.#raw;
    return this.#timed(task, (time) => {
      tokenInferDurations.push(time);
      inferenceDurations[0] = (inferenceDurations[0] ?? 0) + time;
    });
  }

  /** Notes that tokens were chosen. */
  generated(count: number): void {
    const now = performance.now();
    const {newTokenTimes: times, batchSizes, durations, timesToFirstToken} = this.#raw;
    const before = times.at(-1);
    if (before === undefined) timesToFirstToken.push((now - this.#start) * 1000);
    else for (let i = 0; i < count; ++i) durations.push(((now - before) * 1000) / count);
    times.push(now);
    batchSizes.push(count);
  }

  /** Forgets what was generated after `from`, except in the ranges, which begin there. */
  keep(from: number, ranges: readonly [number, number][]): void {
    const isKept = (_: number, i: number) => i < from || ranges.some(([start, end]) => i - from >= start && i - from < end);
    for (const name of ['tokenInferDurations', 'newTokenTimes', 'batchSizes'] as const) this.#raw[name] = this.#raw[name].filter(isKept);
  }

  /** The measures of a call of a speech pipeline that ends now. */
  speechMetrics(loadTime: number, speech: ASRRawMetrics): SpeechPerfMetrics {
    this.#raw.generateDurations.push((performance.now() - this.#start) * 1000);
    return new SpeechPerfMetrics(loadTime, this.#raw.batchSizes.reduce((sum, count) => sum + count, 0), this.#raw, speech);
  }

  /** The measures of the call that ends now. */
  metrics(loadTime: number, inputTokens: number): PerfMetrics {
    this.#raw.generateDurations.push((performance.now() - this.#start) * 1000);
    return new PerfMetrics(loadTime, inputTokens, this.#raw.batchSizes.reduce((sum, count) => sum + count, 0), this.#raw);
  }
}
