// SPDX-License-Identifier: Apache-2.0
// `npx wasmvino`, and that it and the native executable say the same where that has been built.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, describe, it} from 'node:test';
import {addModel, builds, bytes, irText, root, testdata} from './engine.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasmvino-'));
after(() => rmSync(folder, {recursive: true}));

const native = ['native-ci', 'native'].map((preset) => `${root}build/${preset}/wasmvino`).find(existsSync);
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

    it('check: runs both forms of a case, and writes what it got', () => {
      const out = join(folder, `check_${program}`);
      const report = join(folder, `report_${program}.json`);
      const specification = run(program, 'check', `${testdata}specification`, '--write', out, '--json', report);
      assert.equal(specification.status, 0, specification.stdout + specification.stderr);
      const {passed, failed, cases} = JSON.parse(readFileSync(report, 'utf8'));
      assert.deepEqual([passed, failed], [9, 0]);
      for (const {name} of cases) assert.ok(existsSync(join(out, name, 'out_0.npy')), name);
      const g2p = run(program, 'check', `${testdata}models/g2p`, '--write', out, '--filter', 'beam1$');
      assert.equal(g2p.status, 0, g2p.stdout);
      assert.match(g2p.stdout, /g2p\/model_beam1 +1 +0 +0\n/);
      assert.ok(existsSync(join(out, 'g2p/model_beam1/set_8/out_2.npy')));
    });

    it('check: finds a wrong value, and finding no case is a failure', () => {
      const cases = join(folder, `wrong_${program}`);
      const source = `${testdata}specification/gather_tree_example`;
      cpSync(source, join(cases, 'changed'), {recursive: true});
      const golden = readFileSync(join(source, 'out_0.npy'));
      golden[golden.length - 4] ^= 1;
      writeFileSync(join(cases, 'changed/out_0.npy'), golden);
      const found = run(program, 'check', cases);
      assert.equal(found.status, 1);
      assert.match(found.stdout, /FAILED changed: output 0 .*1 of \d+ values differ/);
      const empty = join(folder, 'empty');
      mkdirSync(empty, {recursive: true});
      for (const args of [[empty], [`${testdata}specification`, '--filter', 'nothing like this']]) {
        const none = run(program, 'check', ...args);
        assert.equal(none.status, 1);
        assert.match(none.stderr, /no case found/);
      }
    });

    it('says how it is used', () => {
      assert.match(run(program, '--help').stdout, /wasmvino check FOLDER/);
      assert.match(run(program, 'check', '--help').stdout, /wasmvino check FOLDER/);
      assert.equal(run(program, 'dance').status, 2);
      assert.equal(run(program, 'run').status, 1);
      assert.match(run(program, 'check', folder, '--loud').stderr, /--loud/);
      assert.match(run(program, 'check', folder, '--build', 'mmx').stderr, /mmx|native/);
    });
  });
}

describe('command line, builds', () => {
  for (const build of builds) {
    it(`decodes the golden words of all five g2p models with ${build}`, () => {
      const {status, stdout, stderr} = run('node', 'check', `${testdata}models/g2p`, '--build', build);
      assert.equal(status, 0, stdout + stderr);
      assert.match(stdout, /all +5 +0 +0\n/);
    });
  }

  if (native) {
    it('writes what the native executable writes', () => {
      const listing = (program) => {
        const base = join(folder, `check_${program}`);
        return readdirSync(base, {recursive: true}).map(String).filter((name) => name.endsWith('.npy')).sort();
      };
      assert.deepEqual(listing('node'), listing('native'));
      for (const name of listing('node').filter((path) => /gather_tree/.test(path))) {
        const [a, b] = ['node', 'native'].map((program) => readFileSync(join(folder, `check_${program}`, name)));
        assert.ok(a.equals(b), name);
      }
    });
  }
});
