// SPDX-License-Identifier: Apache-2.0
// Tests exported models: they compute the same, are not copied, and are checked.
import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {builds, bytes, packageWith, productModel} from '../engine.mjs';

for (const build of builds) {
  describe(`exported models, ${build}`, async () => {
    const ov = await packageWith(build);
    const core = new ov.Core();
    const {xml, bin} = productModel(2, 64);
    const x = Float32Array.from({length: 128}, (_, i) => Math.sin(i));
    const resultOf = (compiled) => compiled.createInferRequest().infer([x]).y.data;
    const compiled = core.compileModelSync(core.readModelSync(xml, bin), 'CPU');
    const expected = resultOf(compiled);
    const stream = compiled.exportModelSync();

    it('compute the same, and give the same export again', async () => {
      for (const again of [core.importModelSync(stream, 'CPU'), await core.importModel(stream, 'CPU')]) {
        assert.deepEqual(resultOf(again), expected);
        assert.deepEqual(again.exportModelSync(), stream);
      }
    });

    it('compute the same in a worker', async () => {
      const again = await new ov.Core({worker: true}).importModel(stream, 'CPU');
      const {y} = await again.createInferRequest().inferAsync([x]);
      assert.deepEqual(y.data, expected);
      assert.deepEqual(await again.exportModel(), stream);
    });

    it('are not copied: the model refers to their bytes', () => {
      const own = Buffer.from(stream);
      const again = core.importModelSync(own, 'CPU');
      own.fill(0, own.length - 4);
      assert.deepEqual([...again.exportModelSync().subarray(-4)], [0, 0, 0, 0]);
    });

    it('that were damaged are refused', () => {
      for (const at of [stream.length - 1, stream.length - 5, stream.lastIndexOf('</net>')]) {
        const damaged = Buffer.from(stream);
        damaged[at] ^= 1;
        assert.throws(() => core.importModelSync(damaged, 'CPU'), {code: 'INVALID_MODEL', message: /do not have the checksum of the export/});
      }
    });

    it('with edits that no PrePostProcessor makes are refused', () => {
      const withEdits = (edits) => {
        const [title, head] = stream.toString('latin1').split('\n', 2);
        const changed = `${title}\n${JSON.stringify({...JSON.parse(head), edits})}\n`;
        return Buffer.concat([Buffer.from(changed), stream.subarray(title.length + head.length + 2)]);
      };
      assert.deepEqual(resultOf(core.importModelSync(withEdits([]), 'CPU')), expected);
      const zeros = '00'.repeat(512);
      assert.deepEqual(
        resultOf(core.importModelSync(withEdits([['preprocess', ['input', '0', 'customConstant', `f32\n[2,64]\n${zeros}`, 'custom', '1.0']]]), 'CPU')),
        new Float32Array(expected.length).fill(1 / 64), // a softmax of zeros
      );
      for (const [steps, message] of [
        [['customConstant', `string\n[1]\n${'41'.repeat(12)}`, 'custom', '1.0'], /customConstant takes/],
        [['customConstant', 'dynamic\n[0]\n', 'custom', '1.0'], /customConstant takes/],
        [['customConstant', `f32\n[?]\n${zeros}`, 'custom', '1.0'], /customConstant takes/],
        [['customConstant', `f32\n...\n${zeros}`, 'custom', '1.0'], /customConstant takes/],
        [['customConstant', 'f32\n[4]\n00', 'custom', '1.0'], /customConstant takes 16 bytes/],
        [['customConstant', 'f32\n[1]\n0000000g', 'custom', '1.0'], /hexadecimal digits/],
        [['customConstant', 'f32', 'custom', '1.0'], /three lines/],
        [['customNode', 'Relu\n0.0', 'custom', '1.0'], /three lines/],
        [['customNode', 'Relu\n0.0\n-1', 'custom', '1.0'], /outputs/],
        [['customNode', 'Relu\n0.0\n4294967295', 'custom', '1.0'], /outputs/],
        [['customNode', 'Relu\n-1.0\n1', 'custom', '1.0'], /no node/],
        [['customNode', 'Relu\n0.7\n1', 'custom', '1.0'], /no node 0 with output 7/],
        [['custom', '5.0'], /no node 5/],
      ]) {
        const wrong = withEdits([['preprocess', ['input', '0', ...steps]]]);
        assert.throws(() => core.importModelSync(wrong, 'CPU'), (error) => error instanceof ov.WasmvinoError && message.test(error.message), steps[1]);
      }
      assert.deepEqual(resultOf(core.importModelSync(stream, 'CPU')), expected);
    });

    it('of another version of the format are refused, with what to do', () => {
      const older = Buffer.from(stream);
      older[older.indexOf(10) - 1] = 49; // "wasmvino model 1"
      assert.throws(() => core.importModelSync(older, 'CPU'), {code: 'UNSUPPORTED', message: /in format 1 \(supported: 3\)\. Export it again/});
    });

    it('that are no models, or incomplete, are refused', () => {
      const texts = ['something\nelse\n', 'wasmvino model 3\n{}\n', 'wasmvino model 3\nnull\n', 'wasmvino model 3\n{"xml": 0, "edits": [["format"]]}\n', 'wasmvino model 3'];
      for (const wrong of [...texts.map(bytes), stream.subarray(0, -1), stream.subarray(0, 500)]) {
        assert.throws(() => core.importModelSync(wrong, 'CPU'), {code: 'INVALID_MODEL'});
      }
    });
  });
}
