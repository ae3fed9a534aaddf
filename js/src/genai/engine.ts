// SPDX-License-Identifier: Apache-2.0
// What this entry uses of the package: its public API.
import {Core} from '../api/index.js';

export {Core, Tensor, WasmvinoError} from '../api/index.js';
export type {CompiledModel, ErrorCode, InferRequest, Model, OVAny} from '../api/index.js';

/** A Core on this thread or in a worker. Without `worker`, as ov.configure() has it. */
export function coreOf({worker}: {worker?: unknown}): Core {
  return new Core(worker === undefined ? {} : {worker: worker as boolean});
}
