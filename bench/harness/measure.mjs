// SPDX-License-Identifier: Apache-2.0
// Measures cases in one place: all engines are loaded, warmed up, and take short turns in rotating order, so
// that what else the machine does hits them alike. The register peak takes a turn too.

import {readFileSync} from 'node:fs';
import {join} from 'node:path';

const PEAK_MS = 100;
// The first case meets an engine none of whose code is optimised yet: 14 MB of it take seconds to compile.
const FIRST_WARM_UP = 5;

const median = (sorted) =>
  sorted.length % 2
    ? sorted[sorted.length >> 1]
    : (sorted[sorted.length / 2 - 1] + sorted[sorted.length / 2]) / 2;
const round = (value) => Number(value.toPrecision(5));

function summarise(slots) {
  const sorted = slots.flat().sort((a, b) => a - b);
  return {
    min: round(sorted[0]),
    median: round(median(sorted)),
    // How far the machine drifted: the median of each slot.
    slots: slots.map((times) => round(median(times.sort((a, b) => a - b)))),
    samples: sorted.length,
  };
}

/** @returns {Promise<{name, version, engines, peak, cases, failures}>} */
export async function measure(place, {cases, models, wanted, rounds, slotMs, warmUpMs}) {
  console.log(`\n${place.name} ${place.version}`);
  const participants = [];
  for (const options of wanted) {
    const key = options.threads > 1 ? `${options.engine}, ${options.threads} threads` : options.engine;
    participants.push({key, options, ...(await place.start(options))});
  }
  const peak = await place.start({engine: 'peak'});
  const result = {
    name: place.name,
    version: place.version,
    engines: {},
    peak: {},
    cases: {},
    failures: [],
  };
  for (const {key, about, options} of participants)
    result.engines[key] = {...about, threads: options.threads};

  const fail = (name, key, error) => {
    result.failures.push({case: name, engine: key, error: error.message.split('\n')[0]});
    console.log(`  ${name}: ${key} FAILED: ${error.message}`);
  };
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
      engines: {},
    });
    const running = [];
    for (const participant of participants) {
      const {key, load, call} = participant;
      try {
        const loaded = await load(name);
        if (!loaded) continue;
        await call('warmUp', name === cases[0] ? FIRST_WARM_UP * warmUpMs : warmUpMs);
        running.push({...participant, loaded, slots: [], error: 0});
      } catch (error) {
        fail(name, key, error);
      }
    }
    for (let turn = 0; turn < rounds; turn++) {
      if (macs) {
        for (const [kernel, rate] of Object.entries(await peak.call('peak', PEAK_MS))) {
          result.peak[kernel] = Math.max(result.peak[kernel] ?? 0, round(rate));
        }
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
      if (!failed) {
        const profile = await call('profile', 20);
        entry.engines[key] = {
          ...summarise(slots),
          error,
          loadMs: round(loaded.loadMs),
          firstRunMs: round(loaded.firstRunMs),
          profile,
        };
      }
      await call('unload');
    }
    const line = Object.entries(entry.engines).map(
      ([key, {min, median: middle}]) => `${key} ${min} (${middle})`,
    );
    console.log(`  ${name.padEnd(28)} ${line.join('  ')}`);
  }
  for (const {close} of [...participants, peak]) await close();
  return result;
}
