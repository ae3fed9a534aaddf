// SPDX-License-Identifier: Apache-2.0
// Polyfills three globals that the engine needs and an AudioWorklet lacks. Elsewhere this changes nothing.
interface Scope {
  TextEncoder?: unknown;
  TextDecoder?: unknown;
  performance?: unknown;
}

const scope = globalThis as Scope;

// Encodes UTF-8 with functions of the language: encodeURIComponent() and unescape() turn a text into one character per byte.
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
