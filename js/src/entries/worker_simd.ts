// SPDX-License-Identifier: Apache-2.0
// The script of the worker that contains only the build simd. See simd.ts.
import {browserPlatform} from '../platforms/browser.js';
import * as glue from '../platforms/wasmvino-simd.mjs';
import {serveBrowser} from './serve_browser.js';

serveBrowser(browserPlatform({'simd': {glue: async () => glue, wasm: () => new URL('./wasmvino-simd.wasm', import.meta.url)}}));
