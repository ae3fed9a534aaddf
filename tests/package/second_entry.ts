// SPDX-License-Identifier: Apache-2.0
// A second entry of the package, which only tests have (shared.test.mjs).
import {addon} from '../../js/src/api/index.js';

export {Core, Tensor} from '../../js/src/api/index.js';

/** The build and the memory of the engine, as this entry sees them. */
export function seen(): {build: string; memoryBytes: number} {
  return {build: addon.build.name, memoryBytes: addon.memoryBytes()};
}
