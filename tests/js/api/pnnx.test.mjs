// SPDX-License-Identifier: Apache-2.0
// Tests PNNX models: where they can be read from, their profiles, and large ones.
import assert from 'node:assert/strict';
import {copyFileSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {pathToFileURL} from 'node:url';
import {readArrayFile} from '../../../js/src/arrays/array_files.mjs';
import {serve} from '../../package/install.mjs';
import {storedZip} from '../../pnnx/stored_zip.mjs';
import {builds, bytes, freshPackage, packageWith, readTensor, testdata} from '../engine.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasmvino-'));
after(() => rmSync(folder, {recursive: true}));

const caseOf = (name) => {
  const at = `${testdata}pnnx/${name}/`;
  return {at, param: `${at}net.pnnx.param`, bin: `${at}net.pnnx.bin`, ...JSON.parse(readFileSync(`${at}case.json`, 'utf8'))};
};

// Runs all sets of inputs of a case, and compares with the results of PyTorch.
async function check(ov, core, model, {at, sets, outputs}) {
  const request = (await core.compileModel(model, 'CPU')).createInferRequest();
  for (const set of sets) {
    const inputs = Object.entries(set.inputs).map(([name, {file}]) => [name, readTensor(ov, at + file, 'f32')]);
    await request.inferAsync(Object.fromEntries(inputs));
    for (const {file, index} of Object.values(set.outputs)) {
      const [got, wanted] = [request.getOutputTensor(index), readTensor(ov, at + file, 'f32')];
      assert.deepEqual(got.getShape(), wanted.getShape());
      const {atol} = outputs[index];
      const values = got.data;
      wanted.data.forEach((value, i) => assert.ok(Math.abs(values[i] - value) <= atol, `${file} ${i}: ${values[i]}, expected ${value}`));
    }
  }
  request.dispose();
}

describe('a PNNX model', async () => {
  const ov = await freshPackage();
  const core = new ov.Core();
  const unet = caseOf('unet');
  let server;
  before(async () => {
    server = await serve(unet.at);
  });
  after(() => server.close());

  it('is read from a path, whose weights lie beside it', async () => check(ov, core, await core.readModel(unet.param), unet));
  it('is read from files of any names', async () => {
    const [model, weights] = [join(folder, 'model'), join(folder, 'weights')];
    copyFileSync(unet.param, model);
    copyFileSync(unet.bin, weights);
    await check(ov, core, core.readModelSync(model, weights), unet);
    await check(ov, core, await core.readModel(pathToFileURL(model), pathToFileURL(weights)), unet);
  });
  it('is read from bytes', async () => check(ov, core, core.readModelSync(readFileSync(unet.param), readFileSync(unet.bin)), unet));
  it('is read from URLs', async () => {
    await check(ov, core, await core.readModel(`${server.url}net.pnnx.param`), unet);
    await check(ov, core, await core.readModel(`${server.url}net.pnnx.param`, `${server.url}net.pnnx.bin`), unet);
  });
  it('is read in a worker', async () => {
    const there = new ov.Core({worker: true});
    await check(ov, there, await there.readModel(unet.param), unet);
  });

  it('names all that is unknown, with line and parameters', async () => {
    const text = '7767517\n4 3\npnnx.Input in 0 1 0 #0=(?,2)f32\ntorch.fancy f 1 1 0 1 dim=3\naten::odd g 1 1 1 2 $x=1\npnnx.Output out 1 0 2\n';
    assert.throws(() => core.readModelSync(bytes(text)), ({code, problems}) => {
      assert.equal(code, 'UNSUPPORTED');
      assert.deepEqual(problems.map(({line, layer}) => [line, layer]), [[4, 'f'], [5, 'g']]);
      assert.match(problems[0].message, /torch\.fancy.*1 inputs, 1 outputs, dim=3/);
      return true;
    });
    const {problems, operations} = ov.inspect(text);
    assert.equal(problems.length, 2);
    assert.deepEqual(operations.filter(({supported}) => !supported).map(({type}) => type), ['aten::odd', 'torch.fancy']);
  });

  it('reports layers, times and values by the names of the file', async () => {
    const request = core.compileModelSync(core.readModelSync(unet.param), 'CPU', {PERF_COUNT: true}).createInferRequest();
    request.observe([{layer: 'last'}]);
    const input = readTensor(ov, unet.at + unet.sets[0].inputs.pnnx_input_0.file, 'f32');
    request.infer([input]);
    const [{layer, tensor}] = request.observations();
    assert.deepEqual(layer, ['last']);
    // The output is the sigmoid of what this convolution gives.
    const logits = tensor.data;
    request.getOutputTensor(0).data.forEach((value, i) => assert.ok(Math.abs(value - 1 / (1 + Math.exp(-logits[i]))) < 1e-6));
    request.observe([]);
    request.infer([input]);
    assert.ok(request.getProfilingInfo().some(({nodeName}) => nodeName.startsWith('last')));
    assert.throws(() => request.infer([new ov.Tensor('f32', [1, 4, 32, 48])]), {code: 'INVALID_SHAPE'});
  });

  it('has complex numbers as pairs of real ones', async () => {
    const text =
      '7767517\n4 3\npnnx.Input x 0 1 x #x=(?,8)f32\ntorch.fft.rfft f 1 1 x y dim=-1 n=None norm=None #y=(?,5)c64\n' +
      'pnnx.Expression e 1 1 y z expr=mul(@0,0.0e+00+1.0e+00j) #z=(?,5)c64\npnnx.Output out 1 0 z\n';
    const model = core.readModelSync(bytes(text));
    assert.equal(String(model.output().getPartialShape()), '[?,5,2]');
    const request = core.compileModelSync(model, 'CPU').createInferRequest();
    const [output] = Object.values(request.infer([new ov.Tensor('f32', [1, 8], Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0))]));
    assert.deepEqual([...output.data], [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
  });

  it('is told from other formats, which the error converts', async () => {
    const others = [
      ['\x1c\0\0\0TFL3', /TensorFlow Lite.*ovc model\.tflite/],
      ['\x0a\xb9\x01\x08\0\x10\xff', /PaddlePaddle.*ovc model\.pdmodel/],
      ['PK\x03\x04net/data.pkl', /TorchScript.*ovc model\.pt.*pnnx model\.pt/],
      ['GGUF\x03\0\0\0', /GGUF.*optimum-cli export openvino/],
      ['\x40\0\0\0\0\0\0\0{"weight"', /safetensors.*optimum-cli export openvino/],
    ];
    for (const [start, message] of others) {
      assert.throws(() => core.readModelSync(Buffer.from(start + '\0'.repeat(20), 'latin1')), {code: 'INVALID_MODEL', message});
    }
    const damaged = Buffer.from('\x08\x0a\x12\x07pytorch' + '\0'.repeat(20), 'latin1'); // ONNX, which is read
    assert.throws(() => core.readModelSync(damaged), {code: 'INVALID_MODEL', message: /the ONNX file is damaged at byte 11/});
  });
});

for (const build of builds) {
  describe(`the profile of PNNX and IR, ${build}`, async () => {
    const ov = await packageWith(build);
    const core = new ov.Core();
    for (const name of ['resnet', 'mobilenet_v3', 'convnext', 'lraspp', 'unet', 'generator', 'encoder_torch', 'swin']) {
      it(`${name}: the same kernels in the same layouts`, () => {
        const {at, param, sets} = caseOf(name);
        const model = core.readModelSync(param);
        const path = join(folder, `${name}.xml`);
        ov.saveModelSync(model, path, false);
        assert.match(readFileSync(path, 'utf8'), /<net [^>]*version="11"/);
        const inputs = Object.values(sets[0].inputs).map(({file}) => readTensor(ov, at + file, 'f32'));
        const [ours, theirs] = [model, core.readModelSync(path)].map((read) => {
          const request = core.compileModelSync(read, 'CPU', {PERF_COUNT: true}).createInferRequest();
          const values = Object.values(request.infer(inputs)).map(({data}) => data);
          return {values, steps: request.getProfilingInfo().map(({nodeType, execType, nodeName}) => [nodeType, execType, nodeName])};
        });
        assert.ok(ours.steps.length > 3);
        assert.deepEqual(ours.steps, theirs.steps);
        assert.deepEqual(ours.values, theirs.values);
      });
    }
  });
}

describe('the networks of PNNX', () => {
  const shapesOf = (name) => {
    const {at, sets} = caseOf(name);
    return sets.map(({inputs}) => Object.values(inputs).map(({file}) => readArrayFile(at + file).shape));
  };
  const images = 'resnet resnext mobilenet_v2 mobilenet_v3 mnasnet efficientnet convnext shufflenet regnet densenet inception squeezenet vgg';
  const segmentation = 'fcn deeplab lraspp', detection = 'fpn ssdlite yolo_v5 yolo_v8', sequences = 'tagger_lstm tagger_gru encoder_torch';
  for (const name of `${images} ${segmentation} ${detection} unet ${sequences}`.split(' ')) {
    it(`${name}: batches of 1 and 3, two sizes`, () => {
      const [[[one, ...size]], [[three, ...other]]] = shapesOf(name);
      assert.deepEqual([one, three], [1, 3]);
      assert.notDeepEqual(size, other);
    });
  }
  // Positions that are weights have one size, and so have the images that a generator makes.
  for (const name of ['vit', 'encoder', 'generator']) {
    it(`${name}: batches of 1 and 3`, () => assert.deepEqual(shapesOf(name).map(([[batch]]) => batch), [1, 3]));
  }
  it('swin: two files, of batches of 1 and 3', () => {
    assert.deepEqual([...shapesOf('swin'), ...shapesOf('swin_batch')].map(([[batch]]) => batch), [1, 3]);
  });
});

describe('a file of 1 GB', async () => {
  const ov = await freshPackage();
  const core = new ov.Core();
  const size = 2 ** 30;
  await ov.ready;
  const before = ov.memoryBytes();
  const grown = () => ov.memoryBytes() - before;

  it('is not copied into the engine when it is a .bin', () => {
    const text =
      `7767517\n4 3\npnnx.Input in 0 1 i #i=(?)i64\npnnx.Attribute w 0 1 t @data=(${size / 256},64)f32\n` +
      `F.embedding e 2 1 i t o $input=i $weight=t\npnnx.Output out 1 0 o\n`;
    const model = core.readModelSync(bytes(text), storedZip([{name: 'w.data', size}]));
    assert.equal(String(model.output().getPartialShape()), '[?,64]');
    assert.ok(grown() < 64 * 2 ** 20, `${grown()} bytes`);
    model.dispose();
  });

  it('is not copied into the engine when it is the model', () => {
    const model = new Uint8Array(size);
    model.set(bytes('GGUF'));
    assert.throws(() => core.readModelSync(model), {code: 'INVALID_MODEL', message: /GGUF/});
    assert.ok(grown() < 64 * 2 ** 20, `${grown()} bytes`);
  });
});
