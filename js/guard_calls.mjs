// SPDX-License-Identifier: Apache-2.0
// Works around a bug of Safari. If a call_indirect is the last instruction of a try block, Safari does not catch its
// exception: the interpreter (JavaScriptCore's IPInt, seen in WebKitGTK 2.50.6) looks for the handlers of the next
// instruction. Every error of the engine would end it. A nop after such calls avoids this.
import {leb128} from './leb128.mjs';
import {opcodes, Reader, sections, skipImmediates, visitSections} from './wasm_reader.mjs';

// try, catch, delegate, catch_all: the opcodes that begin or end the range of a handler
const BORDERS = new Set([0x06, 0x07, 0x18, 0x19]);

// Returns the body of a function with nops inserted, without the size before it.
function guardBody(reader) {
  const {bytes} = reader;
  const parts = [];
  let from = reader.at;
  reader.locals();
  let afterCall = false;
  while (reader.at < reader.end) {
    const at = reader.at;
    const opcode = reader.byte();
    if (afterCall && BORDERS.has(opcode)) {
      parts.push(bytes.subarray(from, at), Buffer.of(opcodes.nop));
      from = at;
    }
    skipImmediates(opcode, reader);
    afterCall = opcode === opcodes.callIndirect;
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
  const parts = [wasm.subarray(0, 8)];
  visitSections(wasm, (id, reader) => {
    const content = id === sections.code ? guardCode(reader) : wasm.subarray(reader.at, reader.end);
    parts.push(Buffer.of(id), leb128(content.length), content);
  });
  return Buffer.concat(parts);
}
