// SPDX-License-Identifier: Apache-2.0
// The format of exported models: a title line, a line of JSON with lengths and a checksum, the .xml, the .bin.
import {WasmvinoError, invalidState, unsupported} from '../base/error.js';
import {totalLength} from '../base/sink.js';
import type {Edit, ModelFiles, ModelPart} from './model_files.js';
import {Weights} from './weights.js';

const title = 'wasmvino model 3';

// Buffer if the program has the types of Node.js.
type NodeBuffer = typeof globalThis extends {Buffer: {alloc(size: number): infer T}} ? T : Uint8Array;

/** The bytes of an exported model: a Buffer in Node.js, a Uint8Array elsewhere. */
export type ExportedModel = NodeBuffer;

const {Buffer} = globalThis as {Buffer?: {alloc(size: number): ExportedModel; from(buffer: ArrayBufferLike): ExportedModel}};

/** @internal Converts bytes to the public type. They must fill their buffer. */
export function asExported(bytes: Uint8Array): ExportedModel {
  return Buffer ? Buffer.from(bytes.buffer) : (bytes as ExportedModel);
}

// FNV-1a over the 32-bit words, and over the bytes after them. SubtleCrypto has no hash for synchronous calls.
function checksum(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const words = bytes.length & ~3;
  let sum = 0x811c9dc5;
  for (let at = 0; at < words; at += 4) sum = Math.imul(sum ^ view.getUint32(at, true), 0x01000193);
  for (let at = words; at < bytes.length; ++at) sum = Math.imul(sum ^ bytes[at]!, 0x01000193);
  return sum >>> 0;
}

/**
 * @internal Exports a model with the current bytes of its weights. Throws if these no longer have the size that they had when
 * the model was read.
 */
export function exported(
  {xml, edits, parts, weights: read}: ModelFiles,
  weights: readonly Uint8Array[] | undefined,
): ExportedModel {
  const length = weights && totalLength(weights);
  if (length !== read?.size) {
    throw invalidState(
      `The weights of this model have changed since it was read: they had ${read?.size} bytes, now ${length}.`,
    );
  }
  const json = (checksums: number[]) => JSON.stringify({xml: xml.length, weights: length, checksums, edits, parts});
  const longest = json([2 ** 32 - 1, 2 ** 32 - 1]).length;
  const head = (checksums: number[]) => new TextEncoder().encode(`${title}\n${json(checksums).padEnd(longest)}\n`);
  const start = head([0, 0]).length;
  const size = start + xml.length + (length ?? 0);
  const bytes = Buffer ? Buffer.alloc(size) : (new Uint8Array(size) as ExportedModel);
  let at = start;
  for (const part of [xml, ...(weights ?? [])]) {
    bytes.set(part, at);
    at += part.length;
  }
  // Computed from the result, since only there the weights are in one row.
  bytes.set(head([xml, bytes.subarray(start + xml.length)].map(checksum)));
  return bytes;
}

function parsed(
  json: string,
): {xml?: unknown; weights?: unknown; edits?: unknown; parts?: unknown; checksums?: unknown} | undefined {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function areEdits(edits: unknown): edits is Edit[] {
  const isEdit = (edit: unknown) =>
    Array.isArray(edit) &&
    ['reshape', 'preprocess'].includes(edit[0]) &&
    Array.isArray(edit[1]) &&
    edit[1].every((text) => typeof text === 'string');
  return Array.isArray(edits) && edits.every(isEdit);
}

function areParts(parts: unknown): parts is ModelPart[] | undefined {
  const isPart = (part: unknown) => {
    const {path, size} = Object(part) as Partial<ModelPart>;
    return typeof path === 'string' && Number.isSafeInteger(size) && size! >= 0;
  };
  return parts === undefined || (Array.isArray(parts) && parts.every(isPart));
}

/**
 * @internal The reverse of exported(). The result refers to the bytes. Throws `UNSUPPORTED` for another version of the format,
 * and `INVALID_MODEL` for anything else.
 */
export function imported(bytes: Uint8Array): ModelFiles {
  const first = bytes.indexOf(10);
  const second = bytes.indexOf(10, first + 1);
  const decoder = new TextDecoder();
  const line = (start: number, end: number) => decoder.decode(bytes.subarray(start, end));
  const start = line(0, Math.min(first, 100));
  const version = /^wasmvino model (\d+)$/.exec(start)?.[1];
  if (version !== undefined && start !== title) {
    throw unsupported(
      `This model was exported by another version of wasmvino, in format ${version} (supported: ${/\d+$/.exec(title)}). Export it again.`,
    );
  }
  if (start === title) {
    const head = parsed(line(first + 1, second));
    const xmlEnd = second + 1 + Number(head?.xml);
    if (areEdits(head?.edits) && areParts(head.parts) && xmlEnd + Number(head?.weights ?? 0) === bytes.length) {
      const [xml, weights] = [bytes.subarray(second + 1, xmlEnd), bytes.subarray(xmlEnd)];
      if (String(head?.checksums) !== String([xml, weights].map(checksum))) {
        throw new WasmvinoError(
          'INVALID_MODEL',
          'The exported model is damaged: its bytes do not have the checksum of the export. Export it again.',
        );
      }
      return {
        xml,
        weights: head.weights === undefined ? undefined : new Weights(weights),
        parts: head.parts,
        edits: head.edits,
      };
    }
  }
  throw new WasmvinoError('INVALID_MODEL', 'This was not created by exportModelSync(), or it is incomplete.');
}
