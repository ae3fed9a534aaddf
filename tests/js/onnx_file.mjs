// SPDX-License-Identifier: Apache-2.0
// Writes small ONNX files in the wire format of protocol buffers.
const encoder = new TextEncoder();

/** Puts byte arrays one after the other. */
export function joined(...parts) {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function varint(value) {
  const bytes = [];
  for (let rest = BigInt(value); ; rest >>= 7n) {
    const low = Number(rest & 127n);
    if (rest < 128n) return Uint8Array.from([...bytes, low]);
    bytes.push(low | 128);
  }
}

/** A field: a number, or a text or bytes with their length. */
export function field(number, value) {
  if (typeof value === 'number') return joined(varint(number << 3), varint(value));
  const bytes = typeof value === 'string' ? encoder.encode(value) : value;
  return joined(varint((number << 3) | 2), varint(bytes.length), bytes);
}

/** Element types of tensors. */
export const types = {float: 1, int64: 7};

/** A tensor. `data` adds its elements. */
export const tensor = (name, shape, data, type = types.float) =>
  joined(...shape.map((size) => field(1, size)), field(2, type), field(8, name), data);

/** The elements of a tensor in the file itself, and in another file. */
export const raw = (values) => field(9, new Uint8Array(Float32Array.from(values).buffer));
export const rawIntegers = (values) => field(9, new Uint8Array(BigInt64Array.from(values, BigInt).buffer));
export const external = (entries) =>
  joined(...Object.entries(entries).map(([key, value]) => field(13, joined(field(1, key), field(2, String(value))))), field(14, 1));

/** An input or output. Dimensions are sizes or names. */
export function value(name, dimensions, type = types.float) {
  const sizes = dimensions.map((each) => field(1, typeof each === 'number' ? field(1, each) : field(2, each)));
  return joined(field(1, name), field(2, field(1, joined(field(1, type), field(2, joined(...sizes))))));
}

/** A node. Its attributes are integers. */
export function node(type, inputs, outputs, attributes = {}) {
  const list = Object.entries(attributes).map(([name, number]) => field(5, joined(field(1, name), field(3, number), field(20, 2))));
  return joined(...inputs.map((each) => field(1, each)), ...outputs.map((each) => field(2, each)), field(4, type), ...list);
}

/** A model of operator set 21. */
export function model({nodes, inputs, outputs, initializers = []}) {
  const list = (number, messages) => messages.map((each) => field(number, each));
  const graph = joined(...list(1, nodes), field(2, 'g'), ...list(5, initializers), ...list(11, inputs), ...list(12, outputs));
  return joined(field(1, 10), field(7, graph), field(8, field(2, 21)));
}
