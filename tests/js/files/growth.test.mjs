// SPDX-License-Identifier: Apache-2.0
// Texts and lists of users are read in linear time: four times the length takes less than about four times the steps. Steps are
// counted by V8, block by block. What V8 computes by itself, such as a regular expression, is not counted but bounded in time.
import assert from 'node:assert/strict';
import {Session} from 'node:inspector';
import {describe, it} from 'node:test';
import {formatNpy, parseNpy} from '../../../js/src/arrays/npy.mjs';
import {addModel, packageWith} from '../engine.mjs';

const session = new Session();
session.connect();
session.post('Profiler.enable');

// A text that is refused was read, too.
function attempt(call) {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof Error);
  }
}

// How often the blocks of JavaScript ran during the call.
function stepsOf(call) {
  let steps = 0;
  session.post('Profiler.startPreciseCoverage', {callCount: true, detailed: true});
  attempt(call);
  session.post('Profiler.takePreciseCoverage', (error, {result}) => {
    if (error) throw error;
    for (const {functions} of result) for (const {ranges} of functions) for (const {count} of ranges) steps += count;
  });
  session.post('Profiler.stopPreciseCoverage');
  return steps;
}

// Milliseconds of a processor, so that other programs do not count.
function millisecondsOf(call) {
  const start = process.cpuUsage();
  attempt(call);
  return process.cpuUsage(start).user / 1000;
}

function npyWith(header) {
  const bytes = formatNpy({type: 'f32', shape: [1], data: Float32Array.of(1)});
  const text = new TextEncoder().encode(header);
  const file = new Uint8Array(12 + text.length + 4);
  file.set(bytes.subarray(0, 6));
  file.set([2, 0], 6);
  new DataView(file.buffer).setUint32(8, text.length, true);
  file.set(text, 12);
  return file;
}

describe('growth with the length of texts and lists', async () => {
  const ov = await packageWith('simd');
  const core = new ov.Core();
  const model = core.readModelSync(addModel([-1, 4]));
  const exported = core.compileModelSync(model, 'CPU').exportModelSync();
  const [title, , ...rest] = Buffer.from(exported).toString('latin1').split('\n');
  const edited = (n) => {
    const head = JSON.parse(Buffer.from(exported).toString('latin1').split('\n')[1]);
    head.edits = Array.from({length: n}, () => ['reshape', ['[2,4]', '[2,4]']]);
    return Buffer.from([title, JSON.stringify(head), ...rest].join('\n'), 'latin1');
  };
  const list = (n, item, separator) => new Array(n).fill(item).join(separator);

  /** What reads a text of about n characters or parts, by name. */
  const readers = {
    '.npy, header of spaces': (n) => parseNpy(npyWith(`{${' '.repeat(n)}`)),
    '.npy, header of keys': (n) => parseNpy(npyWith(`{${list(n, "'descr': '<f4'", ', ')}}`)),
    '.npy, sizes of a shape': (n) => parseNpy(npyWith(`{'descr': '<f4', 'fortran_order': False, 'shape': (${list(n, '1', ', ')})}`)),
    'PartialShape, sizes': (n) => new ov.PartialShape(list(n, '2..5', ',')),
    'PartialShape, spaces': (n) => new ov.PartialShape(`1${' '.repeat(n)},2`),
    'property, name': (n) => core.setProperty({['X'.repeat(n)]: 1}),
    'property, number': (n) => core.setProperty({INFERENCE_NUM_THREADS: '9'.repeat(10 * n)}),
    'property, list': (n) => core.setProperty({WASMVINO_SKIPPED_PASSES: list(n, 'a', ', ')}),
    'properties, unknown': (n) => core.setProperty(Object.fromEntries(Array.from({length: n}, (_, i) => [`X${i}`, 1]))),
    'exported model, title': (n) => core.importModelSync(Buffer.from('wasmvino model '.padEnd(n, '1')), 'CPU'),
    'exported model, JSON': (n) => core.importModelSync(Buffer.from(`${title}\n${'['.repeat(n)}\n`), 'CPU'),
    'exported model, edits': (n) => core.importModelSync(edited(n), 'CPU').dispose(),
    'reshape, inputs': (n) => model.reshape(new Map(Array.from({length: n}, (_, i) => [`x${i}`, '1,4']))),
  };

  for (const [name, read] of Object.entries(readers)) {
    it(name, () => {
      attempt(() => read(400)); // compiles what is compiled once
      const [first, second, third] = [400, 800, 1600].map((n) => stepsOf(() => read(n)));
      assert.ok(third - second < 3 * (second - first) + 100, `${first}, ${second}, ${third} steps`);
      if (name !== 'exported model, edits') assert.ok(millisecondsOf(() => read(200_000)) < 2000);
    });
  }
});
