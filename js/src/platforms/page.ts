// SPDX-License-Identifier: Apache-2.0
// The platform of the entries for browsers. They start workers: one for the engine, and those of its threads.
import type {BuildName} from '../base/builds.js';
import type {Platform, WorkerThread} from '../base/platform.js';
import {browserPlatform, type Files} from './browser.js';
import {pageThreads} from './page_threads.js';

// In Firefox, `new Worker()` in a worker blocks for ever once in some hundred calls: that thread and the new one wait for the
// same notification, and only one of them gets it. No script can end that wait. In workers of this package, the page starts
// the threads (page_threads.ts).
function workersHang(): boolean {
  return 'WorkerGlobalScope' in globalThis && /\bFirefox\//.test(navigator.userAgent);
}

const hanging = 'in a worker, `new Worker()` of Firefox may never return';

// A page may only start workers from its own origin. If this file comes from another origin (a CDN), the worker's script
// is a blob that imports the real one. The page's policy must allow blobs.
// `text` returns the source of the blob for the quoted URL to import. Returns undefined if no blob is needed.
function blobOf(script: string, text: (url: string) => string): string | undefined {
  const here = new URL(import.meta.url);
  if (here.origin === globalThis.location?.origin || !here.protocol.startsWith('http')) return undefined;
  const url = JSON.stringify(String(new URL(script, here)));
  return URL.createObjectURL(new Blob([text(url)], {type: 'text/javascript'}));
}

function startWorker<Ask, Tell>(files: Files, worker: Worker, hear: (message: Tell) => void, failed: (why: string) => void): WorkerThread<Ask> {
  const threads = pageThreads((build) => workerMaker(build) ?? files[build]!.glue().then(({startThread}) => startThread!));
  worker.onmessage = ({data}) => {
    if ('failed' in data) failed(data.failed);
    else if ('thread' in data) threads.start(data.thread);
    else hear(data);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    failed(event.message || 'its script is missing, or the page blocks it');
  };
  return {
    post: (ask, transfer) => worker.postMessage(ask, transfer),
    end() {
      worker.onmessage = worker.onerror = null;
      worker.terminate();
      threads.end();
    },
  };
}

function workerMaker(build: BuildName): (() => Worker) | undefined {
  const blob = blobOf(`./wasmvino-${build}-thread.mjs`, (url) => `import ${url};`);
  return blob === undefined ? undefined : () => new Worker(blob, {type: 'module', name: `em-pthread-${build}`});
}

/**
 * @internal Creates the platform of an entry with these builds.
 *
 * @param files The files of each build.
 * @param script Path of the worker's script.
 * @param fromUrl Starts a worker, from the URL of a blob or from its own URL. The entry provides this function, because
 *   bundlers recognise a worker by the form of the expression.
 */
export function pagePlatform(files: Files, script: string, fromUrl: (blob?: string) => Worker): Platform {
  const platform = browserPlatform(files);
  return {
    ...platform,
    // Firefox fires no error event if an import fails, so the script of a blob reports the failure itself.
    startWorker: (hear, failed) =>
      startWorker(files, fromUrl(blobOf(script, (url) => `import(${url}).catch((error) => postMessage({failed: String(error)}));`)), hear, failed),
    scriptStart: 2000,
    workerMaker,
    threadsAvoided: () => (workersHang() ? `${hanging}. A Core of the page with {worker: true} has threads` : undefined),
    workersRefused: () => platform.workersRefused() ?? (workersHang() ? hanging : undefined),
  };
}
