// SPDX-License-Identifier: Apache-2.0
// js/build.mjs puts wasmvino-relaxed-mt.mjs beside the wrapper.
import type {Factory} from '../base/platform.js';
declare const createWasmvino: Factory;
export default createWasmvino;
/** @internal Starts a worker that runs a thread of the engine. */
export declare function startThread(): Worker;
