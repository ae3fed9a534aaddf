// SPDX-License-Identifier: Apache-2.0
// The build puts this file beside the wrapper.
import type {Factory} from './glue.js';
declare const createWasmvino: Factory;
export default createWasmvino;
