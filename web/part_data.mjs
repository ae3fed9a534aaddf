// SPDX-License-Identifier: Apache-2.0
// node part_data.mjs RANLIB DEMANGLER ARCHIVE: gives the data that only a part of the modules uses (parts.mjs) a segment of its
// own. The linker keeps such a segment in one piece, so that finish_module.mjs can take it out of the module.
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {leb128} from '../js/leb128.mjs';
import {Reader, sections, visitSections} from '../js/wasm_reader.mjs';
import {belongs, parts, segmentOf} from './parts.mjs';

// https://github.com/WebAssembly/tool-conventions/blob/main/Linking.md
const SEGMENT_INFO = 5;
const SYMBOL_TABLE = 8;
const symbolKinds = {function: 0, data: 1, section: 3};
const symbolFlags = {local: 2, undefined: 0x10, named: 0x40};
const withAddend = new Set([3, 4, 5, 8, 9, 11, 21]); // relocations of addresses and of offsets
const ofType = 6; // a relocation that refers to a type instead of a symbol

function symbolOf(reader) {
  const kind = reader.byte();
  const flags = reader.number();
  const isDefined = !(flags & symbolFlags.undefined);
  const isLocal = (flags & symbolFlags.local) !== 0;
  if (kind === symbolKinds.section) return {kind, index: reader.number()};
  if (kind !== symbolKinds.data) {
    const index = reader.number();
    return {kind, index, isDefined, isLocal, name: isDefined || flags & symbolFlags.named ? reader.text() : ''};
  }
  const name = reader.text();
  if (!isDefined) return {kind, isDefined, isLocal, name};
  const segment = reader.number();
  reader.numbers(2); // the offset and the size
  return {kind, isDefined, isLocal, name, segment};
}

// Reads the ends of the functions or of the segments, from the start of their section.
function endsOf(content, skipHead) {
  const start = content.at;
  const ends = [];
  for (let count = content.number(); count > 0; --count) {
    skipHead();
    const size = content.number();
    content.skip(size);
    ends.push(content.at - start);
  }
  return ends;
}

/** The symbols and segments of an object file, and which function or segment refers to which symbol. */
function readObject(wasm) {
  const object = {wasm, symbols: [], segments: [], references: []};
  const ends = {};
  let imported = 0;
  visitSections(wasm, (id, content, begin) => {
    if (id === sections.imports) imported = content.importedFunctions();
    if (id === sections.code) ends.function = endsOf(content, () => {});
    if (id === sections.data) ends.segment = endsOf(content, () => content.number() === 0 && content.constant());
    if (id !== sections.custom) return;
    const name = content.text();
    if (name === 'linking') {
      content.number(); // the version
      object.linking = {begin, from: content.at, end: content.end};
      while (content.at < content.end) {
        const begin = content.at;
        const kind = content.byte();
        const size = content.number();
        const body = new Reader(wasm, content.at, content.at + size);
        content.skip(size);
        if (kind === SYMBOL_TABLE) for (let count = body.number(); count > 0; --count) object.symbols.push(symbolOf(body));
        if (kind === SEGMENT_INFO) {
          object.linking.segments = {begin, end: content.at};
          for (let count = body.number(); count > 0; --count) object.segments.push({name: body.text(), align: body.number(), flags: body.number()});
        }
      }
    }
    const from = {'reloc.CODE': 'function', 'reloc.DATA': 'segment'}[name];
    if (from === undefined) return;
    content.number(); // the section
    let i = 0;
    for (let count = content.number(); count > 0; --count) {
      const [type, at, symbol] = [content.byte(), content.number(), content.number()];
      if (withAddend.has(type)) content.numbers(1);
      while (ends[from][i] <= at) ++i;
      if (type !== ofType) object.references.push({from, index: i, symbol: object.symbols[symbol]});
    }
  });
  object.functions = new Map(); // their names
  for (const {kind, index, isDefined, name} of object.symbols) {
    if (kind === symbolKinds.function && isDefined) object.functions.set(index - imported, name);
  }
  return object;
}

/** Finds the segments that only a part uses: no other function and no other data refers to them. */
function segmentsOfPart(objects, isOwn) {
  const shared = new Set(); // names of variables of several files that others use
  const own = objects.map(({segments, symbols}) => {
    const found = new Set([...segments.keys()].filter((i) => /^\.(ro)?data\./.test(segments[i].name)));
    for (const {kind, isDefined, isLocal, segment, name} of symbols) {
      if (kind === symbolKinds.data && isDefined && !isLocal && !isOwn(name)) found.delete(segment);
    }
    return found;
  });
  for (let changed = true; changed; ) {
    changed = false;
    for (const [i, {references, functions, symbols}] of objects.entries()) {
      for (const {from, index, symbol} of references) {
        const byOwn = from === 'function' ? isOwn(functions.get(index)) : own[i].has(index);
        if (byOwn || symbol?.kind !== symbolKinds.data) continue;
        if (!symbol.isLocal && !shared.has(symbol.name)) {
          shared.add(symbol.name);
          changed = true;
        }
        if (own[i].delete(symbol.segment)) changed = true;
      }
      for (const {isLocal, name, segment} of symbols) {
        if (isLocal === false && shared.has(name) && own[i].delete(segment)) changed = true;
      }
    }
  }
  return own;
}

// If another function could call one of a part directly, an optimiser could inline it there, with its data.
function checkCalls(objects, isOwn, isKept, plain) {
  for (const {references, functions} of objects) {
    for (const {from, index, symbol} of references) {
      if (from !== 'function' || symbol?.kind !== symbolKinds.function || !isOwn(symbol.name)) continue;
      const caller = functions.get(index);
      if (!isOwn(caller) && !isKept(caller)) throw new Error(`${plain(symbol.name)} belongs to a part of the module (web/parts.mjs), but ${plain(caller)} refers to it`);
    }
  }
}

const number = (value) => [...leb128(value)];
const text = (value) => [...number(Buffer.byteLength(value)), ...Buffer.from(value)];

function withSegments({wasm, linking, segments}, nameOf) {
  const list = segments.flatMap(({name, align, flags}, i) => [...text(nameOf(i) ?? name), ...number(align), ...number(flags)]);
  const info = [...number(segments.length), ...list];
  const content = Buffer.concat([
    Buffer.from(text('linking')),
    wasm.subarray(linking.from - 1, linking.segments.begin),
    Buffer.from([SEGMENT_INFO, ...number(info.length), ...info]),
    wasm.subarray(linking.segments.end, linking.end),
  ]);
  return Buffer.concat([wasm.subarray(0, linking.begin), Buffer.from([sections.custom, ...number(content.length)]), content, wasm.subarray(linking.end)]);
}

/** The members of an archive in the format of GNU ar. */
function membersOf(archive) {
  const members = [];
  for (let at = 8; at < archive.length; ) {
    const size = Number(archive.toString('latin1', at + 48, at + 58));
    members.push({head: archive.subarray(at, at + 60), body: archive.subarray(at + 60, at + 60 + size)});
    at += 60 + size + (size % 2);
  }
  return members;
}

function archiveOf(members) {
  const pieces = members.flatMap(({head, body}) => {
    const resized = Buffer.from(head);
    resized.write(String(body.length).padEnd(10), 48, 'latin1');
    return [resized, body, Buffer.alloc(body.length % 2, '\n')];
  });
  return Buffer.concat([Buffer.from('!<arch>\n'), ...pieces]);
}

const [ranlib, demangler, path] = process.argv.slice(2);
const members = membersOf(readFileSync(path)).filter(({head}) => !head.toString('latin1', 0, 16).startsWith('/ ')); // without the index
const files = members.filter(({body}) => body.readUInt32BE(0) === 0x0061736d);
const objects = files.map(({body}) => readObject(body));
const mangled = [...new Set(objects.flatMap(({symbols}) => symbols.map(({name}) => name ?? '')))];
const demangled = execFileSync(demangler, {input: mangled.join('\n'), encoding: 'utf8', maxBuffer: 2 ** 28}).split('\n');
const plainNames = new Map(mangled.map((name, i) => [name, demangled[i]]));
const plain = (name) => plainNames.get(name) ?? '';
for (const [name, readable] of plainNames) if (/^_Z.*wasmvino/.test(name) && name === readable) throw new Error(`${demangler} cannot read the name ${name}`);

const names = objects.map(() => new Map());
for (const [part, pattern] of Object.entries(parts)) {
  const isOwn = (name) => belongs(pattern, plain(name));
  checkCalls(objects, isOwn, (name) => pattern.keeps.test(plain(name)), plain);
  for (const [i, own] of segmentsOfPart(objects, isOwn).entries()) for (const segment of own) names[i].set(segment, segmentOf(part));
}
for (const [i, object] of objects.entries()) {
  if (names[i].size > 0) files[i].body = withSegments(object, (segment) => names[i].get(segment));
}
writeFileSync(path, archiveOf(members));
execFileSync(ranlib, [path]);
