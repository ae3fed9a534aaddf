// SPDX-License-Identifier: Apache-2.0
// js/build.mjs puts wasmvino-simd.mjs beside the wrapper.
import type {Factory} from '../base/platform.js';
declare const createWasmvino: Factory;
export default createWasmvino;
