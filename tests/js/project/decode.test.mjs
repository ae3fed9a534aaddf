// SPDX-License-Identifier: Apache-2.0
// Tests the demo's program for Node.js in the way that scripts/start runs it.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';

const program = fileURLToPath(new URL('../../../demo/decode.mjs', import.meta.url));

function decode(...args) {
  const {status, stdout, stderr} = spawnSync(process.execPath, [program, ...args], {encoding: 'utf8'});
  return {status, stderr, lines: stdout.split('\n')};
}

test('words are decoded, with their best hypotheses, the time, and the build', () => {
  const {status, lines, stderr} = decode('--build', 'simd', 'Browser,', 'rhythm');
  assert.equal(status, 0, stderr);
  assert.match(lines[0], /^build simd: configured; model ready after [\d.]+ ms$/);
  assert.match(lines[2], /^browser {2}B R AW1 S ER0 {2}\/ˈbɹaʊsɚ\/ {2}[\d.]+ ms \(first [\d.]+ ms\)$/);
  const best = [
    [-0.62582, '     53 %  B R AW1 S ER0'],
    [-0.94328, '     39 %  B R AW1 Z ER0'],
    [-2.68359, '    6.8 %  B R OW1 Z ER0'],
    [-5.72859, '    0.3 %  B R OW1 S ER0'],
    [-6.30951, '    0.2 %  B R UW1 Z ER0'],
  ];
  best.forEach(([score, rest], i) => {
    const [, rank, shown, tail] = /^ {3}(\d) {4}(−\d\.\d{3})(.*)$/.exec(lines[3 + i]) ?? [];
    assert.deepEqual([rank, tail], [String(i + 1), rest], lines[3 + i]);
    assert.ok(Math.abs(Number(shown.replace('−', '-')) - score) < 1.5e-3, lines[3 + i]);
  });
  assert.match(lines[9], /^rhythm {2}R IH1 DH AH0 M {2}/);
  assert.equal(lines.length, 16);
});

test('the beam width can be chosen', () => {
  const {lines} = decode('--beam', '1', 'chanson');
  assert.match(lines[2], /^chanson {2}CH AE1 N S AH0 N {2}/);
  assert.equal(lines.length, 5);
});

test('without a word, it tells how it is called', () => {
  const {status, stderr} = decode('--beam', '2');
  assert.equal(status, 2);
  assert.match(stderr, /^usage: node demo\/decode\.mjs/);
});
