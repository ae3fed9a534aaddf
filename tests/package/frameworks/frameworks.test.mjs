// SPDX-License-Identifier: Apache-2.0
// Tests the packed package with slow bundlers. The stage `frameworks` of scripts/test runs this on demand.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import puppeteer from 'puppeteer-core';
import {browsers, goldenScores, install, isolation, PATIENCE, root, serve} from '../install.mjs';

const installed = join(root, 'tests/package/frameworks/node_modules');
const {folder, remove} = install();
after(remove);
const letters = [...[...'browser'].map((letter) => letter.charCodeAt(0) - 94), 2];

// Shows the scores of a word as `shown` of the page.
const application = `
async function decode({Core, Tensor}, options) {
  const compiled = await new Core(options).compileModel('/model.xml', 'CPU');
  const letters = ${JSON.stringify(letters)};
  const {scores} = await compiled.createInferRequest().inferAsync([new Tensor('i32', [1, letters.length], letters), new Tensor('i32', [], [3])]);
  return [...scores.data];
}
async function show(wasmvino) {
  try {
    return {here: await decode(wasmvino, {}), inWorker: await decode(wasmvino, {worker: true}), build: {...wasmvino.addon.build}};
  } catch (error) {
    return {failed: error.code + ' ' + error.message};
  }
}
`;

const near = (scores) => {
  const wanted = goldenScores();
  assert.equal(scores?.length, wanted.length);
  scores.forEach((score, i) => assert.ok(Math.abs(score - wanted[i]) < 1e-3, `${scores}, expected ${wanted}`));
};

const run = (program, args, cwd) =>
  execFileSync(process.execPath, [program, ...args], {cwd, encoding: 'utf8', env: {...process.env, NEXT_TELEMETRY_DISABLED: '1'}});

/** Each builds a page and returns its folder. */
const frameworks = {
  Parcel() {
    const work = join(folder, 'parcel');
    mkdirSync(work);
    writeFileSync(join(work, 'package.json'), '{"private": true}');
    symlinkSync(join(folder, 'node_modules'), join(work, 'node_modules'));
    writeFileSync(join(work, 'main.js'), `import * as wasmvino from 'wasmvino';\n${application}\nglobalThis.shown = show(wasmvino);`);
    writeFileSync(join(work, 'index.html'), '<!doctype html><title>Parcel</title><script type="module" src="main.js"></script>');
    const config = join(installed, '@parcel/config-default/index.json');
    run(join(installed, 'parcel/lib/bin.js'), ['build', 'index.html', '--config', config, '--dist-dir', 'out', '--no-cache', '--no-autoinstall', '--no-source-maps'], work);
    return join(work, 'out');
  },

  'Next.js with Turbopack'() {
    const work = join(folder, 'next');
    mkdirSync(join(work, 'pages'), {recursive: true});
    writeFileSync(join(work, 'package.json'), '{"private": true, "type": "module"}');
    // Turbopack does not follow links that lead out of its root.
    execFileSync('cp', ['-rl', installed, join(work, 'node_modules')]);
    execFileSync('cp', ['-r', join(folder, 'node_modules/wasmvino'), join(work, 'node_modules/wasmvino')]);
    writeFileSync(join(work, 'next.config.mjs'), `export default {output: 'export', turbopack: {root: ${JSON.stringify(work)}}};\n`);
    writeFileSync(
      join(work, 'pages/index.jsx'),
      `import {useEffect} from 'react';
import * as wasmvino from 'wasmvino';
${application}
export default function Page() {
  useEffect(() => {
    globalThis.shown ??= show(wasmvino);
  }, []);
  return <p>Next.js</p>;
}
`,
    );
    run(join(work, 'node_modules/next/dist/bin/next'), ['build', '--turbopack'], work);
    return join(work, 'out');
  },
};

describe('frameworks', () => {
  let browser;
  before(async () => (browser = await puppeteer.launch({...browsers.Chromium, headless: true})));
  after(() => browser?.close());

  for (const [name, make] of Object.entries(frameworks)) {
    it(`${name} makes a page that runs`, {timeout: 300_000}, async () => {
      const out = make();
      for (const file of ['model.xml', 'model.bin']) symlinkSync(join(folder, file), join(out, file));
      for (const headers of [{}, isolation]) {
        const server = await serve(out, headers);
        const page = await browser.newPage();
        const errors = [];
        page.on('pageerror', (error) => errors.push(String(error)));
        try {
          await page.goto(`${server.url}index.html`);
          await page.waitForFunction(() => globalThis.shown, undefined, PATIENCE).catch((cause) => {
            throw new Error(`the page shows nothing: ${errors.join('; ')}`, {cause});
          });
          const {failed, here, inWorker, build} = await page.evaluate(() => globalThis.shown);
          assert.equal(failed, undefined);
          near(here);
          near(inWorker);
          assert.equal(build.name.endsWith('-mt'), headers === isolation, build.reason);
        } finally {
          await page.close();
          server.close();
        }
      }
    });
  }
});
