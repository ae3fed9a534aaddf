// SPDX-License-Identifier: Apache-2.0
// How text is generated: what users give, its defaults and its checks, and generation_config.json.
import {check} from './check.js';
import {StopCriteria} from './enums.js';
import type {Parser} from './parsers.js';

/** A non-negative integer. `bigint` is returned for values that a number cannot hold, such as OpenVINO's largest size. */
export type Uint = number | bigint;

/** How text is generated. Members that are not given have their defaults. */
export type GenerationConfig = {
  /** Token that ends a sequence. Default: that of the model. */
  eos_token_id?: Uint;
  /** Most tokens to generate. Default: unlimited. */
  max_new_tokens?: Uint;
  /** Most tokens of prompt and answer together. `max_new_tokens` takes precedence. Default: unlimited. */
  max_length?: Uint;
  /** Whether stop tokens do not end the text. Then `max_new_tokens` or `max_length` is needed. Default: false. */
  ignore_eos?: boolean;
  /** Number of tokens before which no stop token is generated. Default: 0. */
  min_new_tokens?: Uint;
  /** Whether results begin with the prompt. Default: false. */
  echo?: boolean;
  /** Whether scores are sums of log probabilities of the model, if this is more than 0. Default: 0. */
  logprobs?: Uint;
  /** Texts that end a sequence. */
  stop_strings?: Set<string>;
  /** Whether the result ends with the stop string. Default: false. */
  include_stop_str_in_output?: boolean;
  /** Tokens that end a sequence. Default: those of the model. */
  stop_token_ids?: Set<Uint>;
  /** Divides the logits of tokens in prompt and answer. Default: 1, no penalty. */
  repetition_penalty?: number;
  /** Lowers the logits of tokens in the answer. Default: 0. */
  presence_penalty?: number;
  /** Lowers the logits of tokens in the answer, as often as they occur there. Default: 0. */
  frequency_penalty?: number;
  /** Number of beams of beam search. Default: 1, no beam search. */
  num_beams?: Uint;
  /** Number of groups into which beams are divided. Default: 1. */
  num_beam_groups?: Uint;
  /** Subtracted from the score of a token that another group chose in the same step. Default: 0. */
  diversity_penalty?: number;
  /** Exponent of the length by which a beam's score is divided. Default: 1. */
  length_penalty?: number;
  /** Number of results for each prompt, with beam search or sampling. Default: 1. */
  num_return_sequences?: Uint;
  /** Size of groups of tokens that beam search does not repeat. Default: unlimited. */
  no_repeat_ngram_size?: Uint;
  /** When beam search ends. Default: HEURISTIC. */
  stop_criteria?: StopCriteria;
  /** Whether tokens are drawn at random. Default: false, the most probable token. */
  do_sample?: boolean;
  /** Divides logits before tokens are drawn. Default: 1. */
  temperature?: number;
  /** Number of tokens to draw from. Default: unlimited. */
  top_k?: Uint;
  /** Draws from the smallest set of tokens whose probabilities exceed this together. Default: 1. */
  top_p?: number;
  /** Draws from tokens with at least this part of the largest probability. Default: 0. */
  min_p?: number;
  /** Seed of the random numbers. The same seed draws the same tokens. Default: 0. */
  rng_seed?: Uint;
  /** Whether the chat template is applied to prompts that are texts. Default: true. */
  apply_chat_template?: boolean;
  /** Parsers of the complete text. Their results are in `parsed`. */
  parsers?: Parser[];
};

/** @internal The members with their defaults. A size without limit is Infinity. */
export interface Settings {
  eos_token_id: number;
  max_new_tokens: number;
  max_length: number;
  ignore_eos: boolean;
  min_new_tokens: number;
  echo: boolean;
  logprobs: number;
  stop_strings: Set<string>;
  include_stop_str_in_output: boolean;
  stop_token_ids: Set<number>;
  repetition_penalty: number;
  presence_penalty: number;
  frequency_penalty: number;
  num_beams: number;
  num_beam_groups: number;
  diversity_penalty: number;
  length_penalty: number;
  num_return_sequences: number;
  no_repeat_ngram_size: number;
  stop_criteria: StopCriteria;
  do_sample: boolean;
  temperature: number;
  top_k: number;
  top_p: number;
  min_p: number;
  rng_seed: number;
  apply_chat_template: boolean;
  parsers: Parser[];
}

const largestSize = 2n ** 64n - 1n;

type Reader<T> = (name: string, value: unknown) => T;

/** @internal An integer, at least -1. Larger integers than a number can hold are Infinity. */
export const integer: Reader<number> = (name, value) => {
  if (typeof value === 'bigint') {
    check(value <= largestSize && value >= -(2n ** 63n), 'BigInt value is too large to fit in int64_t or size_t.');
    return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(value);
  }
  check(typeof value === 'number' && Number.isInteger(value), `${name} must be an integer, but got ${String(value)}.`);
  return value > Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : value;
};

/** @internal A non-negative integer. */
export const size: Reader<number> = (name, value) => {
  const number = integer(name, value);
  check(number >= 0, `${name} must be a non-negative integer, but got ${String(value)}.`);
  return number;
};

/** @internal */
export const real: Reader<number> = (name, value) => {
  check(typeof value === 'number' || typeof value === 'bigint', `${name} must be a number, but got ${String(value)}.`);
  return Number(value);
};

/** @internal */
export const flag: Reader<boolean> = (name, value) => {
  check(typeof value === 'boolean', `${name} must be true or false, but got ${String(value)}.`);
  return value;
};

/** @internal */
export const text: Reader<string> = (name, value) => {
  check(typeof value === 'string', `${name} must be a string, but got ${String(value)}.`);
  return value;
};

function setOf<T>(read: Reader<T>): Reader<Set<T>> {
  return (name, value) => {
    check(value instanceof Set || Array.isArray(value), `${name} must be a Set, but got ${String(value)}.`);
    return new Set([...value].map((item) => read(name, item)));
  };
}

const criteria: Reader<StopCriteria> = (_, value) => {
  check(typeof value === 'number', 'stop_criteria must be a number (0=EARLY, 1=HEURISTIC, 2=NEVER).');
  check(value in StopCriteria, `Invalid stop criteria: ${value}. Expected 0 (EARLY), 1 (HEURISTIC), or 2 (NEVER).`);
  return value;
};

const parsers: Reader<Parser[]> = (_, value) => {
  check(Array.isArray(value), 'parsers must be an array of parsers.');
  for (const parser of value) check(typeof parser?.parse === 'function', "Parser object must have a 'parse' method");
  return [...value];
};

const readers: {[Name in keyof Settings]: Reader<Settings[Name]>} = {
  eos_token_id: integer,
  max_new_tokens: size,
  max_length: size,
  ignore_eos: flag,
  min_new_tokens: size,
  echo: flag,
  logprobs: size,
  stop_strings: setOf(text),
  include_stop_str_in_output: flag,
  stop_token_ids: setOf(integer),
  repetition_penalty: real,
  presence_penalty: real,
  frequency_penalty: real,
  num_beams: size,
  num_beam_groups: size,
  diversity_penalty: real,
  length_penalty: real,
  num_return_sequences: size,
  no_repeat_ngram_size: size,
  stop_criteria: criteria,
  do_sample: flag,
  temperature: real,
  top_k: size,
  top_p: real,
  min_p: real,
  rng_seed: size,
  apply_chat_template: flag,
  parsers,
};

/** @internal */
export function defaultSettings(): Settings {
  return {
    eos_token_id: -1,
    max_new_tokens: Number.POSITIVE_INFINITY,
    max_length: Number.POSITIVE_INFINITY,
    ignore_eos: false,
    min_new_tokens: 0,
    echo: false,
    logprobs: 0,
    stop_strings: new Set(),
    include_stop_str_in_output: false,
    stop_token_ids: new Set(),
    repetition_penalty: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    num_beams: 1,
    num_beam_groups: 1,
    diversity_penalty: 0,
    length_penalty: 1,
    num_return_sequences: 1,
    no_repeat_ngram_size: Number.POSITIVE_INFINITY,
    stop_criteria: StopCriteria.HEURISTIC,
    do_sample: false,
    temperature: 1,
    top_k: Number.POSITIVE_INFINITY,
    top_p: 1,
    min_p: 0,
    rng_seed: 0,
    apply_chat_template: true,
    parsers: [],
  };
}

// A setting takes one type, but the loop that sets them cannot say which.
function assign<Name extends keyof Settings>(settings: Settings, name: Name, value: unknown): void {
  settings[name] = readers[name](name, value);
}

/** @internal The settings of a config. Unknown members have no effect, as in OpenVINO GenAI. */
export function settingsOf(config: GenerationConfig): Settings {
  const settings = defaultSettings();
  const given = config as Record<string, unknown>;
  check(
    given['structured_output_config'] === undefined || given['structured_output_config'] === null,
    'structured_output_config is not supported: generate without it and check the text.',
    'UNSUPPORTED',
  );
  for (const name of Object.keys(readers) as (keyof Settings)[]) {
    const value = given[name];
    if (value !== undefined && value !== null) assign(settings, name, value);
  }
  if (settings.eos_token_id >= 0) settings.stop_token_ids.add(settings.eos_token_id);
  return settings;
}

// Names that generation_config.json may have. The type of a value that does not fit is ignored, as in OpenVINO GenAI.
const inFile = [
  'eos_token_id',
  'max_new_tokens',
  'max_length',
  'ignore_eos',
  'min_new_tokens',
  'stop_strings',
  'include_stop_str_in_output',
  'echo',
  'logprobs',
  'repetition_penalty',
  'frequency_penalty',
  'presence_penalty',
  'num_beam_groups',
  'num_beams',
  'diversity_penalty',
  'length_penalty',
  'num_return_sequences',
  'no_repeat_ngram_size',
  'do_sample',
  'temperature',
  'top_p',
  'top_k',
  'min_p',
] as const;

/** @internal The settings of a generation_config.json. A list of `eos_token_id` becomes stop tokens. */
export function settingsOfFile(content: unknown): Settings {
  const settings = defaultSettings();
  check(typeof content === 'object' && content !== null, 'generation_config.json must contain an object.', 'INVALID_MODEL');
  const file = content as Record<string, unknown>;
  const {eos_token_id: eos, early_stopping: early} = file;
  for (const name of inFile) {
    const value = file[name];
    const isList = name === 'eos_token_id' && Array.isArray(value);
    if (value !== undefined && value !== null && !isList) assign(settings, name, value);
  }
  if (Array.isArray(eos) && eos.length > 0) {
    settings.stop_token_ids = new Set(eos.map((id) => integer('eos_token_id', id)));
    settings.eos_token_id = integer('eos_token_id', eos[0]);
  }
  if (settings.eos_token_id >= 0) settings.stop_token_ids.add(settings.eos_token_id);
  if (early === 'never') settings.stop_criteria = StopCriteria.NEVER;
  if (early === true) settings.stop_criteria = StopCriteria.EARLY;
  if (early === false) settings.stop_criteria = StopCriteria.HEURISTIC;
  return settings;
}

const sizes = new Set<string>(['max_new_tokens', 'max_length', 'no_repeat_ngram_size', 'top_k']);

/** @internal The config that users see. */
export function configOf(settings: Settings): GenerationConfig {
  const entries = Object.entries(settings).map(([name, value]) => {
    if (sizes.has(name) && value === Number.POSITIVE_INFINITY) return [name, largestSize];
    if (value instanceof Set) return [name, value.size > 0 ? new Set(value) : undefined];
    if (Array.isArray(value)) return [name, value.length > 0 ? [...value] : undefined];
    return [name, value];
  });
  return Object.fromEntries(entries);
}

/** @internal Throws if the settings contradict each other. */
export function validate(settings: Settings): void {
  const {eos_token_id: eos, stop_token_ids: stopTokens, max_new_tokens: maxNew, max_length: maxLength, num_beams: beams} = settings;
  const {num_return_sequences: results, do_sample: sample, repetition_penalty: repetition, num_beam_groups: groups} = settings;
  const {presence_penalty: presence, frequency_penalty: frequency, diversity_penalty: diversity} = settings;
  const unlimited = maxNew === Number.POSITIVE_INFINITY && maxLength === Number.POSITIVE_INFINITY;
  const inBeams = beams > 1;
  check(results > 0, 'num_return_sequences must be greater than 0');
  const negative = [...stopTokens].find((id) => id < 0);
  check(negative === undefined, `'stop_token_ids' must be non-negative, but it contains a value ${negative}`);
  check(!settings.ignore_eos || !unlimited, "ignore_eos is true, in this case either 'max_new_tokens', or 'max_length' should be defined.");
  const ends = eos !== -1 || stopTokens.size > 0 || settings.stop_strings.size > 0 || !unlimited;
  check(ends, "Either 'eos_token_id', or 'stop_token_ids', or 'stop_strings', or 'max_new_tokens', or 'max_length' should be defined.");
  check(maxNew > 0 || settings.echo, "'max_new_tokens' must be greater than 0, if `echo` is set, 0 is also accepted");
  check(settings.min_new_tokens <= maxNew, 'min_new_tokens must be less or equal max_new_tokens');
  check(results === 1 || sample || inBeams, `'num_return_sequences' can be more than 1 only in case of beam search or multinomial sampling, but got ${results}`);
  if (inBeams) {
    const only = (name: string, value: number, expected: number) =>
      check(value === expected, `'${name}' is not currently supported by beam search and should be ${expected}.0f, but got ${value}`);
    only('frequency_penalty', frequency, 0);
    only('presence_penalty', presence, 0);
    only('repetition_penalty', repetition, 1);
  } else {
    const within = (value: number) => value >= -2 && value <= 2;
    check(within(frequency), `'frequence_penalty' penalty must be within [-2.0; 2.0], but got ${frequency}`);
    check(within(presence), `'presence_penalty' penalty must be within [-2.0; 2.0], but got ${presence}`);
    check(repetition > 0, `'repetition_penalty' must be a strictly positive float, but got ${repetition}`);
  }
  if (sample) {
    const {top_p: topP, temperature, min_p: minP} = settings;
    check(topP > 0 && topP <= 1, `When 'do_sample' is true, top_p must be a positive float > 0.0 and <= 1.0, but got ${topP}`);
    check(temperature > 0, `When 'do_sample' is true, temperature must be a strictly positive float, but got ${temperature}`);
    check(minP >= 0 && minP < 1, `When 'do_sample' is true, min_p must be in [0.0, 1.0), but got ${minP}`);
  }
  if (!inBeams) return;
  check(beams % groups === 0, `'num_beams' (${beams}) should be divisible by 'num_beam_groups' (${groups})`);
  check(beams >= results, `'num_beams' (${beams}) must be greater equal than 'num_return_sequences' (${results})`);
  check(!sample, 'Beam search with sampling is not supported yet. Please either set do_sample=false to use beam search or set num_beams=1 if you with to use multinomial sampling.');
  check(settings.no_repeat_ngram_size > 0, "'no_repeat_ngram_size' must be positive");
  if (groups > 1) check(diversity !== 0, "For grouped beam search 'diversity_penalty' should not be zero, otherwise it fallbacks to non-grouped beam search");
  else check(diversity === 0, "For beam search 'diversity_penalty' is applicable only when grouped beam search is used, but got 'num_beam_groups' == 1");
}
