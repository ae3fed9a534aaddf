// SPDX-License-Identifier: Apache-2.0
// The URL of a classic script, which has no import.meta. Inside importScripts(), only the stack of an error contains it.
export const scriptUrl: string =
  (globalThis.document?.currentScript as HTMLScriptElement | null | undefined)?.src ||
  /[a-z-]+:\/\/[^\s()@]+(?=:\d+:\d+)/.exec(new Error().stack ?? '')?.[0] ||
  globalThis.location.href;
