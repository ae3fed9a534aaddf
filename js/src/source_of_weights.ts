// SPDX-License-Identifier: Apache-2.0
// The bytes of a .bin. Kernels pack what they need of it. Then the bytes are released if they can be read again.
import {WasmvinoError, messageOf} from './error.js';
import {currentPlatform} from './platform.js';
import {free, joined} from './sink.js';

/**
 * Where bytes can be read again: `readNow` reads a range, `read` reads all, in pieces. Both throw if the source has changed. `shared`:
 * something else still uses the bytes, such as a cache that is being written.
 */
export type WeightsOrigin = {readonly name: string; readonly shared?: boolean} & (
  | {readNow(offset: number, count: number): Uint8Array}
  | {read(signal: AbortSignal | undefined): Promise<Uint8Array[]>}
);

/**
 * An origin that can only be read asynchronously. None in Node.js: there, models are also saved, compiled and run
 * synchronously.
 */
export function asyncOrigin(
  name: string,
  shared: boolean,
  read: (signal: AbortSignal | undefined) => Promise<Uint8Array[]>,
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

// Bytes of constants that are kept, such as scalars and axes, since each new plan may read them.
const smallest = 1024;

// Bytes that are read before a piece that was read is released. Scales, which were read when the model was compiled, are read
// again after the values that they belong to.
const grace = 8 << 20;

// A piece of the bytes, and the ranges of it that were read.
class Piece {
  readonly size: number;
  bytes: Uint8Array | undefined;
  /** Total number of bytes that had been read when all of this piece was. */
  readAt = Infinity;
  #read: [number, number][] = [];

  constructor(bytes: Uint8Array) {
    this.size = bytes.length;
    this.bytes = bytes;
  }

  /** Counts a range as read, after which `total` bytes of all pieces have been. */
  mark(from: number, to: number, total: number): void {
    const others: [number, number][] = [];
    for (const range of this.#read) {
      if (range[1] < from || range[0] > to) {
        others.push(range);
      } else {
        from = Math.min(from, range[0]);
        to = Math.max(to, range[1]);
      }
    }
    this.#read = [...others, [from, to]];
    if (from === 0 && to === this.size) this.readAt = Math.min(this.readAt, total);
  }
}

/** @internal The weights of a model. All copies of the model and all that is compiled from it share one object. */
export class Weights {
  /** Size in bytes when the model was read. The caller may transfer the buffer later. */
  readonly size: number;
  readonly #origin: WeightsOrigin | undefined;
  #pieces: Piece[];
  readonly #small = new Map<number, Uint8Array>(); // by offset
  #reads = 0;
  #bytesRead = 0;
  #releases = 0;
  #runs = 0; // that may release pieces
  #restored = false;

  /** Without an origin, the bytes are never released. With one, each piece must have a buffer of its own. */
  constructor(bytes: Uint8Array | readonly Uint8Array[], origin?: WeightsOrigin) {
    this.#pieces = [bytes].flat().map((piece) => new Piece(piece));
    this.size = this.#pieces.reduce((size, piece) => size + piece.size, 0);
    this.#origin = origin;
  }

  /** The first bytes, unless they were released. */
  get head(): Uint8Array | undefined {
    return this.#pieces[0]?.bytes;
  }

  /** Returns a range, in pieces, or undefined if the caller's buffer was transferred or made smaller. */
  part(offset: number, count: number): Uint8Array[] | undefined {
    const small = this.#small.get(offset);
    if (small?.length === count) return [small];
    ++this.#reads;
    this.#bytesRead += count;
    if (this.#runs > 0) this.#releaseRead(grace); // the engine has copied what it read before
    const parts: Uint8Array[] = [];
    let start = 0; // of the piece
    for (const piece of this.#pieces) {
      const [from, to] = [Math.max(offset - start, 0), Math.min(offset + count - start, piece.size)];
      start += piece.size;
      if (from >= to) continue;
      if (!piece.bytes) return [this.#readNow(offset, count)];
      if (to > piece.bytes.length) return undefined;
      parts.push(piece.bytes.subarray(from, to));
      piece.mark(from, to, this.#bytesRead);
    }
    if (count <= smallest && this.#origin) this.#small.set(offset, joined('the weights', parts).slice());
    return parts;
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

  /**
   * Runs a task that may read bytes. Releases each piece soon after all of it was read, and all pieces after a task that read
   * nothing.
   */
  async during(task: () => Promise<void>): Promise<void> {
    const reads = this.#reads;
    const releases = this.#mayRelease(false);
    if (releases) ++this.#runs;
    try {
      await task();
    } finally {
      if (releases) --this.#runs;
    }
    if (releases) this.#releaseRead(0);
    this.#releaseUnread(reads, false);
  }

  /** The same for a synchronous task. */
  duringNow(task: () => void): void {
    const reads = this.#reads;
    task();
    this.#releaseUnread(reads, true);
  }

  #mayRelease(synchronous: boolean): boolean {
    if (!this.#origin || this.#releases >= mostReleases) return false;
    // A program that makes only synchronous calls could not read them again.
    return !synchronous || 'readNow' in this.#origin;
  }

  #releaseRead(grace: number): void {
    // Bytes that were restored are those that are read more than once.
    if (!this.#restored) this.#release(({readAt}) => readAt + grace <= this.#bytesRead);
  }

  #releaseUnread(reads: number, synchronous: boolean): void {
    if (reads !== this.#reads || !this.#mayRelease(synchronous) || !this.#pieces.some(({bytes}) => bytes)) return;
    ++this.#releases;
    this.#release(() => true);
  }

  #release(isReleased: (piece: Piece) => boolean): void {
    for (const piece of this.#pieces) {
      if (!piece.bytes || !isReleased(piece)) continue;
      if (!this.#origin!.shared) free(piece.bytes);
      piece.bytes = undefined;
    }
  }

  /** Returns all bytes. */
  async all(signal?: AbortSignal): Promise<Uint8Array> {
    return joined('the weights', await this.#allPieces(signal));
  }

  async #allPieces(signal: AbortSignal | undefined): Promise<Uint8Array[]> {
    const origin = this.#origin;
    if (this.#isWhole || !origin || 'readNow' in origin) return [this.allNow()];
    try {
      const pieces = await origin.read(signal);
      const size = pieces.reduce((bytes, piece) => bytes + piece.length, 0);
      if (size !== this.size) throw changed(`${this.size} bytes`, `${size} bytes`);
      return pieces;
    } catch (error) {
      signal?.throwIfAborted();
      throw unreadableAgain(origin.name, error);
    }
  }

  get #isWhole(): boolean {
    return this.#pieces.every(({bytes}) => bytes);
  }

  /** Returns all bytes. Throws if some were released and cannot be read synchronously. */
  allNow(): Uint8Array {
    if (!this.#isWhole) return this.#readNow(0, this.size);
    return joined('the weights', this.#pieces.map(({bytes}) => bytes!));
  }

  /** Reads released bytes, and keeps them until the next release. */
  async restore(signal: AbortSignal | undefined): Promise<void> {
    if (this.#isWhole) return;
    this.#pieces = (await this.#allPieces(signal)).map((bytes) => new Piece(bytes));
    this.#restored = true;
  }
}
