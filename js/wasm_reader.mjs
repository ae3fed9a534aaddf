// SPDX-License-Identifier: Apache-2.0
// Reads WebAssembly modules: sections, numbers, texts and instructions.

/** The numbers of the sections that others look for. */
export const sections = {custom: 0, imports: 2, exports: 7, elements: 9, code: 10, data: 11, dataCount: 12};

/** The kinds of imports and exports. */
export const externals = {function: 0, table: 1, memory: 2, global: 3, tag: 4};

/** Reads the bytes of a module, from `at` to `end`. */
export class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
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
  signed() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return shift < 25 && byte & 0x40 ? value | (-1 << (shift + 7)) : value;
    }
  }
  text() {
    const length = this.number();
    this.at += length;
    return Buffer.from(this.bytes.subarray(this.at - length, this.at)).toString();
  }
  /** The content of the section of imports: how many functions it has. */
  importedFunctions() {
    let functions = 0;
    for (let count = this.number(); count > 0; --count) {
      this.text();
      this.text();
      const kind = this.byte();
      if (kind === externals.function) ++functions;
      if (kind === externals.table) this.skip(1); // the type of its elements
      if (kind === externals.table || kind === externals.memory) this.numbers(this.byte() & 1 ? 2 : 1); // limits
      else if (kind === externals.global) this.skip(2); // its type
      else this.numbers(kind === externals.tag ? 2 : 1); // the type of a tag or of a function
    }
    return functions;
  }
  /** Skips the locals of a function. */
  locals() {
    for (let groups = this.number(); groups > 0; --groups) this.numbers(2);
  }
  /** Skips an expression that is a constant, such as a place. */
  constant() {
    for (let opcode; (opcode = this.byte()) !== opcodes.end; ) skipImmediates(opcode, this);
  }
  numbers(count) {
    for (; count > 0; --count) while (this.byte() >= 0x80);
  }
}

/** The opcodes that others look for. */
export const opcodes = {nop: 0x01, end: 0x0b, call: 0x10, callIndirect: 0x11, i32Const: 0x41, refNull: 0xd0, refFunc: 0xd2, prefixed: 0xfc, memoryInit: 8};

/** Skips the immediates of an instruction. */
export function skipImmediates(opcode, reader) {
  const unknown = (...codes) => new Error(`no such instruction: ${codes.map((code) => `0x${code.toString(16)}`).join(' ')}, at byte ${reader.at}`);
  if ([0x00, opcodes.nop, 0x05, 0x0b, 0x0f, 0x19, 0x1a, 0x1b].includes(opcode)) return; // unreachable … select
  if ([0x02, 0x03, 0x04, 0x06].includes(opcode)) return reader.numbers(1); // a block's type
  if ([0x07, 0x08, 0x09, 0x0c, 0x0d, 0x10, 0x18].includes(opcode)) return reader.numbers(1); // an index or a depth
  if (opcode === 0x0e) return reader.numbers(reader.number() + 1); // br_table
  if (opcode === opcodes.callIndirect) return reader.numbers(2);
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

/**
 * Calls `visit` with a reader for the content of each section of a module.
 * @param {Uint8Array} wasm
 * @param {(id: number, content: Reader, begin: number) => void} visit `begin`: where the section begins, with its number
 */
export function visitSections(wasm, visit) {
  const reader = new Reader(wasm, 8);
  while (reader.at < wasm.length) {
    const begin = reader.at;
    const id = reader.byte();
    const size = reader.number();
    visit(id, new Reader(wasm, reader.at, reader.at + size), begin);
    reader.skip(size);
  }
}
