// SPDX-License-Identifier: Apache-2.0
// Objects keep their data in private fields. A method of this name returns what console.log() of Node.js prints.
import type {Output} from './output.js';

/** @internal */
export const inspected: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/** @internal Lists ports, one per line. */
export function portLines(kind: string, ports: readonly Output[]): string {
  return ports.map((port) => `\n  ${kind} ${port.anyName}: ${port.elementType} ${port.getPartialShape()}`).join('');
}
