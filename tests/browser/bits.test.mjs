// SPDX-License-Identifier: Apache-2.0
// Builds without relaxed SIMD compute the same bits everywhere: all outputs of real networks have the same hashes in Node.js,
// Chromium, Firefox and WebKitGTK, with one thread and with several (docs/reliability.md).
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, before, describe, test} from 'node:test';
import puppeteer from 'puppeteer-core';
import {findCases} from '../conformance/cases.mjs';
import {stepInputs} from '../conformance/wasm_engine.mjs';
import {packageWith, root, testdata} from '../js/engine.mjs';
import {isolation, serve} from '../package/install.mjs';
import {launchWebKit} from '../package/webkit.mjs';

// Number of steps that run of each network. More than one step matters for networks with state.
const STEPS = 3;

// Hashes all outputs of each network. Runs in Node.js and in pages. `get` reads the bytes of a path.
async function hashesOf(ov, get, config, networks) {
  const core = new ov.Core();
  const hashes = {};
  for (const {name, model, steps} of networks) {
    const compiled = await core.compileModel(await core.readModel(await get(`${model}.xml`), await get(`${model}.bin`)), 'CPU', config);
    const request = compiled.createInferRequest();
    hashes[name] = [];
    for (const inputs of steps) {
      for (const {position, type, shape, path} of inputs) {
        const tensor = new ov.Tensor(type, shape);
        tensor.data = new tensor.data.constructor((await get(path)).buffer);
        request.setInputTensor(position, tensor);
      }
      await request.inferAsync();
      for (const output of compiled.outputs.keys()) {
        const tensor = request.getOutputTensor(output);
        const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', tensor.data));
        hashes[name].push(`${tensor.getElementType()} [${tensor.getShape()}] ${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`);
      }
    }
    compiled.dispose();
  }
  return {build: ov.build.name, hashes};
}

const inPage = `async (build, ...args) => {
  const {addon: ov} = await import('/dist/browser.js');
  ov.configure({build});
  const get = async (path) => {
    const response = await fetch('/' + path);
    if (!response.ok) throw new Error(path + ': ' + response.status);
    return new Uint8Array(await response.arrayBuffer());
  };
  return (${hashesOf})(ov, get, ...args);
}`;

const withPuppeteer = async (options) => {
  const browser = await puppeteer.launch({...options, headless: true, protocolTimeout: 600_000});
  const page = await browser.newPage();
  return {
    open: (url) => page.goto(url),
    run: (work, ...args) => page.evaluate(`(${work})(...${JSON.stringify(args)})`),
    close: () => browser.close(),
  };
};

const browsers = {
  Chromium: {
    builds: ['simd', 'simd-mt'],
    launch: () =>
      withPuppeteer({
        browser: 'chrome',
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-renderer-backgrounding'],
      }),
  },
  Firefox: {builds: ['simd', 'simd-mt'], launch: () => withPuppeteer({browser: 'firefox', executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr'})},
  WebKitGTK: {builds: ['simd'], launch: launchWebKit},
};

describe('the same bits', () => {
  const answers = {'/': {type: 'text/html', body: '<!doctype html><title>Bits</title>'}};
  const networks = [];
  let server;
  let wanted;

  before(async () => {
    const ov = await packageWith('simd');
    const core = new ov.Core();
    for (const {name, model, sequences} of findCases(`${testdata}models`)) {
      const compiled = core.compileModelSync(model, 'CPU');
      const steps = sequences[0].slice(0, STEPS).map((step, t) =>
        stepInputs(ov, step, compiled).map(({position, tensor}) => {
          const path = `in/${name}/${t}/${position}`;
          answers[`/${path}`] = {body: Buffer.from(tensor.data.buffer)};
          return {position, type: tensor.getElementType(), shape: tensor.getShape(), path};
        }),
      );
      compiled.dispose();
      networks.push({name, model: model.slice(root.length, -'.xml'.length), steps});
    }
    server = await serve(root, isolation, answers);
    ({hashes: wanted} = await hashesOf(ov, read, {}, networks));
  });
  const read = async (path) => Uint8Array.from(answers[`/${path}`]?.body ?? readFileSync(root + path));

  after(() => server?.close());

  test('are those of ten networks or more', () => {
    assert.ok(Object.values(wanted).every((hashes) => hashes.length > 0));
    // Some networks come in several forms with identical results.
    const different = new Set(Object.values(wanted).map(String)).size;
    assert.ok(different >= 10, `${different} different results`);
  });

  for (const threads of [1, 2, 3]) {
    test(`in Node.js, simd-mt with threads: ${threads}`, async () => {
      const {build, hashes} = await hashesOf(await packageWith('simd-mt'), read, {INFERENCE_NUM_THREADS: threads}, networks);
      assert.equal(build, 'simd-mt');
      assert.deepEqual(hashes, wanted);
    });
  }

  for (const [name, {builds, launch}] of Object.entries(browsers)) {
    test(`in ${name}: ${builds.join(', ')}`, async () => {
      const browser = await launch();
      try {
        for (const build of builds) {
          await browser.open(server.url);
          const {build: used, hashes} = await browser.run(inPage, build, {}, networks);
          assert.equal(used, build);
          assert.deepEqual(hashes, wanted);
        }
      } finally {
        await browser.close();
      }
    });
  }
});
