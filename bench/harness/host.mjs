// SPDX-License-Identifier: Apache-2.0
// Runs one engine: loads a case, warms up, measures runs, compares outputs. The same code runs in Node.js and in pages.
// `read(path)` returns the bytes of a file.

import {parseNpy} from '../../js/src/arrays/npy.mjs';
import {watchMemories} from './memories.mjs';
import {ENGINES} from '../engines/index.mjs';
import {Peak} from '../peak/peak.mjs';

/**
 * Largest difference, relative to the largest magnitude of the golden. Infinite if a NaN is among the values.
 */
function largestError(got, want) {
  let scale = 0;
  let error = 0;
  for (let i = 0; i < want.length; i++) {
    scale = Math.max(scale, Math.abs(want[i]));
    const difference = Math.abs(got[i] - want[i]);
    if (!(difference <= error)) error = Number.isNaN(difference) ? Infinity : difference;
  }
  return error / (scale || 1);
}

export class Host {
  #read;
  #engine;
  #form;
  #session;
  #case;
  #sets; // per set: the inputs, their form for the engine (feed), the goldens
  #outputs; // outputs of the last pass over the sets
  #runsPerSample = 1;
  #sampleMs;

  /** @param {{read: (path: string) => Promise<Uint8Array>, sampleMs: number}} place
   *  sampleMs: shortest time that the clock of the place measures with an error of at most 1 % */
  constructor({read, sampleMs}) {
    this.#read = read;
    this.#sampleMs = sampleMs;
  }

  /** @returns {Promise<{name: string, version: string, build: string}>} */
  async open({engine, ...options}) {
    if (engine === 'peak') {
      this.#engine = new Peak();
      return this.#engine.open();
    }
    await this.#open(engine, options);
    return this.#engine.about();
  }

  async #open(engine, options) {
    const {form, adapter} = ENGINES[engine];
    this.#form = form;
    this.#engine = await (await adapter()).open(options);
  }

  /**
   * Loads a case and runs it once. @returns milliseconds of both, or null if the case has no form that the engine reads
   */
  async load(folder) {
    const files = await this.#fetch(folder);
    if (!files) return null;
    const begin = performance.now();
    await this.#start(files);
    const loaded = performance.now();
    await this.#pass();
    return {loadMs: loaded - begin, firstRunMs: performance.now() - loaded, ...this.#check()};
  }

  /**
   * Measures the time from importing the engine to its first result. The process or page must be fresh: it may only have read
   * the case's files. @returns milliseconds, and bytes of WebAssembly memory at the end; null like load()
   */
  async cold(folder, {engine, ...options}) {
    this.#form = ENGINES[engine].form;
    const files = await this.#fetch(folder);
    if (!files) return null;
    const memoryBytes = watchMemories();
    const begin = performance.now();
    await this.#open(engine, options);
    await this.#start(files);
    await this.#pass();
    const ms = performance.now() - begin;
    this.#check();
    return {ms, memoryBytes: memoryBytes()};
  }

  // Reads a case: its inputs and goldens, and the bytes of its files for the engine. Returns undefined if the case has no form
  // for the engine.
  async #fetch(folder) {
    const file = (name) => this.#read(`${folder}/${name}`);
    this.#case = JSON.parse(new TextDecoder().decode(await file('case.json')));
    const form = this.#case.forms[this.#form];
    if (!form) return undefined;
    const files = await Promise.all([form].flat().map(file));
    this.#sets = [];
    const arrays = async (entries) => {
      const read = ([name, {file: path, type, shape}]) =>
        file(path).then((bytes) => [name, {type, shape, data: parseNpy(bytes).data}]);
      return Object.fromEntries(await Promise.all(Object.entries(entries).map(read)));
    };
    for (const {inputs, outputs, as} of this.#case.sets) {
      const changed = as?.[this.#form];
      this.#sets.push({
        inputs: await arrays({...inputs, ...changed?.inputs}),
        goldens: await arrays({...outputs, ...changed?.outputs}),
      });
    }
    return files;
  }

  async #start(files) {
    this.#session = await this.#engine.load(files, Object.keys(this.#case.sets[0].outputs));
    for (const set of this.#sets) set.feed = this.#session.feed(set.inputs);
  }

  // Runs the case once: every set, from JavaScript arrays to JavaScript arrays.
  async #pass() {
    const outputs = [];
    for (const {feed} of this.#sets) {
      const result = this.#session.run(feed);
      outputs.push(result instanceof Promise ? await result : result);
    }
    this.#outputs = outputs;
  }

  #check() {
    let worst = 0;
    this.#sets.forEach(({goldens}, set) => {
      for (const [name, golden] of Object.entries(goldens)) {
        const given = this.#outputs[set][name];
        const got = this.#session.inOrder?.(name, given) ?? given;
        const where = `${this.#case.name}, set ${set}, output '${name}'`;
        if (got.length !== golden.data.length) {
          throw new Error(`${where}: ${got.length} elements, ${golden.data.length} expected`);
        }
        if (this.#case.exact.includes(name)) {
          const at = golden.data.findIndex((value, i) => Number(got[i]) !== Number(value));
          if (at >= 0) throw new Error(`${where}: element ${at} is ${got[at]}, ${golden.data[at]} expected`);
        } else {
          worst = Math.max(worst, largestError(got, golden.data));
          if (!(worst <= this.#case.tolerance)) {
            throw new Error(
              `${where}: differs by ${worst.toExponential(1)} of the largest value, ` +
                `${this.#case.tolerance} is allowed`,
            );
          }
        }
      }
    });
    return {error: worst};
  }

  /**
   * Warms up in windows of `milliseconds` / 3. Takes at least three windows, until two in a row are no faster than those before,
   * but at most ten times `milliseconds`: optimised code replaces baseline code function by function, seconds later on a busy
   * machine. Determines how many runs make a sample.
   */
  async warmUp(milliseconds) {
    let best = Infinity;
    let typical;
    const limit = performance.now() + 10 * milliseconds;
    for (let window = 0, level = 0; (window < 3 || level < 2) && performance.now() < limit; window++) {
      const times = [];
      const begin = performance.now();
      do {
        const start = performance.now();
        await this.#pass();
        times.push(performance.now() - start);
      } while (performance.now() - begin < milliseconds / 3);
      typical = times.sort((a, b) => a - b)[times.length >> 1];
      level = times[0] < 0.97 * best ? 0 : level + 1;
      best = Math.min(best, times[0]);
    }
    this.#runsPerSample = Math.max(1, Math.ceil(this.#sampleMs / Math.max(typical, this.#sampleMs / 1000)));
  }

  /** Measures runs for at least `milliseconds` and at least four samples, then compares the last outputs with the goldens.
   *  @returns {Promise<{times: number[], error: number}>} milliseconds of one run, by sample */
  async slot(milliseconds) {
    const times = [];
    const begin = performance.now();
    await this.#pass(); // refills the caches after the slots of other engines
    do {
      const start = performance.now();
      for (let i = 0; i < this.#runsPerSample; i++) await this.#pass();
      times.push((performance.now() - start) / this.#runsPerSample);
    } while (performance.now() - begin < milliseconds || times.length < 4);
    return {times, ...this.#check()};
  }

  /** Returns the best rates of the register peak (engine 'peak' only). */
  peak(milliseconds) {
    return this.#engine.measure(milliseconds);
  }

  /** Returns the engine's own profile of a run, or null if the engine has none. */
  async profile(runs) {
    return this.#session.profile
      ? this.#session.profile(
          this.#sets.map(({feed}) => feed),
          runs,
        )
      : null;
  }

  async unload() {
    await this.#session?.dispose();
    this.#session = this.#sets = this.#outputs = undefined;
  }
}
