// SPDX-License-Identifier: Apache-2.0
// The API of onnxruntime-web, on this engine. Tensor, InferenceSession, env and the registry of backends are those of
// onnxruntime-common.
import * as common from 'onnxruntime-common';
import {backend, providers} from './backend.js';

export * from 'onnxruntime-common';
export {backend} from './backend.js';
export type {SessionExtras} from './backend.js';
export type {RunExtras} from './session.js';

for (const [name, priority] of providers) common.registerBackend(name, backend, priority);

/**
 * Makes libraries that look for onnxruntime on `globalThis`, such as transformers.js, use this one, also where a bundler or
 * a CDN has put a copy of onnxruntime-web into them. Call it before they load.
 *
 * @example
 * import {useGlobally} from 'wasmvino/ort';
 * useGlobally(); // then import transformers.js
 */
export function useGlobally(): void {
  Object.defineProperty(globalThis, Symbol.for('onnxruntime'), {value: api, configurable: true, writable: true});
}

const api = {...common, backend, useGlobally};
export default api;
