// SPDX-License-Identifier: Apache-2.0
// Tests that the parts of the engine are loaded by those who need them: in Node.js, Chromium and Firefox.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {cpSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {gzipSync} from 'node:zlib';
import puppeteer from 'puppeteer-core';
import {build as viteBuild} from 'vite';
import {builds, parts} from '../../js/manifest.mjs';
import {browsers, dist, install, isolation, serve} from './install.mjs';

// A model of each kind that computes a ReLU.
const pnnx = `7767517
3 2
pnnx.Input x 0 1 x #x=(1,4)f32
nn.ReLU relu 1 1 x y #x=(1,4)f32 #y=(1,4)f32
pnnx.Output y 1 0 y #y=(1,4)f32
`;
const port = (id) => `<port id="${id}" precision="FP32"><dim>1</dim><dim>4</dim></port>`;
const ir = `<?xml version="1.0"?>
<net name="relu" version="11">
<layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,4" element_type="f32"/><output>${port(0)}</output></layer>
<layer id="1" name="y" type="ReLU" version="opset1"><input>${port(0)}</input><output>${port(1)}</output></layer>
<layer id="2" name="out" type="Result" version="opset1"><input>${port(0)}</input></layer>
</layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges>
</net>`;

// The ReLU is multiplied by ones, i32 numbers of varying length: threads that compile the model read them with the part.
const field = (number, ...content) => [(number << 3) | 2, content.length, ...content];
const varint = (number, value) => [number << 3, value];
const word = (number, value) => field(number, ...Buffer.from(value));
const node = (type, inputs, output) => field(1, ...inputs.flatMap((name) => word(1, name)), ...word(2, output), ...word(4, type));
const shape = field(2, ...[1, 4].flatMap((size) => field(1, ...varint(1, size))));
const value = (number, name) => field(number, ...word(1, name), ...field(2, ...field(1, ...varint(1, 1), ...shape)));
const ones = field(5, ...varint(1, 4), ...varint(2, 6), ...field(5, 1, 1, 1, 1), ...word(8, 'ones'));
const castToFloat = field(1, ...word(1, 'ones'), ...word(2, 'factor'), ...word(4, 'Cast'), ...field(5, ...word(1, 'to'), ...varint(3, 1), 0xa0, 1, 2));
const graph = [...castToFloat, ...node('Relu', ['x'], 'positive'), ...node('Mul', ['positive', 'factor'], 'y'), ...word(2, 'relu'), ...ones, ...value(11, 'x'), ...value(12, 'y')];
const onnx = Uint8Array.from([...varint(1, 8), 0x3a, (graph.length & 0x7f) | 0x80, graph.length >> 7, ...graph, ...field(8, ...varint(2, 17))]);

const models = {'ir.xml': ir, 'net.pnnx.param': pnnx, 'net.onnx': onnx};
const fileOf = {onnx: 'net.onnx', pnnx: 'net.pnnx.param'};
// Most bytes with gzip of what a page loads for an IR, and for a PNNX model in addition.
const most = {module: 720_000, onnx: 135_000, pnnx: 150_000};

const {folder, remove} = install();
after(remove);
const installed = join(folder, 'node_modules/wasmvino/dist');
for (const [name, text] of Object.entries(models)) writeFileSync(join(folder, name), text);

const script = (body) => ({type: 'text/javascript', body});
const html = (body) => ({type: 'text/html', body: `<!doctype html><title>parts</title>${body}`});

describe('parts of the engine', () => {
  it('leave the module of each build small', () => {
    for (const build of builds) {
      const zipped = (name) => gzipSync(readFileSync(join(dist, `${name}.wasm`)), {level: 9}).length;
      const module = zipped(`wasmvino-${build}`);
      assert.ok(module <= most.module, `${build}: ${module} bytes`);
      for (const part of parts) {
        const size = zipped(`wasmvino-${build}.${part}`);
        assert.ok(size <= most[part], `${build}, ${part}: ${size} bytes`);
      }
    }
  });
});

describe('parts in Node.js', () => {
  const run = (program, at = folder) => {
    writeFileSync(join(at, 'program.mjs'), program);
    return execFileSync(process.execPath, ['program.mjs'], {cwd: at, encoding: 'utf8'}).trim();
  };
  const program = (body, options = '{}') => `
    import {addon as ov} from 'wasmvino';
    import {readFileSync} from 'node:fs';
    ov.configure({build: 'simd', ...${options}});
    const core = new ov.Core();
    const infer = (compiled) => [...Object.values(compiled.createInferRequest().infer([Float32Array.of(-1, 2, -3, 4)]))[0].data].join();
    try {
      ${body}
    } catch (error) {
      console.log(error.code, error.message);
    }
    process.exit();`;

  it('are read from the disk, also for synchronous calls', () => {
    const output = run(program(`
      console.log(infer(core.compileModelSync('net.pnnx.param', 'CPU')));
      console.log(infer(await core.compileModel('net.pnnx.param', 'CPU')), infer(await core.compileModel('ir.xml', 'CPU')));`));
    assert.equal(output, '0,2,0,4\n0,2,0,4 0,2,0,4');
  });

  it('are loaded with each build, here and in a worker', () => {
    for (const build of builds.filter((name) => name.startsWith('simd'))) {
      const body = `
        const results = [];
        for (const worker of [false, true]) {
          for (const path of ['net.pnnx.param', 'net.onnx', 'net.onnx']) {
            const compiled = await new ov.Core({worker}).compileModel(path, 'CPU');
            const [y] = Object.values(await compiled.createInferRequest().inferAsync([Float32Array.of(-1, 2, -3, 4)]));
            results.push([...y.data].join());
          }
        }
        console.log(results.join(' '));`;
      assert.equal(run(program(body, `{build: '${build}'}`)), Array(6).fill('0,2,0,4').join(' '), build);
    }
  });

  it('are reported by inspect() and info', () => {
    const body = `
      for (const path of ['ir.xml', 'net.onnx', 'net.pnnx.param']) {
        const {parts, problems} = ov.inspect(readFileSync(path));
        console.log(path, JSON.stringify(parts), problems.length);
      }
      console.log(ov.operations().find(({type}) => type === 'Relu').operators.PNNX.includes('nn.ReLU'));`;
    assert.equal(run(program(body)), 'ir.xml [] 0\nnet.onnx ["onnx"] 0\nnet.pnnx.param ["pnnx"] 0\ntrue');
    const info = (...args) => execFileSync('npx', ['--offline', 'wasmvino', 'info', ...args], {cwd: folder, encoding: 'utf8'});
    assert.match(info('net.pnnx.param'), /^parts of the engine: pnnx$/m);
    assert.doesNotMatch(info('ir.xml'), /parts of the engine/);
    assert.deepEqual(JSON.parse(info('net.pnnx.param', '--json')).parts, ['pnnx']);
  });

  it('are not read for an IR, and are named if they are missing or do not fit', () => {
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    cpSync(join(installed, 'wasmvino-simd.wasm'), join(elsewhere, 'wasmvino-simd.wasm'));
    const read = (path) => program(`console.log(infer(core.compileModelSync('${path}', 'CPU')));`, "{wasmUrl: './elsewhere/'}");
    assert.equal(run(read('ir.xml')), '0,2,0,4');
    assert.match(run(read('net.pnnx.param')), /^INVALID_ARGUMENT The part 'pnnx' of the engine \(build 'simd'\) cannot be loaded: .*elsewhere\/wasmvino-simd\.pnnx\.wasm/);
    cpSync(join(installed, 'wasmvino-relaxed.pnnx.wasm'), join(elsewhere, 'wasmvino-simd.pnnx.wasm'));
    assert.match(run(read('net.pnnx.param')), /^INVALID_ARGUMENT The part 'pnnx' does not fit the engine \(expected the id [0-9a-f]{16}, found [0-9a-f]{16}\)/);
    cpSync(join(installed, 'wasmvino-simd.pnnx.wasm'), join(elsewhere, 'wasmvino-simd.pnnx.wasm'));
    assert.equal(run(read('net.pnnx.param')), '0,2,0,4');
    rmSync(elsewhere, {recursive: true});
  });

  it('are given as bytes or as a module', () => {
    const files = "{wasmBinary: readFileSync('node_modules/wasmvino/dist/wasmvino-simd.wasm')";
    const part = "readFileSync('node_modules/wasmvino/dist/wasmvino-simd.pnnx.wasm')";
    for (const given of [part, `new WebAssembly.Module(${part})`, 'true']) {
      assert.equal(run(program("console.log(infer(core.compileModelSync('net.pnnx.param', 'CPU')));", `${files}, parts: {pnnx: ${given}}}`)), '0,2,0,4', given);
    }
  });

  it('are given to threaded builds as bytes', () => {
    const given = (part) => run(program("console.log(infer(await core.compileModel('net.onnx', 'CPU')));", `{build: 'simd-mt', parts: {onnx: ${part}}}`));
    const bytes = "readFileSync('node_modules/wasmvino/dist/wasmvino-simd-mt.onnx.wasm')";
    assert.equal(given(bytes), '0,2,0,4');
    assert.match(given(`new WebAssembly.Module(${bytes})`), /^INVALID_ARGUMENT configure\(\): parts\.onnx is a WebAssembly\.Module, but a build with threads needs the bytes/);
  });

  it('that there are not are refused by name', () => {
    const refused = (options) => run(`
      import {configure} from 'wasmvino';
      try { configure(${options}); } catch ({code, message}) { console.log(code, message); }`);
    assert.equal(refused("{parts: {onmx: true}}"), "INVALID_ARGUMENT configure(): the engine has no part 'onmx' (parts: onnx, pnnx).");
    assert.match(refused("{parts: {pnnx: 'yes'}}"), /^INVALID_ARGUMENT configure\(\): parts\.pnnx is true, an ArrayBuffer, a Uint8Array or a WebAssembly\.Module, not/);
    assert.match(refused("{parts: 'pnnx'}"), /^INVALID_ARGUMENT configure\(\): parts is an object, not/);
  });
});

// Runs in the page: computes with a model, and returns the result or the error.
const compute = `async function compute(wasmvino, options, path, {worker = false, sync = false} = {}) {
  try {
    if (!globalThis.configured) wasmvino.configure(options);
    globalThis.configured = true;
    const core = new wasmvino.Core({worker});
    if (sync) await wasmvino.ready;
    const bytes = sync && new Uint8Array(await (await fetch(path)).arrayBuffer());
    const compiled = sync ? core.compileModelSync(core.readModelSync(bytes), 'CPU') : await core.compileModel(path, 'CPU');
    const [y] = Object.values(await compiled.createInferRequest().inferAsync([Float32Array.of(-1, 2, -3, 4)]));
    return [...y.data].join();
  } catch (error) {
    return error.code + ' ' + error.message;
  }
}`;
const entry = '/node_modules/wasmvino/dist/browser.js';
const policy = {'content-security-policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'"};

for (const [name, options] of Object.entries(browsers)) {
  describe(`parts in ${name}`, () => {
    let browser;
    before(async () => {
      browser = await puppeteer.launch({...options, headless: true});
    });
    after(() => browser?.close());

    // Opens a page that has the package in globalThis.wasmvino, and returns what `use` returns and the .wasm files it fetched.
    async function inPage(use, {headers = {}, answers = {}, head = '<script type="module" src="/main.js"></script>', root = folder} = {}) {
      const main = script(`import * as wasmvino from '${entry}';\nglobalThis.wasmvino = wasmvino;\nglobalThis.compute = ${compute};\n`);
      const classic = script(`globalThis.compute = ${compute};`);
      const server = await serve(root, headers, {'/': html(head), '/main.js': main, '/classic.js': classic, ...answers});
      const page = await browser.newPage();
      const fetched = [];
      page.on('response', (response) => {
        const path = new URL(response.url()).pathname;
        if (path.endsWith('.wasm')) fetched.push(path.replace(/^.*\//, ''));
      });
      try {
        await page.goto(server.url);
        await page.waitForFunction('globalThis.compute && globalThis.wasmvino');
        const call = (...args) => page.evaluate((args) => globalThis.compute(globalThis.wasmvino, ...args), args);
        return {result: await use(call), fetched};
      } finally {
        await page.close();
        server.close();
      }
    }

    it('are fetched once, by the first model that needs them, in every build and under a strict policy', async () => {
      for (const build of name === 'Firefox' ? builds.filter((each) => each.startsWith('simd')) : builds) {
        const paths = ['/ir.xml', ...Object.values(fileOf).flatMap((file) => [`/${file}`, `/${file}`])];
        const all = async (call) => {
          const results = [];
          for (const path of paths) results.push(await call(path === '/ir.xml' ? {build} : {}, path));
          return results;
        };
        const {result, fetched} = await inPage(all, {headers: {...policy, ...isolation}});
        assert.deepEqual(result, Array(paths.length).fill('0,2,0,4'), build);
        assert.deepEqual(fetched, [`wasmvino-${build}.wasm`, ...parts.map((part) => `wasmvino-${build}.${part}.wasm`)]);
      }
    });

    it('are not fetched for an IR', async () => {
      const {result, fetched} = await inPage((call) => call({build: 'simd'}, '/ir.xml'));
      assert.deepEqual([result, fetched], ['0,2,0,4', ['wasmvino-simd.wasm']]);
    });

    it('are fetched by the worker of the engine', async () => {
      for (const build of ['simd', 'simd-mt']) {
        const {result} = await inPage(
          async (call) => [await call({build}, '/net.onnx', {worker: true}), await call({}, '/net.pnnx.param', {worker: true})],
          {headers: {...policy, ...isolation}},
        );
        assert.deepEqual(result, ['0,2,0,4', '0,2,0,4'], build);
      }
    });

    it('are named by synchronous calls that need them, and loaded before these if configured', async () => {
      const {result: refused} = await inPage((call) => call({build: 'simd'}, '/net.pnnx.param', {sync: true}));
      assert.match(refused, /^INVALID_STATE The model needs the part 'pnnx' of the engine, which a synchronous call cannot load here: .*ov\.configure\(\{parts: \{pnnx: true\}\}\)/);
      const {result, fetched} = await inPage((call) => call({build: 'simd', parts: {pnnx: true}}, '/net.pnnx.param', {sync: true}));
      assert.equal(result, '0,2,0,4');
      assert.deepEqual(fetched.sort(), ['wasmvino-simd.pnnx.wasm', 'wasmvino-simd.wasm']);
    });

    it('are fetched from where the engine lies', async () => {
      const place = '/node_modules/wasmvino/dist/wasmvino-simd';
      const [module, part] = ['.wasm', '.pnnx.wasm'].map((end) => readFileSync(join(folder, place + end)));
      const wasm = (body) => ({type: 'application/wasm', body});
      const answers = {'/ours.wasm': wasm(module), '/ours.pnnx.wasm': wasm(part), '/all/wasmvino-simd.wasm': wasm(module), '/all/wasmvino-simd.pnnx.wasm': wasm(part)};
      for (const [wasmUrl, wanted] of [['/all/', ['wasmvino-simd.wasm', 'wasmvino-simd.pnnx.wasm']], ['/ours.wasm?v=1', ['ours.wasm', 'ours.pnnx.wasm']]]) {
        const {result, fetched} = await inPage((call) => call({build: 'simd', wasmUrl}, '/net.pnnx.param'), {answers});
        assert.deepEqual([result, fetched], ['0,2,0,4', wanted]);
      }
    });

    it('that are missing are named, and what is loaded goes on', async () => {
      const path = '/node_modules/wasmvino/dist/wasmvino-simd.pnnx.wasm';
      const {result} = await inPage(async (call) => [await call({build: 'simd'}, '/net.pnnx.param'), await call({}, '/ir.xml')], {answers: {[path]: {status: 404, body: ''}}});
      assert.match(result[0], /^INVALID_ARGUMENT .*wasmvino-simd\.pnnx\.wasm is not the WebAssembly module: it is a response with status 404/);
      assert.equal(result[1], '0,2,0,4');
    });

    it('belong to the classic script too', async () => {
      const head = '<script src="/node_modules/wasmvino/dist/wasmvino.js"></script><script src="/classic.js"></script>';
      const {result, fetched} = await inPage((call) => call({build: 'simd'}, '/net.pnnx.param'), {head, headers: policy});
      assert.deepEqual([result, fetched], ['0,2,0,4', ['wasmvino-simd.wasm', 'wasmvino-simd.pnnx.wasm']]);
    });

    it('are found in what Vite builds', async () => {
      const root = join(folder, `vite-${name}`);
      mkdirSync(root);
      writeFileSync(join(root, 'main.js'), `import * as wasmvino from 'wasmvino/simd';\nglobalThis.wasmvino = wasmvino;\nglobalThis.compute = ${compute};\n`);
      writeFileSync(join(root, 'index.html'), html('<script type="module" src="./main.js"></script>').body);
      await viteBuild({root, logLevel: 'warn', build: {outDir: 'built'}});
      const built = join(root, 'built');
      for (const [file, text] of Object.entries(models)) writeFileSync(join(built, file), text);
      const {result, fetched} = await inPage(async (call) => [await call({}, '/ir.xml'), await call({}, '/net.pnnx.param')], {
        root: built,
        answers: {'/': {type: 'text/html', body: readFileSync(join(built, 'index.html'))}},
      });
      assert.deepEqual(result, ['0,2,0,4', '0,2,0,4']);
      assert.deepEqual(fetched.map((file) => file.replace(/-[\w-]{8}\.wasm$/, '')), ['wasmvino-simd', 'wasmvino-simd.pnnx']);
    });
  });
}
