// SPDX-License-Identifier: Apache-2.0
// Array files: .npy and, for strings, .json {"shape", "data"}.
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {formatNpy, parseNpy} from './npy.mjs';
import {storedType} from './values.mjs';

/** @typedef {import('./values.mjs').StoredArray} StoredArray */

/**
 * Reads an array.
 * @param {string} path
 * @param {string} [type] type of the tensor to fill; default: the type of the file
 * @returns {StoredArray}
 * @throws {Error} if there is no such file, or it cannot be read, or it has another type; the latter error has the types as
 *   `expected` and `actual`
 */
export function readArrayFile(path, type) {
  if (!existsSync(path)) throw new Error(`there is no file ${path}`);
  const wrongType = (/** @type {string} */ actual) =>
    Object.assign(new Error(`the array is of type ${actual}, expected ${type}`), {expected: type, actual});
  try {
    if (path.endsWith('.json')) {
      const {shape, data} = JSON.parse(readFileSync(path, 'utf8'));
      if (type !== undefined && type !== 'string') throw wrongType('string');
      return {type: 'string', shape, data};
    }
    const array = parseNpy(readFileSync(path));
    if (type === undefined) return array;
    if (storedType(type) !== array.type) throw wrongType(array.type);
    return {...array, type};
  } catch (error) {
    const failure = /** @type {Error} */ (error);
    failure.message = `${path}: ${failure.message}`;
    throw failure;
  }
}

/**
 * Writes a file. Creates missing folders of its path.
 * @param {string} path
 * @param {string | Uint8Array} content
 */
export function writeFile(path, content) {
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, content);
}

/**
 * Writes an array.
 * @param {string} stem the path without a suffix
 * @param {StoredArray} array
 * @returns {string} the path
 */
export function writeArrayFile(stem, {type, shape, data}) {
  const path = `${stem}.${type === 'string' ? 'json' : 'npy'}`;
  const isText = Array.isArray(data);
  writeFile(path, isText ? JSON.stringify({shape, data}) : formatNpy({type: storedType(type), shape, data}));
  return path;
}
