// SPDX-License-Identifier: Apache-2.0
// Measures cases in one place. All engines are loaded and warmed up. Then they take short turns in rotating order, so that other
// work of the machine affects them equally. The register peak takes a turn too.

import {readFileSync} from 'node:fs';
import {join} from 'node:path';

const PEAK_MS = 100;
// Number of profiled runs, for cases whose time outside operations is reported.
const PROFILE_RUNS = 20;
const PROFILED = /^(g2p|lstm)_/;
const TILED = /^gemm_(512|1024)$/;
// Factor for the warm-up of an engine's first case. None of its code is optimised yet, and 14 MB take seconds to compile.
const FIRST_WARM_UP = 5;

// The longest time that a participant may take to answer: ten times the longest warm-up.
const PATIENCE_MS = 120e3;

/** Wraps `call` of a participant. If the participant hangs once, this and all later calls fail. */
function impatient(key, call) {
  const silent = new Error(`${key} has not answered for ${PATIENCE_MS / 1000} s`);
  let gone = false;
  return async (...args) => {
    if (gone) throw silent;
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => {
        gone = true;
        reject(silent);
      }, PATIENCE_MS);
    });
    try {
      return await Promise.race([call(...args), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The median of sorted numbers. */
export const median = (sorted) =>
  sorted.length % 2
    ? sorted[sorted.length >> 1]
    : (sorted[sorted.length / 2 - 1] + sorted[sorted.length / 2]) / 2;
const round = (value) => Number(value.toPrecision(5));

function summarise(slots) {
  const sorted = slots.flat().sort((a, b) => a - b);
  return {
    min: round(sorted[0]),
    median: round(median(sorted)),
    // The median of each slot shows the drift of the machine.
    slots: slots.map((times) => round(median(times.sort((a, b) => a - b)))),
    samples: sorted.length,
  };
}

/** The name of a participant in the results. */
export const keyOf = ({engine, threads, output}) =>
  [engine, ...(threads > 1 ? [`${threads} threads`] : []), ...(output ? [output] : [])].join(', ');

/**
 * @param wanted participants: {engine, threads, build, output, cases: the names of its cases}
 * @param tile () => rate of the engine's own GEMM tile in the L1 cache in 10^9 operations per second, or undefined
 * @returns {Promise<{name, version, engines, peak, cases, failures}>}
 */
export async function measure(place, {cases, models, wanted, rounds, slotMs, warmUpMs, tile}) {
  console.log(`\n${place.name} ${place.version}`);
  const result = {
    name: place.name,
    version: place.version,
    engines: {},
    peak: {},
    cases: {},
    failures: [],
  };
  const fail = (name, key, error) => {
    result.failures.push({case: name, engine: key, error: error.message.split('\n')[0]});
    console.log(`  ${name}: ${key} FAILED: ${error.message}`);
  };
  const participants = [];
  for (const {cases: own, ...options} of wanted) {
    const key = keyOf(options);
    const {call, close} = await place.start(key, options.engine);
    const participant = {key, own, call: impatient(key, call), close};
    try {
      const about = await participant.call('open', {...options, paths: place.paths});
      const {engine, threads, output} = options;
      result.engines[key] = {engine, ...about, threads, output};
      participants.push(participant);
    } catch (error) {
      fail('(start)', key, error);
      await close();
    }
  }
  const peak = await place.start('the register peak');
  await peak.call('open', {engine: 'peak'});

  for (const name of cases) {
    const {macs, sets, unit, iterations, operations} = JSON.parse(
      readFileSync(join(models, name, 'case.json'), 'utf8'),
    );
    const entry = (result.cases[name] = {
      macs,
      unit,
      count: sets.length,
      iterations,
      operations,
      // Rates of the peak and of the tile during the turns of this case, so that changes of the clock affect both equally.
      peak: {},
      engines: {},
    });
    const note = (kernel, rate) => {
      for (const rates of [result.peak, entry.peak]) rates[kernel] = Math.max(rates[kernel] ?? 0, round(rate));
    };
    const running = [];
    for (const participant of participants.filter(({own}) => own.includes(name))) {
      const {key, call} = participant;
      try {
        const loaded = await call('load', place.caseFolder(name));
        if (!loaded) continue;
        if (loaded.refused) {
          console.log(`  ${name}: not with ${key}: ${loaded.refused}`);
          continue;
        }
        await call('warmUp', participant.warm ? warmUpMs : FIRST_WARM_UP * warmUpMs);
        participant.warm = true;
        running.push({...participant, loaded, slots: [], error: 0});
      } catch (error) {
        fail(name, key, error);
        await call('unload').catch(() => {}); // unloading is not measured
      }
    }
    for (let turn = 0; turn < rounds; turn++) {
      if (macs) {
        for (const [kernel, rate] of Object.entries(await peak.call('peak', PEAK_MS))) note(kernel, rate);
        const rate = TILED.test(name) && tile?.();
        if (rate) note('tile', rate);
      }
      for (let i = 0; i < running.length; i++) {
        const participant = running[(i + turn) % running.length];
        if (participant.failed) continue;
        try {
          const {times, error} = await participant.call('slot', slotMs);
          participant.slots.push(times);
          participant.error = Math.max(participant.error, error);
        } catch (error) {
          participant.failed = true;
          fail(name, participant.key, error);
        }
      }
    }
    for (const {key, call, loaded, slots, error, failed} of running) {
      try {
        if (!failed) {
          const profile = PROFILED.test(name) ? await call('profile', PROFILE_RUNS) : null;
          entry.engines[key] = {
            ...summarise(slots),
            error,
            loadMs: round(loaded.loadMs),
            firstRunMs: round(loaded.firstRunMs),
            profile,
          };
        }
        await call('unload');
      } catch (failure) {
        fail(name, key, failure);
      }
    }
    const line = Object.entries(entry.engines).map(
      ([key, {min, median: middle}]) => `${key} ${min} (${middle})`,
    );
    console.log(`  ${name.padEnd(28)} ${line.join('  ')}`);
  }
  for (const {close} of [...participants, peak]) await close();
  return result;
}
