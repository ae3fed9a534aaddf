// SPDX-License-Identifier: Apache-2.0
// Compares the speed of the builds. Each runs in a process of its own.
import {spawnSync} from 'node:child_process';
import {availableParallelism} from 'node:os';
import {WasmvinoError, type BuildName} from '../entries/node.js';

export interface Row {
  build: BuildName;
  threads: number;
  compile: number;
  median: number;
  fastest: number;
}

// 1, 2, 4 … up to the number of processors, at most eight.
function threadCounts(): number[] {
  const most = Math.min(8, availableParallelism());
  const counts = [];
  for (let threads = 1; threads < most; threads *= 2) counts.push(threads);
  return [...counts, most];
}

/**
 * Runs `bench` with these arguments for every build, and threaded builds with every number of threads. Calls `report` before
 * each of them.
 */
export function compareBuilds(args: readonly string[], report: (done: number, total: number) => void): Row[] {
  const runs = [
    ...(['simd', 'relaxed'] as const).map((build) => ({build, threads: 1})),
    ...(['simd-mt', 'relaxed-mt'] as const).flatMap((build) => threadCounts().map((threads) => ({build, threads}))),
  ];
  return runs.map(({build, threads}, i) => {
    report(i, runs.length);
    const command = [process.argv[1]!, 'bench', ...args, '--json', '--build', build, '--threads', `${threads}`];
    const {status, stdout, stderr} = spawnSync(process.execPath, [...process.execArgv, ...command], {encoding: 'utf8', maxBuffer: 2 ** 28});
    if (status !== 0) throw new WasmvinoError('INVALID_STATE', `build ${build} with ${threads} threads: ${stderr.trim()}`);
    const {compile, median, fastest} = JSON.parse(stdout).milliseconds;
    return {build, threads, compile, median, fastest};
  });
}

/** Formats the rows as a table. Speeds are relative to the slowest median. */
export function comparisonTable(rows: readonly Row[]): string {
  const slowest = Math.max(...rows.map(({median}) => median));
  const lines = rows.map(({build, threads, compile, median, fastest}) => {
    const numbers = [compile, median, fastest].map((value) => value.toFixed(3).padStart(12)).join('');
    return `${build.padEnd(12)}${String(threads).padStart(8)}${numbers}${(slowest / median).toFixed(2).padStart(9)}`;
  });
  return ['build        threads  compile ms   median ms  fastest ms  faster', ...lines].join('\n');
}
