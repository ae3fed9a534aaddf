// SPDX-License-Identifier: Apache-2.0
// Tests scripts/check with a build of the package and, if it exists, with the native engine.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, describe, it} from 'node:test';
import {root, testdata} from '../js/engine.mjs';
import {compare, sortAlong} from './compare.mjs';
import {program as nativeProgram} from './native_engine.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasmvino-'));
after(() => rmSync(folder, {recursive: true}));

const builds = ['simd', ...(nativeProgram ? ['native'] : [])];
const check = (...args) => spawnSync(`${root}scripts/check`, args, {encoding: 'utf8'});

for (const build of builds) {
  describe(`scripts/check, ${build}`, () => {
    it('runs both forms of a case, and writes the outputs', () => {
      const out = join(folder, `check_${build}`);
      const file = join(folder, `report_${build}.json`);
      const specification = check(`${testdata}specification`, '--build', build, '--write', out, '--json', file);
      assert.equal(specification.status, 0, specification.stdout + specification.stderr);
      const report = JSON.parse(readFileSync(file, 'utf8'));
      assert.deepEqual([report.build, report.passed, report.failed, report.unsupported], [build, 9, 0, 0]);
      assert.deepEqual(report.operations.GatherTree, {passed: 4, failed: 0, unsupported: 0});
      for (const {name, status, milliseconds} of report.cases) {
        assert.deepEqual([status, milliseconds > 0], ['passed', true], name);
        assert.ok(existsSync(join(out, name, 'out_0.npy')), name);
      }
      const g2p = check(`${testdata}models/g2p`, '--build', build, '--write', out, '--filter', 'beam1$');
      assert.equal(g2p.status, 0, g2p.stdout);
      assert.match(g2p.stdout, /g2p\/model_beam1 +1 +0 +0\n/);
      assert.ok(existsSync(join(out, 'g2p/model_beam1/set_8/out_2.npy')));
    });

    it('writes no result outside of the folder', () => {
      const cases = join(folder, `leaving_${build}`);
      cpSync(`${testdata}models/g2p`, join(cases, 'g2p'), {recursive: true});
      const file = join(cases, 'g2p/case.json');
      const json = JSON.parse(readFileSync(file, 'utf8'));
      const [model] = Object.values(json.models);
      const escaped = `escaped_${build}`;
      writeFileSync(file, JSON.stringify({...json, models: {[`../../${escaped}`]: {...model, sets: model.sets.slice(0, 1)}}}));
      const found = check(cases, '--build', build, '--write', join(folder, `kept_${build}`));
      assert.equal(found.status, 1);
      assert.match(found.stdout, /FAILED .*would be written outside of/);
      assert.ok(!existsSync(join(folder, escaped)));
    });

    it('tells a wrong value, a missing array, a wrong input and an unknown operation', () => {
      const cases = join(folder, `wrong_${build}`);
      const copy = (name) => (cpSync(`${testdata}specification/gather_tree_example`, join(cases, name), {recursive: true}), join(cases, name));
      const golden = join(copy('changed'), 'out_0.npy');
      const bytes = readFileSync(golden);
      bytes[bytes.length - 4] ^= 1;
      writeFileSync(golden, bytes);
      rmSync(join(copy('no_golden'), 'out_0.npy'));
      rmSync(join(copy('no_input'), 'in_1.npy'));
      const short = copy('short_input');
      cpSync(join(short, 'in_3.npy'), join(short, 'in_0.npy'));
      copy('right');
      const xml = join(copy('unknown'), 'model.xml');
      writeFileSync(xml, readFileSync(xml, 'utf8').replaceAll('type="GatherTree"', 'type="GatherBush"'));
      const found = check(cases, '--build', build);
      assert.equal(found.status, 1);
      assert.match(found.stdout, /FAILED changed: output 0 .*1 of \d+ values differ/);
      assert.match(found.stdout, /FAILED no_golden: there is no array .*out_0\.npy/);
      assert.match(found.stdout, /FAILED no_input: there is no array .*in_1\.npy/);
      assert.match(found.stdout, /FAILED short_input: .*\[100,1,10\]/);
      assert.match(found.stdout, /^all +1 +4 +1$/m);
    });

    it('finding no case is a failure', () => {
      const empty = join(folder, 'empty');
      mkdirSync(empty, {recursive: true});
      for (const args of [[empty], [`${testdata}specification`, '--filter', 'nothing like this']]) {
        const none = check(...args, '--build', build);
        assert.equal(none.status, 1);
        assert.match(none.stderr, /no case found/);
      }
    });
  });
}

describe('scripts/check', () => {
  it('says how it is used', () => {
    assert.match(check('--help').stdout, /scripts\/check FOLDER/);
    assert.equal(check().status, 2);
    assert.match(check(folder, '--loud').stderr, /--loud/);
    assert.match(check(folder, '--build', 'mmx').stderr, /mmx/);
    assert.match(check(join(folder, 'nowhere')).stderr, /there is no folder/);
  });

  it('writes the same arrays from every engine', {skip: !nativeProgram}, () => {
    const listing = (build) => {
      const names = readdirSync(join(folder, `check_${build}`), {recursive: true}).map(String);
      return names.filter((name) => name.endsWith('.npy')).sort();
    };
    assert.deepEqual(listing('simd'), listing('native'));
    for (const name of listing('simd').filter((path) => /gather_tree/.test(path))) {
      const [a, b] = ['simd', 'native'].map((build) => readFileSync(join(folder, `check_${build}`, name)));
      assert.ok(a.equals(b), name);
    }
  });
});

describe('comparison', () => {
  const f32 = (shape, ...data) => ({type: 'f32', shape, data: Float32Array.from(data)});
  const exact = {rtol: 0, atol: 0, exact: true};
  const differs = (got, want, rule = exact, skipped = undefined) => compare(got, want, rule, skipped).difference;

  it('needs the same type and shape', () => {
    assert.match(differs(f32([1], 1), {type: 'i32', shape: [1], data: Int32Array.of(1)}), /type is f32, expected i32/);
    assert.match(differs(f32([2], 1, 1), f32([1, 2], 1, 1)), /shape is \[2\], expected \[1,2\]/);
  });

  it('takes values within the tolerances, NaN for NaN, and skips rows', () => {
    const want = f32([2, 2], 100, NaN, -100, Infinity);
    const rule = {rtol: 0.01, atol: 0.5, exact: false};
    assert.equal(differs(f32([2, 2], 101.4, NaN, -98.6, Infinity), want, rule), '');
    assert.match(differs(f32([2, 2], 101.6, NaN, -98, Infinity), want, rule), /2 of 4 values differ, the first at \[0,0\]/);
    assert.match(differs(f32([2, 2], 100, 0, -100, Infinity), want, rule), /1 of 4 values differ, the first at \[0,1\]/);
    assert.equal(differs(f32([2, 2], 0, 0, -100, Infinity), want, rule, [true, false]), '');
    assert.match(differs(f32([2], 1, 1), f32([2], 1, 2), {...rule, rtol: 1, meanAtol: 0.4}), /mean difference is 0\.5/);
    assert.match(differs(f32([1, 2], 1, 0), f32([1, 2], 0, 1), {...rule, rtol: 1, atol: 1, minCosine: 0.5}), /cosine 0/);
  });

  it('keeps 64-bit integers and packed types apart', () => {
    const i64 = (value) => ({type: 'i64', shape: [], data: BigInt64Array.of(value)});
    assert.match(differs(i64(2n ** 62n), i64(2n ** 62n + 1n)), /values differ/);
    const f4 = (code) => ({type: 'f4e2m1', shape: [], data: Uint8Array.of(code)});
    assert.equal(compare(f4(7), f4(1), {rtol: 0, atol: 0, exact: false}).worst, 5.5);
    const strings = (...data) => ({type: 'string', shape: [2], data});
    assert.match(differs(strings('a', 'b'), strings('a', 'c')), /element \[1\] is 'b', expected 'c'/);
  });

  it('matches detections by label and overlap', () => {
    const rule = {...exact, detections: {image: 0, label: 1, score: 2, box: 3, minScore: 0.5, iou: 0.9, scoreAtol: 0.1}};
    const [first, second, weak] = [[0, 1, 0.9, 0, 0, 10, 10], [0, 2, 0.8, 5, 5, 9, 9], [0, 2, 0.1, 1, 1, 2, 2]];
    const rows = (...all) => f32([all.length, 7], ...all.flat());
    assert.equal(differs(rows(second, first, [0, 1, 0.2, 0, 0, 1, 1]), rows(first, weak, second), rule), '');
    assert.match(differs(rows(first, weak), rows(first, second), rule), /expected detection 1 \(label 2/);
    assert.match(differs(rows(first, [0, 2, 0.8, 5, 5, 9, 20]), rows(first, weak), rule), /found detection 1/);
  });

  it('sorts along an axis, jointly', () => {
    const keys = f32([2, 3], 3, 1, 2, 5, 5, 4);
    const other = {type: 'i32', shape: [2, 3], data: Int32Array.of(30, 10, 20, 51, 50, 40)};
    const [a, b] = sortAlong([keys, other], -1);
    assert.deepEqual([[...a.data], [...b.data]], [[1, 2, 3, 4, 5, 5], [10, 20, 30, 40, 50, 51]]);
    assert.throws(() => sortAlong([keys], 2), /has no axis 2/);
    assert.throws(() => sortAlong([keys, f32([6], 1, 2, 3, 4, 5, 6)], 0), /cannot be sorted jointly/);
  });
});
