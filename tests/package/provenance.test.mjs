// SPDX-License-Identifier: Apache-2.0
// Each module of the package states its origin.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'node:test';
import {commitOf, withProvenance} from '../../js/provenance.mjs';
import {builds, parts} from '../../js/manifest.mjs';
import '../js/relaxed_simd.mjs';
import {dist, root} from './install.mjs';

function sectionsOf(wasm) {
  return WebAssembly.Module.customSections(new WebAssembly.Module(wasm), 'wasmvino.provenance').map((bytes) => Buffer.from(bytes).toString());
}

describe('provenance', () => {
  for (const name of builds.flatMap((build) => [build, ...parts.map((part) => `${build}.${part}`)])) {
    it(`of ${name} is its version, its commit and its compilers`, () => {
      const [text, ...others] = sectionsOf(readFileSync(join(dist, `wasmvino-${name}.wasm`)));
      assert.equal(others.length, 0);
      const {version, commit, emscripten, clang, ...more} = JSON.parse(text);
      assert.deepEqual(more, {});
      assert.equal(version, JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
      assert.match(commit, /^([0-9a-f]{40}(-dirty)?|unknown)$/);
      assert.match(emscripten, /^\d+\.\d+\.\d+/);
      assert.match(clang, /^\d+\.\d+\.\d+/);
    });
  }

  it('is shown by the example of SECURITY.md', () => {
    const [, code] = /```js\n([^]*?)```/.exec(readFileSync(join(root, 'SECURITY.md'), 'utf8'));
    const path = 'node_modules/wasmvino/dist/wasmvino-simd.wasm';
    assert.ok(code.includes(path));
    const script = code.replace(path, join(dist, 'wasmvino-simd.wasm'));
    assert.match(execFileSync(process.execPath, ['--input-type=module', '--eval', script], {encoding: 'utf8'}), /emscripten: '\d+\./);
  });

  it('is a section as engines read it, of any length', () => {
    // An empty module, and sections whose lengths take one, two and three bytes.
    const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
    for (const length of [1, 200, 20_000]) {
      const provenance = {version: 'v'.repeat(length), commit: 'unknown', emscripten: '3.1.69', clang: '19.1.7'};
      assert.deepEqual(sectionsOf(withProvenance(empty, provenance)).map((text) => JSON.parse(text)), [provenance]);
    }
  });

  it('names the commit of a checkout, marks changes, and takes no other project\'s', () => {
    const folder = mkdtempSync(join(tmpdir(), 'wasmvino-provenance-'));
    const git = (...args) => execFileSync('git', ['-C', folder, '-c', 'user.name=n', '-c', 'user.email=e', ...args], {encoding: 'utf8'}).trim();
    try {
      assert.equal(commitOf(folder), 'unknown');
      git('init', '--quiet');
      assert.equal(commitOf(folder), 'unknown'); // no commit yet
      writeFileSync(join(folder, 'file'), 'one');
      git('add', 'file');
      git('commit', '--quiet', '--message=one');
      git('tag', '--annotate', '--message=v1', 'v1');
      const commit = git('rev-parse', 'HEAD');
      assert.equal(commitOf(folder), commit);
      writeFileSync(join(folder, 'file'), 'two');
      assert.equal(commitOf(folder), `${commit}-dirty`);
      mkdirSync(join(folder, 'vendored'));
      assert.equal(commitOf(join(folder, 'vendored')), 'unknown');
    } finally {
      rmSync(folder, {recursive: true});
    }
  });
});
