// SPDX-License-Identifier: Apache-2.0
// Reads models from Blobs, such as files that the visitor chose.
import type {FileBlob} from '../base/environment.js';
import {Sink, joined} from '../base/sink.js';
import {unreadable} from './file_errors.js';
import type {ModelFiles} from './model_files.js';
import {Progress} from './progress.js';
import {Weights, asyncOrigin} from './weights.js';

interface NamedBlob {
  blob: Blob;
  name: string;
}

/** The model file, and its weights if it has any. It can be sent to a worker. */
export interface BlobSource {
  xml: NamedBlob;
  weights?: NamedBlob;
}

/** Whether a value is a Blob. A File is one. */
export function isBlob(value: unknown): value is FileBlob & Blob {
  return typeof Blob !== 'undefined' && value instanceof Blob;
}

// Files cannot be sent to a worker of Node.js 20, but their slices can.
const named = (blob: Blob, otherwise: string): NamedBlob => ({
  blob: blob.slice(),
  name: (blob as Partial<File>).name ?? otherwise,
});

export function blobSource(xml: Blob, weights: Blob | undefined): BlobSource {
  return {xml: named(xml, 'the .xml'), weights: weights && named(weights, 'the .bin')};
}

/** Reads a Blob, in pieces, and reports progress. */
export async function readBlob(
  {blob, name}: NamedBlob,
  progress: Progress,
  signal: AbortSignal | undefined,
): Promise<Uint8Array[]> {
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
  return sink.takePieces();
}

/** Reads both Blobs and reports progress. If `signal` is aborted, the promise rejects with its reason. */
export async function readBlobs(
  {xml, weights}: BlobSource,
  progress: Progress,
  signal: AbortSignal | undefined,
): Promise<ModelFiles> {
  progress.expect(weights ? [xml.name, weights.name] : [xml.name]);
  const xmlBytes = joined(xml.name, await readBlob(xml, progress, signal));
  if (!weights) return {xml: xmlBytes};
  const pieces = await readBlob(weights, progress, signal);
  const again = asyncOrigin(weights.name, false, (signal) => readBlob(weights, new Progress(undefined), signal));
  return {xml: xmlBytes, weights: new Weights(pieces, again), origin: {model: xml.name, path: weights.name}};
}
