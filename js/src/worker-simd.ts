// SPDX-License-Identifier: Apache-2.0
// The script of a worker with the build simd alone; see simd.ts.
import {browserPlatform} from './browser_platform.js';
import {serveBrowser} from './serve_browser.js';
import * as glue from './wasmvino-simd.mjs';

serveBrowser(browserPlatform({'simd': {glue: async () => glue, wasm: () => new URL('./wasmvino-simd.wasm', import.meta.url)}}));
