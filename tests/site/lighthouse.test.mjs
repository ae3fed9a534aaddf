// SPDX-License-Identifier: Apache-2.0
// Runs Lighthouse on the built site. Accessibility must reach 95 of 100 on a phone. Performance is only reported.
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import puppeteer from 'puppeteer-core';
import {serve} from '../../scripts/serve.mjs';
import {browsers, root} from '../package/install.mjs';

const path = createRequire(join(root, 'site/package.json')).resolve('lighthouse');
const {default: lighthouse} = await import(pathToFileURL(path));

let server;
let browser;
before(async () => {
  server = await serve(join(root, 'build/site'), {policy: null});
  browser = await puppeteer.launch({...browsers.Chromium, headless: true});
});
after(async () => {
  await browser?.close();
  await server?.close();
});

for (const page of ['', 'guides/first-model.html', 'playground.html', 'examples/faces.html', 'reference/api/classes/Core.html']) {
  test(`Lighthouse: /${page}`, async (context) => {
    const {port} = new URL(browser.wsEndpoint());
    const {lhr} = await lighthouse(server.url + page, {port, onlyCategories: ['accessibility', 'performance'], logLevel: 'error'});
    assert.equal(lhr.runtimeError, undefined);
    const {accessibility, performance} = lhr.categories;
    const score = ({score}) => Math.round(100 * score);
    context.diagnostic(`accessibility ${score(accessibility)}, performance ${score(performance)}`);
    const failed = accessibility.auditRefs.map(({id}) => lhr.audits[id]).filter((audit) => audit.score !== null && audit.score < 1);
    assert.ok(score(accessibility) >= 95, `accessibility ${score(accessibility)}: ${failed.map(({title}) => title).join('; ')}`);
  });
}
