// SPDX-License-Identifier: Apache-2.0
// Typed arrays over the engine's memory. Using an invalid one throws.
import {invalidState} from '../base/error.js';
import type {ArrayType, SupportedTypedArray} from './element.js';

// Without the proxy, a stale array over WebAssembly memory would have length 0 in some builds and old values in others.
// `current` returns the array, or throws if it is stale.
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
