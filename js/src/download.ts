// SPDX-License-Identifier: Apache-2.0
// Files by fetch(): straight into their place, and on from where a connection broke.
import {invalidArgument, messageOf} from './error.js';
import type {Sink} from './sink.js';
import {unreadable} from './weights.js';

/** By what a server tells one version of a file from another. */
export interface Validator {
  etag?: string;
  modified?: string;
}

/** How a file is read. */
export interface Reading {
  signal?: AbortSignal;
  /** The length of the file, for servers that do not say it. */
  expected?: () => Promise<number | undefined>;
  /** Hears how many bytes of the file have come, of how many. */
  report: (loaded: number, total: number | undefined) => void;
}

/** What came of it: where there is no file, how that showed. */
export interface Received {
  missing?: string;
  validator?: Validator;
}

export async function get(url: string | URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, {credentials: 'same-origin', ...init});
  } catch (cause) {
    init.signal?.throwIfAborted();
    throw invalidArgument(`${url} cannot be fetched: ${messageOf(cause)}`, {cause});
  }
}

export function statusOf({status, statusText}: Response): string {
  return `status ${status} ${statusText}`.trimEnd();
}

export function validatorOf({headers}: Response): Validator {
  return {etag: headers.get('etag') ?? undefined, modified: headers.get('last-modified') ?? undefined};
}

export function isSame(a: Validator, b: Validator): boolean {
  return a.etag !== undefined || b.etag !== undefined ? a.etag === b.etag : a.modified !== undefined && a.modified === b.modified;
}

// Length of the file, where the header is about that and not about its compressed form.
function lengthOf({headers}: Response): number | undefined {
  const length = headers.get('content-length');
  return headers.has('content-encoding') || length === null ? undefined : Number(length);
}

// Other origins hide by default whether a transfer is compressed.
const hidesEncoding = ({type}: Response) => type === 'cors';

// A connection that broke, as opposed to an error of what is done with the bytes.
class Broken {
  constructor(readonly cause: unknown) {}
}

async function pump(response: Response, sink: Sink, each: () => void): Promise<void> {
  const reader = response.body?.getReader();
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

/** The body of a response, behind what the sink holds already. */
export async function receive(response: Response, sink: Sink, {report}: Reading): Promise<void> {
  const start = sink.size;
  const length = lengthOf(response);
  if (length !== undefined) sink.reserve(start + length);
  await pump(response, sink, () => report(sink.size - start, length));
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, {once: true});
  });
}

// Attempts in a row that bring nothing new, and milliseconds before the first of them; it doubles each time.
const attempts = 3;
const firstPause = 200;

// One version of a file on its way.
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

// Goes on after `had` bytes; gives another transfer where only the whole file can be had.
async function resumed(url: string | URL, before: Transfer, had: number, signal: AbortSignal | undefined): Promise<Transfer> {
  const {etag, modified} = before.validator;
  // A weak validator does not promise the same bytes.
  const strong = etag?.startsWith('W/') ? undefined : (etag ?? modified);
  const headers: Record<string, string> = {};
  if (had > 0 && strong !== undefined && !before.compressed) {
    headers.range = `bytes=${had}-`;
    // Other origins would be asked by a preflight first: there the validator of the answer decides.
    if (!hidesEncoding(before.response)) headers['if-range'] = strong;
  }
  const response = await get(url, {signal, headers, cache: 'no-store'});
  if (!response.ok) throw new Error(statusOf(response));
  if (response.status !== 206) return transferOf(response);
  const from = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? `bytes ${had}-`)?.[1];
  if (Number(from) === had && isSame(before.validator, validatorOf(response))) return {...before, response};
  void response.body?.cancel().catch(() => {});
  return transferOf(await get(url, {signal, cache: 'no-store'}));
}

/**
 * Downloads a file behind what the sink holds. Where the connection breaks, it asks for the rest, if that is of the
 * same version; else it begins again.
 */
export async function download(url: string | URL, sink: Sink, {signal, expected, report}: Reading): Promise<Received> {
  const start = sink.size;
  const got = () => sink.size - start;
  let furthest = 0;
  let failures = 0;
  let transfer: Transfer | undefined;
  for (;;) {
    try {
      if (!transfer) {
        const response = await get(url, {signal});
        if (!response.ok) return {missing: statusOf(response)};
        transfer = transferOf(response);
      } else {
        const before: Transfer = transfer;
        transfer = await resumed(url, before, got(), signal).catch((cause) => {
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
