// SPDX-License-Identifier: Apache-2.0
// Node.js 20 has relaxed SIMD behind a flag. The first compilation of a module reads the flag, so import this file before.
import v8 from 'node:v8';

if (Number(process.versions.node.split('.')[0]) < 21) v8.setFlagsFromString('--experimental-wasm-relaxed-simd');
