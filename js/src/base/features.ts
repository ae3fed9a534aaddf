// SPDX-License-Identifier: Apache-2.0
// Detects features of WebAssembly by validating tiny modules. The package wasm-feature-detect answers asynchronously, but
// in Node.js synchronous calls must be able to load the engine.

// Whether a module with a memory and one function with this body, which returns a v128, is valid.
function isValid(...body: number[]): boolean {
  const code = [0x00, ...body, 0x0b];
  const bytes = Uint8Array.of(
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // magic, version
    ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b], // type: () -> v128
    ...[0x03, 0x02, 0x01, 0x00], // one function of it
    ...[0x05, 0x03, 0x01, 0x00, 0x01], // a memory of one page
    ...[0x0a, code.length + 2, 0x01, code.length, ...code],
  );
  return WebAssembly.validate(bytes);
}

const zero = [0x41, 0x00]; // i32.const 0
const splat = [...zero, 0xfd, 0x11]; // i32x4.splat

export function hasSimd(): boolean {
  return isValid(...splat);
}

export function hasRelaxedSimd(): boolean {
  const madd = [0xfd, 0x85, 0x02]; // f32x4.relaxed_madd
  return isValid(...splat, ...splat, ...splat, ...madd);
}

// Features that all builds need in addition to SIMD. Every build contains atomic instructions: the builds share object
// files with the threaded ones, in which the reference counts of shared pointers are atomic.
const required: Record<string, number[]> = {
  exceptions: [0x06, 0x40, 0x19, 0x0b], // try, catch_all, end
  'bulk memory operations': [...zero, ...zero, ...zero, 0xfc, 0x0b, 0x00], // memory.fill
  'atomic operations': [...zero, 0xfe, 0x10, 0x02, 0x00, 0x1a], // i32.atomic.load, drop
};

/** The names of required WebAssembly features that are missing here. */
export function missingFeatures(): string[] {
  if (!hasSimd()) return ['SIMD'];
  return Object.entries(required).flatMap(([name, body]) => (isValid(...body, ...splat) ? [] : [name]));
}

/** The maximum size of a memory in bytes: the first size that is accepted, starting with 4 GiB and halving. */
export function largestMemory(shared: boolean): number {
  const page = 65536;
  for (let pages = 65536; pages > 1; pages /= 2) {
    try {
      void new WebAssembly.Memory({initial: 1, maximum: pages, shared});
      return pages * page;
    } catch {
      // This size is refused.
    }
  }
  return 0;
}

/** Whether this thread may block. The main thread of a page must not. */
export function mayWait(): boolean {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1);
    return true;
  } catch {
    return false;
  }
}

/** Whether memory can be shared between threads. In pages this requires cross-origin isolation. */
export function hasSharedMemory(): boolean {
  try {
    const memory = new WebAssembly.Memory({initial: 1, maximum: 1, shared: true});
    return memory.buffer instanceof SharedArrayBuffer;
  } catch {
    return false;
  }
}
