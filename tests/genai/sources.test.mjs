// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {root} from './sources.mjs';

test('the types of js/src/genai are right', () => {
  const folder = join(root, 'build/genai');
  mkdirSync(folder, {recursive: true});
  const options = {
    extends: '../../js/tsconfig.json',
    compilerOptions: {emitDeclarationOnly: false, declaration: false, noEmit: true, rootDir: '../../js/src'},
    include: ['../../js/src/genai'],
    exclude: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
  const {stdout, status} = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], {encoding: 'utf8'});
  assert.deepEqual([stdout, status], ['', 0]);
});
