// SPDX-License-Identifier: Apache-2.0
// Caches files with the Cache API. It is available in pages and in workers, it accepts streams, and it stores a response
// with its headers.
import {messageOf, warnOnce} from '../base/error.js';
import type {Reading, Validator} from '../base/platform.js';
import {totalLength, type Sink} from '../base/sink.js';
import {get, isSame, receive, validatorOf} from './download.js';

// Bytes passed to the cache at a time. The cache copies them, so small portions limit the extra memory.
const portion = 2 ** 20;

function streamOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const portions = (function* () {
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; at += portion) yield piece.slice(at, at + portion);
    }
  })();
  return new ReadableStream({
    pull(controller) {
      const {done, value} = portions.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

/** One file in a cache. */
export class CachedFile {
  readonly #cache: Cache;
  readonly #url: string;

  private constructor(cache: Cache, url: string) {
    this.#cache = cache;
    this.#url = url;
  }

  /** Opens the cache `name`. Returns undefined, and warns once, if files cannot be cached here. */
  static async open(name: string, path: string | URL): Promise<CachedFile | undefined> {
    if (typeof caches === 'undefined') {
      warnOnce('the option `cache` has no effect: there is no Cache API in Node.js or outside secure contexts.');
      return undefined;
    }
    const {url} = new Request(path);
    if (!url.startsWith('http')) return undefined; // the Cache API accepts only http(s) URLs, no blobs
    try {
      return new CachedFile(await caches.open(name), url);
    } catch (error) {
      warnOnce(`the cache '${name}' cannot be opened (${messageOf(error)}): files are downloaded each time.`);
      return undefined;
    }
  }

  /**
   * Appends the cached file to the sink, if it is current. It is current if the server confirms it or cannot be reached.
   * The server is not asked if `trusted` is set: the caller then checks a hash.
   *
   * @returns The version that was read. Undefined if none was.
   */
  async read(sink: Sink, reading: Reading, trusted: boolean): Promise<Validator | undefined> {
    const kept = await this.#cache.match(this.#url);
    if (!kept || !(trusted || (await this.#isCurrent(validatorOf(kept), reading.signal)))) return undefined;
    const start = sink.size;
    await receive(kept, sink, reading);
    if (String(sink.size - start) === kept.headers.get('content-length')) return validatorOf(kept);
    // A part of a file, for example because the browser ended while it was written.
    sink.rewind(start);
    await this.forget();
    return undefined;
  }

  async #isCurrent(validator: Validator, signal: AbortSignal | undefined): Promise<boolean> {
    // A cross-origin HEAD request needs no CORS preflight. A request with If-None-Match would need one.
    const answer = await get(this.#url, {method: 'HEAD', cache: 'no-cache', signal}).catch(() => undefined);
    signal?.throwIfAborted();
    return answer === undefined || (answer.ok && isSame(validator, validatorOf(answer)));
  }

  /** Stores the bytes in the background. If that fails, for example on a full disk, it warns once. */
  keep(pieces: readonly Uint8Array[], {etag, modified}: Validator): void {
    const headers: Record<string, string> = {'content-length': String(totalLength(pieces))};
    if (etag) headers.etag = etag;
    if (modified) headers['last-modified'] = modified;
    this.#cache.put(this.#url, new Response(streamOf(pieces), {headers})).catch((error) => {
      warnOnce(`${this.#url} cannot be cached: ${messageOf(error)}`);
    });
  }

  /** Removes the file from the cache. */
  async forget(): Promise<void> {
    await this.#cache.delete(this.#url);
  }
}
