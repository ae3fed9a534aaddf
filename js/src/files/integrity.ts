// SPDX-License-Identifier: Apache-2.0
// Subresource Integrity of files: "sha384-" and the hash in base64. If there are several hashes, the strongest kind counts.
import {WasmvinoError, invalidArgument} from '../base/error.js';
import {currentPlatform, type HashKind} from '../base/platform.js';

// From the weakest to the strongest.
const kinds: readonly HashKind[] = ['sha256', 'sha384', 'sha512'];

interface Expected {
  kind: HashKind;
  hashes: string[];
}

/** @internal Parses an integrity string. Throws `INVALID_ARGUMENT` if it is not valid, before anything is loaded. */
export function parseIntegrity(text: unknown): Expected {
  const parts = typeof text === 'string' ? text.trim().split(/\s+/) : [];
  const found = parts.map((part) => /^(sha256|sha384|sha512)-([A-Za-z0-9+/_-]+={0,2})(?:\?.*)?$/.exec(part));
  const kind = [...kinds].reverse().find((each) => found.some((match) => match?.[1] === each));
  if (!kind || found.includes(null)) {
    throw invalidArgument(`integrity takes hashes as in Subresource Integrity, not '${String(text)}'.`, {
      expected: 'sha256-…, sha384-… or sha512-… in base64',
      actual: String(text),
    });
  }
  return {kind, hashes: found.filter((match) => match![1] === kind).map((match) => match![2]!)};
}

/** @internal Throws `INVALID_MODEL` if the hash of a file differs from the expected one. */
export async function checkIntegrity(
  path: string | URL,
  pieces: readonly Uint8Array<ArrayBuffer>[],
  text: string,
): Promise<void> {
  const {kind, hashes} = parseIntegrity(text);
  const digest = await currentPlatform().digest(kind, path, pieces);
  const actual = btoa(String.fromCharCode(...digest));
  if (hashes.some((hash) => hash.replaceAll('-', '+').replaceAll('_', '/') === actual)) return;
  throw new WasmvinoError(
    'INVALID_MODEL',
    `${path} is not the expected file: its hash is ${kind}-${actual}, not ${hashes.map((hash) => `${kind}-${hash}`).join(' or ')}.`,
    {
      expected: text,
      actual: `${kind}-${actual}`,
    },
  );
}
