// SPDX-License-Identifier: Apache-2.0
// Typed arrays over the engine's memory. They throw if they are used after they became invalid.
import type {ArrayType, SupportedTypedArray} from './element.js';
import {invalidState} from './error.js';

// A stale array over wasm memory has length 0 in one build and old values in another. The proxy hides both: `current`
// throws as soon as the array is stale.
export function guardedView(current: () => SupportedTypedArray, type: ArrayType): SupportedTypedArray {
  return new Proxy(new type(0), {
    get(_, key) {
      const array = current();
      if (key === 'buffer') {
        throw invalidState('The buffer of a view belongs to the engine: use view((array) => ...) to access it.');
      }
      const value: unknown = Reflect.get(array, key);
      if (typeof value !== 'function' || key === 'constructor') return value;
      return (...args: unknown[]): unknown => {
        const now = current();
        if (key === 'subarray') {
          const [start, end] = args as [number?, number?];
          return guardedView(() => current().subarray(start, end) as SupportedTypedArray, type);
        }
        return Reflect.apply(value, now, args);
      };
    },
    ...Object.fromEntries(
      (['set', 'has', 'ownKeys', 'getOwnPropertyDescriptor', 'defineProperty'] as const).map((trap) => [
        trap,
        (_: unknown, ...args: never[]) => (Reflect[trap] as (...all: unknown[]) => unknown)(current(), ...args.slice(0, 2)),
      ]),
    ),
  });
}
