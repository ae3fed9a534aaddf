// SPDX-License-Identifier: Apache-2.0
// The script of the worker that runs the engine in browsers. It contains the glue of all builds: older bundlers refuse
// workers with import(), and Firefox does not report imports that fail at once.
import {allBuilds} from '../platforms/all_glue.js';
import {browserPlatform} from '../platforms/browser.js';
import {serveBrowser} from './serve_browser.js';

serveBrowser(browserPlatform(allBuilds));
