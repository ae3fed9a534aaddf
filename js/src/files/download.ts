// SPDX-License-Identifier: Apache-2.0
// Downloads files with fetch(), directly into their final memory. If a connection breaks, the download resumes.
import {invalidArgument, messageOf} from '../base/error.js';
import type {Reading, Received, Validator} from '../base/platform.js';
import type {Sink} from '../base/sink.js';
import {untilAborted} from '../base/turns.js';
import {unreadable} from './file_errors.js';

// Pages are told nothing about why a file of another origin cannot be fetched.
function fromOther(url: string | URL): string {
  const here = globalThis.location;
  if (!here?.origin || here.origin === 'null') return '';
  const {origin, protocol} = new URL(url, here.href);
  if (origin === here.origin || !/^https?:$/.test(protocol)) return '';
  return `. ${origin} is another origin than the page: its server must allow ${here.origin} (the header Access-Control-Allow-Origin), and so must a Content-Security-Policy of the page (connect-src)`;
}

export async function get(url: string | URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, {credentials: 'same-origin', ...init});
  } catch (cause) {
    init.signal?.throwIfAborted();
    throw invalidArgument(`${url} cannot be fetched: ${messageOf(cause)}${fromOther(url)}`, {cause});
  }
}

export function statusOf({status, statusText}: Response): string {
  return `status ${status} ${statusText}`.trimEnd();
}

export function validatorOf({headers}: Response): Validator {
  return {etag: headers.get('etag') ?? undefined, modified: headers.get('last-modified') ?? undefined};
}

export function isSame(a: Validator, b: Validator): boolean {
  return a.etag !== undefined || b.etag !== undefined
    ? a.etag === b.etag
    : a.modified !== undefined && a.modified === b.modified;
}

// Length of the file. With a content encoding, the header gives the compressed length, which is of no use here.
function lengthOf({headers}: Response): number | undefined {
  const length = headers.get('content-length');
  return headers.has('content-encoding') || length === null ? undefined : Number(length);
}

// CORS hides the Content-Encoding header by default, so a cross-origin response may be compressed without a sign of it.
const hidesEncoding = ({type}: Response) => type === 'cors';

// Marks a broken connection, as opposed to an error while the bytes are processed.
class Broken {
  constructor(readonly cause: unknown) {}
}

// Reads a body into one buffer again and again. Otherwise each part has a buffer of its own, and Firefox keeps those of a large
// file until its next garbage collection: 300 MB then take 580 MB instead of 300.
function readerOf(body: ReadableStream<Uint8Array>): Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'> {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({mode: 'byob'});
  } catch {
    return body.getReader(); // the browser or the origin of the body has no streams of bytes
  }
  let buffer = new ArrayBuffer(2 ** 18);
  return {
    async read() {
      const part = await reader.read(new Uint8Array(buffer));
      if (part.value) ({buffer} = part.value);
      return part as ReadableStreamReadResult<Uint8Array>;
    },
    cancel: (reason) => reader.cancel(reason),
  };
}

async function pump(response: Response, sink: Sink, each: () => void): Promise<void> {
  const reader = response.body && readerOf(response.body);
  if (!reader) return;
  try {
    for (;;) {
      const part = await reader.read().catch((cause) => {
        throw new Broken(cause);
      });
      if (part.done) return;
      sink.write(part.value);
      each();
    }
  } catch (error) {
    void reader.cancel().catch(() => {});
    throw error;
  }
}

/** Appends the body of a response to the sink. */
export async function receive(response: Response, sink: Sink, {report}: Reading): Promise<void> {
  const start = sink.size;
  const length = lengthOf(response);
  if (length !== undefined) sink.reserve(start + length);
  await pump(response, sink, () => report(sink.size - start, length));
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  try {
    await untilAborted(end, signal);
  } finally {
    clearTimeout(timer);
  }
}

// Number of successive attempts without new bytes before the download fails. The pause before the first attempt is in
// milliseconds. It doubles with each further attempt.
const attempts = 3;
const firstPause = 200;

// A transfer of one version of a file.
interface Transfer {
  response: Response;
  validator: Validator;
  length: number | undefined;
  compressed: boolean;
}

function transferOf(response: Response): Transfer {
  const compressed = response.headers.has('content-encoding');
  return {response, validator: validatorOf(response), length: lengthOf(response), compressed};
}

// Resumes a transfer after `had` bytes. If it is not certain that the rest is of the same version of the file, returns a new
// transfer of the whole file. `hashed`: the bytes will be compared with a hash.
async function resumed(url: string | URL, before: Transfer, had: number, {signal, hashed}: Reading): Promise<Transfer> {
  const {etag} = before.validator;
  // A weak ETag does not promise identical bytes, and two versions may have the second of Last-Modified in common.
  const strong = etag?.startsWith('W/') ? undefined : etag;
  const headers: Record<string, string> = {};
  if (had > 0 && (strong !== undefined || hashed) && !before.compressed) {
    headers.range = `bytes=${had}-`;
    // Across origins, If-Range would need a CORS preflight. There, the ETag of the response is compared instead.
    if (strong !== undefined && !hidesEncoding(before.response)) headers['if-range'] = strong;
  }
  const response = await get(url, {signal, headers, cache: 'no-store'});
  if (!response.ok) throw new Error(statusOf(response));
  if (response.status !== 206) return transferOf(response);
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
  const isRest = Number(from) === had && Number(total) === (before.length ?? Number(total));
  if (isRest && validatorOf(response).etag === etag) return {...before, response, length: Number(total)};
  void response.body?.cancel().catch(() => {});
  return transferOf(await get(url, {signal, cache: 'no-store'}));
}

/**
 * Downloads a file and appends it to the sink. If the connection breaks, it requests the rest of the file, provided that
 * the file has not changed. Otherwise it starts again.
 *
 * @throws WasmvinoError `INVALID_ARGUMENT` if the file cannot be read. If the signal is aborted, the promise rejects with
 *   its reason.
 */
export async function download(url: string | URL, sink: Sink, reading: Reading): Promise<Received> {
  const {signal, again, expected, report} = reading;
  const start = sink.size;
  const got = () => sink.size - start;
  let furthest = 0;
  let failures = 0;
  let transfer: Transfer | undefined;
  for (;;) {
    try {
      if (!transfer) {
        const response = await get(url, {signal, cache: again ? 'force-cache' : 'default'});
        if (!response.ok) return {missing: statusOf(response)};
        transfer = transferOf(response);
      } else {
        const before: Transfer = transfer;
        transfer = await resumed(url, before, got(), reading).catch((cause) => {
          throw new Broken(cause);
        });
        if (transfer.response.status !== 206) sink.rewind(start);
      }
      const {response, validator, length} = transfer;
      const total = length ?? (await expected?.());
      if (total !== undefined) sink.reserve(start + total);
      await pump(response, sink, () => report(got(), total));
      if (length !== undefined && got() < length && !hidesEncoding(response)) throw new Broken(new Error('it ended'));
      return {validator};
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof Broken)) throw error;
      if (got() > furthest) failures = 0;
      furthest = Math.max(furthest, got());
      if (failures === attempts) {
        const of = transfer?.length === undefined ? '' : ` of ${transfer.length}`;
        throw unreadable(url, `the transfer broke off after ${furthest}${of} bytes (${messageOf(error.cause)})`, error.cause);
      }
      await pause(firstPause * 2 ** failures++, signal);
    }
  }
}
