// SPDX-License-Identifier: Apache-2.0
// The engine in the worker that all Cores share.
import {invalidArgument} from '../base/error.js';
import {currentPlatform} from '../base/platform.js';
import {currentOptions} from '../engine/current.js';
import type {Calls} from './protocol.js';
import {RemoteEngine} from './remote_engine.js';

let running: RemoteEngine | undefined;

// The options that are sent to a worker. Functions cannot be sent.
function startOptions(): Calls['start']['order']['options'] {
  const {worker: _, factory, wasmUrl, build, ...rest} = currentOptions();
  if (factory)
    throw invalidArgument(
      'configure(): a factory is a function, which cannot be sent to a worker. Omit it: the worker imports its own.',
    );
  const platform = currentPlatform();
  return {
    ...rest,
    build: build ?? platform.only,
    wasmUrl: wasmUrl === undefined ? undefined : String(platform.absolute(wasmUrl)),
  };
}

/** Whether Cores use the engine in a worker by default. */
export function takesWorker(): boolean {
  return currentOptions().worker ?? false;
}

/** The engine in a worker. Creating it does not start the worker. */
export function engineInWorker(): RemoteEngine {
  return (running ??= new RemoteEngine(startOptions));
}

/** The engine in a worker, if there is one. */
export function runningWorker(): RemoteEngine | undefined {
  return running?.isRunning || running?.failure ? running : undefined;
}

/** Ends the worker and everything that belongs to it. The next use starts another worker. */
export function dropWorker(): void {
  running?.close();
  running = undefined;
}
