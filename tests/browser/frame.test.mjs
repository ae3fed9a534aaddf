// SPDX-License-Identifier: Apache-2.0
// The frame of the site that runs edited code: pages of other sites cannot make it run theirs, neither in the site's origin
// nor in a sandbox, whether or not the host sends the headers of site/build.mjs.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import http from 'node:http';
import {after, before, describe, test} from 'node:test';
import {FRAME_POLICY, frameHtml} from '../../site/frame/page.mjs';
import {root} from '../js/engine.mjs';
import {launch} from '../package/install.mjs';

const html = frameHtml(readFileSync(`${root}site/frame/run.js`, 'utf8'));

// Embeds the frame, sends it code as soon as it is there, and collects what it answers.
const embedding = (frame, sandbox) => `<!doctype html><title>embeds</title><body><script>
  globalThis.heard = [];
  const frame = document.createElement('iframe');
  ${sandbox ? "frame.setAttribute('sandbox', 'allow-scripts');" : ''}
  const bytes = (text) => new TextEncoder().encode(text);
  const code = "let store; try { localStorage.setItem('planted', '1'); store = 'planted'; } catch (error) { store = error.name; } console.log('ran', self.origin, store);";
  const send = () => frame.contentWindow.postMessage({code, package: bytes('export const configure = () => {}'), shared: '', factory: 'export default 1', files: {}}, '*');
  addEventListener('message', ({data}) => { heard.push(data); if (data.ready) send(); });
  frame.addEventListener('load', () => { send(); setTimeout(() => { globalThis.settled = true; }, 1000); });
  frame.src = ${JSON.stringify(frame)};
  document.body.append(frame);
</script>`;

describe('the frame for edited code', () => {
  const servers = [];
  const serve = async (handler) => {
    const server = http.createServer(handler);
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    return server.address().port;
  };
  let browser;
  let site;
  let foreign;
  before(async () => {
    browser = await launch();
    const answer = (response, text, headers = {}) => response.writeHead(200, {'content-type': 'text/html', ...headers}).end(text);
    site = await serve(({url}, response) => {
      if (url === '/plain/run.html') return answer(response, html);
      if (url === '/frame/run.html') return answer(response, html, {'content-security-policy': FRAME_POLICY});
      const {searchParams} = new URL(url, 'http://site');
      return answer(response, embedding(searchParams.get('frame'), searchParams.has('sandbox')));
    });
    foreign = await serve(({url}, response) => {
      const {searchParams} = new URL(url, 'http://foreign');
      answer(response, embedding(searchParams.get('frame'), searchParams.has('sandbox')));
    });
  });
  after(async () => {
    await browser?.close();
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) server.close();
  });

  // What a page hears from the frame that it embeds.
  async function heard(page, folder, sandbox) {
    const context = await browser.newContext();
    const tab = await context.newPage();
    await tab.goto(`http://${page}/?frame=${encodeURIComponent(`http://127.0.0.1:${site}/${folder}/run.html`)}${sandbox ? '&sandbox' : ''}`);
    await tab.waitForFunction(() => globalThis.settled);
    const answers = await tab.evaluate(() => globalThis.heard);
    const stored = await tab.evaluate(() => localStorage.getItem('planted'));
    await context.close();
    return {lines: answers.map(({line}) => line).filter(Boolean), stored};
  }

  for (const folder of ['plain', 'frame']) {
    const where = folder === 'plain' ? 'without headers' : 'with the headers';
    for (const sandbox of [false, true]) {
      test(`${where}: a page of another site, ${sandbox ? 'with' : 'without'} sandbox, runs nothing and hears nothing`, async () => {
        assert.deepEqual(await heard(`localhost:${foreign}`, folder, sandbox), {lines: [], stored: null});
      });
    }

    test(`${where}: a page of the site runs code in an opaque origin`, async () => {
      assert.deepEqual(await heard(`127.0.0.1:${site}`, folder, true), {lines: ['ran null SecurityError'], stored: null});
    });
  }

  test('without headers and sandbox, the frame runs nothing, even for the site itself', async () => {
    const {lines, stored} = await heard(`127.0.0.1:${site}`, 'plain', false);
    assert.match(lines.join(), /sandbox="allow-scripts"/);
    assert.equal(stored, null);
  });

  test('with the headers, the frame is opaque without the attribute, too', async () => {
    assert.deepEqual(await heard(`127.0.0.1:${site}`, 'frame', false), {lines: ['ran null SecurityError'], stored: null});
  });
});
