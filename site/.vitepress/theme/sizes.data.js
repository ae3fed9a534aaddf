// SPDX-License-Identifier: Apache-2.0
// The sizes of the package's files, measured when the site is built.
import {readFileSync} from 'node:fs';
import {gzipSync} from 'node:zlib';

const dist = new URL('../../../dist/', import.meta.url);
const parts = {
  wrapper: ['browser.js', 'shared.js'],
  module: ['wasmvino-relaxed.wasm'],
  build: ['wasmvino-relaxed.mjs', 'wasmvino-relaxed.wasm'],
  thread: ['wasmvino-relaxed-mt-thread.mjs'],
  worker: ['worker.js'],
  page: ['browser.js', 'shared.js', 'wasmvino-relaxed.mjs', 'wasmvino-relaxed.wasm'],
};

/** Rounds to two digits: "630 KB", "1.7 MB". */
function textOf(bytes) {
  const kilobytes = Number((bytes / 1000).toPrecision(2));
  return kilobytes < 1000 ? `${kilobytes} KB` : `${(kilobytes / 1000).toFixed(1)} MB`;
}

export default {
  watch: ['../../../dist/*.{js,mjs,wasm}'],
  load() {
    const sizeOf = (files, measure) => files.reduce((sum, file) => sum + measure(readFileSync(new URL(file, dist))), 0);
    return Object.fromEntries(
      Object.entries(parts).map(([part, files]) => {
        const compressed = sizeOf(files, (bytes) => gzipSync(bytes, {level: 9}).length);
        return [part, {size: textOf(sizeOf(files, (bytes) => bytes.length)), gzip: textOf(compressed), kilobytes: compressed / 1000}];
      }),
    );
  },
};
