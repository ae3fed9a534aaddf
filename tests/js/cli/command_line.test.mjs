// SPDX-License-Identifier: Apache-2.0
// Tests `npx wasmvino`. If the native executable has been built, both must print the same.
import assert from 'node:assert/strict';
import {execFile, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, describe, it} from 'node:test';
import {promisify} from 'node:util';
import {encode as encodePng} from 'fast-png';
import jpeg from 'jpeg-js';
import {readArrayFile} from '../../../js/src/arrays/array_files.mjs';
import {addModel, builds, bytes, identityModel, irText, productModel, root, testdata} from '../engine.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasmvino-'));
after(() => rmSync(folder, {recursive: true}));

const native = ['native-asan', 'native-ci', 'native'].map((preset) => `${root}build/${preset}/wasmvino`).find(existsSync);
const programs = {node: [process.execPath, `${root}dist/cli.js`], ...(native && {native: [native]})};

function run(program, ...args) {
  const [command, ...first] = programs[program];
  const {status, stdout, stderr} = spawnSync(command, [...first, ...args], {encoding: 'utf8'});
  return {status, stdout, stderr};
}

function npy(descr, shape, data) {
  const header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.map((size) => `${size},`).join(' ')}), }`;
  const padded = header.padEnd(117) + '\n';
  const head = Buffer.from(`\x93NUMPY\x01\x00\x00\x00${padded}`, 'latin1');
  head.writeUInt16LE(padded.length, 8);
  return Buffer.concat([head, Buffer.from(data.buffer)]);
}

const add = join(folder, 'add.xml');
writeFileSync(add, addModel());
writeFileSync(join(folder, 'x.npy'), npy('<f4', [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6)));

for (const program of Object.keys(programs)) {
  describe(`command line, ${program}`, () => {
    it('info: describes a model, and lists all that it lacks for another', () => {
      const good = run(program, 'info', `${testdata}models/g2p/model.xml`);
      assert.equal(good.status, 0);
      assert.match(good.stdout, /graphemes +i32 \[1,\?\]/);
      assert.match(good.stdout, /GatherTree +opset1 +1\n/);
      assert.match(good.stdout, /the model can be run/);
      const value = [{type: 'f32', shape: [1]}];
      const layers = ['First', 'Second'].map((type, i) => ({name: `layer ${i}`, type, inputs: ['x'], outputs: value}));
      const results = layers.map(({name}, i) => ({name: `result ${i}`, type: 'Result', inputs: [name]}));
      writeFileSync(join(folder, 'odd.xml'), bytes(irText([{name: 'x', type: 'Parameter', outputs: value}, ...layers, ...results])));
      const bad = run(program, 'info', join(folder, 'odd.xml'));
      assert.equal(bad.status, 1);
      assert.match(bad.stdout, /First +opset1 +1 +UNSUPPORTED\n[^]*Second +opset1 +1 +UNSUPPORTED\n/);
      assert.match(bad.stdout, /problem: [^\n]*'layer 0'[^\n]*\nproblem: [^\n]*'layer 1'/);
    });

    it('run: does without a pass, and knows the names of all', () => {
      const given = ['--input', `x=${join(folder, 'x.npy')}`, '--input', `y=${join(folder, 'x.npy')}`];
      assert.equal(run(program, 'run', add, ...given, '--skip-pass', 'fuse_softmax', '--skip-pass', 'simplify').status, 0);
      const {status, stderr} = run(program, 'run', add, ...given, '--skip-pass', 'fuse_softmax', '--skip-pass', 'none');
      assert.equal(status, 1);
      assert.match(stderr, /there is no pass 'none'\. The passes are .*fuse_softmax/);
    });

    it('run: takes and writes arrays', () => {
      const out = join(folder, `run_${program}`);
      const x = join(folder, 'x.npy');
      const done = run(program, 'run', add, '--input', `x=${x}`, '--input', `y=${x}`, '--out', out);
      assert.equal(done.status, 0, done.stderr);
      assert.match(done.stdout, /sum +f32 \[2,3\]/);
      const written = readFileSync(join(out, 'sum.npy'));
      assert.match(written.toString('latin1'), /'descr': '<f4', 'fortran_order': False, 'shape': \(2, 3\)/);
      assert.equal(written.length % 8, 0);
      const values = new Float32Array(written.buffer.slice(written.byteOffset + written.length - 24, written.byteOffset + written.length));
      assert.deepEqual(values, Float32Array.of(2, 4, 6, 8, 10, 12));
      const missing = run(program, 'run', add, '--input', `x=${x}`);
      assert.equal(missing.status, 1);
      assert.match(missing.stderr, /input 'y' .*missing/);
    });

    it('reads PNNX, and answers other formats', () => {
      const at = `${testdata}pnnx/unet/`;
      assert.match(run(program, 'info', `${at}net.pnnx.param`).stdout, /pnnx_input_0 +f32 \[\?,3,\?,\?\][^]*the model can be run/);
      const out = join(folder, `pnnx_${program}`);
      const done = run(program, 'run', `${at}net.pnnx.param`, '--input', `pnnx_input_0=${at}in_1_0.npy`, '--out', out);
      assert.equal(done.status, 0, done.stderr);
      const [got, wanted] = [join(out, 'pnnx_output_0.npy'), `${at}out_1_0.npy`].map((path) => readArrayFile(path, 'f32'));
      assert.deepEqual(got.shape, wanted.shape);
      wanted.data.forEach((value, i) => assert.ok(Math.abs(got.data[i] - value) < 1e-4));
      writeFileSync(join(folder, 'model.onnx'), '\x08\x08\x12\x07pytorch');
      const other = run(program, 'run', join(folder, 'model.onnx'));
      assert.equal(other.status, 1);
      assert.match(other.stderr, /the ONNX file has no graph/);
    });

    it('bench and ops: have something to say', () => {
      const bench = run(program, 'bench', add, '--seconds', '0.01', '--profile');
      assert.equal(bench.status, 0, bench.stderr);
      assert.match(bench.stdout, /median +[\d.]+ ms[^]*Add-1/);
      assert.match(run(program, 'ops').stdout, /^GatherTree-1$/m);
      const table = run(program, 'ops', '--markdown').stdout;
      assert.match(table, /^\| GatherTree \| movement \| 1… \| \[gather-tree-1\]\(http/m);
      const inDocs = readFileSync(`${root}docs/operators.md`, 'utf8');
      assert.equal(table, inDocs, 'wasmvino ops --markdown >docs/operators.md');
    });

    it('says how it is used', () => {
      assert.match(run(program, '--help').stdout, /wasmvino run MODEL/);
      assert.match(run(program, 'run', '--help').stdout, /wasmvino run MODEL/);
      assert.equal(run(program, 'dance').status, 2);
      assert.match(run(program, 'run', '-h').stdout, /The exit code is 0 on success, 1 if .*, 2 if the command line is wrong/s);
      // One exit code for all mistakes in the command line, another one for files and models.
      const mistakes = [['run'], ['run', add, add], ['ops', '--loud'], ['bench', add, '--threads', 'many'], ['bench', add, '--seconds'], ['bench', add, '--seconds', 'x']];
      for (const args of mistakes) assert.equal(run(program, ...args).status, 2, args.join(' '));
      assert.equal(run(program, 'run', join(folder, 'none.xml')).status, 1);
      assert.match(run(program, 'ops', '--loud').stderr, /--loud/);
      const moved = run(program, 'check', folder);
      assert.deepEqual([moved.status, /unknown command check: scripts\/check/.test(moved.stderr)], [2, true]);
    });
  });
}

describe('command line of the package', () => {
  it('tells the version, and refuses options without an effect', () => {
    assert.match(run('node', '-v').stdout, /^\d+\.\d+\.\d+\n$/);
    const mistakes = {
      'info --shape 1': /--shape needs --explain/,
      'info --skip-pass simplify': /--skip-pass needs --explain/,
      'info --threads 2': /the command info has no option --threads/,
      'ops --json --markdown': /give one of --json and --markdown/,
      'info --build fast': /--build: Unknown build 'fast' \(available: simd/,
      'run --threads many': /--threads takes a whole number from 0 to 64, not 'many'/,
      'run --thread 2': /--thread/,
    };
    for (const [line, message] of Object.entries(mistakes)) {
      const [command, ...args] = line.split(' ');
      const {status, stderr} = run('node', command, ...(command === 'ops' ? [] : [add]), ...args);
      assert.deepEqual([status, stderr.split('\n').length], [2, 2], `${line}: ${stderr}`);
      assert.match(stderr, message);
    }
  });

  it('names the option of a value that does not fit', () => {
    const x = `x=${join(folder, 'x.npy')}`;
    const lines = [
      [['bench', add, '--shape', 'x=1,two'], /--shape \S+=1,two is not a shape: write its sizes/],
      [['bench', add, '--input', 'image=x.npy'], /the model has no input 'image': its inputs are 'first', 'y'/],
      [['run', add, '--input', x, '--input', `y=${join(folder, 'x.npy')}`, '--out', join(add, 'below')], /--out \S+below: the output 'sum' cannot be written: /],
    ];
    for (const [args, message] of lines) {
      const {status, stderr} = run('node', ...args);
      assert.equal(status, 1);
      assert.match(stderr, message);
    }
  });

  it('info: says what readModel() says of a folder, and reads a pipe', () => {
    const folderOf = join(folder, 'models');
    mkdirSync(folderOf);
    writeFileSync(join(folderOf, 'openvino_model.xml'), '');
    const {status, stderr} = run('node', 'info', folderOf);
    assert.equal(status, 1);
    assert.match(stderr, /models cannot be read: it is a folder: give the model in it, openvino_model\.xml/);
    assert.match(run('node', 'info', join(folder, 'none.xml')).stderr, /Model file \S+none\.xml cannot be opened: there is no such file/);
    const pipe = join(folder, 'pipe.xml');
    spawnSync('mkfifo', [pipe]);
    const script = 'cat "$2" >"$3" & "$0" "$1" info "$3" --explain';
    const piped = spawnSync('bash', ['-c', script, process.execPath, join(root, 'dist/cli.js'), add, pipe], {encoding: 'utf8', timeout: 60_000});
    assert.equal(piped.status, 0, piped.stderr);
    assert.match(piped.stdout, /the model can be run/);
  });

  const json = (...args) => {
    const {status, stdout, stderr} = run('node', ...args, '--json');
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
  };
  const file = (name, content) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const value = (type, shape, names) => [{type, shape, names}];

  it('says its version, and ends quietly where nobody reads on', () => {
    const {version} = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
    assert.equal(run('node', '--version').stdout, `${version}\n`);
    // The reader of the pipe ends before the first line is written.
    const script = '{ sleep 0.5; "$0" "$1" ops --markdown; echo "status $?" >&2; } | true';
    const {stderr} = spawnSync('bash', ['-c', script, ...programs.node], {encoding: 'utf8'});
    assert.equal(stderr, 'status 0\n');
  });

  it('runs in the build that it is told', () => {
    assert.equal(json('bench', add, '--seconds', '0', '--build', 'simd').build.name, 'simd');
    assert.match(run('node', 'ops', '--build', 'mmx').stderr, /mmx/);
  });

  it('gives JSON', () => {
    assert.ok(json('ops').some(({type, since}) => type === 'GatherTree' && since === 1));
    const info = json('info', add);
    assert.deepEqual([info.runs, info.inputs.length, info.operations.find(({type}) => type === 'Add').count], [true, 2, 1]);
    const x = join(folder, 'x.npy');
    assert.deepEqual(json('run', add, '--input', `x=${x}`, '--input', `y=${x}`), [{name: 'sum', type: 'f32', shape: [2, 3], data: [2, 4, 6, 8, 10, 12]}]);
    const bench = json('bench', add, '--seconds', '0', '--profile');
    assert.deepEqual(bench.inputs[0], {name: 'first', type: 'f32', takes: '[2,3]', shape: [2, 3], madeUp: true});
    assert.ok(bench.milliseconds.median > 0 && bench.runs >= 3 && bench.profile.some(({execType}) => execType === 'Add-1'));
  });

  it('info: does not say that a model runs whose weights are missing', () => {
    const {xml, bin} = productModel(4, 64);
    const path = file('needs.xml', xml);
    const alone = run('node', 'info', path);
    assert.equal(alone.status, 1);
    assert.match(alone.stdout, /MatMul[^]*problem: \S+needs\.bin cannot be opened .*1 constant[^]*the model cannot be run\n$/);
    file('needs.bin', bin);
    assert.match(run('node', 'info', path).stdout, /the model can be run\n$/);
  });

  it('bench: says which sizes it chose, and wants to be told those that --shape leaves open', () => {
    const open = file('open.xml', addModel([-1, 3]));
    assert.match(run('node', 'bench', open, '--seconds', '0').stdout, /^input +first +f32 \[\?,3\] -> \[1,3\], made up$/m);
    const told = run('node', 'bench', open, '--seconds', '0', '--shape', 'first=5,3', '--shape', 'y=5,3');
    assert.match(told.stdout, /^input +first +f32 \[\?,3\] -> \[5,3\], made up$/m);
    const left = run('node', 'bench', open, '--shape', 'first=-1,3');
    assert.equal(left.status, 1);
    assert.match(left.stderr, /--shape first=-1,3 leaves size 0 dynamic .*give a whole number/);
  });

  it('run: gives every output a file of its own, in the model\'s order, and prints values', () => {
    const names = ['10', '2', 'b/out', 'b_out'];
    const layers = [{name: 'x', type: 'Parameter', outputs: value('f32', [2, 60], 'x')}];
    names.forEach((name, i) => {
      const parameter = {name: `scale ${i}`, type: 'Parameter', outputs: value('f32', [], `s${i}`)};
      const product = {name: `product ${i}`, type: 'Multiply', inputs: ['x', parameter.name], outputs: value('f32', [2, 60], name)};
      layers.push(parameter, product, {name: `result ${i}`, type: 'Result', inputs: [product.name]});
    });
    const path = file('names.xml', irText(layers));
    const inputs = ['--input', `x=${file('ramp.json', JSON.stringify([0, 1].map((row) => Array.from({length: 60}, (_, i) => 60 * row + i))))}`];
    names.forEach((_, i) => inputs.push('--input', `s${i}=${file(`s${i}.json`, String(i + 0.5))}`));
    const out = join(folder, 'names');
    const {status, stdout, stderr} = run('node', 'run', path, ...inputs, '--out', out);
    assert.equal(status, 0, stderr);
    assert.deepEqual([...stdout.matchAll(/^(\S+) {2}f32 \[2,60\] {2}(\S+)$/gm)].map(([, name, saved]) => [name, saved]), [
      ['10', join(out, '10.npy')],
      ['2', join(out, '2.npy')],
      ['b/out', join(out, 'b_out.npy')],
      ['b_out', join(out, 'b_out_2.npy')],
    ]);
    assert.match(stdout, /^\[\[0 0\.5 1 \.\.\. 28\.5 29 29\.5\]\n \[30 30\.5 31 \.\.\. 58\.5 59 59\.5\]\]$/m);
    const last = readFileSync(join(out, 'b_out_2.npy'));
    assert.equal(last.readFloatLE(last.length - 4), 119 * 3.5);
    assert.deepEqual(json('run', path, ...inputs).map(({name, data}) => [name, data[1]]), names.map((name, i) => [name, i + 0.5]));
  });

  it('run: takes pictures, resized and converted as the input wants them', () => {
    const pixels = Uint8Array.of(255, 0, 0, 0, 51, 102, 1, 2, 3, 4, 5, 6);
    const png = file('picture.png', encodePng({width: 2, height: 2, channels: 3, data: pixels}));
    const channels = [255, 0, 1, 4, 0, 51, 2, 5, 0, 102, 3, 6];
    const nchw = file('nchw.xml', identityModel('f32', [1, 3, 2, 2]));
    const given = (...args) => {
      const {status, stdout, stderr} = run('node', 'run', ...args, '--json');
      assert.equal(status, 0, stderr);
      const [{shape, data}] = JSON.parse(stdout);
      return [shape, data];
    };
    assert.deepEqual(given(nchw, '--input', png), [[1, 3, 2, 2], channels]);
    const options = ['--mean', '1', '--scale', '1,2,4', '--bgr'];
    const turned = [0, 102, 3, 6, 0, 51, 2, 5, 255, 0, 1, 4].map((value, i) => (value - 1) / [1, 2, 4][i >> 2]);
    assert.deepEqual(given(nchw, '--input', `in=${png}`, ...options), [[1, 3, 2, 2], turned]);
    assert.deepEqual(given(file('nhwc.xml', identityModel('u8', [1, 2, 2, 3])), '--input', png), [[1, 2, 2, 3], [...pixels]]);
    assert.deepEqual(given(file('open.xml', identityModel('f32', [1, 3, -1, -1])), '--input', png), [[1, 3, 2, 2], channels]);
    assert.deepEqual(given(file('one.xml', identityModel('f32', [1, 4, 1, 1])), '--input', png)[0], [1, 4, 1, 1]);
    const grey = file('grey.png', encodePng({width: 1, height: 2, channels: 1, depth: 16, data: Uint16Array.of(0xff00, 0x1234)}));
    assert.deepEqual(given(file('hw.xml', identityModel('f32', [1, 1, 2, 1])), '--input', grey), [[1, 1, 2, 1], [255, 0x12]]);
    // A row of two grey pixels of 4 bits: 15 and 5 of 15.
    const packed = file('packed.png', Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAIAAAABBAAAAAAUuc1XAAAACklEQVR42mP4CgAA9wD2CE0TRQAAAABJRU5ErkJggg==', 'base64'));
    assert.deepEqual(given(file('row.xml', identityModel('f32', [1, 1, 1, 2])), '--input', packed), [[1, 1, 1, 2], [255, 85]]);
    const even = {width: 8, height: 8, data: new Uint8Array(256).fill(200)};
    const jpg = file('picture.jpg', jpeg.encode(even, 100).data);
    for (const value of given(nchw, '--input', jpg)[1]) assert.ok(Math.abs(value - 200) < 2);
    for (const [args, message] of [
      [[file('flat.xml', identityModel('f32', [5])), '--input', png], /input 'in' of sizes \[5\] does not take pictures/],
      [[nchw, '--input', file('broken.png', 'text')], /broken\.png: the file is damaged, or it is not a PNG picture/],
      [[nchw, '--input', file('short.png', readFileSync(png).subarray(0, 40))], /short\.png: the file is damaged/],
      [[nchw, '--input', file('short.jpg', readFileSync(jpg).subarray(0, 40))], /short\.jpg: the file is damaged, or it is not a JPEG picture/],
      [[nchw, '--input', join(folder, 'none.jpg')], /none\.jpg: there is no such file/],
      [[nchw, '--input', png, '--mean', 'x'], /--mean takes a number or one for each channel/],
      [[nchw, '--input', png, '--scale', '1,0,1'], /--scale divides, so it takes no 0, but it is '1,0,1'/],
      [[nchw, '--input', png, '--input', `in=${png}`], /--input is given twice for input 'in'/],
      [[add, '--bgr'], /--mean, --scale and --bgr are for pictures/],
    ]) {
      const {status, stderr} = run('node', 'run', ...args);
      assert.equal(status, 1);
      assert.match(stderr, message);
    }
  });

  it('run: takes sound', () => {
    const wav = (name, format, bits, channels, samples) => {
      const head = Buffer.alloc(44);
      head.write('RIFF', 0);
      head.write('WAVEfmt ', 8);
      head.writeUInt32LE(16, 16);
      head.writeUInt16LE(format, 20);
      head.writeUInt16LE(channels, 22);
      head.writeUInt16LE(bits, 34);
      head.write('data', 36);
      head.writeUInt32LE(samples.length, 40);
      return file(name, Buffer.concat([head, samples]));
    };
    const heard = (shape, path) => {
      const {status, stdout, stderr} = run('node', 'run', file('sound.xml', identityModel('f32', shape)), '--input', path, '--json');
      assert.equal(status, 0, stderr);
      return JSON.parse(stdout)[0].data;
    };
    const bytesOf = (array) => Buffer.from(array.buffer);
    assert.deepEqual(heard([2, 2], wav('16.wav', 1, 16, 2, bytesOf(Int16Array.of(0, 16384, -32768, -16384)))), [0, -1, 0.5, -0.5]);
    assert.deepEqual(heard([3], wav('8.wav', 1, 8, 1, Buffer.of(0, 128, 192))), [-1, 0, 0.5]);
    assert.deepEqual(heard([1, 2], wav('24.wav', 1, 24, 1, Buffer.of(0, 0, 0x40, 0, 0, 0x80))), [0.5, -1]);
    assert.deepEqual(heard([1, 1, 2], wav('32.wav', 1, 32, 1, bytesOf(Int32Array.of(2 ** 30, -(2 ** 31))))), [0.5, -1]);
    assert.deepEqual(heard([2], wav('float.wav', 3, 32, 1, bytesOf(Float32Array.of(0.25, 1.5)))), [0.25, 1.5]);
    assert.deepEqual(heard([1], wav('double.wav', 3, 64, 1, bytesOf(Float64Array.of(0.125)))), [0.125]);
    for (const [path, message] of [
      [wav('law.wav', 7, 8, 1, Buffer.of(0)), /samples of format 7 with 8 bits are not supported/],
      [file('text.wav', 'text'), /this is not a \.wav file/],
      [file('short.wav', Buffer.from('RIFF\0\0\0\0WAVE')), /has no samples/],
    ]) {
      const {status, stderr} = run('node', 'run', file('sound.xml', identityModel('f32', [1])), '--input', path);
      assert.equal(status, 1);
      assert.match(stderr, message);
    }
  });

  it('long work has a progress bar on a terminal, and nowhere else', () => {
    const command = [...programs.node, 'bench', add, '--seconds', '1'];
    const onTerminal = spawnSync('script', ['-qec', command.join(' '), '/dev/null'], {encoding: 'utf8'});
    assert.equal(onTerminal.status, 0, onTerminal.stdout);
    assert.match(onTerminal.stdout, /running \[#+ *\] \d+ % \d+ runs/);
    assert.equal(run('node', 'bench', add, '--seconds', '1').stderr, '');
  });

  it('every command on models takes URLs, and shows how much is read', async () => {
    const [xml, weights] = ['xml', 'bin'].map((kind) => readFileSync(`${testdata}models/g2p/model.${kind}`));
    const files = {'/model.xml': xml, '/model.bin': weights, '/slow.xml': xml, '/alone.xml': xml};
    const asked = [];
    const server = createServer(async ({url}, response) => {
      asked.push(url);
      if (url === '/slow.bin') {
        response.writeHead(200, {'content-length': weights.length}).write(weights.subarray(0, weights.length / 2));
        await new Promise((resolve) => setTimeout(resolve, 700));
        response.write(weights.subarray(weights.length / 2, weights.length - 1000));
        await new Promise((resolve) => setTimeout(resolve, 200));
        return response.end(weights.subarray(weights.length - 1000));
      }
      response.writeHead(files[url] ? 200 : 404).end(files[url]);
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${server.address().port}/`;
    // The server runs in this process, so the command must not block it.
    const of = (command, args) => promisify(execFile)(command, args).catch((error) => error);
    const cli = (...args) => of(programs.node[0], [programs.node[1], ...args]);
    try {
      assert.match((await cli('info', `${url}model.xml`)).stdout, /graphemes +i32 \[1,\?\][^]*the model can be run/);
      assert.match((await cli('info', `${url}model.xml`, '--explain')).stdout, /the model can be run/);
      assert.deepEqual(asked, ['/model.xml', '/model.bin', '/model.xml', '/model.bin']);
      assert.match((await cli('info', `${url}alone.xml`)).stdout, /problem: \S+alone\.bin cannot be opened \(status 404.*\n.*cannot be run/);
      const [graphemes, width] = ['[[4, 20, 2]]', '3'].map((text, i) => {
        const path = join(folder, `of_url_${i}.json`);
        writeFileSync(path, text);
        return path;
      });
      const inputs = ['--input', `graphemes=${graphemes}`, '--input', `beam_width=${width}`];
      const here = await cli('run', `${testdata}models/g2p/model.xml`, ...inputs);
      const there = await cli('run', `${url}model.xml`, ...inputs);
      assert.deepEqual([there.stdout, there.stderr], [here.stdout, '']);
      assert.match((await cli('bench', `${url}model.xml`, '--seconds', '0')).stdout, /median +\d/);
      assert.match((await cli('info', `${url}none.xml`)).stderr, /none\.xml cannot be opened: status 404/);
      const onTerminal = await of('script', ['-qec', [...programs.node, 'run', `${url}slow.xml`, ...inputs].join(' '), '/dev/null']);
      assert.match(onTerminal.stdout, /reading \[#+ *\] \d+ % \d+ MB/);
    } finally {
      server.close();
    }
  });

  it('bench: compares the builds and numbers of threads', () => {
    const {status, stdout, stderr} = run('node', 'bench', add, '--seconds', '0', '--compare', '--json');
    assert.equal(status, 0, stderr);
    const rows = JSON.parse(stdout);
    assert.deepEqual([...new Set(rows.map(({build}) => build))], builds);
    for (const {threads, compile, median, fastest} of rows) assert.ok(threads >= 1 && compile > 0 && median >= fastest && fastest > 0);
    assert.match(run('node', 'bench', add, '--compare', '--threads', '2').stderr, /omit --build and --threads/);
  });

  it('run: converts what the type of an input holds exactly', () => {
    const i64 = file('i64.xml', identityModel('i64', [2, 2]));
    const values = [[1, -2], [3, 2 ** 40]];
    const floats = file('floats.npy', npy('<f8', [2, 2], Float64Array.from(values.flat())));
    const wanted = [{name: 'in', type: 'i64', shape: [2, 2], data: values.flat()}];
    assert.deepEqual(json('run', i64, '--input', floats), wanted);
    assert.deepEqual(json('run', i64, '--input', file('nested.json', JSON.stringify(values))), wanted);
    assert.deepEqual(json('run', i64, '--input', file('flat.json', JSON.stringify({shape: [2, 2], data: values.flat()}))), wanted);
    const f32 = file('f32.xml', identityModel('f32', [2, 2]));
    for (const [model, name, content, message] of [
      [i64, 'half.npy', npy('<f8', [2, 2], Float64Array.of(1, 2, 0.5, 4)), /value 2, 0\.5, is not an integer/],
      [f32, 'tenth.npy', npy('<f8', [2, 2], Float64Array.of(1, 2, 0.1, 4)), /value 2, 0\.1 of type f64, has no exact representation in f32/],
      [f32, 'ragged.json', '[[1, 2], [3]]', /axis 1 are not all of length 2/],
      [f32, 'broken.json', '[[1, 2', /is not JSON/],
      [f32, 'text.json', '["a", "b"]', /text\.json: the file has strings, but the input 'in' takes f32/],
      [f32, 'few.json', '{"shape": [2, 2], "data": [1, 2]}', /few\.json: the shape \[2,2\] has 4 values, but the file has 2/],
      [file('flag.xml', identityModel('boolean', [2])), 'two.json', '[1, 2]', /two\.json: .*value 1, 2, is outside 0 to 1/],
      [f32, 'picture.gif', 'x', /unsupported file type \(supported: \.npy, \.json, \.png, \.jpg, \.wav\)/],
    ]) {
      const refused = run('node', 'run', model, '--input', file(name, content));
      assert.equal(refused.status, 1);
      assert.match(refused.stderr, message);
    }
  });
});
