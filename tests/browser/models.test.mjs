// SPDX-License-Identifier: Apache-2.0
// Runs networks in Chromium with each build. One compiled model runs all input sets of a network in sequence, and the results
// must equal the goldens.
import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {after, before, describe, test} from 'node:test';
import {findCases} from '../conformance/cases.mjs';
import {judge} from '../conformance/judge.mjs';
import {stepInputs, storedArray} from '../conformance/wasm_engine.mjs';
import {builds, packageWith, root, testdata} from '../js/engine.mjs';
import {isolation, launch, serve} from '../package/install.mjs';

// The larger networks are not part of the project. Their folder contains the smaller ones too.
const folder = [`${root}../shared/models`, `${testdata}models`].find(existsSync);
const contradictions = readFileSync(`${root}tests/conformance/contradictions.txt`, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => new RegExp(`^(${line.replace(/ *#.*/, '')})$`));

const cases = findCases(folder).filter(({name}) => !contradictions.some((pattern) => pattern.test(name)));

// Runs in the page: compiles the model of a case once, then runs all its steps. Posts the results to the server, and returns
// their types and shapes.
async function runCase(build, sequences) {
  const {addon: ov} = await import('/dist/browser.js');
  if (globalThis.core === undefined) {
    ov.configure({build});
    globalThis.core = new ov.Core();
  }
  const model = await globalThis.core.readModel('/case/model.xml', '/case/model.bin');
  const compiled = await globalThis.core.compileModel(model, 'CPU', {EXECUTION_MODE_HINT: 'ACCURACY'}); // as the goldens were computed
  const request = compiled.createInferRequest();
  const results = [];
  for (const steps of sequences) {
    request.resetState();
    for (const {inputs, outputs} of steps) {
      for (const {position, type, shape, path} of inputs) {
        const bytes = await (await fetch(path)).arrayBuffer();
        const tensor = new ov.Tensor(type, shape);
        tensor.data = new tensor.data.constructor(bytes);
        request.setInputTensor(position, tensor);
      }
      await request.inferAsync();
      for (const {position, path} of outputs) {
        const tensor = request.getOutputTensor(position);
        await fetch(path, {method: 'POST', body: tensor.data});
        results.push({path, type: tensor.getElementType(), shape: tensor.getShape()});
      }
    }
  }
  for (const made of [request, compiled, model]) made.dispose();
  return {build: ov.build.name, results};
}

test('there are networks to run', () => assert.ok(cases.length > 0));

for (const build of builds) {
  describe(`networks in Chromium, ${build}`, () => {
    let browser;
    let server;
    let page;
    let ov;
    let answers;
    let posted;

    before(async () => {
      ov = await packageWith('simd');
      server = await serve(root, isolation, {'/': {type: 'text/html', body: '<!doctype html><title>Networks</title>'}});
      browser = await launch();
      page = await browser.newPage();
      await page.route('**/case/**', (route) => {
        const {pathname} = new URL(route.request().url());
        if (route.request().method() === 'POST') posted[pathname] = route.request().postDataBuffer() ?? Buffer.alloc(0);
        return route.fulfill({headers: isolation, contentType: 'application/octet-stream', ...answers[pathname]});
      });
      await page.goto(server.url);
    });

    after(async () => {
      await browser?.close();
      server?.close();
    });

    for (const checked of cases) {
      test(checked.name, async () => {
        const compiled = new ov.Core().compileModelSync(checked.model, 'CPU');
        answers = {
          '/case/model.xml': {path: checked.model},
          '/case/model.bin': {path: checked.model.replace(/xml$/, 'bin')},
        };
        posted = {};
        const sequences = checked.sequences.map((steps, q) =>
          steps.map((step, t) => ({
            inputs: stepInputs(ov, step, compiled).map(({position, tensor}) => {
              const path = `/case/in/${q}/${t}/${position}`;
              answers[path] = {body: Buffer.from(tensor.data.buffer)};
              return {position, type: tensor.getElementType(), shape: tensor.getShape(), path};
            }),
            outputs: step.outputs.map(({position}) => ({position, path: `/case/out/${q}/${t}/${position}`})),
          })),
        );
        const got = await page.evaluate(`(${runCase})(${JSON.stringify(build)}, ${JSON.stringify(sequences)})`);
        assert.equal(got.build, build);
        const resultOf = ({path, type, shape}) => {
          const tensor = new ov.Tensor(type, shape);
          tensor.data = new tensor.data.constructor(new Uint8Array(posted[path]).buffer);
          return storedArray(tensor);
        };
        const results = got.results.map(resultOf);
        for (const step of checked.sequences.flat()) {
          const outputs = results.splice(0, step.outputs.length);
          assert.equal(judge(checked, step, outputs).difference, '');
        }
        assert.equal(results.length, 0);
        compiled.dispose();
      });
    }
  });
}
