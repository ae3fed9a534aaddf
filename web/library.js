// SPDX-License-Identifier: Apache-2.0
// What the engine asks of JavaScript (web/embind.cc, web/runner.cc). A thread of a threaded build has it done on the
// main thread, where the weights and the promises are.
addToLibrary({
  // The weights stay in the caller's Uint8Array, which js/src/engine.ts keeps by a number.
  wasmvino_read_weights__proxy: 'sync',
  wasmvino_read_weights__sig: 'iiddp',
  // Gives whether they could be read. No exception leaves it: in another thread it would end the process.
  wasmvino_read_weights: (weights, offset, count, to) => {
    const bytes = Module['weights'](weights, offset, count);
    if (!bytes) return 0;
    HEAPU8.set(bytes, to >>> 0);
    return 1;
  },

  wasmvino_release_weights__proxy: 'sync',
  wasmvino_release_weights__sig: 'vi',
  wasmvino_release_weights: (weights) => {
    Module['releaseWeights'](weights);
  },

  wasmvino_finished__proxy: 'async',
  wasmvino_finished__sig: 'v',
  wasmvino_finished: () => {
    Module['finished']();
  },
  // The C library prints nothing but why it aborts, from texts of std::thread: 0.6 KB of a threaded page.
  fd_write: (fd, iov, iovcnt, pnum) => {{{ cDefs.EBADF }}},
  fd_write__proxy: 'none',
  fd_write__deps: [],
  fd_write__postset: '',
});
