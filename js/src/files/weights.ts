// SPDX-License-Identifier: Apache-2.0
// The bytes of a .bin. Kernels pack what they need of it. Then the bytes are released if they can be read again.
import {WasmvinoError, messageOf} from '../base/error.js';
import {currentPlatform} from '../base/platform.js';
import {free, joined, totalLength} from '../base/sink.js';

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
  const message = `The weights cannot be read again from ${name}: ${messageOf(cause).replace(/\.$/, '')}. Their bytes had been released once kernels had packed them. Read the model again, or pass its bytes to readModel(), which keeps them.`;
  return new WasmvinoError('INVALID_STATE', message, {expected, actual, cause});
}

/** @internal Thrown if the engine needs weights that were released and cannot be read synchronously. */
export class ReleasedWeights extends WasmvinoError {
  readonly weights!: Weights;

  constructor(weights: Weights, name: string) {
    super(
      'INVALID_STATE',
      `The bytes of ${name} were released once kernels had packed them, and a synchronous call cannot read them again. Use the asynchronous form (inferAsync, compileModel, exportModel). compileModel() reads them again for other calls, too. Or pass the bytes to readModel(), which keeps them.`,
    );
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

// Bytes of the largest constants that are kept, such as scalars and axes: each new plan may read them.
const largestKept = 1024;

// Bytes that are read before a piece is released of which all was read. Scales are read when the model is compiled, and again
// right after the values that they belong to, which are larger.
const delay = 8 << 20;

// A piece of the bytes, and how much of it was read.
class Piece {
  readonly size: number;
  bytes: Uint8Array | undefined;
  /** Total number of bytes that had been read when all of this piece was. */
  readAt = Infinity;
  /** Whether parts of it are read more than once. */
  isKept = false;
  #unread: number;
  readonly #read = new Map<number, number>(); // lengths of the ranges that were read, by their start

  constructor(bytes: Uint8Array) {
    this.size = bytes.length;
    this.bytes = bytes;
    this.#unread = bytes.length;
  }

  /** Counts a range as read, after which `total` bytes of all pieces have been. Constants do not overlap. */
  mark(from: number, to: number, total: number): void {
    const more = to - from - (this.#read.get(from) ?? 0);
    if (more <= 0) return;
    this.#read.set(from, to - from);
    this.#unread -= more;
    if (this.#unread <= 0) this.readAt = Math.min(this.readAt, total);
  }
}

/** @internal The weights of a model. All copies of the model and all that is compiled from it share one object. */
export class Weights {
  /** Size in bytes when the model was read. The caller may transfer the buffer later. */
  readonly size: number;
  readonly #origin: WeightsOrigin | undefined;
  #pieces: Piece[];
  // By offset. The engine keeps small values too, but one for each type and shape: files share a range among constants of equal
  // bytes (3 of the 30 small ranges of SmolLM2-135M), and the last one may be read after the range was released.
  readonly #small = new Map<number, Uint8Array>();
  #reads = 0;
  #bytesRead = 0;
  #releases = 0;
  #releasing = 0; // runs that may release pieces
  #restored = false;

  /** Without an origin, the bytes are never released. With one, each piece must have a buffer of its own. */
  constructor(bytes: Uint8Array | readonly Uint8Array[], origin?: WeightsOrigin) {
    const pieces = [bytes].flat();
    this.#pieces = pieces.map((piece) => new Piece(piece));
    this.size = totalLength(pieces);
    this.#origin = origin;
  }

  /** The first bytes, unless they were released. */
  get head(): Uint8Array | undefined {
    return this.#pieces.find(({size}) => size > 0)?.bytes;
  }

  /** Returns a range, in pieces, or undefined if the caller's buffer was transferred or made smaller. */
  part(offset: number, count: number): Uint8Array[] | undefined {
    const small = this.#small.get(offset);
    if (small?.length === count) return [small];
    ++this.#reads;
    if (this.#releasing > 0) this.#releaseRead(delay); // the engine has copied what it read before
    this.#bytesRead += count;
    const parts: Uint8Array[] = [];
    for (const {piece, from, to} of this.#places(offset, count)) {
      if (!piece.bytes) return [this.#readNow(offset, count)];
      if (to > piece.bytes.length) return undefined;
      parts.push(piece.bytes.subarray(from, to));
      if (this.#origin) piece.mark(from, to, this.#bytesRead);
    }
    if (count <= largestKept && this.#origin) this.#small.set(offset, joined('the weights', parts).slice());
    return parts;
  }

  /** A range that will be read more than once. */
  keep(offset: number, count: number): void {
    for (const {piece} of this.#places(offset, count)) piece.isKept = true;
  }

  // The pieces of a range, and what of them is in it.
  *#places(offset: number, count: number): Generator<{piece: Piece; from: number; to: number}> {
    let start = 0;
    for (const piece of this.#pieces) {
      const [from, to] = [Math.max(offset - start, 0), Math.min(offset + count - start, piece.size)];
      if (from < to) yield {piece, from, to};
      start += piece.size;
    }
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
    if (releases) ++this.#releasing;
    try {
      await task();
    } finally {
      if (releases) --this.#releasing;
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

  #releaseRead(delay: number): void {
    // Bytes that were restored are needed more than once.
    if (this.#restored || !this.#hasBytes) return;
    this.#release(({readAt, isKept}) => !isKept && readAt + delay <= this.#bytesRead);
    if (!this.#hasBytes) ++this.#releases;
  }

  #releaseUnread(reads: number, synchronous: boolean): void {
    if (reads !== this.#reads || !this.#mayRelease(synchronous) || !this.#hasBytes) return;
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

  /** Returns all bytes, in pieces. */
  async all(signal?: AbortSignal): Promise<Uint8Array[]> {
    const origin = this.#origin;
    if (this.#isWhole || !origin || 'readNow' in origin) return this.allNow();
    try {
      const pieces = await origin.read(signal);
      const size = totalLength(pieces);
      if (size !== this.size) throw changed(`${this.size} bytes`, `${size} bytes`);
      return pieces;
    } catch (error) {
      signal?.throwIfAborted();
      throw unreadableAgain(origin.name, error);
    }
  }

  get #hasBytes(): boolean {
    return this.#pieces.some(({bytes}) => bytes);
  }

  get #isWhole(): boolean {
    return this.#pieces.every(({bytes}) => bytes);
  }

  /** Returns all bytes, in pieces. Throws if some were released and cannot be read synchronously. */
  allNow(): Uint8Array[] {
    return this.#isWhole ? this.#pieces.map(({bytes}) => bytes!) : [this.#readNow(0, this.size)];
  }

  /** Reads released bytes, and keeps them until the next release. */
  async restore(signal: AbortSignal | undefined): Promise<void> {
    if (this.#isWhole) return;
    const pieces = await this.all(signal);
    this.#release(() => true);
    this.#pieces = pieces.map((bytes) => new Piece(bytes));
    this.#restored = true;
  }
}
