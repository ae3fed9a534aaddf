// SPDX-License-Identifier: Apache-2.0
// The entry for pages and their workers.
import {blobOf, browserPlatform} from './browser_platform.js';
import {setPlatform} from './platform.js';

export * from './index.js';

// Written out one by one: bundlers find files by this very form.
const platform = browserPlatform({
  simd: () => import('./wasmvino-simd.mjs'),
  relaxed: () => import('./wasmvino-relaxed.mjs'),
  'simd-mt': () => import('./wasmvino-simd-mt.mjs'),
  'relaxed-mt': () => import('./wasmvino-relaxed-mt.mjs'),
});

function newWorker(): Worker {
  // Firefox reports no error of an import that fails: this one tells it.
  const blob = blobOf('./worker.js', (url) => `import(${url}).catch((error) => postMessage({failed: String(error)}));`);
  // Bundlers find the file by this very form.
  if (blob === undefined) return new Worker(new URL('./worker.js', import.meta.url), {type: 'module', name: 'wasmvino'});
  return new Worker(blob, {type: 'module', name: 'wasmvino'});
}

setPlatform({
  ...platform,
  startWorker(hear, failed) {
    const worker = newWorker();
    worker.onmessage = ({data}) => ('failed' in data ? failed(data.failed) : hear(data));
    worker.onerror = (event) => {
      event.preventDefault();
      failed(event.message || 'its script is missing, or the page refuses it');
    };
    return {
      post: (ask, transfer) => worker.postMessage(ask, transfer),
      end() {
        worker.onmessage = worker.onerror = null;
        worker.terminate();
      },
    };
  },
});
