// SPDX-License-Identifier: Apache-2.0
// Recognises speech with Whisper: windows of 30 seconds, one after the other.
import {BeamSearch} from './beam_search.js';
import {check} from './check.js';
import {coreOf, Tensor, type InferRequest, type OVAny} from './engine.js';
import {GenerationFinishReason, StreamingStatus} from './enums.js';
import type {Folder} from './folder.js';
import {LogMel, defaultFeatures, type FeatureSettings, type Features} from './log_mel.js';
import {Logits} from './network.js';
import type {ASRRawMetrics, Stopwatch} from './perf_metrics.js';
import {Sampling, type Search, type Task} from './sequences.js';
import {StopStrings} from './stop_strings.js';
import type {TextStreamer} from './text_streamer.js';
import {Tokenizer} from './tokenizer.js';
import {languageToken, whisperSettingsOf, whisperSettingsOfFile, type WhisperSettings} from './whisper_config.js';
import {allowed, segmentsOf, type Segment} from './whisper_rules.js';

/** What was recognised. */
export interface Recognised {
  tokens: number[];
  segments: Segment[];
  /** Code of the language: "en". */
  language: string;
}

/** What to recognise. */
export interface SpeechJob {
  sound: Float32Array;
  settings: WhisperSettings;
  streamer?: TextStreamer;
  signal?: AbortSignal;
  watch: Stopwatch;
  speech: ASRRawMetrics;
}

const noStops = new StopStrings(new Set(), 0, false, async () => '');

async function timed<T>(task: () => Promise<T> | T, durations: number[]): Promise<T> {
  const start = performance.now();
  const result = await task();
  durations.push((performance.now() - start) * 1000);
  return result;
}

// Runs the decoder on what the encoder made of a window.
class Decoder {
  readonly #request: InferRequest;
  readonly #hasPositions: boolean;
  #hidden: Tensor | undefined;
  #spread: Tensor | undefined;
  #length = 0;

  constructor(request: InferRequest) {
    this.#request = request;
    this.#hasPositions = request.getCompiledModel().inputs.some((input) => input.getAnyName() === 'cache_position');
  }

  begin(hidden: Tensor): void {
    this.#request.resetState();
    [this.#hidden, this.#spread, this.#length] = [hidden, hidden, 0];
  }

  // The window for each row.
  #windows(rows: number): Tensor {
    if (this.#spread!.getShape()[0] !== rows) {
      const shape = this.#hidden!.getShape();
      const data = this.#hidden!.data as Float32Array;
      const all = new Float32Array(rows * data.length);
      for (let row = 0; row < rows; ++row) all.set(data, row * data.length);
      this.#spread = new Tensor('f32', [rows, ...shape.slice(1)], all);
    }
    return this.#spread!;
  }

  async run(tokens: readonly number[][], origins: readonly number[], signal: AbortSignal | undefined): Promise<Logits> {
    const [rows, columns] = [tokens.length, tokens[0]!.length];
    const inputs: Record<string, Tensor> = {
      input_ids: new Tensor('i64', [rows, columns], BigInt64Array.from(tokens.flat(), BigInt)),
      encoder_hidden_states: this.#windows(rows),
      beam_idx: new Tensor('i32', [rows], Int32Array.from(origins)),
    };
    if (this.#hasPositions) inputs['cache_position'] = new Tensor('i64', [columns], BigInt64Array.from({length: columns}, (_, i) => BigInt(this.#length + i)));
    const results = await this.#request.inferAsync(inputs, {signal});
    this.#length += columns;
    return new Logits(results['logits'] ?? Object.values(results)[0]!);
  }
}

/** A Whisper model with its tokenizer. */
export class Whisper {
  readonly tokenizer: Tokenizer;
  readonly #encoder: InferRequest;
  readonly #decoder: Decoder;
  readonly #logMel: LogMel;
  /** Seconds between two time tokens. */
  readonly #step: number;

  private constructor(tokenizer: Tokenizer, encoder: InferRequest, decoder: InferRequest, features: FeatureSettings, positions: number) {
    this.tokenizer = tokenizer;
    this.#encoder = encoder;
    this.#decoder = new Decoder(decoder);
    this.#logMel = new LogMel(features);
    this.#step = Math.fround(features.chunk_length / positions);
  }

  /** Loads a model, and the settings of its generation_config.json. */
  static async load(folder: Folder, device: string, engine: Record<string, OVAny>, worker: unknown, signal?: AbortSignal): Promise<{whisper: Whisper; settings: WhisperSettings}> {
    const core = coreOf({worker});
    const [tokenizer, encoder, decoder, features, config, file] = await Promise.all([
      Tokenizer.ofFolder(folder, {worker: worker as boolean | undefined}),
      folder.model(core, 'openvino_encoder_model'),
      folder.model(core, 'openvino_decoder_model'),
      folder.json('preprocessor_config.json'),
      folder.json('config.json'),
      folder.json('generation_config.json'),
    ]);
    const requests: InferRequest[] = [];
    for (const [model, more] of [[encoder, {}], [decoder, {WASMVINO_LAST_LOGITS: true}]] as const) {
      requests.push((await core.compileModel(model, device, {...more, ...engine}, {signal})).createInferRequest());
      model.dispose();
    }
    const {max_source_positions: positions = 1500} = (config ?? {}) as {max_source_positions?: number};
    const settings = file === undefined ? whisperSettingsOf({}) : whisperSettingsOfFile(file);
    const eos = Number(tokenizer.getEosTokenId());
    if (settings.eos_token_id < 0 && eos >= 0) {
      settings.eos_token_id = eos;
      settings.stop_token_ids.add(eos);
    }
    const known = featuresOf(features);
    return {whisper: new Whisper(tokenizer, requests[0]!, requests[1]!, known, positions), settings};
  }

  async #contextOf(text: string | undefined, {decoder_start_token_id: start, eos_token_id: end, no_timestamps_token_id: none}: WhisperSettings): Promise<number[]> {
    if (!text) return [];
    const {input_ids: ids} = await this.tokenizer.encodeAsync(` ${text}`, {add_special_tokens: false});
    return [...(ids.data as BigInt64Array)].map(Number).filter((token) => token !== start && token !== end && token !== none);
  }

  async #encode(features: Features, start: number, job: SpeechJob): Promise<Tensor> {
    const {feature_size: rows, nb_max_frames: frames} = this.#logMel.settings;
    const input = new Tensor('f32', [1, rows, frames], this.#logMel.window(features, start));
    const run = () => this.#encoder.inferAsync({input_features: input}, {signal: job.signal});
    const results = await timed(run, job.speech.encodeInferenceDurations);
    return results['last_hidden_state'] ?? Object.values(results)[0]!;
  }

  // The tokens that say language and task.
  async #start(hidden: Tensor, {settings, signal}: SpeechJob): Promise<{tokens: number[]; language: string}> {
    const {decoder_start_token_id: start, is_multilingual: multilingual, language, task, lang_to_id: languages} = settings;
    if (!multilingual) return {tokens: [start], language: 'en'};
    let token: number;
    if (language === undefined) {
      this.#decoder.begin(hidden);
      const logits = (await this.#decoder.run([[start]], [0], signal)).of(0);
      token = Object.values(languages).reduce((best, one) => (logits[one]! > logits[best]! ? one : best));
    } else {
      token = languageToken(settings, language);
    }
    const name = Object.entries(languages).find(([, id]) => id === token)![0];
    const taskToken = task === 'translate' ? settings.translate_token_id : settings.transcribe_token_id;
    return {tokens: [start, token, taskToken], language: name.replace(/[<|>]/g, '')};
  }

  // The tokens of a window, and whether the streamer ended it.
  async #decode(hidden: Tensor, prompt: number[], withTimes: boolean, job: SpeechJob): Promise<{tokens: number[]; isEnded: boolean}> {
    const {settings, streamer, signal, watch, speech} = job;
    const limit = settings.max_new_tokens === Number.POSITIVE_INFINITY ? settings.max_length - prompt.length : settings.max_new_tokens;
    check(limit > 0, 'Internal error: generation_config.max_length should be bigger than number of prompt tokens');
    const task: Task = {prompt, settings, limit, stops: noStops, adjust: (logits, tokens) => allowed(logits, tokens, settings, withTimes)};
    const search: Search = settings.num_beams > 1 ? new BeamSearch(task, 0) : new Sampling(task, 0);
    this.#decoder.begin(hidden);
    const run = (tokens: number[][], origins: number[]) => watch.infer(() => timed(() => this.#decoder.run(tokens, origins, signal), speech.decodeInferenceDurations));
    let logits = await run([prompt], [0]);
    let rows = 1;
    for (let streamed = 0; ; ) {
      await search.step((row) => logits.of(row));
      watch.generated(rows);
      if (streamer && !withTimes) {
        const tokens = search.running[0]?.tokens ?? search.results()[0]!.tokens;
        const status = await streamer.write(...tokens.slice(streamed));
        streamed = tokens.length;
        if (status !== StreamingStatus.RUNNING) {
          search.stop(GenerationFinishReason.STOP);
          return {tokens: search.results()[0]!.tokens, isEnded: true};
        }
      }
      const {running} = search;
      if (running.length === 0) return {tokens: search.results()[0]!.tokens, isEnded: false};
      const origins = running.map(({row}) => row);
      running.forEach((sequence, row) => (sequence.row = row));
      rows = running.length;
      logits = await run(running.map(({tokens}) => [tokens.at(-1)!]), origins);
    }
  }

  /** Recognises speech. */
  async recognise(job: SpeechJob): Promise<Recognised> {
    const {settings, streamer, speech, watch, sound} = job;
    const features = await timed(() => this.#logMel.features(sound), speech.featuresExtractionDurations);
    const {nb_max_frames: windowFrames, hop_length: hop, sampling_rate: rate} = this.#logMel.settings;
    // Long sounds need times, because they say where the next window begins.
    const withTimes = settings.return_timestamps || features.frames > windowFrames;
    const [prompt, hotwords] = await watch.encode(async () => [
      await this.#contextOf(settings.initial_prompt, settings),
      await this.#contextOf(settings.hotwords, settings),
    ]);
    const result: Recognised = {tokens: [], segments: [], language: ''};
    let start: number[] | undefined;
    for (let frame = 0; frame < features.frames; ) {
      const hidden = await this.#encode(features, frame, job);
      if (!start) ({tokens: start, language: result.language} = await this.#start(hidden, job));
      const context = [...(frame === 0 ? prompt! : []), ...hotwords!];
      const before = context.length > 0 ? [settings.prev_sot_token_id, ...context] : [];
      const given = [...before, ...start, ...(withTimes ? [] : [settings.no_timestamps_token_id])];
      const {tokens, isEnded} = await this.#decode(hidden, given, withTimes, job);
      if (!withTimes) {
        result.tokens.push(...tokens);
        break;
      }
      const parsed = segmentsOf(tokens, settings, windowFrames, this.#step, Math.fround((frame * hop) / rate));
      const texts = parsed.segments.flatMap((segment) => segment.tokens);
      watch.keep(result.tokens.length, parsed.ranges);
      result.segments.push(...parsed.segments);
      result.tokens.push(...texts);
      if (isEnded || (streamer && (await streamer.write(...texts)) !== StreamingStatus.RUNNING)) break;
      frame += parsed.frames;
    }
    await streamer?.end();
    return result;
  }
}

function featuresOf(file: unknown): FeatureSettings {
  const given = (file ?? {}) as Partial<Record<keyof FeatureSettings, unknown>>;
  const entries = Object.entries(defaultFeatures).map(([name, fallback]) => {
    const value = given[name as keyof FeatureSettings] ?? fallback;
    check(typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 2 ** 24, `preprocessor_config.json: ${name} must be a positive integer, not ${String(value)}.`, 'INVALID_MODEL');
    return [name, value];
  });
  return Object.fromEntries(entries) as unknown as FeatureSettings;
}
