// SPDX-License-Identifier: Apache-2.0
// The files that hold tensors of an ONNX model. The model names them by paths relative to its folder.
import type {FileBlob, Url} from '../base/environment.js';
import {invalidArgument, textOf} from '../base/error.js';
import {currentPlatform} from '../base/platform.js';
import {isBlob} from './blobs.js';

/** A file that holds tensors of an ONNX model. */
export interface ExternalData {
  /** The path by which the model names the file. */
  path: string;
  /** The file: its path or URL, a File or Blob, or its bytes. Bytes are not copied: they must not change while the model is in use. */
  data: string | Url | FileBlob | Uint8Array | ArrayBuffer;
}

/** @internal A file by the path that models use for it. */
export interface ExternalFile {
  path: string;
  data: string | URL | Blob | Uint8Array;
}

const isShared = (value: unknown): value is SharedArrayBuffer =>
  typeof SharedArrayBuffer !== 'undefined' && value instanceof SharedArrayBuffer;

const plain = (path: string) => path.replace(/^(\.\/)+/, '');

/** @internal Checks the option externalData. */
export function externalFiles(given: unknown): ExternalFile[] {
  const refuse = (value: unknown) => {
    const expected = 'an array of paths, or of {path, data} with a path, a URL, a File, a Blob or bytes';
    return invalidArgument(`The option externalData takes ${expected}, not ${textOf(value)}.`, {
      expected,
      actual: textOf(value),
    });
  };
  if (!Array.isArray(given)) throw refuse(given);
  return given.map((each: unknown) => {
    if (typeof each === 'string') return {path: each.replace(/[?#].*$/s, '').replace(/^.*[/\\]/s, ''), data: each};
    if (typeof each !== 'object' || each === null) throw refuse(each);
    const {path, data} = each as Partial<ExternalData>;
    if (typeof path !== 'string') throw refuse(each);
    if (data instanceof ArrayBuffer) return {path, data: new Uint8Array(data)};
    // Shared memory is copied: other threads could change it between two reads.
    if (isShared(data)) return {path, data: new Uint8Array(data).slice()};
    if (data instanceof Uint8Array && isShared(data.buffer)) return {path, data: data.slice()};
    // Files cannot be sent to a worker of Node.js 20, but their slices can.
    if (isBlob(data)) return {path, data: data.slice()};
    if (typeof data !== 'string' && !(data instanceof URL) && !(data instanceof Uint8Array)) throw refuse(each);
    return {path, data: data as string | URL | Uint8Array};
  });
}

/** @internal The file for a path in a model, or undefined if it was not given. */
export function givenFor(path: string, files: readonly ExternalFile[]): ExternalFile | undefined {
  return files.find((file) => plain(file.path) === plain(path));
}

/** @internal The path or URL of a file beside a model. Queries are kept: they often hold the right to read a folder. */
export function besideModel(model: string | URL, path: string): string | URL {
  const text = String(model);
  if (!(model instanceof URL) && !currentPlatform().isFetched(model)) return text.replace(/[^/\\]*$/, '') + path;
  const end = text.search(/[?#]|$/);
  const folder = text.slice(0, end).replace(/[^/]*$/, '');
  const whole = folder + plain(path).split('/').map(encodeURIComponent).join('/') + text.slice(end);
  return model instanceof URL ? new URL(whole) : whole;
}
