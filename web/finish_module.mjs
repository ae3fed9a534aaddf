// SPDX-License-Identifier: Apache-2.0
// node finish_module.mjs BINARYEN MODULE.wasm: finishes a linked module that has the names of its functions. It takes out the
// parts of parts.mjs (MODULE.PART.wasm), orders the functions of each file, and removes the names.
//
// A part imports the memory, the table and the functions of the module. The module calls it only through the table, whose
// places for the functions of the part are empty until the part is instantiated. The data of a part are in its custom section
// "wasmvino.data": an address, and the bytes to copy there once for all threads. Both files have the same custom section
// "wasmvino.id", which tells whether they fit.
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {readFileSync, rmSync, writeFileSync} from 'node:fs';
import {leb128} from '../js/leb128.mjs';
import {Reader, externals, opcodes, sections, skipImmediates, visitSections} from '../js/wasm_reader.mjs';
import {belongs, parts, segmentOf} from './parts.mjs';

// Parts of the section "name".
const FUNCTION_NAMES = 1;
const DATA_NAMES = 9;

const number = (value) => [...leb128(value)];
const text = (value) => [...number(Buffer.byteLength(value)), ...Buffer.from(value)];
const section = (id, ...pieces) => {
  const content = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  return Buffer.concat([Buffer.from([id, ...number(content.length)]), content]);
};
const customSection = (name, content) => section(sections.custom, text(name), content);

function namesOf(content) {
  const names = new Map();
  for (let count = content.number(); count > 0; --count) names.set(content.number(), content.text());
  return names;
}

/** The sections of a module, and what its functions call. */
function read(path) {
  const wasm = readFileSync(path);
  const module = {sections: [], names: new Map(), dataNames: new Map(), calls: [], exported: new Set(), inTable: new Set(), imported: 0};
  visitSections(wasm, (id, content, begin) => {
    if (id === sections.custom && content.text() === 'name') {
      while (content.at < content.end) {
        const [kind, size] = [content.byte(), content.number()];
        const part = new Reader(wasm, content.at, content.at + size);
        if (kind === FUNCTION_NAMES) module.names = namesOf(part);
        if (kind === DATA_NAMES) module.dataNames = namesOf(part);
        content.skip(size);
      }
      return;
    }
    module.sections.push({id, bytes: wasm.subarray(begin, content.end), content: new Reader(wasm, content.at, content.end)});
    if (id === sections.imports) module.imported = content.importedFunctions();
    if (id === sections.exports) {
      for (let count = content.number(); count > 0; --count) {
        content.text();
        const [kind, index] = [content.byte(), content.number()];
        if (kind === externals.function) module.exported.add(index);
      }
    }
    if (id === sections.elements) module.inTable = new Set(functionsOfTable(content));
    if (id === sections.code) {
      for (let count = content.number(); count > 0; --count) {
        const size = content.number();
        module.calls.push(callsOf(new Reader(wasm, content.at, content.at + size)));
        content.skip(size);
      }
    }
  });
  if (module.names.size === 0) throw new Error(`${path} has no names of functions: it is to be linked with --profiling-funcs`);
  // Functions that Binaryen made have no names.
  for (let i = 0; i < module.imported + module.calls.length; ++i) if (!module.names.has(i)) module.names.set(i, '');
  return module;
}

function functionsOfTable(content) {
  const functions = [];
  for (let count = content.number(); count > 0; --count) {
    if (content.number() !== 0) throw new Error('a segment of the table has another form than wasm-ld writes');
    content.constant(); // the place
    for (let left = content.number(); left > 0; --left) functions.push(content.number());
  }
  return functions;
}

function callsOf(body) {
  const called = new Set();
  body.locals();
  while (body.at < body.end) {
    const opcode = body.byte();
    if (opcode === opcodes.call) called.add(body.number());
    else if (opcode === opcodes.refFunc) throw new Error('a function refers to another one with ref.func, which LLVM does not write');
    else skipImmediates(opcode, body);
  }
  return [...called];
}

/** The functions of a part: those that its pattern names, and those that only they call. */
function functionsOfPart(pattern, {names, imported, exported, inTable, calls}) {
  const callers = new Map();
  for (const [i, called] of calls.entries()) for (const index of called) callers.set(index, [...(callers.get(index) ?? []), imported + i]);
  const named = new Set([...names].filter(([index, name]) => index >= imported && belongs(pattern, name)).map(([index]) => index));
  // All that could be of the part, less what others call, until nothing changes. So functions that call each other stay together.
  const own = new Set(named);
  for (const index of callers.keys()) if (index >= imported && !exported.has(index) && !inTable.has(index)) own.add(index);
  for (let before = -1; before !== own.size; ) {
    before = own.size;
    for (const index of own) if (!named.has(index) && !callers.get(index).every((caller) => own.has(caller))) own.delete(index);
  }
  for (const index of own) {
    const stranger = (callers.get(index) ?? []).find((caller) => !own.has(caller) && !pattern.keeps.test(names.get(caller)));
    if (exported.has(index) || stranger !== undefined) {
      const what = stranger === undefined ? 'JavaScript' : names.get(stranger) || 'a function that Binaryen made';
      throw new Error(`${names.get(index)} belongs to a part of the module (web/parts.mjs), but ${what} calls it`);
    }
  }
  return own;
}

// Takes the segments with these numbers out of the section of data. Returns what is left, and one piece of all that they had.
// Threaded modules copy their data with memory.init, so that their segments keep their numbers.
function takeData(content, taken) {
  const kept = [];
  const pieces = [];
  for (let i = 0, count = content.number(); i < count; ++i) {
    const begin = content.at;
    const isPassive = content.number() === 1;
    const place = content.at;
    if (!isPassive) content.constant();
    const start = content.at;
    const size = content.number();
    content.skip(size);
    if (!taken.has(i)) kept.push(content.bytes.subarray(begin, content.at));
    else if (isPassive) kept.push(Buffer.of(1, 0));
    if (taken.has(i)) pieces.push({i, at: isPassive ? undefined : new Reader(content.bytes, place + 1, start).signed(), bytes: content.bytes.subarray(content.at - size, content.at)});
  }
  return {kept, pieces};
}

// Sets the sizes of memory.init for segments that are empty now, and returns the addresses to which it copied.
function emptyInits(code, taken) {
  const addresses = new Map();
  for (let count = code.number(); count > 0; --count) {
    const size = code.number();
    const body = new Reader(code.bytes, code.at, code.at + size);
    code.skip(size);
    body.locals();
    const constants = []; // the last three: address, offset, size
    while (body.at < body.end) {
      const at = body.at;
      const opcode = body.byte();
      if (opcode === opcodes.i32Const) {
        constants.push({from: at + 1, value: body.signed(), to: body.at});
        continue;
      }
      if (opcode === opcodes.prefixed && body.bytes[body.at] === opcodes.memoryInit) {
        const segment = new Reader(body.bytes, body.at + 1).number();
        const [address, , length] = constants.slice(-3);
        if (taken.has(segment)) {
          if (!length || length.to !== at) throw new Error('memory.init has another form than wasm-ld writes');
          addresses.set(segment, address.value);
          body.bytes.fill(0x80, length.from, length.to - 1); // zero, in as many bytes
          body.bytes[length.to - 1] = 0;
        }
      }
      skipImmediates(opcode, body);
    }
  }
  return addresses;
}

/** Takes the data of a part out of the module: {address, bytes}. */
function dataOfPart(part, {sections: all, dataNames}) {
  const name = segmentOf(part);
  const taken = new Set([...dataNames].filter(([, each]) => each === name || each.startsWith(`${name}.`)).map(([i]) => i));
  if (taken.size === 0) throw new Error(`the module has no data of the part ${part}: its archives are to go through part_data.mjs`);
  const find = (id) => all.find((each) => each.id === id);
  const code = find(sections.code);
  const addresses = emptyInits(new Reader(code.content.bytes, code.content.at, code.content.end), taken);
  const data = find(sections.data);
  const {kept, pieces} = takeData(new Reader(data.content.bytes, data.content.at, data.content.end), taken);
  data.bytes = section(sections.data, number(kept.length), ...kept);
  const count = find(sections.dataCount);
  if (count) count.bytes = section(sections.dataCount, number(kept.length));
  for (const piece of pieces) piece.at ??= addresses.get(piece.i);
  const address = Math.min(...pieces.map(({at}) => at));
  const bytes = Buffer.alloc(Math.max(...pieces.map(({at, bytes}) => at + bytes.length)) - address);
  for (const {at, bytes: piece} of pieces) bytes.set(piece, at - address);
  return {address, bytes};
}

// gzip looks 32 KB back: how an operation infers its shapes resembles how others do more than it resembles the rest of its
// own operation. In Binaryen's order the module has 5 % more with gzip.
// Binaryen has the functions first that are called most: a call of one of the first 128 is a byte shorter. These stay;
// the imports, some 45, count too.
const MOST_CALLED = 100;
// What stands together, by name; then all the rest.
const KINDS = ['::infer(', '::compile', '::visit_attributes(', '::evaluate(', '::run(', 'parallel_for', '::~', 'std::'];

// Binaryen orders functions by their names, so each gets its place as its name.
function placesOf(names) {
  const kindOf = (name) => {
    const kind = KINDS.findIndex((part) => name.includes(part));
    return kind < 0 ? KINDS.length : kind;
  };
  const compare = ([i, a], [j, b]) => kindOf(a) - kindOf(b) || (a < b ? -1 : a > b ? 1 : i - j);
  const all = [...names];
  const ordered = [...all.filter(([index]) => index < MOST_CALLED), ...all.filter(([index]) => index >= MOST_CALLED).sort(compare)];
  return new Map(ordered.map(([index], place) => [index, place.toString(36).padStart(3, '0')]));
}

function write(path, {sections: all}, places) {
  const list = [...places].sort(([a], [b]) => a - b).flatMap(([index, place]) => [...number(index), ...text(place)]);
  const names = [...number(places.size), ...list];
  const named = customSection('name', [FUNCTION_NAMES, ...number(names.length), ...names]);
  writeFileSync(path, Buffer.concat([Buffer.from('\0asm\x01\0\0\0', 'latin1'), ...all.map(({bytes}) => bytes), named]));
}

/** The places of a module's table: place → function, or undefined for an empty one. */
function placesOfTable(content) {
  const places = new Map();
  for (let count = content.number(); count > 0; --count) {
    const form = content.number();
    const start = content.at;
    content.constant();
    const first = new Reader(content.bytes, start + 1).signed();
    for (let i = 0, length = content.number(); i < length; ++i) {
      const isEmpty = form !== 0 && content.byte() === opcodes.refNull;
      const value = content.number();
      if (form !== 0) content.skip(1); // the end of an expression
      places.set(first + i, isEmpty ? undefined : value);
    }
  }
  return places;
}

// Returns the module with the places of its table that `fill` gives: function → function, or undefined to leave the place
// out. Binaryen writes empty places as null references, which take four bytes each, and which it refuses to read again.
function withPlaces(wasm, fill) {
  const pieces = [wasm.subarray(0, 8)];
  visitSections(wasm, (id, content, begin) => {
    if (id !== sections.elements) return pieces.push(wasm.subarray(begin, content.end));
    const runs = [];
    for (const [place, value] of [...placesOfTable(content)].sort(([a], [b]) => a - b)) {
      const filled = fill(place, value);
      const run = runs.at(-1);
      if (filled === undefined) continue;
      if (run && run.place + run.functions.length === place) run.functions.push(filled);
      else runs.push({place, functions: [filled]});
    }
    const segments = runs.flatMap(({place, functions}) => [0, opcodes.i32Const, ...signed(place), opcodes.end, ...number(functions.length), ...functions.flatMap(number)]);
    pieces.push(section(id, number(runs.length), segments));
  });
  return Buffer.concat(pieces);
}

const signed = (value) => (value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >> 7)]);

const [binaryen, path] = process.argv.slice(2);
const run = (tool, ...args) => execFileSync(`${binaryen}/${tool}`, ['--all-features', ...args], {stdio: ['ignore', 'inherit', 'inherit']});
const module = read(path);
const places = placesOf(module.names);
const id = createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16);
const taken = Object.entries(parts).map(([part, pattern]) => ({part, functions: functionsOfPart(pattern, module), data: dataOfPart(part, module)}));

const [from, list, rest, own] = ['whole', 'list', 'rest', 'own'].map((step) => `${path}.${step}`);
write(from, module, places);
// The levels are those with which the link wrote the module.
const asLinked = ['--optimize-stack-ir', '--optimize-level=2', '--shrink-level=2'];
// The places of parts in the table of the module. Until the end, an import fills them.
const placesOfParts = new Set();
const anImport = 0;
function finish(source, to, left, ...more) {
  run('wasm-opt', source, '-o', to, '--duplicate-function-elimination', '--reorder-functions-by-name', '--strip-debug', ...asLinked);
  const table = withPlaces(readFileSync(to), (place, value) => (left.has(place) ? undefined : value));
  writeFileSync(to, Buffer.concat([table, customSection('wasmvino.id', Buffer.from(id)), ...more]));
}
for (const {part, functions, data} of taken) {
  writeFileSync(list, [...functions].map((index) => places.get(index)).join('\n'));
  // Without reference types, Binaryen uses the places that the functions have in the table.
  run('wasm-split', from, '--split-funcs', `@${list}`, '--no-placeholders', '--import-namespace=e', '--export-prefix=%', '-g', '-o1', rest, '-o2', own, '--disable-gc', '--disable-reference-types');
  const address = Buffer.alloc(4);
  address.writeUInt32LE(data.address);
  finish(own, path.replace(/\.wasm$/, `.${part}.wasm`), new Set(), customSection('wasmvino.data', Buffer.concat([address, data.bytes])));
  const fill = (place, value) => {
    if (value === undefined) placesOfParts.add(place);
    return value ?? anImport;
  };
  writeFileSync(from, withPlaces(readFileSync(rest), fill));
}
finish(from, path, placesOfParts);
for (const file of [from, list, rest, own]) rmSync(file);
