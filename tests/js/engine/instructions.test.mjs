// SPDX-License-Identifier: Apache-2.0
// The modules contain the instructions that the loader checks for (js/src/base/features.ts), and no others newer than SIMD.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {describe, it} from 'node:test';
import {builds, freshPackage, root} from '../engine.mjs';

const disassembler = `${root}.toolchain/binaryen/bin/wasm-dis`;

describe('instructions', {skip: !existsSync(disassembler) && 'the toolchain is not here: scripts/setup/emscripten.sh'}, () => {
  for (const build of builds) {
    it(build, () => {
      const module = `${root}dist/wasmvino-${build}.wasm`;
      const text = execFileSync(disassembler, ['--all-features', module], {encoding: 'utf8', maxBuffer: 2 ** 28});
      const has = (pattern) => pattern.test(text);
      const threads = build.endsWith('-mt');
      assert.ok(has(/\(f32x4\.mul/), 'SIMD');
      assert.ok(has(/\(try/), 'exceptions');
      assert.ok(has(/\(memory\.fill/), 'bulk memory operations');
      // In every build, shared pointers count references atomically. Only threaded builds contain atomic waits.
      assert.ok(has(/\(i32\.atomic\.rmw\.add/), 'atomic operations');
      assert.equal(has(/\(memory\.atomic\.wait32/), threads);
      assert.equal(has(/\(memory \$\S+ \d+ \d+ shared\)/), threads);
      assert.equal(has(/\.relaxed_/), build.startsWith('relaxed'));
      assert.ok(!has(/\((ref\.null|ref\.func|throw_ref|try_table|return_call|struct\.new|ref\.i31|memory\.discard)/), 'later proposals');
    });
  }
});

describe('a place without a feature', () => {
  const {validate} = WebAssembly;
  // Simulates an engine in which modules with this byte are not valid.
  const lacking = async (byte) => {
    const ov = await freshPackage();
    WebAssembly.validate = (bytes) => !bytes.includes(byte) && validate(bytes);
    try {
      return ov.build;
    } catch (error) {
      return error;
    } finally {
      WebAssembly.validate = validate;
    }
  };

  for (const [name, byte] of [['SIMD', 0xfd], ['exceptions', 0x19], ['bulk memory operations', 0xfc], ['atomic operations', 0xfe]]) {
    it(`is told that it lacks ${name}`, async () => {
      const error = await lacking(byte);
      assert.equal(error.code, 'UNSUPPORTED');
      assert.equal(error.message, `WebAssembly has no ${name} here, which the engine needs.`);
    });
  }
});
