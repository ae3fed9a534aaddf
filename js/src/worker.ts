// SPDX-License-Identifier: Apache-2.0
// The script of a worker with an engine, in browsers. The glue of all builds is part of it: older bundlers refuse a worker
// that imports later, and of imports that fail at once Firefox tells nothing.
import {allBuilds} from './all_glue.js';
import {browserPlatform} from './browser_platform.js';
import {serveBrowser} from './serve_browser.js';

serveBrowser(browserPlatform(allBuilds));
