// SPDX-License-Identifier: Apache-2.0
import type {BuildName, PartName} from '../base/builds.js';

/**
 * @internal Returns the URL of a module or of a part of it. `from` is a folder, which ends with "/", or the module. Returns
 * undefined for a part of a module whose name does not end in ".wasm": it can lie anywhere.
 */
export function moduleUrl(from: URL, build: BuildName, part: PartName | undefined): URL | undefined {
  if (from.pathname.endsWith('/')) return new URL(`wasmvino-${build}${part === undefined ? '' : `.${part}`}.wasm`, from);
  if (part === undefined) return from;
  if (!from.pathname.endsWith('.wasm')) return undefined;
  const url = new URL(from);
  url.pathname = url.pathname.replace(/wasm$/, `${part}.wasm`);
  return url;
}
