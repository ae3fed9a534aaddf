// SPDX-License-Identifier: Apache-2.0
// The modules of the package contain no indirect call whose exception Safari's interpreter would fail to catch.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'node:test';
import {guardCalls} from '../../js/guard_calls.mjs';
import {builds, parts} from '../../js/manifest.mjs';
import {dist} from './install.mjs';

const section = (id, ...content) => [id, content.length, ...content];

// (module (tag $t (param i32)) (table 1 funcref) (elem (i32.const 0) $throws)
//   (func $throws (throw $t (i32.const 7)))
//   (func (export "f") (result i32) `body`))
const moduleOf = (...body) =>
  Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 3, ...[0x60, 0, 0], ...[0x60, 0, 1, 0x7f], ...[0x60, 1, 0x7f, 0]),
    ...section(3, 2, 0, 1),
    ...section(4, 1, 0x70, 0, 1),
    ...section(13, 1, 0, 2),
    ...section(7, 1, 1, 0x66, 0, 1),
    ...section(9, 1, 0, 0x41, 0, 0x0b, 1, 0),
    ...section(10, 2, ...[6, 0, 0x41, 7, 0x08, 0, 0x0b], body.length + 2, 0, ...body, 0x0b),
  ]);

const call = [0x41, 0, 0x11, 0, 0]; // i32.const 0, call_indirect
const [nop, tryI32, tryVoid, catchT, catchAll, delegate, end, i32Const] = [0x01, [0x06, 0x7f], [0x06, 0x40], [0x07, 0], 0x19, [0x18, 0], 0x0b, 0x41];
const one = [i32Const, 1];

const bodies = {
  catch: {before: [tryVoid, call], after: [catchT, 0x1a, end, one], gives: 1},
  catch_all: {before: [tryVoid, call], after: [catchAll, end, one], gives: 1},
  delegate: {before: [tryI32, tryVoid, call], after: [delegate, one, catchT, end], gives: 7},
  try: {before: [tryI32, call], after: [tryI32, one, catchT, 0x1a, i32Const, 9, end, catchT, end], gives: 7},
};

describe('indirect calls', () => {
  for (const [border, {before, after, gives}] of Object.entries(bodies)) {
    it(`are kept apart from ${border}`, async () => {
      const wasm = moduleOf(...before.flat(), ...after.flat());
      const guarded = guardCalls(wasm);
      assert.deepEqual(guarded, Buffer.from(moduleOf(...before.flat(), nop, ...after.flat())));
      for (const bytes of [wasm, guarded]) assert.equal((await WebAssembly.instantiate(bytes)).instance.exports.f(), gives);
      assert.deepEqual(guardCalls(guarded), guarded);
    });
  }

  it('stay as they are elsewhere', () => {
    const wasm = moduleOf(...tryI32, ...call, ...one, ...catchT, end, 0x1a, ...call, ...one);
    assert.deepEqual(guardCalls(wasm), Buffer.from(wasm));
  });

  it('of unknown instructions are refused, with the place', () => {
    assert.throws(() => guardCalls(moduleOf(0xff)), /no such instruction: 0xff, at byte \d+/);
    assert.throws(() => guardCalls(moduleOf(0xfd, 0xff, 0x7f)), /no such instruction: 0xfd 0x3fff/);
  });

  for (const name of builds.flatMap((build) => [build, ...parts.map((part) => `${build}.${part}`)])) {
    it(`of ${name} are kept apart`, () => {
      const wasm = readFileSync(join(dist, `wasmvino-${name}.wasm`));
      assert.ok(guardCalls(wasm).equals(wasm));
    });
  }
});
