// SPDX-License-Identifier: Apache-2.0
// Reads models from Blobs, such as files that the visitor chose.
import type {ModelFiles} from './model.js';
import type {FileBlob} from './places.js';
import {Progress, type LoadProgress} from './progress.js';
import {Sink} from './sink.js';
import {unreadable} from './weights.js';

/** The model file, and its weights if it has any. */
export interface BlobSource {
  xml: Blob;
  weights?: Blob;
}

/** Whether a value is a Blob. A File is one. */
export function isBlob(value: unknown): value is FileBlob & Blob {
  return typeof Blob !== 'undefined' && value instanceof Blob;
}

const nameOf = (blob: Blob, otherwise: string) => (blob as Partial<File>).name ?? otherwise;

async function read(blob: Blob, name: string, progress: Progress, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const sink = new Sink(name);
  sink.reserve(blob.size);
  const reader = blob.stream().getReader();
  try {
    for (;;) {
      signal?.throwIfAborted();
      const {done, value} = await reader.read();
      if (done) break;
      sink.write(value);
      progress.at(name, 'download', sink.size, blob.size);
    }
  } catch (error) {
    reader.cancel().catch(() => {}); // the original error is thrown below
    signal?.throwIfAborted();
    throw unreadable(name, String(error), error);
  }
  progress.done(name, sink.size);
  return sink.take();
}

/** Reads both Blobs and reports progress. If `signal` is aborted, the promise rejects with its reason. */
export async function readBlobs(
  {xml, weights}: BlobSource,
  onProgress: ((progress: LoadProgress) => void) | undefined,
  signal: AbortSignal | undefined,
): Promise<ModelFiles> {
  const [xmlName, weightsName] = [nameOf(xml, 'the .xml'), weights && nameOf(weights, 'the .bin')];
  const progress = new Progress(onProgress, weightsName === undefined ? [xmlName] : [xmlName, weightsName]);
  const xmlBytes = await read(xml, xmlName, progress, signal);
  if (!weights || weightsName === undefined) return {xml: xmlBytes, weights: undefined};
  const bytes = await read(weights, weightsName, progress, signal);
  progress.tell(xmlName, 'read');
  return {xml: xmlBytes, weights: bytes, origin: {model: xmlName, path: weightsName}};
}
