// SPDX-License-Identifier: Apache-2.0
// Objects keep their data in private fields. A method of this name returns what console.log() of Node.js prints.

/** @internal */
export const inspected: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;
