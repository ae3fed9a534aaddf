// SPDX-License-Identifier: Apache-2.0
// The engine's own tile of GEMM in the first-level cache (bench/kernels): what a matrix product can reach where
// the compiler of the place, not memory, is the limit.

import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';

import {nodeFlags} from './places.mjs';

const CASE = 'gemm bias relu 48x64x256'; // 96 KB of packed weights and rows
const ROUNDS = 1;
const WINDOW_MS = 40;

/** @returns () => 10^9 operations a second in Node.js, measured anew; undefined where it is not built */
export function gemmTile(root) {
  const program = join(root, 'build/wasm/bench/kernels/bench_kernels-relaxed.js');
  if (!existsSync(program)) return undefined;
  const command = [...nodeFlags(), program, CASE, String(ROUNDS), String(WINDOW_MS)];
  return () => {
    const {stdout} = spawnSync(process.execPath, command, {encoding: 'utf8'});
    return Number(/([\d.]+) GFLOP\/s/.exec(stdout)?.[1]);
  };
}
