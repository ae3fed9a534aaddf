// SPDX-License-Identifier: Apache-2.0
// Collects the bytes of a file. Memory for the announced length is allocated at once, in pieces.
import {WasmvinoError} from './error.js';

// Bytes that the engine can address: 32 bits.
const room = 2 ** 32;

/**
 * Allocates an array for a piece of the bytes of a file, or for all of them.
 *
 * @throws WasmvinoError `OUT_OF_MEMORY` if the engine cannot address so many bytes, or there is no memory for them.
 */
export function allocate(path: string | URL, bytes: number, piece = bytes): Uint8Array<ArrayBuffer> {
  const refuse = (why: string, cause?: unknown) =>
    new WasmvinoError('OUT_OF_MEMORY', `${path} has ${bytes} bytes: ${why}`, {
      expected: `at most ${room} bytes`,
      actual: `${bytes} bytes`,
      cause,
    });
  if (bytes > room) throw refuse(`more than the ${room} bytes of memory that the engine can address. Nothing was read.`);
  try {
    return new Uint8Array(piece);
  } catch (cause) {
    throw refuse('there is not enough memory for them.', cause);
  }
}

/** Frees memory now. Left to the garbage collector, 92 MB stayed for 6 s once, while the engine took 70 MB more. */
export function free(bytes: Uint8Array): void {
  (bytes.buffer as {transfer?: (size: number) => unknown}).transfer?.(0);
}

// Bytes of a piece of memory. The memory of weights is released piece by piece while they are packed.
const pieceBytes = 8 << 20;

/** Number of bytes in several arrays. */
export function totalLength(parts: readonly Uint8Array[]): number {
  return parts.reduce((bytes, part) => bytes + part.length, 0);
}

/** Joins arrays of bytes. A single one is not copied. */
export function joined<T extends Uint8Array>(path: string | URL, parts: readonly T[]): T | Uint8Array<ArrayBuffer> {
  if (parts.length === 1) return parts[0]!;
  const all = allocate(path, totalLength(parts));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Receives the bytes of one file, or of several parts in order. */
export class Sink {
  readonly #path: string | URL;
  readonly #pieces: Uint8Array<ArrayBuffer>[] = [];
  #reserved = 0; // bytes of all pieces
  #size = 0;

  constructor(path: string | URL) {
    this.#path = path;
  }

  /** Number of bytes received. */
  get size(): number {
    return this.#size;
  }

  /** Reserves memory for `total` bytes in all. */
  reserve(total: number): void {
    while (this.#reserved < total) {
      const piece = allocate(this.#path, total, Math.min(pieceBytes, total - this.#reserved));
      this.#pieces.push(piece);
      this.#reserved += piece.length;
    }
  }

  /** Reserved memory that is not filled yet. Write to its start, then call advance(). Empty if all is filled. */
  get space(): Uint8Array {
    let start = 0;
    for (const piece of this.#pieces) {
      if (this.#size < start + piece.length) return piece.subarray(this.#size - start);
      start += piece.length;
    }
    return new Uint8Array(0);
  }

  /** Counts bytes that were written to `space`. */
  advance(count: number): void {
    this.#size += count;
  }

  write(part: Uint8Array): void {
    const end = this.#size + part.length;
    // The announced length was missing or too small.
    if (end > this.#reserved) this.reserve(Math.max(end, Math.min(2 * this.#reserved, this.#reserved + pieceBytes, room)));
    for (let at = 0; at < part.length; ) {
      const {space} = this;
      const some = part.subarray(at, at + space.length);
      space.set(some);
      this.#size += some.length;
      at += some.length;
    }
  }

  /** Discards all bytes after the first `size`. */
  rewind(size: number): void {
    this.#size = size;
  }

  /** The bytes from `start` on, in order. These are views, which the next write may change. */
  piecesFrom(start: number): Uint8Array<ArrayBuffer>[] {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let at = 0;
    for (const piece of this.#pieces) {
      const part = piece.subarray(Math.max(start - at, 0), Math.max(this.#size - at, 0));
      if (part.length > 0) parts.push(part);
      at += piece.length;
    }
    return parts;
  }

  /** All bytes, in order. Each piece has a buffer of its own. */
  takePieces(): Uint8Array<ArrayBuffer>[] {
    // A piece may be longer than what was written to it. A copy then saves memory.
    return this.piecesFrom(0).map((part) => (part.length > 0.9 * part.buffer.byteLength ? part : part.slice()));
  }

  /** All bytes in one array. */
  take(): Uint8Array<ArrayBuffer> {
    return joined(this.#path, this.takePieces());
  }
}
