// SPDX-License-Identifier: Apache-2.0
// Collects the bytes of a file in one array of the announced length.
import {WasmvinoError} from './error.js';

// Number of bytes that the engine can address.
const room = 2 ** 32;

/** An array for the bytes of a file; what was refused, in words, where there is no memory for them. */
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

/** Receives the bytes of one file, or of several parts of it one after another. */
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

  /** Makes room for `total` bytes in all. */
  reserve(total: number): void {
    if (total <= this.#bytes.length) return;
    const longer = allocate(this.#path, total);
    longer.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = longer;
  }

  /** The bytes that were announced and are still to come: to be filled from the front, and counted by advance(). */
  get space(): Uint8Array {
    return this.#bytes.subarray(this.#size);
  }

  advance(count: number): void {
    this.#size += count;
  }

  write(part: Uint8Array): void {
    const end = this.#size + part.length;
    // No length was announced, or it was too small.
    if (end > this.#bytes.length) this.reserve(Math.max(end, Math.min(2 * this.#bytes.length, room)));
    this.#bytes.set(part, this.#size);
    this.#size = end;
  }

  /** Discards all bytes after the first `size`. */
  rewind(size: number): void {
    this.#size = size;
  }

  /** The bytes from `start` on, not copied. Use them at once. */
  from(start: number): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(start, this.#size);
  }

  /** All bytes. */
  take(): Uint8Array {
    // An array that grew is up to twice as large as what it holds.
    return this.#size > 0.9 * this.#bytes.length ? this.from(0) : this.#bytes.slice(0, this.#size);
  }
}
