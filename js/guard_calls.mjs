// SPDX-License-Identifier: Apache-2.0
// Works around a bug of Safari. If a call_indirect is the last instruction of a try block, Safari does not catch its
// exception: the interpreter (JavaScriptCore's IPInt, seen in WebKitGTK 2.50.6) looks for the handlers of the next
// instruction. Every error of the engine would end it. A nop after such calls avoids this.
import {leb128} from './leb128.mjs';

const CODE_SECTION = 10;
const NOP = 0x01;
const CALL_INDIRECT = 0x11;
// try, catch, delegate, catch_all: the opcodes that begin or end the range of a handler
const BORDERS = new Set([0x06, 0x07, 0x18, 0x19]);

/** Reads the bytes of a module, starting at `at`. */
class Reader {
  constructor(bytes, at, end) {
    Object.assign(this, {bytes, at, end});
  }
  byte() {
    if (this.at >= this.end) throw new Error(`the module ends within an instruction, at byte ${this.at}`);
    return this.bytes[this.at++];
  }
  skip(count) {
    this.at += count;
  }
  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }
  numbers(count) {
    for (; count > 0; --count) while (this.byte() >= 0x80);
  }
}

/** Skips the immediates of an instruction. */
function skipImmediates(opcode, reader) {
  const unknown = (...codes) => new Error(`no such instruction: ${codes.map((code) => `0x${code.toString(16)}`).join(' ')}, at byte ${reader.at}`);
  if ([0x00, NOP, 0x05, 0x0b, 0x0f, 0x19, 0x1a, 0x1b].includes(opcode)) return; // unreachable … select
  if ([0x02, 0x03, 0x04, 0x06].includes(opcode)) return reader.numbers(1); // a block's type
  if ([0x07, 0x08, 0x09, 0x0c, 0x0d, 0x10, 0x18].includes(opcode)) return reader.numbers(1); // an index or a depth
  if (opcode === 0x0e) return reader.numbers(reader.number() + 1); // br_table
  if (opcode === CALL_INDIRECT) return reader.numbers(2);
  if (opcode === 0x1c) return reader.numbers(reader.number()); // select of a type
  if (opcode >= 0x20 && opcode <= 0x26) return reader.numbers(1); // variables and tables
  if (opcode >= 0x28 && opcode <= 0x3e) return reader.numbers(2); // loads and stores
  if (opcode >= 0x3f && opcode <= 0x42) return reader.numbers(1); // memory.size, memory.grow, i32.const, i64.const
  if (opcode === 0x43) return reader.skip(4); // f32.const
  if (opcode === 0x44) return reader.skip(8); // f64.const
  if (opcode >= 0x45 && opcode <= 0xc4) return; // arithmetic
  if (opcode === 0xd0 || opcode === 0xd2) return reader.numbers(1); // ref.null, ref.func
  if (opcode === 0xd1) return; // ref.is_null
  if (opcode === 0xfc) {
    const code = reader.number();
    if (code <= 7) return; // saturating conversions
    if ([9, 11, 13, 15, 16, 17].includes(code)) return reader.numbers(1);
    if ([8, 10, 12, 14].includes(code)) return reader.numbers(2); // memory and table, init and copy
    throw unknown(opcode, code);
  }
  if (opcode === 0xfd) {
    const code = reader.number();
    if (code <= 11 || code === 92 || code === 93) return reader.numbers(2); // loads and stores
    if (code === 12 || code === 13) return reader.skip(16); // v128.const, i8x16.shuffle
    if (code >= 21 && code <= 34) return reader.skip(1); // lanes
    if (code >= 84 && code <= 91) {
      reader.numbers(2); // loads and stores of lanes
      return reader.skip(1);
    }
    if (code <= 0x113) return; // arithmetic, relaxed as well
    throw unknown(opcode, code);
  }
  if (opcode === 0xfe) {
    const code = reader.number();
    if (code === 3) return reader.skip(1); // atomic.fence
    if (code <= 0x4e) return reader.numbers(2); // atomic loads and stores
    throw unknown(opcode, code);
  }
  throw unknown(opcode);
}

// Returns the body of a function with nops inserted, without the size before it.
function guardBody(reader) {
  const {bytes} = reader;
  const parts = [];
  let from = reader.at;
  for (let groups = reader.number(); groups > 0; --groups) reader.numbers(2); // the locals
  let afterCall = false;
  while (reader.at < reader.end) {
    const at = reader.at;
    const opcode = reader.byte();
    if (afterCall && BORDERS.has(opcode)) {
      parts.push(bytes.subarray(from, at), Buffer.of(NOP));
      from = at;
    }
    skipImmediates(opcode, reader);
    afterCall = opcode === CALL_INDIRECT;
  }
  return Buffer.concat([...parts, bytes.subarray(from, reader.end)]);
}

function guardCode(reader) {
  const count = reader.number();
  const parts = [leb128(count)];
  for (let i = 0; i < count; ++i) {
    const size = reader.number();
    const body = guardBody(new Reader(reader.bytes, reader.at, reader.at + size));
    reader.skip(size);
    parts.push(leb128(body.length), body);
  }
  return Buffer.concat(parts);
}

/**
 * Adds nops to a module, so that Safari catches the exceptions of indirect calls too.
 * @param {Uint8Array} wasm
 * @returns {Buffer}
 */
export function guardCalls(wasm) {
  const reader = new Reader(wasm, 8, wasm.length);
  const parts = [wasm.subarray(0, 8)];
  while (reader.at < wasm.length) {
    const id = reader.byte();
    const size = reader.number();
    const start = reader.at;
    const content = id === CODE_SECTION ? guardCode(new Reader(wasm, start, start + size)) : wasm.subarray(start, start + size);
    reader.skip(size);
    parts.push(Buffer.of(id), leb128(content.length), content);
  }
  return Buffer.concat(parts);
}
