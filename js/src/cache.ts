// SPDX-License-Identifier: Apache-2.0
// Files kept by the Cache API: workers and pages have it, it takes streams, and it keeps a response with its headers.
import {receive, get, isSame, validatorOf, type Reading, type Validator} from './download.js';
import {messageOf, warnOnce} from './error.js';
import type {Sink} from './sink.js';

// Bytes that are handed to the cache at a time: it copies them.
const portion = 2 ** 20;

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + portion));
      at += portion;
    },
  });
}

/** A place for one file in a cache. */
export class CachedFile {
  readonly #cache: Cache;
  readonly #url: string;

  private constructor(cache: Cache, url: string) {
    this.#cache = cache;
    this.#url = url;
  }

  /** Undefined where nothing can be kept. */
  static async open(name: string, path: string | URL): Promise<CachedFile | undefined> {
    if (typeof caches === 'undefined') {
      warnOnce('the option `cache` has no effect: there is no Cache API in Node.js or outside secure contexts.');
      return undefined;
    }
    const {url} = new Request(path);
    if (!url.startsWith('http')) return undefined; // a blob, say
    try {
      return new CachedFile(await caches.open(name), url);
    } catch (error) {
      warnOnce(`the cache '${name}' cannot be opened (${messageOf(error)}): files are downloaded each time.`);
      return undefined;
    }
  }

  /**
   * Puts the file behind what the sink holds; gives whether it was there. The server is asked whether it is still the
   * same, unless a hash will tell (`trusted`); where the server cannot be reached, it is taken as it is.
   */
  async read(sink: Sink, reading: Reading, trusted: boolean): Promise<boolean> {
    const kept = await this.#cache.match(this.#url);
    if (!kept || !(trusted || (await this.#isCurrent(validatorOf(kept), reading.signal)))) return false;
    await receive(kept, sink, reading);
    return true;
  }

  async #isCurrent(validator: Validator, signal: AbortSignal | undefined): Promise<boolean> {
    // HEAD needs no preflight, which If-None-Match would.
    const answer = await get(this.#url, {method: 'HEAD', cache: 'no-cache', signal}).catch(() => undefined);
    signal?.throwIfAborted();
    return answer === undefined || (answer.ok && isSame(validator, validatorOf(answer)));
  }

  /** Keeps the bytes, beside what goes on; a full disk is no error. */
  keep(bytes: Uint8Array, {etag, modified}: Validator): void {
    const headers: Record<string, string> = {'content-length': String(bytes.length)};
    if (etag) headers.etag = etag;
    if (modified) headers['last-modified'] = modified;
    this.#cache.put(this.#url, new Response(streamOf(bytes), {headers})).catch((error) => {
      warnOnce(`${this.#url} cannot be cached: ${messageOf(error)}`);
    });
  }

  async forget(): Promise<void> {
    await this.#cache.delete(this.#url);
  }
}
