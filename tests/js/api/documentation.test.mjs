// SPDX-License-Identifier: Apache-2.0
// Every method of the public classes is described in the shipped declarations: what it takes, what it returns, and an example.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {describe, it} from 'node:test';
import ts from 'typescript-5';
import {exported, isClass, isOurs} from '../declarations.mjs';
import {freshPackage} from '../engine.mjs';

// The declarations of the methods and constructors of a class, by name. Overloads share one description.
function methodsOf(symbol) {
  const methods = new Map();
  for (const declaration of symbol.declarations.filter(ts.isClassDeclaration)) {
    for (const member of declaration.members) {
      if (!ts.isMethodDeclaration(member) && !ts.isConstructorDeclaration(member)) continue;
      const name = member.name?.getText() ?? 'constructor';
      if (!name.startsWith('[')) methods.set(name, [...(methods.get(name) ?? []), member]);
    }
  }
  return methods;
}

function missingIn(overloads) {
  const tags = new Set(overloads.flatMap((each) => ts.getJSDocTags(each).map(({tagName}) => tagName.text)));
  const [first] = overloads;
  const returns = first.type?.getText() ?? 'void';
  const takes = first.parameters.some(({dotDotDotToken}) => !dotDotDotToken);
  const wanted = {example: true, param: takes, returns: ts.isMethodDeclaration(first) && returns !== 'void'};
  return Object.keys(wanted).filter((tag) => wanted[tag] && !tags.has(tag));
}

describe('documentation', () => {
  const classes = exported.filter(([, symbol]) => isClass(symbol) && isOurs(symbol));

  it('finds the classes and their methods', () => {
    const [, tensor] = classes.find(([name]) => name === 'Tensor');
    assert.deepEqual(missingIn(methodsOf(tensor).get('reshape')), []);
    assert.ok(classes.length >= 12, `${classes.length} classes`);
  });

  for (const [name, symbol] of classes) {
    it(`describes ${name}`, () => {
      const missing = [...methodsOf(symbol)].flatMap(([method, overloads]) => missingIn(overloads).map((tag) => `${method}: @${tag}`));
      assert.deepEqual(missing, []);
    });
  }

  it('describes every property, with its default', async () => {
    const {Core} = await freshPackage();
    const core = new Core();
    const text = readFileSync(new URL('../../../docs/properties.md', import.meta.url), 'utf8');
    const names = core.getProperty('SUPPORTED_PROPERTIES');
    assert.deepEqual(names.filter((name) => !text.includes(`\`${name}\``)), []);
    const described = [...text.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name).filter((name) => /_/.test(name));
    const others = ['INVALID_ARGUMENT', 'NETWORK_NAME', 'ACTIVATIONS_SCALE_FACTOR']; // the last one stands only in files
    assert.deepEqual(described.filter((name) => !names.includes(name) && !others.includes(name)), []);
    const [effects] = text.split('## Read-only');
    const defaults = [...effects.matchAll(/^\| `(\w+)` \| `?(\w+)`? \|/gm)];
    assert.equal(defaults.length, 8);
    for (const [, name, value] of defaults) assert.equal(String(core.getProperty(name)), value, name);
  });
});
