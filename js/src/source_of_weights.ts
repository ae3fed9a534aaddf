// SPDX-License-Identifier: Apache-2.0
// The bytes of a .bin. Kernels pack what they need of it. After that, the bytes are released if they can be read again.
import {WasmvinoError, messageOf} from './error.js';
import {currentPlatform} from './platform.js';

/**
 * Where bytes can be read again: `readNow` reads a range, `read` reads all. Both throw if the source has changed. `shared`:
 * something else still uses the bytes, such as a cache that is being written.
 */
export type WeightsOrigin = {readonly name: string; readonly shared?: boolean} & (
  | {readNow(offset: number, count: number): Uint8Array}
  | {read(signal: AbortSignal | undefined): Promise<Uint8Array>}
);

/**
 * An origin that can only be read asynchronously. None in Node.js: there, models are also saved, compiled and run
 * synchronously.
 */
export function asyncOrigin(
  name: string,
  shared: boolean,
  read: (signal: AbortSignal | undefined) => Promise<Uint8Array>,
): WeightsOrigin | undefined {
  return currentPlatform().readSync ? undefined : {name, shared, read};
}

/** The error for a source that no longer has the bytes that were read from it. */
export function changed(expected: string, actual: string): WasmvinoError {
  return new WasmvinoError('INVALID_STATE', `it has changed (expected ${expected}, found ${actual})`, {expected, actual});
}

function unreadableAgain(name: string, cause: unknown): WasmvinoError {
  const {expected, actual} = cause instanceof WasmvinoError ? cause : ({} as Partial<WasmvinoError>);
  const message = `The weights cannot be read again from ${name}: ${messageOf(cause).replace(/\.$/, '')}. Their bytes had been released after the model was compiled. Read the model again, or pass its bytes to readModel(), which keeps them.`;
  return new WasmvinoError('INVALID_STATE', message, {expected, actual, cause});
}

/** @internal Thrown if the engine needs weights that were released and cannot be read synchronously. */
export class ReleasedWeights extends WasmvinoError {
  readonly weights!: Weights;

  constructor(weights: Weights, name: string) {
    super('INVALID_STATE', `The bytes of ${name} were released after the model was compiled, and a synchronous call cannot read them again. Use the asynchronous form (inferAsync, compileModel, exportModel). compileModel() reads them again for other calls, too. Or pass the bytes to readModel(), which keeps them.`);
    Object.defineProperty(this, 'weights', {value: weights}); // not enumerable: a console would print it
  }
}

/** Runs a task. If it fails because weights were released, restores them and runs it again. */
export async function withWeights<T>(task: () => T | Promise<T>, restore: (weights: Weights) => Promise<void>): Promise<T> {
  for (;;) {
    try {
      return await task();
    } catch (error) {
      if (!(error instanceof ReleasedWeights)) throw error;
      await restore(error.weights);
    }
  }
}

// Number of times that bytes are released. Models that need them again and again, for ever new shapes, then keep them.
const mostReleases = 3;

/** @internal The weights of a model. All copies of the model and all that is compiled from it share one object. */
export class Weights {
  /** Size in bytes when the model was read. The caller may transfer the buffer later. */
  readonly size: number;
  readonly #origin: WeightsOrigin | undefined;
  #bytes: Uint8Array | undefined;
  #reads = 0;
  #releases = 0;

  /** Without an origin, the bytes are never released. */
  constructor(bytes: Uint8Array, origin?: WeightsOrigin) {
    this.size = bytes.length;
    this.#bytes = bytes;
    this.#origin = origin;
  }

  /** The bytes, unless they were released. */
  get bytes(): Uint8Array | undefined {
    return this.#bytes;
  }

  /** Number of parts that were read so far. */
  get reads(): number {
    return this.#reads;
  }

  /** Returns a part, or undefined if the caller's buffer was transferred or made smaller. */
  part(offset: number, count: number): Uint8Array | undefined {
    ++this.#reads;
    if (!this.#bytes) return this.#readNow(offset, count);
    return offset + count <= this.#bytes.length ? this.#bytes.subarray(offset, offset + count) : undefined;
  }

  #readNow(offset: number, count: number): Uint8Array {
    const origin = this.#origin!;
    if (!('readNow' in origin)) throw new ReleasedWeights(this, origin.name);
    try {
      return origin.readNow(offset, count);
    } catch (error) {
      throw unreadableAgain(origin.name, error);
    }
  }

  /** Releases the bytes after a run that started when `reads` had this value, if it read none. */
  releaseUnread(reads: number, synchronous: boolean): void {
    if (reads !== this.#reads || !this.#bytes || !this.#origin || this.#releases === mostReleases) return;
    // A program that makes only synchronous calls could not read them again.
    if (synchronous && !('readNow' in this.#origin)) return;
    ++this.#releases;
    // Frees the memory now. Left to the garbage collector, 92 MB stayed for 6 s once, while the engine took 70 MB more.
    if (!this.#origin.shared) (this.#bytes.buffer as {transfer?: (size: number) => unknown}).transfer?.(0);
    this.#bytes = undefined;
  }

  /** Returns all bytes. */
  async all(signal?: AbortSignal): Promise<Uint8Array> {
    const origin = this.#origin;
    if (this.#bytes || !origin || 'readNow' in origin) return this.allNow();
    try {
      const bytes = await origin.read(signal);
      if (bytes.length !== this.size) throw changed(`${this.size} bytes`, `${bytes.length} bytes`);
      return bytes;
    } catch (error) {
      signal?.throwIfAborted();
      throw unreadableAgain(origin.name, error);
    }
  }

  /** Returns all bytes. Throws if they were released and cannot be read synchronously. */
  allNow(): Uint8Array {
    return this.#bytes ?? this.#readNow(0, this.size);
  }

  /** Reads released bytes, and keeps them until the next release. */
  async restore(signal: AbortSignal | undefined): Promise<void> {
    this.#bytes ??= await this.all(signal);
  }
}
