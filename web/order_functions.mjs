// SPDX-License-Identifier: Apache-2.0
// node order_functions.mjs WASM_OPT MODULE.wasm: puts the functions of a module that has their names into an order that
// gzip likes, and takes the names away. gzip looks 32 KB back: how an operation infers its shapes resembles how others
// do more than it resembles the rest of its own operation. In Binaryen's order the module has 5 % more with gzip.
import {execFileSync} from 'node:child_process';
import {readFileSync, rmSync, writeFileSync} from 'node:fs';

// Binaryen has the functions first that are called most: a call of one of the first 128 is a byte shorter. These stay;
// the imports, some 45, count too.
const MOST_CALLED = 100;
// What stands together, by name; then all the rest.
const KINDS = ['::infer(', '::compile', '::visit_attributes(', '::evaluate(', '::run(', 'parallel_for', '::~', 'std::'];

const [wasmOpt, path] = process.argv.slice(2);
const wasm = readFileSync(path);
let at = 0; // where it is read

// An unsigned LEB128 number, and a text, which begins with its length.
function readNumber() {
  const byte = wasm[at++];
  return byte < 0x80 ? byte : byte - 0x80 + readNumber() * 0x80;
}
function readText() {
  const length = readNumber();
  at += length;
  return wasm.toString('utf8', at - length, at);
}
const number = (value) => (value < 0x80 ? [value] : [(value % 0x80) + 0x80, ...number(value >> 7)]);
const text = (value) => [...number(value.length), ...Buffer.from(value)];

// Splits the module into what stays and, of its section "name", the names of functions.
const CUSTOM_SECTION = 0;
const FUNCTION_NAMES = 1;
const kept = [wasm.subarray(0, 8)];
const functions = [];
for (at = 8; at < wasm.length; ) {
  const begin = at;
  const id = wasm[at++];
  const end = readNumber() + at;
  if (id !== CUSTOM_SECTION || readText() !== 'name') {
    kept.push(wasm.subarray(begin, end));
    at = end;
  }
  while (at < end) {
    const part = wasm[at++];
    const endOfPart = readNumber() + at;
    if (part === FUNCTION_NAMES) {
      for (let count = readNumber(); count > 0; --count) functions.push({index: readNumber(), name: readText()});
    }
    at = endOfPart;
  }
}
if (functions.length === 0) throw new Error(`${path} has no names of functions: it is to be linked with --profiling-funcs`);

const kindOf = ({name}) => {
  const kind = KINDS.findIndex((part) => name.includes(part));
  return kind < 0 ? KINDS.length : kind;
};
const compareNames = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.index - b.index);
const ordered = [
  ...functions.filter(({index}) => index < MOST_CALLED),
  ...functions
    .filter(({index}) => index >= MOST_CALLED)
    .sort((a, b) => kindOf(a) - kindOf(b) || compareNames(a, b)),
];

// Binaryen orders functions by their names, so each is called by its place.
const places = ordered.map(({index}, place) => ({index, name: String(place).padStart(6, '0')}));
places.sort((a, b) => a.index - b.index);
const names = [...number(places.length), ...places.flatMap(({index, name}) => [...number(index), ...text(name)])];
const section = [...text('name'), FUNCTION_NAMES, ...number(names.length), ...names];
const named = `${path}.named`;
writeFileSync(named, Buffer.concat([...kept, Buffer.from([CUSTOM_SECTION, ...number(section.length), ...section])]));
// The levels are those with which the link wrote the module.
const asLinked = ['--optimize-stack-ir', '--optimize-level=2', '--shrink-level=2'];
execFileSync(wasmOpt, [named, '-o', path, '--all-features', '--reorder-functions-by-name', '--strip-debug', ...asLinked]);
rmSync(named);
