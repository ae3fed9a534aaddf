// SPDX-License-Identifier: Apache-2.0
// The entry for `<script src>` and importScripts(). It defines one global variable. Classic service workers cannot use
// import(), so the entry contains the glue of all builds.
import {setPlatform} from '../base/platform.js';
import {allBuilds} from '../platforms/all_glue.js';
import {pagePlatform} from '../platforms/page.js';

export * from '../api/index.js';

setPlatform(
  pagePlatform(allBuilds, './worker.js', (blob) => new Worker(blob ?? new URL('./worker.js', import.meta.url), {type: 'module', name: 'wasmvino'})),
);
