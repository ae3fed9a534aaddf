// SPDX-License-Identifier: Apache-2.0
// Symbol.dispose for places that lack it; to be imported before any class that has such a method.
const symbol = Symbol as {dispose?: symbol};
if (!symbol.dispose) Object.defineProperty(symbol, 'dispose', {value: Symbol('Symbol.dispose')});
