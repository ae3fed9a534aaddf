// SPDX-License-Identifier: Apache-2.0
// The engine in a worker that Cores share.
import {currentOptions} from './current.js';
import {invalidArgument} from './error.js';
import {currentPlatform} from './platform.js';
import type {Calls} from './protocol.js';
import {RemoteEngine} from './remote.js';

let running: RemoteEngine | undefined;

// Those that go to a worker: a function cannot.
function startOptions(): Calls['start']['order']['options'] {
  const {worker: _, factory, wasmUrl, build, ...rest} = currentOptions();
  if (factory) throw invalidArgument('configure(): a factory is a function, which cannot be sent to a worker. Leave it out: the worker imports its own.');
  const platform = currentPlatform();
  return {...rest, build: build ?? platform.only, wasmUrl: wasmUrl === undefined ? undefined : String(platform.absolute(wasmUrl))};
}

/** Whether Cores that do not say otherwise have their engine in a worker. */
export function takesWorker(): boolean {
  return currentOptions().worker ?? false;
}

export function engineInWorker(): RemoteEngine {
  return (running ??= new RemoteEngine(startOptions));
}

/** The engine in a worker, if there is one. */
export function runningWorker(): RemoteEngine | undefined {
  return running?.isRunning || running?.failure ? running : undefined;
}

/** Ends the worker, with all that belongs to it: the next use starts another one. */
export function dropWorker(): void {
  running?.close();
  running = undefined;
}
