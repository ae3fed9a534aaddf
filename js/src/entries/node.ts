// SPDX-License-Identifier: Apache-2.0
// The entry for Node.js.
import {Worker} from 'node:worker_threads';
import type {BuildName} from '../base/builds.js';
import {currentPlatform} from '../base/platform.js';
import {usePlatform} from '../engine/current.js';
import {nodePlatform} from '../platforms/node.js';

export * from '../api/index.js';
export {default} from '../api/index.js';
export {inspectFiles} from '../api/inspect_files.js';

usePlatform({
  ...nodePlatform,
  startWorker(hear, failed) {
    const worker = new Worker(new URL('./worker.cjs', import.meta.url), {name: 'wasmvino'});
    worker.on('message', hear);
    worker.on('error', ({message}) => failed(message));
    worker.on('exit', (code) => failed(`it exited with code ${code}`));
    worker.unref(); // only pending calls keep the process alive, not the idle worker
    return {
      post: (ask, transfer) => worker.postMessage(ask, transfer),
      end() {
        worker.removeAllListeners();
        worker.on('error', () => {}); // ignores errors of interrupted work
        void worker.terminate();
      },
    };
  },
});

/** @internal Restricts the package to one build. The entries of single builds call it: they share the code of this entry. */
export function useOnly(build: BuildName): void {
  usePlatform({...currentPlatform(), only: build});
}
