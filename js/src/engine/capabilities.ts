// SPDX-License-Identifier: Apache-2.0
// Reports which features the engine can use here.
import {hasRelaxedSimd, hasSimd, largestMemory} from '../base/features.js';
import {currentPlatform, type Capability} from '../base/platform.js';
import {threadsMissing} from './build.js';

/** The features that the engine uses, and whether this browser, page or Node.js version has them. */
export interface Capabilities {
  /** WebAssembly SIMD. The engine requires it. */
  readonly simd: Capability;
  /** WebAssembly relaxed SIMD, which multiplies and adds in one instruction. */
  readonly relaxed: Capability;
  /** Threads with shared memory. */
  readonly threads: Capability;
  /** Cross-origin isolation, which browsers require for threads. */
  readonly isolation: Capability;
  /** Workers, for `new Core({worker: true})`. */
  readonly worker: Capability;
  /** The maximum size of the engine's memory in bytes, and what limits it. */
  readonly memory: {readonly bytes: number; readonly reason: string};
}

const offered = (available: boolean, reason: string): Capability => ({available, reason});

/**
 * Reports which features of WebAssembly and of this browser, page or Node.js are available, with reasons. It does not load
 * the engine.
 *
 * @returns One entry per feature, with a reason in words.
 * @example
 * const {threads} = ov.capabilities();
 * if (!threads.available) console.log('one thread:', threads.reason);
 */
export function capabilities(): Capabilities {
  const platform = currentPlatform();
  const [simd, relaxed] = [hasSimd(), hasRelaxedSimd()];
  const noThreads = threadsMissing();
  const noWorkers = platform.workersRefused();
  const bytes = largestMemory(noThreads === undefined);
  return {
    simd: offered(simd, simd ? 'a module that uses it is valid here' : 'a module that uses it is not valid here'),
    relaxed: offered(relaxed, relaxed ? 'a module that uses it is valid here' : platform.relaxedAdvice),
    threads: offered(noThreads === undefined, noThreads ?? 'memory can be shared between threads'),
    isolation: platform.isolation(),
    worker: offered(noWorkers === undefined, noWorkers ?? 'there are workers here'),
    memory: {bytes, reason: bytes === 2 ** 32 ? 'addresses of WebAssembly have 32 bits' : 'more is refused here'},
  };
}
