// SPDX-License-Identifier: Apache-2.0
// Writes archives of uncompressed entries, as pnnx writes its .bin.

const HEAD = 30;
const RECORD = 46;
const END = 22;

/**
 * @param {{name: string, size: number, bytes?: Uint8Array}[]} entries without `bytes`, an entry has zeros
 * @returns {Uint8Array} without checksums, which the reader does not look at
 */
export function storedZip(entries) {
  const sum = (of) => entries.reduce((total, entry) => total + of(entry), 0);
  const directorySize = sum(({name}) => RECORD + name.length);
  const directoryAt = sum(({name, size}) => HEAD + name.length + size);
  const file = new Uint8Array(directoryAt + directorySize + END);
  const view = new DataView(file.buffer);
  const text = new TextEncoder();
  let at = 0;
  let record = directoryAt;
  for (const {name, size, bytes} of entries) {
    view.setUint32(at, 0x04034b50, true);
    view.setUint32(record, 0x02014b50, true);
    for (const sizes of [at + 18, record + 20]) {
      view.setUint32(sizes, size, true);
      view.setUint32(sizes + 4, size, true);
      view.setUint16(sizes + 8, name.length, true);
    }
    view.setUint32(record + 42, at, true);
    file.set(text.encode(name), at + HEAD);
    file.set(text.encode(name), record + RECORD);
    if (bytes !== undefined) file.set(bytes, at + HEAD + name.length);
    at += HEAD + name.length + size;
    record += RECORD + name.length;
  }
  view.setUint32(record, 0x06054b50, true);
  view.setUint16(record + 8, entries.length, true);
  view.setUint16(record + 10, entries.length, true);
  view.setUint32(record + 12, directorySize, true);
  view.setUint32(record + 16, directoryAt, true);
  return file;
}
