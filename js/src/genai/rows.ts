// SPDX-License-Identifier: Apache-2.0
// Makes rows of tokens: truncates, adds special tokens, pads.
import {Tensor} from './engine.js';
import {check} from './check.js';
import type {RowLayout, Segment} from './token_graph.js';

/** Options of encoding. */
export interface EncodeOptions {
  /** Whether special tokens are added. Default: true. */
  add_special_tokens?: boolean;
  /** Whether rows are padded to `max_length`. Default: false, to the longest row. */
  pad_to_max_length?: boolean;
  /** Number of tokens of a row. It applies with `truncation` or `pad_to_max_length`. Default: that of the tokenizer. */
  max_length?: number;
  /** Where padding goes. Default: as the tokenizer has it. */
  padding_side?: 'left' | 'right';
  /** Whether longer rows are truncated. Default: false. */
  truncation?: boolean;
}

/** Encoded texts. */
export interface TokenizedInputs {
  /** Tokens, i64 [texts, length]. */
  input_ids: Tensor;
  /** 1 for tokens and 0 for padding, i64 [texts, length]. */
  attention_mask: Tensor;
  /** Which text of a pair a token belongs to, i64 [texts, length]. Only for pairs. */
  token_type_ids?: Tensor;
}

// More than any model reads: a larger length is a mistake.
const largestLength = 2 ** 22;

// The lengths to which two texts are shortened together. Each gets half, and the longer one the odd token. A text that needs
// less than its half leaves the rest to the other.
function shortened([first = 0, second = 0]: number[], limit: number): number[] {
  if (first + second <= limit) return [first, second];
  const [less, more] = [Math.floor(limit / 2), Math.ceil(limit / 2)];
  if (first >= more && second <= less) return [limit - second, second];
  if (first < more && second > less) return [first, limit - first];
  return first >= second ? [more, less] : [less, more];
}

interface Row {
  tokens: number[];
  types: number[];
}

function rowOf(texts: number[][], segments: Segment[], special: boolean, limit: number, fromRight: boolean): Row {
  const used = segments.filter(({id}) => id < 0 || special);
  const room = Math.max(0, limit - (used.length - texts.length));
  const lengths = texts.length > 1 ? shortened(texts.map(({length}) => length), room) : [Math.min(room, texts[0]!.length)];
  const kept = texts.map((tokens, i) => (fromRight ? tokens.slice(0, lengths[i]) : tokens.slice(tokens.length - lengths[i]!)));
  const parts = used.map(({id, type}) => ({tokens: id < 0 ? kept[-1 - id]! : [id], type}));
  return {tokens: parts.flatMap(({tokens}) => tokens), types: parts.flatMap(({tokens, type}) => tokens.map(() => type))};
}

/**
 * Makes rows.
 *
 * @param texts The tokens of the texts. For pairs, each row has two.
 */
export function encodedRows(texts: number[][][], layout: RowLayout, options: EncodeOptions): TokenizedInputs {
  const {add_special_tokens: special = true, pad_to_max_length: padToMax = false, max_length: maxLength = layout.maxLength, truncation = false} = options;
  const {padding_side: side} = options;
  check(side === undefined || side === 'left' || side === 'right', `padding_side should be either 'left' or 'right', but got: ${side}`);
  check(maxLength === Number.POSITIVE_INFINITY || (Number.isInteger(maxLength) && maxLength >= 0), `max_length must be a non-negative integer, but got ${maxLength}.`);
  const isPair = texts.some((row) => row.length > 1);
  const segments = isPair ? layout.pair! : layout.single;
  const rows = texts.map((row) => rowOf(row, segments, special, truncation ? maxLength : Number.POSITIVE_INFINITY, layout.truncateRight));
  const longest = Math.max(0, ...rows.map(({tokens}) => tokens.length));
  const length = padToMax ? Math.max(longest, maxLength) : longest;
  check(length <= largestLength, `Rows cannot be padded to ${length} tokens: give max_length, at most ${largestLength}.`);
  const right = side === undefined ? layout.padRight : side === 'right';
  const tensor = (valuesOf: (row: Row) => number[], padding: number) => {
    const data = new BigInt64Array(rows.length * length).fill(BigInt(padding));
    rows.forEach((row, i) => {
      const start = i * length + (right ? 0 : length - row.tokens.length);
      valuesOf(row).forEach((value, j) => (data[start + j] = BigInt(value)));
    });
    return new Tensor('i64', [rows.length, length], data);
  };
  return {
    input_ids: tensor(({tokens}) => tokens, layout.padToken),
    attention_mask: tensor(({tokens}) => tokens.map(() => 1), 0),
    ...(isPair && layout.hasTypes && {token_type_ids: tensor(({types}) => types, layout.padType)}),
  };
}
