// SPDX-License-Identifier: Apache-2.0
// node js/generate.mjs: writes what follows from js/manifest.mjs into package.json and js/src/base/builds.ts.
import {readFileSync, writeFileSync} from 'node:fs';
import {buildsText, packageText} from './fields.mjs';
import * as manifest from './manifest.mjs';

const file = (path) => new URL(`../${path}`, import.meta.url);
writeFileSync(file('package.json'), packageText(readFileSync(file('package.json'), 'utf8'), manifest));
writeFileSync(file('js/src/base/builds.ts'), buildsText(manifest));
