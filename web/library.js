// SPDX-License-Identifier: Apache-2.0
// JavaScript functions that the engine calls (web/embind.cc, web/runner.cc). In a threaded build they run on the main
// thread, where the weights and the promises are.
addToLibrary({
  // The weights stay in the caller's Uint8Array. js/src/engine/engine.ts keeps it under a number.
  wasmvino_read_weights__proxy: 'sync',
  wasmvino_read_weights__sig: 'iiddp',
  // Returns whether the weights could be read. It throws no exception, which in another thread would end the process.
  wasmvino_read_weights: (weights, offset, count, to) => {
    const pieces = Module['weights'](weights, offset, count);
    if (!pieces) return 0;
    let at = to >>> 0;
    for (const piece of pieces) {
      HEAPU8.set(piece, at);
      at += piece.length;
    }
    return 1;
  },

  wasmvino_keep_weights__proxy: 'sync',
  wasmvino_keep_weights__sig: 'vidd',
  wasmvino_keep_weights: (weights, offset, count) => Module['keepWeights'](weights, offset, count),

  wasmvino_write_weights__proxy: 'sync',
  wasmvino_write_weights__sig: 'ipd',
  // Returns whether the weights could be written. Throws no exception either.
  wasmvino_write_weights: (from, count) => Number(Module['writeWeights'](HEAPU8.subarray(from >>> 0, (from >>> 0) + count))),

  wasmvino_release_weights__proxy: 'sync',
  wasmvino_release_weights__sig: 'vi',
  wasmvino_release_weights: (weights) => {
    Module['releaseWeights'](weights);
  },

  // The calling thread does not wait. Memory that a report refers to stays valid until the run has ended.
  wasmvino_progress__proxy: 'async',
  wasmvino_progress__sig: 'ipp',
  wasmvino_progress__deps: ['$UTF8ToString', 'free'],
  wasmvino_progress: (json, pending) => {
    const text = UTF8ToString(json >>> 0);
    _free(json);
    if (pending) setTimeout(() => Atomics.store(HEAP32, pending >>> 2, 0));
    return Number(Module['progress'](text));
  },

  wasmvino_infer_extension__proxy: 'sync',
  wasmvino_infer_extension__sig: 'pip',
  wasmvino_infer_extension__deps: ['$UTF8ToString', '$stringToNewUTF8'],
  wasmvino_infer_extension: (number, json) => stringToNewUTF8(Module['inferExtension'](number, UTF8ToString(json >>> 0))),

  wasmvino_evaluate_extension__proxy: 'sync',
  wasmvino_evaluate_extension__sig: 'pip',
  wasmvino_evaluate_extension__deps: ['$UTF8ToString', '$stringToNewUTF8'],
  wasmvino_evaluate_extension: (number, json) => stringToNewUTF8(Module['evaluateExtension'](number, UTF8ToString(json >>> 0))),

  wasmvino_take_extension__proxy: 'sync',
  wasmvino_take_extension__sig: 'dipp',
  // Returns the number of bytes that the output has now. Copies them only if it is `count`.
  wasmvino_take_extension: (i, to, count) => {
    const bytes = Module['takeExtension'](i);
    if (bytes.length === count >>> 0) HEAPU8.set(bytes, to >>> 0);
    return bytes.length;
  },

  wasmvino_alive__proxy: 'async',
  wasmvino_alive__sig: 'v',
  wasmvino_alive: () => {
    Module['alive']();
  },

  wasmvino_finished__proxy: 'async',
  wasmvino_finished__sig: 'v',
  wasmvino_finished__deps: ['$guardThreads'],
  wasmvino_finished: () => {
    Module['finished']();
  },

#if PTHREADS
  // Runs on the thread that calls it. The bytes are copied because a module cannot be compiled from shared memory.
  wasmvino_add_part__sig: 'vpp',
  wasmvino_add_part: (bytes, count) => {
    const part = new WebAssembly.Module(HEAPU8.slice(bytes >>> 0, (bytes >>> 0) + count));
    new WebAssembly.Instance(part, {'e': wasmExports});
  },

  // Emscripten throws the error of a thread on the main thread. Nobody can catch it there, so it ends a Node.js process.
  $guardThreads__deps: ['$PThread'],
  $guardThreads__postset: 'guardThreads();',
  $guardThreads: () => {
    const load = PThread.loadWasmModuleToWorker;
    PThread.loadWasmModuleToWorker = (worker) => {
      const loaded = load(worker);
      worker.onerror = (event) => {
        event['preventDefault']?.();
        Module['threadFailed'](event.message ?? '', !!worker.loaded);
      };
      return loaded;
    };
    // A page may only start workers from its own origin. For a module from another origin, it makes the workers itself.
    const allocate = PThread.allocateUnusedWorker;
    PThread.allocateUnusedWorker = () => {
      const make = Module['makeWorker'];
      if (make) PThread.unusedWorkers.push(make());
      else allocate();
    };
    Module['terminate'] = () => PThread.terminateAllThreads();
  },
#else
  $guardThreads: () => {},
#endif
});
