// SPDX-License-Identifier: Apache-2.0
// What this place can run, found out by tiny modules.

function module(...body: number[]): Uint8Array {
  return Uint8Array.of(
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // magic, version
    ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b], // type: () -> v128
    ...[0x03, 0x02, 0x01, 0x00], // one function of it
    ...[0x0a, body.length + 4, 0x01, body.length + 2, 0x00, ...body, 0x0b],
  );
}

const splat = [0x41, 0x00, 0xfd, 0x11]; // i32.const 0, i32x4.splat

export function hasSimd(): boolean {
  return WebAssembly.validate(module(...splat) as BufferSource);
}

export function hasRelaxedSimd(): boolean {
  const madd = [0xfd, 0x85, 0x02]; // f32x4.relaxed_madd
  return WebAssembly.validate(module(...splat, ...splat, ...splat, ...madd) as BufferSource);
}

/** Bytes that a memory may grow to here, tried by halves. */
export function largestMemory(shared: boolean): number {
  const page = 65536;
  for (let pages = 65536; pages > 1; pages /= 2) {
    try {
      void new WebAssembly.Memory({initial: 1, maximum: pages, shared});
      return pages * page;
    } catch {
      // so much is refused
    }
  }
  return 0;
}

/** Whether this thread may sleep: a page's main thread must not. */
export function mayWait(): boolean {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1);
    return true;
  } catch {
    return false;
  }
}

/** Whether memory can be shared between threads; in pages this needs cross-origin isolation. */
export function hasSharedMemory(): boolean {
  try {
    const memory = new WebAssembly.Memory({initial: 1, maximum: 1, shared: true});
    return memory.buffer instanceof SharedArrayBuffer;
  } catch {
    return false;
  }
}
