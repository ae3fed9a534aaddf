// SPDX-License-Identifier: Apache-2.0
// Another build of this engine, for comparing one with the other.

import {open as openWasmvino} from './wasmvino.mjs';

export async function open({paths, ...options}) {
  const engine = await openWasmvino({...options, paths: {wasmvino: paths.baseline}});
  return {...engine, about: () => ({...engine.about(), name: 'baseline'})};
}
