// SPDX-License-Identifier: Apache-2.0
// Networks compute the same results with and without the optimisation passes.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, describe, it} from 'node:test';
import {readArrayFile} from '../../../js/src/arrays/array_files.mjs';
import {program as nativeProgram} from '../../conformance/native_engine.mjs';
import {root, testdata} from '../engine.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasmvino-'));
after(() => rmSync(folder, {recursive: true}));

// If a network is quantised, or rounds to f16 between operations, a difference in the last bit may become a whole
// quantisation step. Such networks are compared with their goldens only.
const rounds = /FP16|int8/i;

for (const build of ['relaxed-mt', ...(nativeProgram ? ['native'] : [])]) {
  describe(`passes, ${build}`, () => {
    const write = (name, ...options) => {
      const to = join(folder, build, name);
      const {stdout} = spawnSync(`${root}scripts/check`, [`${testdata}models`, '--build', build, '--write', to, ...options], {encoding: 'utf8'});
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
        const a = readArrayFile(join(passed.to, file));
        const b = readArrayFile(join(plain.to, file));
        if (b.type !== 'f32') return assert.deepEqual(a, b);
        assert.deepEqual([a.type, a.shape], [b.type, b.shape]);
        const largest = b.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
        const difference = b.data.reduce((most, value, i) => Math.max(most, Math.abs(value - a.data[i])), 0);
        assert.ok(difference <= 5e-4 * largest, `${difference} of ${largest}`);
      });
    }
  });
}
