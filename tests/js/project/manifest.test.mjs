// SPDX-License-Identifier: Apache-2.0
// package.json and the names of the builds in the TypeScript are what js/manifest.mjs makes of them.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {buildsText, packageFields, packageText} from '../../../js/fields.mjs';
import * as manifest from '../../../js/manifest.mjs';

const read = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test('package.json follows from the manifest', () => {
  const text = read('package.json');
  assert.equal(text, packageText(text, manifest), 'run `node js/generate.mjs`');
});

test('the names of the builds follow from the manifest', () => {
  assert.equal(read('js/src/base/builds.ts'), buildsText(manifest), 'run `node js/generate.mjs`');
});

test('an entry is one line of the manifest', () => {
  const entries = [...manifest.entries, {name: 'second', source: 'second/index.ts', platforms: ['browser', 'node']}, {name: 'page', source: 'page.ts', platforms: ['browser']}];
  const {exports, typesVersions, sideEffects} = packageFields({...manifest, entries});
  assert.deepEqual(exports['./second'], {
    node: {
      import: {types: './dist/types/second/index.d.ts', default: './dist/node/second.js'},
      require: {types: './dist/commonjs/second/index.d.ts', default: './dist/node/second.cjs'},
    },
    default: {types: './dist/types/second/index.d.ts', default: './dist/second.js'},
  });
  assert.deepEqual(exports['./page'], {default: {types: './dist/types/page.d.ts', default: './dist/page.js'}});
  assert.deepEqual(typesVersions['*'].second, ['./dist/types/second/index.d.ts']);
  assert.ok(sideEffects.includes('./dist/second.js'));
});
