// SPDX-License-Identifier: Apache-2.0
// Networks give the same results with the passes over their graph and without any.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, describe, it} from 'node:test';
import './relaxed_simd.mjs';
import {root, testdata} from './engine.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasmvino-'));
after(() => rmSync(folder, {recursive: true}));

const native = ['native-ci', 'native'].map((preset) => `${root}build/${preset}/wasmvino`).find(existsSync);
const programs = {node: [process.execPath, `${root}dist/cli.js`], ...(native && {native: [native]})};
// With integers inside, or rounded to f16 between operations, the last bit of a number decides about a whole step
// behind it: such networks are held to their goldens alone.
const rounds = /FP16|int8/i;
const arrays = {f4: Float32Array, f2: Uint16Array, f8: Float64Array, i1: Int8Array, u1: Uint8Array, b1: Uint8Array, i4: Int32Array, i8: BigInt64Array};

function read(file) {
  const content = readFileSync(file);
  const begin = 10 + content.readUInt16LE(8);
  const header = content.subarray(10, begin).toString('latin1');
  const type = /'descr': '[<|]([a-z]\d)'/.exec(header)[1];
  return {header, type, values: new arrays[type](new Uint8Array(content.subarray(begin)).buffer)};
}

for (const [program, [command, ...first]] of Object.entries(programs)) {
  describe(`passes, ${program}`, () => {
    const write = (name, ...options) => {
      const to = join(folder, program, name);
      const {stdout} = spawnSync(command, [...first, 'check', `${testdata}models`, '--write', to, ...options], {encoding: 'utf8'});
      return {to, stdout};
    };
    const passed = write('passes');
    const plain = write('plain', '--no-passes');
    const files = readdirSync(plain.to, {recursive: true}).filter((file) => file.endsWith('.npy') && !rounds.test(file));

    it('goldens', () => {
      const summary = (stdout) => stdout.slice(stdout.indexOf('\noperation'));
      assert.equal(summary(plain.stdout), summary(passed.stdout));
    });

    for (const file of files.sort()) {
      it(file, () => {
        const a = read(join(passed.to, file));
        const b = read(join(plain.to, file));
        assert.equal(a.header, b.header);
        if (a.type !== 'f4') return assert.deepEqual(a.values, b.values);
        const largest = b.values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
        const difference = b.values.reduce((most, value, i) => Math.max(most, Math.abs(value - a.values[i])), 0);
        assert.ok(difference <= 5e-4 * largest, `${difference} of ${largest}`);
      });
    }
  });
}
