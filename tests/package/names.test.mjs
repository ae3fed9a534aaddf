// SPDX-License-Identifier: Apache-2.0
// Every public name of the shipped declarations is in the shipped bundles.
import assert from 'node:assert/strict';
import {existsSync, readFileSync, readdirSync} from 'node:fs';
import {extname, join} from 'node:path';
import {describe, it} from 'node:test';
import {checker, exported, isClass, isOurs, isType, isValue, membersOf, typesOnly} from '../js/declarations.mjs';
import {dist} from './install.mjs';

const isPlain = (name) => /^[A-Za-z]\w*$/.test(name);

// Collects the names of members, of the members of their types, and so on.
const names = new Set();
const seen = new Set();
function walkType(type) {
  if (seen.has(type)) return;
  seen.add(type);
  for (const part of type.types ?? []) walkType(part);
  for (const argument of [...(type.aliasTypeArguments ?? []), ...(checker.getTypeArguments(type) ?? [])]) walkType(argument);
  for (const member of type.getProperties().filter(isOurs)) {
    if (isPlain(member.name)) names.add(member.name);
    walkType(checker.getTypeOfSymbol(member));
  }
  for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
    walkType(signature.getReturnType());
    for (const parameter of signature.parameters) walkType(checker.getTypeOfSymbol(parameter));
  }
}
for (const [name, symbol] of exported) {
  if (isValue(symbol) && !typesOnly.has(name)) {
    names.add(name);
    walkType(checker.getTypeOfSymbol(symbol));
  }
  if (isType(symbol)) walkType(checker.getDeclaredTypeOfSymbol(symbol));
}

describe('names', () => {
  it('the walk finds members of classes, of options and of what the engine reports', () => {
    for (const name of ['compileModelSync', 'wasmUrl', 'factory', 'shareOutputs', 'layerType', 'nodeName', 'configure', 'getPartialShape']) {
      assert.ok(names.has(name), name);
    }
    assert.ok(names.size > 100, String(names.size));
  });

  // Names that occur only in the engine's JSON reports are in the .wasm.
  const wasm = readFileSync(join(dist, 'wasmvino-simd.wasm'), 'latin1');
  for (const bundle of ['browser.js', 'relaxed-mt.js', 'node.cjs']) {
    const texts = [bundle, `shared${extname(bundle)}`].filter((name) => existsSync(join(dist, name))).map((name) => readFileSync(join(dist, name), 'utf8'));
    it(`all are in ${bundle}`, () => {
      const words = new Set([...(texts.join('') + wasm).matchAll(/[A-Za-z_$][\w$]*/g)].map(([word]) => word));
      assert.deepEqual([...names].filter((name) => !words.has(name)), []);
    });

    it(`the classes of ${bundle} have their names and members`, async () => {
      const api = await import(join(dist, bundle));
      const values = exported.filter(([name, symbol]) => isValue(symbol) && !typesOnly.has(name));
      assert.ok(values.length > 15);
      for (const [name] of values) assert.ok(name in api, name);
      for (const [name] of exported.filter(([name, symbol]) => isClass(symbol) && !typesOnly.has(name))) {
        assert.equal(api[name].name, name);
        for (const member of membersOf(name)) assert.ok(member in api[name].prototype, `${name}.${member}`);
      }
    });
  }

  it('all members of the addon are exported by themselves', async () => {
    const api = await import(join(dist, 'node.js'));
    for (const name of Object.keys(api.addon)) assert.ok(name in api, name);
    assert.equal(await api.ready, undefined);
    assert.deepEqual({...api.build}, api.addon.build);
    assert.equal(api.version, api.addon.version);
  });

  it('no declaration names what is internal', () => {
    const files = readdirSync(join(dist, 'types'), {recursive: true}).filter((file) => file.endsWith('.d.ts'));
    assert.ok(files.length > 50, String(files));
    for (const name of files) {
      assert.doesNotMatch(readFileSync(join(dist, 'types', name), 'utf8'), /@internal/, name);
    }
    for (const [name, member] of [['Tensor', 'of'], ['Tensor', 'info'], ['CompiledModel', 'threads'], ['Model', 'files']]) {
      const [, symbol] = exported.find(([each]) => each === name);
      const members = [...checker.getDeclaredTypeOfSymbol(symbol).getProperties(), ...checker.getTypeOfSymbol(symbol).getProperties()];
      assert.ok(!members.some((each) => each.name === member), `${name}.${member}`);
    }
  });
});
