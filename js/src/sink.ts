// SPDX-License-Identifier: Apache-2.0
// Collects the bytes of a file in one array. Allocating the announced length at once avoids copies.
import {WasmvinoError} from './error.js';

// Bytes that the engine can address: 32 bits.
const room = 2 ** 32;

/**
 * Allocates an array for the bytes of a file.
 *
 * @throws WasmvinoError `OUT_OF_MEMORY` if the engine cannot address so many bytes, or there is no memory for them.
 */
export function allocate(path: string | URL, bytes: number): Uint8Array<ArrayBuffer> {
  const refuse = (why: string, cause?: unknown) =>
    new WasmvinoError('OUT_OF_MEMORY', `${path} has ${bytes} bytes: ${why}`, {
      expected: `at most ${room} bytes`,
      actual: `${bytes} bytes`,
      cause,
    });
  if (bytes > room) throw refuse(`more than the ${room} bytes of memory that the engine can address. Nothing was read.`);
  try {
    return new Uint8Array(bytes);
  } catch (cause) {
    throw refuse('there is not enough memory for them.', cause);
  }
}

/** Receives the bytes of one file, or of several parts in order. */
export class Sink {
  readonly #path: string | URL;
  #bytes = new Uint8Array(0);
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
    if (total <= this.#bytes.length) return;
    const longer = allocate(this.#path, total);
    longer.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = longer;
  }

  /** The reserved memory that is not filled yet. Write to its start, then call advance(). */
  get space(): Uint8Array {
    return this.#bytes.subarray(this.#size);
  }

  /** Counts bytes that were written to `space`. */
  advance(count: number): void {
    this.#size += count;
  }

  write(part: Uint8Array): void {
    const end = this.#size + part.length;
    // The announced length was missing or too small.
    if (end > this.#bytes.length) this.reserve(Math.max(end, Math.min(2 * this.#bytes.length, room)));
    this.#bytes.set(part, this.#size);
    this.#size = end;
  }

  /** Discards all bytes after the first `size`. */
  rewind(size: number): void {
    this.#size = size;
  }

  /** A view of the bytes from `start` on. The next write may invalidate it. */
  from(start: number): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(start, this.#size);
  }

  /** All bytes. */
  take(): Uint8Array {
    // An array that grew may be twice as large as its content. A copy then saves memory.
    return this.#size > 0.9 * this.#bytes.length ? this.from(0) : this.#bytes.slice(0, this.#size);
  }
}
