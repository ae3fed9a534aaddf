// SPDX-License-Identifier: Apache-2.0
// Writes archives of uncompressed entries, as pnnx writes its .bin.

const HEAD = 30;
const RECORD = 46;
const END = 22;

const table = Uint32Array.from({length: 256}, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; ++bit) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(bytes) {
  let value = ~0;
  for (const byte of bytes) value = (value >>> 8) ^ table[(value ^ byte) & 0xff];
  return ~value >>> 0;
}

/**
 * @param {{name: string, size: number, bytes?: Uint8Array}[]} entries without `bytes`, an entry has zeros and no checksum
 * @returns {Uint8Array}
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
    for (const fields of [at + 14, record + 16]) {
      if (bytes !== undefined) view.setUint32(fields, crc32(bytes), true);
      view.setUint32(fields + 4, size, true);
      view.setUint32(fields + 8, size, true);
      view.setUint16(fields + 12, name.length, true);
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
