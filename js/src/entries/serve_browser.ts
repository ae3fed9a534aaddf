// SPDX-License-Identifier: Apache-2.0
import {setPlatform, type Platform} from '../base/platform.js';
import {OrderedThread} from '../platforms/page_threads.js';
import {serve} from '../worker/serve.js';

/** Makes this worker answer the messages of its page. */
export function serveBrowser(platform: Platform): void {
  setPlatform({
    ...platform,
    workerMaker: (build) => () => new OrderedThread(build, (order, transfer) => postMessage(order, {transfer})),
  });
  const hear = serve((message, transfer) => postMessage(message, {transfer}));
  addEventListener('message', ({data}) => void hear(data));
}
