// SPDX-License-Identifier: Apache-2.0
// Measures the engine's own GEMM tile in the L1 cache (bench/kernels). This is the speed that a matmul can reach if the compiler
// of the place, not memory, is the limit.

import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';

import {nodeFlags} from './places.mjs';

const CASE = 'gemm bias relu 48x64x256'; // 96 KB of packed weights and rows
const ROUNDS = 1;
const WINDOW_MS = 40;

/** @returns () => 10^9 operations per second in Node.js, measured at each call; undefined if the benchmark is not built */
export function gemmTile(root) {
  const program = join(root, 'build/wasm/bench/kernels/bench_kernels-relaxed.js');
  if (!existsSync(program)) return undefined;
  const command = [...nodeFlags(), program, CASE, String(ROUNDS), String(WINDOW_MS)];
  return () => {
    const {stdout} = spawnSync(process.execPath, command, {encoding: 'utf8'});
    return Number(/([\d.]+) GFLOP\/s/.exec(stdout)?.[1]);
  };
}
