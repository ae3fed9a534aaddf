// SPDX-License-Identifier: Apache-2.0
// Tests a PNNX model in a page: from URLs, from bytes, and in a worker.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, before, describe, test} from 'node:test';
import {freshPackage, readTensor, root, testdata} from '../js/engine.mjs';
import {isolation, launch, serve} from '../package/install.mjs';

const at = `${testdata}pnnx/resnet/`;

// Runs in the page: reads a model in each way, and returns its first output each time.
async function outputsOf(folder, shape, values) {
  const {addon: ov} = await import('/dist/browser.js');
  const get = async (name) => new Uint8Array(await (await fetch(folder + name)).arrayBuffer());
  const ways = {
    url: (core) => core.readModel(`${folder}net.pnnx.param`),
    urls: (core) => core.readModel(`${folder}net.pnnx.param`, `${folder}net.pnnx.bin`),
    bytes: async (core) => core.readModel(await get('net.pnnx.param'), await get('net.pnnx.bin')),
    worker: (core) => core.readModel(`${folder}net.pnnx.param`),
  };
  const found = {};
  for (const [way, read] of Object.entries(ways)) {
    const core = new ov.Core(way === 'worker' ? {worker: true} : {});
    const model = await read(core);
    const request = (await core.compileModel(model, 'CPU')).createInferRequest();
    const [output] = Object.values(await request.inferAsync([new ov.Tensor('f32', shape, Float32Array.from(values))]));
    found[way] = [...output.data];
  }
  return found;
}

describe('PNNX in Chromium', () => {
  let [browser, server] = [];
  before(async () => {
    server = await serve(root, isolation, {'/': {type: 'text/html', body: '<!doctype html><title>PNNX</title>'}});
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  test('from URLs, from bytes and in a worker', async () => {
    const ov = await freshPackage();
    const {sets, outputs} = JSON.parse(readFileSync(`${at}case.json`, 'utf8'));
    const page = await browser.newPage();
    await page.goto(server.url);
    for (const {inputs, outputs: wanted} of sets) {
      const input = readTensor(ov, at + inputs.pnnx_input_0.file, 'f32');
      const golden = readTensor(ov, at + wanted[0].file, 'f32').data;
      const found = await page.evaluate(`(${outputsOf})('/build/testdata/pnnx/resnet/', ${JSON.stringify(input.getShape())}, ${JSON.stringify([...input.data])})`);
      assert.deepEqual(Object.keys(found), ['url', 'urls', 'bytes', 'worker']);
      for (const [way, values] of Object.entries(found)) {
        assert.equal(values.length, golden.length, way);
        golden.forEach((value, i) => assert.ok(Math.abs(values[i] - value) <= outputs[0].atol, `${way} ${i}`));
      }
    }
  });
});
