// SPDX-License-Identifier: Apache-2.0
// The script of the worker that runs the engine in Node.js.
import {parentPort} from 'node:worker_threads';
import {setPlatform} from '../base/platform.js';
import {nodePlatform} from '../platforms/node.js';
import {serve} from '../worker/serve.js';

setPlatform(nodePlatform);
const hear = serve((message, transfer) => parentPort!.postMessage(message, transfer));
parentPort!.on('message', (ask) => void hear(ask));
