// SPDX-License-Identifier: Apache-2.0
// An AudioWorklet lacks these three, which the engine needs. Elsewhere this changes nothing.
interface Scope {
  TextEncoder?: unknown;
  TextDecoder?: unknown;
  performance?: unknown;
}

const scope = globalThis as Scope;

// UTF-8 by functions of the language: escape() makes %XX of each byte.
scope.TextEncoder ??= class {
  encode(text: string): Uint8Array {
    return Uint8Array.from(unescape(encodeURIComponent(text)), (byte) => byte.charCodeAt(0));
  }
};

scope.TextDecoder ??= class {
  decode(bytes: Uint8Array): string {
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    try {
      return decodeURIComponent(escape(text));
    } catch {
      return text; // not UTF-8
    }
  }
};

scope.performance ??= {now: () => Date.now()};
