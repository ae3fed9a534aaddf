// SPDX-License-Identifier: Apache-2.0
// The entry for Node.js.
import {Worker} from 'node:worker_threads';
import type {BuildName} from './build.js';
import {nodePlatform} from './node_platform.js';
import {currentPlatform, setPlatform} from './platform.js';

export * from './index.js';

setPlatform({
  ...nodePlatform,
  startWorker(hear, failed) {
    const worker = new Worker(new URL('./worker.cjs', import.meta.url), {name: 'wasmvino'});
    worker.on('message', hear);
    worker.on('error', ({message}) => failed(message));
    worker.on('exit', (code) => failed(`it exited with code ${code}`));
    worker.unref(); // calls keep the process alive; listeners would, too
    return {
      post: (ask, transfer) => worker.postMessage(ask, transfer),
      end() {
        worker.removeAllListeners();
        worker.on('error', () => {}); // of what it was doing
        void worker.terminate();
      },
    };
  },
});

/** @internal For the entries of one build, which share the engine of this one. */
export function useOnly(build: BuildName): void {
  setPlatform({...currentPlatform(), only: build});
}
