// SPDX-License-Identifier: Apache-2.0
// Polyfill of Symbol.dispose. Import it before any class that defines such a method.
const symbol = Symbol as {dispose?: symbol};
if (!symbol.dispose) Object.defineProperty(symbol, 'dispose', {value: Symbol('Symbol.dispose')});
