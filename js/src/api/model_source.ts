// SPDX-License-Identifier: Apache-2.0
// What a model is read from: the arguments of readModel() and of the calls like it.
import type {Source} from '../backend/backend.js';
import type {Url} from '../base/environment.js';
import {incorrectParameters, invalidArgument, invalidState, invalidType} from '../base/error.js';
import {currentPlatform} from '../base/platform.js';
import {arrayName, bytesOf, isBuffer, sizeOfBuffer} from '../base/typed_arrays.js';
import {blobSource, isBlob, type BlobSource} from '../files/blobs.js';
import {noFile} from '../files/file_errors.js';
import {loadSettings, type FileSource, type LoadOptions} from '../files/loading.js';
import type {ModelFiles} from '../files/model_files.js';
import {Weights} from '../files/weights.js';
import {isTypedArray, type SupportedTypedArray} from '../tensor/element.js';
import {copyOut} from '../tensor/storage.js';
import {contentOf, isTensor, type Tensor} from '../tensor/tensor.js';

/** The bytes of a file. */
export type Bytes = ArrayBuffer | Uint8Array;

/** @internal */
export function isBytes(value: unknown): value is Bytes {
  return arrayName(value) === 'Uint8Array' || isBuffer(value);
}

/** @internal The bytes of a tensor. Undefined for one of strings. */
export function bytesOfTensor(tensor: Tensor): Uint8Array | undefined {
  const {array, engine, info} = contentOf(tensor);
  if (engine && !info!.strings) return bytesOf(copyOut(engine, info!) as SupportedTypedArray);
  return isTypedArray(array) ? bytesOf(array) : undefined;
}

/** @internal */
export function isPath(value: unknown): value is string | Url {
  return typeof value === 'string' || value instanceof URL;
}

/**
 * @internal Returns the bytes as an array of fixed length. Shared memory is copied: the bytes are read more than once, and
 * other threads could change them in between.
 */
export function toBytes(value: Bytes): Uint8Array {
  if (isBuffer(value)) return sizeOfBuffer(value) === 0 ? new Uint8Array(0) : new Uint8Array(value, 0, sizeOfBuffer(value));
  const given = bytesOf(value);
  return isBuffer(given.buffer) ? given : new Uint8Array(given);
}

// "model.xml" → "model.bin", "net.pnnx.param" → "net.pnnx.bin". A query or fragment is kept.
// An ONNX file names its files itself.
function weightsPathsOf(path: string | Url): (string | Url)[] {
  const text = String(path);
  if (/\.onnx(?=$|[?#])/i.test(text)) return [];
  const at = /\.(?:xml|param)(?=$|[?#])/i.exec(text);
  const bin = at ? `${text.slice(0, at.index)}.bin${text.slice(at.index + at[0].length)}` : `${text}.bin`;
  return [path instanceof URL ? new URL(bin) : bin];
}

/** @internal A model in memory, or files to load. */
export type Given = {files: ModelFiles} | FileSource;

/** @internal The Blobs of a model, or undefined if the arguments are no Blobs. */
export function blobsOf([xml, weights, ...more]: unknown[]): {blobs: BlobSource} | undefined {
  if (!isBlob(xml) || more.length > 0 || !(weights === undefined || isBlob(weights))) return undefined;
  return {blobs: blobSource(xml, weights)};
}

const readForms = ['string', 'string, string', 'string, Tensor', 'Uint8Array', 'Uint8Array, Uint8Array'];

/** @internal The model that the arguments of a method name. */
export function sourceOf(method: string, args: unknown[]): Given {
  const [model, weights] = args;
  if (args.length >= 1 && args.length <= 2) {
    if (isBytes(model) && (weights === undefined || isBytes(weights))) {
      return {files: {xml: toBytes(model), weights: weights && new Weights(toBytes(weights))}};
    }
    if (typeof model === 'string' && isTensor(weights)) {
      const bytes = bytesOfTensor(weights);
      if (!bytes) throw invalidType(`${method}() takes the weights as a tensor of bytes, not of strings.`);
      return {files: {xml: new TextEncoder().encode(model), weights: new Weights(toBytes(bytes))}};
    }
    if (isPath(model) && (weights === undefined || isPath(weights))) {
      const given = weights !== undefined && weights !== '';
      return {xml: model, weights: given ? [weights] : weightsPathsOf(model), optional: !given};
    }
  }
  throw incorrectParameters(method, args, ...readForms);
}

/** @internal Throws if there are load options but those given: a model in memory has nothing to load. */
export function refuseLoadOptions({onProgress: _, ...options}: LoadOptions, allowed: readonly string[] = []): void {
  const name = Object.keys(options).find((each) => !allowed.includes(each));
  if (name === undefined) return;
  throw invalidArgument(`The option ${name} applies only to models that are read from a path or a URL.`, {actual: name});
}

/** @internal What an engine reads the model from. Throws if the options do not fit. */
export function checkedSource(given: Given | {blobs: BlobSource}, options: LoadOptions): Source {
  if ('blobs' in given || 'files' in given) {
    // Only the files that the model names may have to be loaded.
    refuseLoadOptions(options, options.externalData ? ['externalData', 'cache', 'integrity'] : []);
    return {...given, settings: loadSettings(options, {xml: '', weights: [], optional: true}).settings};
  }
  const {source, settings} = loadSettings(options, given);
  return {load: source, settings};
}

/** @internal Reads the files now. */
export function loadSync(source: Given): ModelFiles {
  if ('files' in source) return source.files;
  const {readSync} = currentPlatform();
  if (!readSync) {
    throw invalidState('Files cannot be read synchronously here: use the asynchronous form, or give the bytes.');
  }
  const file = readSync(source.xml);
  if (typeof file === 'string') throw noFile(source.xml, file);
  const xml = file.bytes;
  const [path] = source.weights;
  if (path === undefined) return {xml, origin: {model: source.xml, path: ''}};
  const bin = readSync(path);
  if (typeof bin !== 'string') {
    const {bytes, readNow} = bin;
    return {xml, weights: new Weights(bytes, readNow && {name: String(path), readNow}), origin: {model: source.xml, path}};
  }
  if (!source.optional) throw noFile(path, bin);
  return {xml, origin: {model: source.xml, path, missing: bin}};
}
