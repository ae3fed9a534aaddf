// SPDX-License-Identifier: Apache-2.0
// How speech is recognised: what users give, its defaults and its checks, and generation_config.json.
import {check} from './check.js';
import {configOf, flag, integer, settingsOf, settingsOfFile, size, text, validate, type GenerationConfig, type Settings, type Uint} from './generation_config.js';

/** How speech is recognised. */
export type WhisperGenerationConfig = GenerationConfig & {
  /** Language: "en", or the token "<|en|>". For multilingual models. Default: the model finds it. */
  language?: string;
  /** "transcribe", or "translate" into English. For multilingual models. Default: "transcribe". */
  task?: string;
  /** Whether results have chunks with times. Default: false. */
  return_timestamps?: boolean;
  /** Text in front of the first window, for its spelling and style. */
  initial_prompt?: string;
  /** Text in front of each window, for its spelling and style. */
  hotwords?: string;
  /** Heads of attention that align words with times: pairs of layer and head. */
  alignment_heads?: [Uint, Uint][];
  /** Token that starts a window. */
  decoder_start_token_id?: Uint;
  /** Token for padding. */
  pad_token_id?: Uint;
  /** Token for no times. */
  no_timestamps_token_id?: Uint;
  /** Token for the task transcribe. */
  transcribe_token_id?: Uint;
  /** Token for the task translate. */
  translate_token_id?: Uint;
  /** Token in front of a prompt. */
  prev_sot_token_id?: Uint;
  /** Tokens of the languages. */
  lang_to_id?: Record<string, Uint>;
  /** Largest first time, in steps of 0.02 s. */
  max_initial_timestamp_index?: Uint;
  /** Whether the model knows several languages. */
  is_multilingual?: boolean;
  /** Tokens that a text does not begin with. */
  begin_suppress_tokens?: Uint[];
  /** Tokens that a text does not contain. */
  suppress_tokens?: Uint[];
};

/** @internal */
export interface WhisperSettings extends Settings {
  language?: string;
  task?: string;
  return_timestamps: boolean;
  initial_prompt?: string;
  hotwords?: string;
  alignment_heads: [number, number][];
  decoder_start_token_id: number;
  pad_token_id: number;
  no_timestamps_token_id: number;
  transcribe_token_id: number;
  translate_token_id: number;
  prev_sot_token_id: number;
  lang_to_id: Record<string, number>;
  max_initial_timestamp_index: number;
  is_multilingual: boolean;
  begin_suppress_tokens: number[];
  suppress_tokens: number[];
}

type Own = Omit<WhisperSettings, keyof Settings>;

const defaults: Own = {
  return_timestamps: false,
  alignment_heads: [],
  decoder_start_token_id: 50258,
  pad_token_id: 50257,
  no_timestamps_token_id: 50363,
  transcribe_token_id: 50359,
  translate_token_id: 50358,
  prev_sot_token_id: 50361,
  lang_to_id: {},
  max_initial_timestamp_index: 50,
  is_multilingual: true,
  begin_suppress_tokens: [],
  suppress_tokens: [],
};

const integers = (name: string, value: unknown): number[] => {
  check(Array.isArray(value) || ArrayBuffer.isView(value), 'Passed argument must be of type Array or TypedArray.');
  return [...(value as number[])].map((item) => integer(name, item));
};

const heads = (name: string, value: unknown): [number, number][] => {
  check(Array.isArray(value), 'Passed argument must be of type Array.');
  return value.map((pair) => {
    check(Array.isArray(pair) && pair.length === 2, 'Passed argument must contain only [number, number] arrays.');
    return [size(name, pair[0]), size(name, pair[1])];
  });
};

const languages = (name: string, value: unknown): Record<string, number> => {
  check(typeof value === 'object' && value !== null, 'Passed Napi::Value must be an object.');
  return Object.fromEntries(Object.entries(value).map(([language, id]) => [language, integer(name, id)]));
};

const readers: {[Name in keyof Own]-?: (name: string, value: unknown) => unknown} = {
  language: text,
  task: text,
  return_timestamps: flag,
  initial_prompt: text,
  hotwords: text,
  alignment_heads: heads,
  decoder_start_token_id: integer,
  pad_token_id: integer,
  no_timestamps_token_id: integer,
  transcribe_token_id: integer,
  translate_token_id: integer,
  prev_sot_token_id: integer,
  lang_to_id: languages,
  max_initial_timestamp_index: size,
  is_multilingual: flag,
  begin_suppress_tokens: integers,
  suppress_tokens: integers,
};

function read(given: Record<string, unknown>): Partial<Own> {
  const known = Object.entries(readers).filter(([name]) => given[name] !== undefined && given[name] !== null);
  return Object.fromEntries(known.map(([name, reader]) => [name, reader(name, given[name])]));
}

/** @internal The settings of a config over those of the pipeline. */
export function whisperSettingsOf(config: WhisperGenerationConfig, base?: WhisperSettings): WhisperSettings {
  const given = config as Record<string, unknown>;
  check(given['word_timestamps'] !== true, 'word_timestamps is not supported: use return_timestamps.', 'UNSUPPORTED');
  const whole = base ? {...configOf(base), ...config} : config;
  return {...settingsOf(whole), ...defaults, ...base, ...settingsOf(whole), ...read(given), apply_chat_template: false};
}

/** @internal The settings of a generation_config.json. */
export function whisperSettingsOfFile(content: unknown): WhisperSettings {
  const settings = settingsOfFile(content);
  const {task_to_id: tasks, ...file} = content as Record<string, unknown>;
  // The file says whether the model can make times, not whether they are asked for.
  const {return_timestamps: _, ...own} = file;
  const {transcribe, translate} = (tasks ?? {}) as Record<string, unknown>;
  const found = {...(transcribe !== undefined && {transcribe_token_id: transcribe}), ...(translate !== undefined && {translate_token_id: translate})};
  return {...settings, ...defaults, ...read({...own, ...found}), apply_chat_template: false};
}

/** @internal The token of a language. */
export function languageToken(settings: WhisperSettings, language: string): number {
  const token = settings.lang_to_id[/^<\|.+\|>$/.test(language) ? language : `<|${language}|>`];
  check(token !== undefined, `'language' ${language} must be provided in 'lang_to_id' map.`);
  return token;
}

/** @internal Throws if the settings contradict each other. */
export function validateWhisper(settings: WhisperSettings): void {
  validate(settings);
  const {is_multilingual: multilingual, language, task} = settings;
  if (multilingual) {
    check(Object.keys(settings.lang_to_id).length > 0, "'lang_to_id' map must be provided for multilingual models.");
    if (language !== undefined) languageToken(settings, language);
    check(task === undefined || task === 'transcribe' || task === 'translate', `'task' mast be 'transcribe' or 'translate'. Task provided: '${task}'.`);
  } else {
    check(language === undefined, "Cannot specify 'language' for not multilingual model.");
    check(task === undefined, "Cannot specify 'task' for not multilingual model.");
  }
  check(settings.num_return_sequences === 1, `'num_return_sequences' must be 1. Provided: ${settings.num_return_sequences}.`);
}
