// SPDX-License-Identifier: Apache-2.0
// Types of the place's own, as far as the compiler's library has them: programs without the DOM's compile too.
export type Url = typeof globalThis extends {URL: {prototype: infer T}} ? T : never;
export type WasmModule = typeof globalThis extends {WebAssembly: {Module: {prototype: infer T}}} ? T : object;
export type Signal = typeof globalThis extends {AbortSignal: {prototype: infer T}} ? T : never;
export type FileBlob = typeof globalThis extends {Blob: {prototype: infer T}} ? T : never;
