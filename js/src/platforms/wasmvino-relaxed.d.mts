// SPDX-License-Identifier: Apache-2.0
// js/build.mjs puts wasmvino-relaxed.mjs beside the wrapper.
import type {Factory} from '../base/platform.js';
declare const createWasmvino: Factory;
export default createWasmvino;
