// SPDX-License-Identifier: Apache-2.0
// Lists what the shipped declarations make public.
import {join} from 'node:path';
import ts from 'typescript-5';
import {root} from './engine.mjs';

const folder = join(root, 'dist/types');
const entry = join(folder, 'api/index.d.ts');
const program = ts.createProgram([entry], {module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, types: []});
export const checker = program.getTypeChecker();
const module = checker.getSymbolAtLocation(program.getSourceFile(entry));

const exports = checker.getExportsOfModule(module);

/** Names of what is exported as a type only, such as a class that other objects make. */
export const typesOnly = new Set(exports.filter(({declarations}) => declarations?.some(ts.isTypeOnlyImportOrExportDeclaration)).map(({name}) => name));

/** [name, symbol] of each export. Aliases are resolved. */
export const exported = exports
  .map((symbol) => [symbol.name, symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol]);

/** Whether the package declares a symbol, as opposed to the TypeScript library. */
export const isOurs = (symbol) => symbol.declarations?.every((each) => each.getSourceFile().fileName.startsWith(folder));

/** Names of the methods and accessors of a class, including inherited ones, without symbols. */
export function membersOf(name) {
  const [, symbol] = exported.find(([each]) => each === name);
  const isMember = ({flags, name: member}) => flags & (ts.SymbolFlags.Method | ts.SymbolFlags.Accessor) && /^[A-Za-z]\w*$/.test(member);
  return checker.getDeclaredTypeOfSymbol(symbol).getProperties().filter(isMember).map((member) => member.name);
}

export const isValue = ({flags}) => (flags & ts.SymbolFlags.Value) !== 0;
export const isType = ({flags}) => (flags & ts.SymbolFlags.Type) !== 0;
export const isClass = ({flags}) => (flags & ts.SymbolFlags.Class) !== 0;
