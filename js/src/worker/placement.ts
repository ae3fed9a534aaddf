// SPDX-License-Identifier: Apache-2.0
// The choice between the engine on this thread and the one in a worker.
import type {Host} from '../backend/backend.js';
import {onlyAsync} from '../base/error.js';
import {drop, loadedEngine, readyEngine} from '../engine/current.js';
import type {Engine} from '../engine/engine.js';
import {hostHere} from '../engine/local.js';
import {dropWorker, engineInWorker, runningWorker, takesWorker} from './current_worker.js';
import {hostInWorker} from './remote_model.js';

/** The options of a Core that decide where it computes. With `autoRestart`, a new engine replaces one that has failed. */
export interface Placement {
  readonly worker: boolean | undefined;
  readonly autoRestart: boolean;
}

export function isInWorker({worker}: Placement): boolean {
  return worker ?? takesWorker();
}

function dropFailed({autoRestart}: Placement): void {
  if (autoRestart && loadedEngine()?.failure) drop();
}

/** Where models are read. */
export function hostFor(placement: Placement): Host {
  if (!isInWorker(placement)) {
    dropFailed(placement);
    return hostHere;
  }
  if (placement.autoRestart && runningWorker()?.failure) dropWorker();
  return hostInWorker(engineInWorker());
}

/**
 * The engine for the synchronous form of a method.
 *
 * @throws WasmvinoError `INVALID_STATE` if the engine is in a worker, or cannot be loaded synchronously.
 */
export function engineFor(placement: Placement, method: string): Engine {
  if (isInWorker(placement)) throw onlyAsync(`${method}Sync`, method);
  dropFailed(placement);
  return readyEngine();
}
