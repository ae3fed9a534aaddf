// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {source} from './sources.mjs';

const {encodedRows} = await source('rows');

const rowsOf = (tensor) => {
  const [rows, length] = tensor.getShape();
  return Array.from({length: rows}, (_, i) => [...tensor.data.slice(i * length, (i + 1) * length)].map(Number));
};

const layout = {
  single: [{id: 100, type: 0}, {id: -1, type: 0}, {id: 101, type: 0}],
  pair: [{id: 100, type: 0}, {id: -1, type: 0}, {id: 101, type: 0}, {id: -2, type: 1}, {id: 101, type: 1}],
  padToken: 9,
  padType: 0,
  padRight: true,
  maxLength: 512,
  truncateRight: true,
  hasTypes: true,
};
const made = (texts, options, changed) => encodedRows(texts, {...layout, ...changed}, options);

test('special tokens, padding and truncation', () => {
  const texts = [[[1, 2, 3]], [[4]]];
  assert.deepEqual(rowsOf(made(texts, {}).input_ids), [[100, 1, 2, 3, 101], [100, 4, 101, 9, 9]]);
  assert.deepEqual(rowsOf(made(texts, {}).attention_mask), [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]);
  assert.deepEqual(rowsOf(made(texts, {add_special_tokens: false}).input_ids), [[1, 2, 3], [4, 9, 9]]);
  assert.deepEqual(rowsOf(made(texts, {padding_side: 'left'}).input_ids), [[100, 1, 2, 3, 101], [9, 9, 100, 4, 101]]);
  assert.deepEqual(rowsOf(made(texts, {max_length: 4}).input_ids)[0].length, 5);
  assert.deepEqual(rowsOf(made(texts, {max_length: 4, truncation: true}).input_ids), [[100, 1, 2, 101], [100, 4, 101, 9]]);
  assert.deepEqual(rowsOf(made(texts, {max_length: 4, truncation: true}, {truncateRight: false}).input_ids)[0], [100, 2, 3, 101]);
  assert.deepEqual(rowsOf(made(texts, {max_length: 6, pad_to_max_length: true}).input_ids)[0], [100, 1, 2, 3, 101, 9]);
  assert.deepEqual(made([], {}).input_ids.getShape(), [0, 0]);
  assert.throws(() => made(texts, {padding_side: 'top'}), /padding_side should be either 'left' or 'right', but got: top/);
  assert.throws(() => made(texts, {max_length: -1}), /max_length must be a non-negative integer/);
  assert.throws(() => made(texts, {max_length: 2 ** 40, pad_to_max_length: true}), /cannot be padded to/);
});

test('pairs: types, and each text is truncated to its half', () => {
  const texts = [[[1, 2, 3, 4], [5, 6]]];
  const {input_ids: ids, token_type_ids: types} = made(texts, {});
  assert.deepEqual([rowsOf(ids)[0], rowsOf(types)[0]], [[100, 1, 2, 3, 4, 101, 5, 6, 101], [0, 0, 0, 0, 0, 0, 1, 1, 1]]);
  const short = (length) => rowsOf(made(texts, {max_length: length, truncation: true}).input_ids)[0];
  assert.deepEqual(short(7), [100, 1, 2, 101, 5, 6, 101]);
  assert.deepEqual(short(6), [100, 1, 2, 101, 5, 101]);
  assert.deepEqual(short(3), [100, 101, 101]);
  const odd = made([[[1, 2, 3, 4], [5, 6, 7, 8, 9]]], {max_length: 8, truncation: true});
  assert.deepEqual(rowsOf(odd.input_ids)[0], [100, 1, 2, 101, 5, 6, 7, 101]);
});
