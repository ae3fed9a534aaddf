// SPDX-License-Identifier: Apache-2.0
// Runs one engine in a separate Node.js process, controlled by messages {id, method, args} from places.mjs.

import {readFile} from 'node:fs/promises';

import {Host} from './host.mjs';

const host = new Host({read: (path) => readFile(path), sampleMs: 0.1});

process.on('message', async ({id, method, args}) => {
  try {
    process.send({id, result: await host[method](...args)});
  } catch (error) {
    process.send({id, error: error.stack ?? String(error)});
  }
});
process.on('disconnect', () => process.exit());
