// SPDX-License-Identifier: Apache-2.0
// Node.js 20 has relaxed SIMD behind a flag, which counts from the first compilation on: to be imported before it.
import v8 from 'node:v8';

if (Number(process.versions.node.split('.')[0]) < 21) v8.setFlagsFromString('--experimental-wasm-relaxed-simd');
