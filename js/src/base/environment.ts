// SPDX-License-Identifier: Apache-2.0
// Types of the environment, if the TypeScript library of the program declares them. Programs without the DOM library
// compile too.
export type Url = typeof globalThis extends {URL: {prototype: infer T}} ? T : never;
export type WasmModule = typeof globalThis extends {WebAssembly: {Module: {prototype: infer T}}} ? T : object;
export type Signal = typeof globalThis extends {AbortSignal: {prototype: infer T}} ? T : never;
export type FileBlob = typeof globalThis extends {Blob: {prototype: infer T}} ? T : never;
