// SPDX-License-Identifier: Apache-2.0
// Imports between the rooms of js/src follow the table in docs/architecture.md, and files do not import each other in a circle.
import assert from 'node:assert/strict';
import {readFileSync, readdirSync} from 'node:fs';
import {dirname, join, relative} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const source = join(root, 'js/src');

// The public classes CompiledModel and InferRequest lead to each other.
const knownCircles = ['api/compiled_model.ts api/infer_request.ts'];
// Rooms and files that may use modules of Node.js.
const forNode = /^(cli|arrays)\/|^(platforms|entries)\/node/;

const rooms = new Map();
for (const [, room, imports] of readFileSync(join(root, 'docs/architecture.md'), 'utf8').matchAll(/^\| `([a-z_]+)\/` \|.*\| ([a-z_, –]+) \|$/gm)) {
  rooms.set(room, imports === '–' ? [] : imports.split(', '));
}

const files = readdirSync(source, {recursive: true}).filter((name) => /\.(ts|mts|mjs)$/.test(name));
const isFile = new Set(files);

// The file that a relative import names. The glue of a build is a file beside the bundles, described by a .d.mts.
function target(from, specifier) {
  const path = relative(source, join(source, dirname(from), specifier));
  const candidates = [path, path.replace(/\.js$/, '.ts'), path.replace(/\.mjs$/, '.d.mts')];
  return candidates.find((each) => isFile.has(each)) ?? assert.fail(`${from} imports ${specifier}, which is not a file of js/src`);
}

const imports = new Map(
  files.map((file) => {
    const text = readFileSync(join(source, file), 'utf8');
    const specifiers = [...text.matchAll(/(?:^import |^export [^;'"]*?\bfrom |^import [^;'"]*?\bfrom |^\} from |\bimport\()'([^']+)'/gm)].map(([, each]) => each);
    return [file, specifiers];
  }),
);
const inside = (file) => imports.get(file).filter((each) => each.startsWith('.')).map((each) => target(file, each));
const roomOf = (file) => file.split('/')[0];

test('the table of rooms names every folder of js/src, and each room imports only rooms that follow it', () => {
  const folders = readdirSync(source, {withFileTypes: true}).map((entry) => (entry.isDirectory() ? entry.name : assert.fail(`js/src/${entry.name} is in no room`)));
  assert.deepEqual([...rooms.keys()].sort(), folders.sort());
  const order = [...rooms.keys()];
  for (const [room, used] of rooms) {
    for (const each of used) assert.ok(order.indexOf(each) > order.indexOf(room), `the table lets ${room}/ import ${each}/, which does not follow it`);
  }
});

test('imports follow the table', () => {
  const wrong = [];
  let seen = 0;
  for (const file of files) {
    for (const used of inside(file)) {
      ++seen;
      const [from, to] = [roomOf(file), roomOf(used)];
      if (from !== to && !rooms.get(from).includes(to)) wrong.push(`${file} imports ${used}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(seen > 300, `only ${seen} imports were found`);
});

test('each arrow of the table is used', () => {
  const used = new Set(files.flatMap((file) => inside(file).map((each) => `${roomOf(file)} → ${roomOf(each)}`)));
  const unused = [...rooms].flatMap(([room, others]) => others.map((other) => `${room} → ${other}`)).filter((arrow) => !used.has(arrow));
  assert.deepEqual(unused, []);
});

// Packages that a room bundles.
const bundled = {cli: /./, ort: /^onnxruntime-common$/, genai: /^@huggingface\/jinja$/};

test('only files for Node.js import its modules, and only rooms that bundle packages import them', () => {
  const outside = files.flatMap((file) => imports.get(file).filter((each) => !each.startsWith('.')).map((each) => [file, each]));
  const wrong = outside.filter(([file, each]) => (each.startsWith('node:') ? !forNode.test(file) : !bundled[roomOf(file)]?.test(each)));
  assert.deepEqual(wrong, []);
});

// Groups of files of which each reaches each other (Tarjan's algorithm).
function circles() {
  const [number, lowest, stack, found] = [new Map(), new Map(), [], []];
  const visit = (file) => {
    number.set(file, number.size);
    lowest.set(file, number.get(file));
    stack.push(file);
    for (const used of inside(file)) {
      if (!number.has(used)) visit(used);
      if (stack.includes(used)) lowest.set(file, Math.min(lowest.get(file), lowest.get(used)));
    }
    if (lowest.get(file) !== number.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) found.push(group.sort().join(' '));
  };
  for (const file of files) if (!number.has(file)) visit(file);
  return found;
}

test('no files import each other in a circle, types included, but the two public classes', () => {
  assert.deepEqual(circles(), knownCircles);
});
