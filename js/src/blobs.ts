// SPDX-License-Identifier: Apache-2.0
// Models in Blobs: files that the visitor chose.
import type {ModelFiles} from './model.js';
import type {FileBlob} from './places.js';
import {Progress, type LoadProgress} from './progress.js';
import {Sink} from './sink.js';
import {unreadable} from './weights.js';

/** The .xml, and the .bin unless there is none. */
export interface BlobSource {
  xml: Blob;
  weights?: Blob;
}

/** Whether it is a Blob or a File. */
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
    reader.cancel().catch(() => {}); // what was wrong is told below
    signal?.throwIfAborted();
    throw unreadable(name, String(error), error);
  }
  progress.done(name, sink.size);
  return sink.take();
}

/** Reads them, with progress. An aborted signal rejects with its reason. */
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
  return {xml: xmlBytes, weights: bytes, origin: {path: weightsName}};
}
