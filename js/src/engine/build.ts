// SPDX-License-Identifier: Apache-2.0
// The four builds of the engine, and the choice between them.
import type {BuildName} from '../base/builds.js';
import {unsupported} from '../base/error.js';
import {hasRelaxedSimd, hasSharedMemory, missingFeatures} from '../base/features.js';
import {currentPlatform} from '../base/platform.js';

/** The build in use. */
export interface Build {
  /** Name of the build. */
  readonly name: BuildName;
  /** Why this build was chosen. */
  readonly reason: string;
}

/** Whether a build uses threads. */
export function isThreaded(name: BuildName): boolean {
  return name.endsWith('-mt');
}

/**
 * Checks that a build can run here.
 *
 * @throws WasmvinoError `UNSUPPORTED` if WebAssembly lacks a feature that the build needs. The message names it.
 */
export function checkBuild(name: BuildName): void {
  const missing = missingFeatures();
  if (missing.length > 0) throw unsupported(`The build '${name}' cannot run here: WebAssembly has no ${missing.join(' and no ')}.`);
  if (!name.startsWith('relaxed') || hasRelaxedSimd()) return;
  const {only, relaxedAdvice} = currentPlatform();
  const other = name.replace('relaxed', 'simd');
  const advice = `relaxed SIMD (${relaxedAdvice}): ${only ? `import 'wasmvino' or 'wasmvino/${other}'` : `use the build '${other}'`}`;
  throw unsupported(`The build '${name}' cannot run here: WebAssembly has no ${advice}.`);
}

/** Returns why threads are not used here, or undefined if they are. */
export function threadsMissing(): string | undefined {
  const platform = currentPlatform();
  return platform.threadsRefused() ?? (hasSharedMemory() ? platform.threadsAvoided?.() : 'memory cannot be shared');
}

/**
 * Chooses the best build that runs here, and says why.
 *
 * @throws WasmvinoError `UNSUPPORTED` if no build can run.
 */
export function chooseBuild(): Build {
  const platform = currentPlatform();
  if (platform.only) return {name: platform.only, reason: `wasmvino/${platform.only} has only this build`};
  const relaxed = hasRelaxedSimd();
  const missing = missingFeatures();
  if (missing.length > 0) throw unsupported(`WebAssembly has no ${missing.join(' and no ')} here, which the engine needs.`);
  const refused = threadsMissing();
  const reason =
    (relaxed ? 'relaxed SIMD' : `no relaxed SIMD here (${platform.relaxedAdvice})`) +
    '; ' +
    (refused ? `one thread: ${refused}` : 'memory can be shared between threads');
  return {name: `${relaxed ? 'relaxed' : 'simd'}${refused ? '' : '-mt'}`, reason};
}

/** Returns the single-threaded variant of a build whose threads did not start. `why` becomes part of its reason. */
export function withoutThreads({name, reason}: Build, why: string): Build {
  return {
    name: name.replace('-mt', '') as BuildName,
    reason: `${reason.replace('; memory can be shared between threads', '')}; one thread: ${why}`,
  };
}
