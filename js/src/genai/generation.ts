// SPDX-License-Identifier: Apache-2.0
// Generates sequences for prompts: runs the network, chooses tokens, streams.
import {BeamSearch} from './beam_search.js';
import {check} from './check.js';
import {WasmvinoError} from './engine.js';
import {GenerationFinishReason, StreamingStatus} from './enums.js';
import type {Settings} from './generation_config.js';
import type {Logits, Network} from './network.js';
import type {Stopwatch} from './perf_metrics.js';
import {Sampling, type Generated, type Search, type Task} from './sequences.js';
import type {StopStrings} from './stop_strings.js';
import type {TextStreamer} from './text_streamer.js';

/** What to generate. */
export interface Job {
  prompts: number[][];
  settings: Settings;
  stops: StopStrings;
  streamer?: TextStreamer;
  signal?: AbortSignal;
  watch: Stopwatch;
}

function limitOf({max_new_tokens: most, max_length: length}: Settings, prompt: readonly number[]): number {
  if (most !== Number.POSITIVE_INFINITY) return most;
  check(length > prompt.length, 'Internal error: generation_config.max_length should be bigger than number of prompt tokens');
  return length - prompt.length;
}

const finishOf: Partial<Record<StreamingStatus, GenerationFinishReason>> = {
  [StreamingStatus.STOP]: GenerationFinishReason.STOP,
  [StreamingStatus.CANCEL]: GenerationFinishReason.NONE,
  [StreamingStatus.TOOL_CALL_STOP]: GenerationFinishReason.TOOL_CALL,
};

// Lets a page draw what the streamer showed.
async function pause(): Promise<void> {
  if (typeof document !== 'undefined') await new Promise((resolve) => setTimeout(resolve));
}

// Gives the streamer the tokens that no stop string can remove any more.
class Feed {
  #streamed = 0;

  constructor(
    readonly streamer: TextStreamer,
    readonly window: number,
  ) {}

  async write(tokens: readonly number[], isOver: boolean): Promise<StreamingStatus> {
    const end = isOver ? tokens.length : tokens.length - this.window;
    let status = StreamingStatus.RUNNING;
    while (this.#streamed < end && status === StreamingStatus.RUNNING) status = await this.streamer.write(tokens[this.#streamed++]!);
    await pause();
    return status;
  }
}

/** Runs a job. Returns the sequences of each prompt, and whether the streamer cancelled it. */
export async function generate(network: Network, job: Job): Promise<{sequences: Generated[][]; cancelled: boolean}> {
  const {prompts, settings, stops, streamer, signal, watch} = job;
  const inBeams = settings.num_beams > 1;
  check(
    !streamer || (prompts.length === 1 && settings.num_return_sequences === 1 && !inBeams),
    'Currently streaming is possible only with batch size=1 and only for greedy or multinomial decoding',
  );
  check(prompts.every(({length}) => length > 0), 'The prompt has no tokens: it must not be empty.');
  const tasks = prompts.map((prompt): Task => ({prompt, settings, limit: limitOf(settings, prompt), stops}));
  if (settings.max_new_tokens === 0) {
    return {sequences: prompts.map((tokens) => [{tokens: [...tokens], score: 0, finish: GenerationFinishReason.LENGTH}]), cancelled: false};
  }
  const searches = tasks.map((task, row): Search => (inBeams ? new BeamSearch(task, row) : new Sampling(task, row)));
  const feed = streamer && new Feed(streamer, stops.texts.size > 0 ? stops.window : 0);
  if (settings.echo) for (const token of feed ? prompts[0]! : []) await streamer!.write(token);
  let cancelled = false;
  let logits: Logits = await watch.infer(() => network.prefill(prompts, signal));
  for (;;) {
    let count = 0;
    for (const search of searches) if (search.running.length > 0) count += await search.step((row) => logits.of(row));
    watch.generated(count);
    if (feed) {
      const [search] = searches;
      const [sequence] = search!.running;
      const status = await feed.write(sequence?.tokens ?? search!.results()[0]!.tokens, !sequence);
      if (status !== StreamingStatus.RUNNING) search!.stop(finishOf[status] ?? GenerationFinishReason.STOP);
      cancelled = status === StreamingStatus.CANCEL;
    }
    const running = searches.flatMap((search) => search.running);
    if (running.length === 0) break;
    const origins = running.map(({row}) => row);
    running.forEach((sequence, row) => (sequence.row = row));
    logits = await watch.infer(() => network.step(running.map(({tokens}) => tokens.at(-1)!), origins, signal));
  }
  await streamer?.end();
  const results = searches.map((search, i) =>
    search.results().map((result) => (settings.echo ? {...result, tokens: [...prompts[i]!, ...result.tokens]} : result)),
  );
  return {sequences: results, cancelled};
}

/** An error that a streamer threw, in the words of openvino-genai-node. */
export function streamerError(cause: unknown): WasmvinoError {
  return new WasmvinoError('CANCELLED', `Streamer exceptions occurred:\n[1] ${cause instanceof Error ? cause.message : String(cause)}\n`, {cause});
}
