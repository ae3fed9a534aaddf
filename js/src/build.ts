// SPDX-License-Identifier: Apache-2.0
// The four builds of the engine, and which of them fits a place.
import {unsupported} from './error.js';
import {hasRelaxedSimd, hasSharedMemory, hasSimd} from './features.js';
import {currentPlatform} from './platform.js';

/** {SIMD, relaxed SIMD} × {one thread, threads}. */
export type BuildName = 'simd' | 'relaxed' | 'simd-mt' | 'relaxed-mt';
export const buildNames: readonly BuildName[] = ['simd', 'relaxed', 'simd-mt', 'relaxed-mt'];

/** The build in use, and why it is that one. */
export interface Build {
  readonly name: BuildName;
  readonly reason: string;
}

export function isThreaded(name: BuildName): boolean {
  return name.endsWith('-mt');
}

/** The best build that this place can run. */
export function chooseBuild(): Build {
  const platform = currentPlatform();
  const relaxed = hasRelaxedSimd();
  if (!relaxed && !hasSimd()) {
    throw unsupported('WebAssembly has no SIMD here, which the engine needs.');
  }
  const refused = platform.threadsRefused() ?? (hasSharedMemory() ? undefined : 'memory cannot be shared');
  const reason =
    (relaxed ? 'relaxed SIMD' : `no relaxed SIMD here (${platform.relaxedAdvice})`) +
    '; ' +
    (refused ? `one thread: ${refused}` : 'memory can be shared between threads');
  return {name: `${relaxed ? 'relaxed' : 'simd'}${refused ? '' : '-mt'}`, reason};
}

/** The same build for one thread, because threads do not start. */
export function withoutThreads({name, reason}: Build, why: string): Build {
  return {
    name: name.replace('-mt', '') as BuildName,
    reason: `${reason.replace('; memory can be shared between threads', '')}; one thread: ${why}`,
  };
}
