// SPDX-License-Identifier: Apache-2.0
// Every member that openvino-node declares exists here too, with a compatible type.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {describe, it} from 'node:test';
import ts from 'typescript-5';
import {addModel, freshPackage, root} from '../engine.mjs';

const declared = ts.createSourceFile(
  'addon.d.ts',
  readFileSync(join(root, 'node_modules/openvino-node/types/addon.d.ts'), 'utf8'),
  ts.ScriptTarget.ES2022,
  true,
);
const interfaces = declared.statements.filter(ts.isInterfaceDeclaration);
const addonMembers = interfaces.find(({name}) => name.text === 'NodeAddon').members;
const isConstructor = (member) => ts.isConstructSignatureDeclaration(member);
const namesOf = ({members}) => [...new Set(members.filter((member) => member.name).map(({name}) => name.text))];

const isClass = (statement) => ts.isInterfaceDeclaration(statement) && statement.members.some(isConstructor);
const classes = declared.statements.filter(isClass);
const enums = declared.statements.filter(ts.isEnumDeclaration);
const ourOwn = new Set([...classes, ...enums].map(({name}) => name.text));

// The text of a member. Parameters whose type is a class take our class instead, because users have our objects.
function textOf(member) {
  let text = member.getText();
  const at = [];
  const visit = (node, inParameter) => {
    if (inParameter && ts.isTypeReferenceNode(node) && ourOwn.has(node.typeName.text)) at.push(node.getStart() - member.getStart());
    ts.forEachChild(node, (child) => visit(child, inParameter || ts.isParameter(node)));
  };
  visit(member, false);
  for (const start of at.reverse()) text = `${text.slice(0, start)}ours.${text.slice(start)}`;
  return text;
}

// Corrects the declarations of openvino-node, which differ from its behaviour. They give constructors to objects of a class
// and declare strings as enums of numbers. Here constructors are separate interfaces, and element types are strings.
function declarationsAsTheyWork() {
  const constructed = new Set(classes.map(({name}) => name.text));
  const texts = declared.statements.map((statement) => {
    if (ts.isEnumDeclaration(statement)) {
      const {text} = statement.name;
      const names = statement.members.map(({name}) => `'${name.text}'`).join(' | ');
      return `export type ${text} = string; export declare const ${text}: {readonly [name in ${names}]: string};`;
    }
    if (!ts.isInterfaceDeclaration(statement)) return statement.getText();
    const name = statement.name.text;
    const membersText = (members) => members.map(textOf).join('\n');
    const constructors = statement.members.filter(isConstructor);
    return `export interface ${name} {\n${membersText(statement.members.filter((member) => !isConstructor(member)))}}
      export interface ${name}Class {${membersText(constructors)}}`;
  });
  texts.unshift("import type * as ours from '../../../dist/types/api/index.js';");
  // A mistake in the declarations: methods of OutputTensorInfo return the object itself, not an InputTensorInfo.
  const right = texts.map((text) => (text.startsWith('export interface OutputTensorInfo') ? text.replaceAll('): InputTensorInfo', '): OutputTensorInfo') : text));
  return right.join('\n').replace(/^(\s*)(\w+): (\w+);$/gm, (line, indent, name, type) =>
    name === type && constructed.has(name) ? `${indent}${name}: ${name}Class;` : line,
  );
}

function errorsOf(files) {
  const options = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const host = ts.createCompilerHost(options);
  const given = new Map(Object.entries(files).map(([name, text]) => [join(root, 'tests/js/api', name), text]));
  const {getSourceFile, fileExists, readFile} = host;
  host.fileExists = (path) => given.has(path) || fileExists(path);
  host.readFile = (path) => given.get(path) ?? readFile(path);
  host.getSourceFile = (path, version) =>
    given.has(path) ? ts.createSourceFile(path, given.get(path), version) : getSourceFile(path, version);
  const program = ts.createProgram([...given.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({messageText}) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('openvino-node', () => {
  it('types: ours can stand in the place of its declarations, member by member', () => {
    const files = {
      'theirs.d.ts': declarationsAsTheyWork(),
      'assigned.mts': addonMembers
        .map(({name: {text}}) => `export const _${text}: NodeAddon['${text}'] = addon.${text};`)
        .concat("import {addon} from '../../../dist/types/api/index.js';", "import type {NodeAddon} from './theirs.d.ts';")
        .join('\n'),
    };
    assert.equal(addonMembers.length, 13);
    assert.deepEqual(errorsOf(files), []);
    const wrong = files['assigned.mts'].replace('= addon.Tensor;', '= addon.Model;');
    assert.match(errorsOf({...files, 'assigned.mts': wrong}).join(), /not assignable/);
  });

  it('types: each name that its declarations export is exported here, and so is the addon as the default', () => {
    const isExported = ({modifiers}) => modifiers?.some(({kind}) => kind === ts.SyntaxKind.ExportKeyword);
    const names = declared.statements.filter((statement) => isExported(statement) && statement.name).map(({name}) => name.text);
    for (const name of ['PrePostProcessor', 'InputInfo', 'PreProcessSteps', 'NodeAddon', 'Version']) assert.ok(names.includes(name), name);
    const text = `import ov, {addon} from '../../../dist/types/api/index.js';
      import type {${names.join(', ')}} from '../../../dist/types/api/index.js';
      export const whole: NodeAddon = ov;
      export const same: typeof ov = addon;
      export const steps = (input: InputInfo): PreProcessSteps => input.preprocess().resize('RESIZE_LINEAR');
      export const tensor = (input: InputInfo): InputTensorInfo => input.tensor().setLayout('NHWC');
      export const model = (input: InputInfo): InputModelInfo => input.model();
      export const output = (processor: PrePostProcessor): OutputInfo => processor.output();
      export const result = (made: OutputInfo): OutputTensorInfo => made.tensor();`;
    assert.deepEqual(errorsOf({'names.mts': text}), []);
    assert.match(errorsOf({'names.mts': text.replace('import type {', 'import type {NotThere, ')}).join(), /NotThere/);
  });

  it('the default export is the addon, in modules and in CommonJS', async () => {
    const all = await import('../../../dist/node.js');
    assert.equal(all.default, all.addon);
    const common = createRequire(import.meta.url)('../../../dist/node.cjs');
    assert.equal(common.default, common.addon);
  });

  it('values: every member of the addon and of its classes is there', async () => {
    const ov = await freshPackage();
    for (const {name} of addonMembers) assert.ok(name.text in ov, name.text);
    assert.equal(classes.length, 10);
    for (const each of classes) {
      const type = ov[each.name.text] ?? ov.preprocess[each.name.text];
      assert.equal(typeof type, 'function', each.name.text);
      for (const name of namesOf(each)) assert.ok(name in type.prototype, `${each.name.text}.${name}`);
    }
    const model = new ov.Core().readModelSync(addModel());
    const processor = new ov.preprocess.PrePostProcessor(model);
    const objects = {
      InputInfo: processor.input(0),
      InputTensorInfo: processor.input(0).tensor(),
      PreProcessSteps: processor.input(0).preprocess(),
      InputModelInfo: processor.input(0).model(),
      OutputInfo: processor.output(),
      OutputTensorInfo: processor.output().tensor(),
    };
    for (const [name, object] of Object.entries(objects)) {
      for (const member of namesOf(interfaces.find((each) => each.name.text === name))) assert.ok(member in object, `${name}.${member}`);
    }
  });
});
