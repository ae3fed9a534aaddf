// SPDX-License-Identifier: Apache-2.0
// The script of a worker with an engine, in browsers. The glue of all builds is part of it: older bundlers refuse a worker
// that imports later, and of imports that fail at once Firefox tells nothing.
import * as relaxedThreads from './wasmvino-relaxed-mt.mjs';
import * as relaxed from './wasmvino-relaxed.mjs';
import * as simdThreads from './wasmvino-simd-mt.mjs';
import * as simd from './wasmvino-simd.mjs';
import {browserPlatform} from './browser_platform.js';
import {setPlatform} from './platform.js';
import {serve} from './serve.js';

setPlatform(
  browserPlatform({
    simd: async () => simd,
    relaxed: async () => relaxed,
    'simd-mt': async () => simdThreads,
    'relaxed-mt': async () => relaxedThreads,
  }),
);
const hear = serve((message, transfer) => postMessage(message, {transfer}));
addEventListener('message', ({data}) => void hear(data));
