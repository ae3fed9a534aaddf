// SPDX-License-Identifier: Apache-2.0
// Measures what an engine needs for its first result: time, files of packages, WebAssembly memory. Each measurement runs in a new
// process, or in a page of a new browser context, which has no caches.

import {readFileSync} from 'node:fs';
import {basename} from 'node:path';
import {gzipSync} from 'node:zlib';

import {keyOf} from './measure.mjs';

/** The case for measuring time, several times in rotating order. */
export const START_UP_CASE = 'mobilenet_v2';
/** The cases for measuring memory. */
export const MEMORY_CASES = ['mobilenet_v2', 'resnet50'];

function sizes(files) {
  return files.map(({file}) => {
    const bytes = readFileSync(file);
    return {file: basename(file), bytes: bytes.length, gzip: gzipSync(bytes, {level: 9}).length};
  });
}

/**
 * @param wanted participants, like those of measure()
 * @returns {Promise<{[key]: {times, min, median, memory: {[case]: bytes}, files}}>} milliseconds; files: names and
 *   sizes of the package files that a page loads, in pages only
 */
export async function measureStartUp(place, {wanted, repetitions}) {
  const results = Object.fromEntries(wanted.map((options) => [keyOf(options), {times: [], memory: {}}]));
  const cold = async (options, name) => {
    const key = keyOf(options);
    const participant = await place.start(key);
    try {
      const {engine, threads, build} = options;
      const measured = await participant.call('cold', place.caseFolder(name), {
        engine,
        threads,
        build,
        paths: place.paths,
      });
      if (!measured) return;
      const result = results[key];
      if (name === START_UP_CASE) result.times.push(Number(measured.ms.toFixed(1)));
      result.memory[name] = measured.memoryBytes;
      if (participant.packageFiles) result.files = sizes(participant.packageFiles());
    } finally {
      await participant.close();
    }
  };
  for (let turn = 0; turn < repetitions; turn++) {
    for (let i = 0; i < wanted.length; i++) await cold(wanted[(i + turn) % wanted.length], START_UP_CASE);
  }
  for (const name of MEMORY_CASES.filter((other) => other !== START_UP_CASE)) {
    for (const options of wanted) await cold(options, name);
  }
  for (const [key, result] of Object.entries(results)) {
    if (!result.times.length) {
      delete results[key];
      continue;
    }
    const sorted = result.times.toSorted((a, b) => a - b);
    result.min = sorted[0];
    result.median = sorted[sorted.length >> 1];
    console.log(`  start-up: ${key} ${result.min} (${result.median}) ms, ${JSON.stringify(result.memory)} bytes`);
  }
  return results;
}
