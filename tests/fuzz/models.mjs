// SPDX-License-Identifier: Apache-2.0
// Generates models of one operation with random ports, and inputs for any model.
import {all, child, make, parse, print} from './xml.mjs';

export const types = [
  'f32', 'f16', 'bf16', 'f64', 'i32', 'i64', 'i8', 'u8', 'i16', 'u16', 'u32', 'u64', 'boolean', 'string',
  'i4', 'u4', 'u1', 'u2', 'u3', 'u6', 'nf4', 'f8e4m3', 'f8e5m2', 'f4e2m1', 'f8e8m0', 'dynamic',
];
const precisions = {f32: 'FP32', f16: 'FP16', bf16: 'BF16', f64: 'FP64', boolean: 'BOOL', string: 'STRING', dynamic: 'UNSPECIFIED'};
const bits = {f64: 64, i64: 64, u64: 64, f32: 32, i32: 32, u32: 32, f16: 16, bf16: 16, i16: 16, u16: 16, i4: 4, u4: 4, u1: 1, u2: 2, u3: 3, u6: 6, nf4: 4, f4e2m1: 4};

export const precisionOf = (type) => precisions[type] ?? type.toUpperCase();
export const typeOf = (precision) => types.find((type) => precisionOf(type) === precision) ?? 'f32';
export const byteSize = (type, count) => Math.ceil((count * (bits[type] ?? 8)) / 8);
export const product = (shape) => shape.reduce((a, b) => a * b, 1);

/** Generates the bytes of `count` elements: small integers, real numbers, or arbitrary bytes. */
export function values(random, type, count) {
  const size = byteSize(type, count);
  const bytes = new Uint8Array(Math.ceil(size / 8) * 8);
  const view = new DataView(bytes.buffer);
  const wild = random.chance(0.1);
  const small = random.pick([2, 4, 10, 100]);
  for (let i = 0; i < count; i++) {
    if (type === 'f32') view.setFloat32(i * 4, wild ? random.real() : random.below(4000) / 1000 - 2, true);
    else if (type === 'f64') view.setFloat64(i * 8, wild ? random.real() : random.below(4000) / 1000 - 2, true);
    else if (type === 'f16' || type === 'bf16') view.setUint16(i * 2, wild ? random.next() & 0xffff : (type === 'f16' ? 0x3800 : 0x3f00) + random.below(2048), true);
    else if (!/^[iu](16|32|64)$/.test(type)) break;
    else {
      const value = BigInt(wild && random.chance(0.5) ? random.pick(['2147483647', '-2147483648', '9223372036854775807', '-1']) : random.below(small) - (random.chance(0.1) ? 1 : 0));
      if (bits[type] === 64) view.setBigInt64(i * 8, BigInt.asIntN(64, value), true);
      else if (bits[type] === 32) view.setInt32(i * 4, Number(BigInt.asIntN(32, value)), true);
      else view.setInt16(i * 2, Number(BigInt.asIntN(16, value)), true);
    }
  }
  if (type === 'boolean') for (let i = 0; i < size; i++) bytes[i] = random.below(2);
  else if (!/^(b?f(16|32|64)|[iu](16|32|64))$/.test(type)) for (let i = 0; i < size; i++) bytes[i] = wild ? random.next() : random.below(small);
  return bytes.subarray(0, size);
}

function attributeValue(random, seen) {
  if (seen !== undefined && random.chance(0.6)) return seen;
  const kind = random.below(7);
  if (kind <= 2) return random.integer();
  if (kind === 3) return Array.from({length: random.below(6)}, () => random.integer()).join(',');
  if (kind === 4) return String(random.real());
  return kind === 5 ? random.pick(['true', 'false', '0', '1']) : random.pick(['', 'max', 'valid', 'same_upper', 'nearest', 'numpy', 'none', ...types]);
}

function randomShape(random, like) {
  const near = like !== undefined && random.chance(0.7);
  const shape = near ? like.map((size) => Math.max(0, Number(size) || 0)) : Array.from({length: random.below(8)}, () => random.size());
  if (near) for (let change = random.below(3); change > 0 && shape.length > 0; change--) shape[random.below(shape.length)] = random.size();
  return shape;
}

const port = (id, type, shape) => make('port', {id, precision: precisionOf(type)}, shape.map((size) => make('dim', {}, [], String(size))));

/** Generates a model {xml, bin} with one layer of `operation`. Its inputs are parameters or constants. */
export function oneLayer(random, corpus, operation) {
  const samples = corpus.samples(operation.type);
  const sample = samples.length > 0 ? random.pick(samples) : {attributes: {}, inputs: [{precision: 'FP32'}], outputs: ['FP32']};
  const attributes = {};
  for (const [name, seen] of Object.entries({...(samples.length > 0 ? random.pick(samples).attributes : {}), ...sample.attributes})) {
    if (!random.chance(0.05)) attributes[name] = random.chance(0.75) ? seen : attributeValue(random, random.pick(samples).attributes[name]);
  }
  const inputs = [...sample.inputs];
  if (random.chance(0.05)) inputs.pop();
  if (random.chance(0.05)) inputs.push(random.pick(inputs) ?? {precision: 'FP32'});
  const swapped = random.chance(0.25) ? random.pick(types) : undefined; // gives all inputs this type
  const layers = [];
  const edges = [];
  const edge = (from, fromPort, to, toPort) => edges.push(make('edge', {'from-layer': from, 'from-port': fromPort, 'to-layer': to, 'to-port': toPort}));
  const bin = [];
  let offset = 0;
  const target = inputs.length;
  const ports = inputs.map(({precision, sizes}, i) => {
    const known = typeOf(precision);
    const type = swapped !== undefined && /^b?f\d/.test(known) ? swapped : random.chance(0.05) ? random.pick(types) : known;
    const shape = randomShape(random, sizes);
    const count = product(shape);
    // Inputs that hold sizes, axes or lengths are mostly constants.
    if (count <= 65536 && type !== 'string' && type !== 'dynamic' && random.chance(i > 0 && /^[iu]/.test(type) ? 0.6 : 0.15)) {
      const data = values(random, type, count);
      layers.push(make('layer', {id: i, name: `c${i}`, type: 'Const', version: 'opset1'}, [
        make('data', {element_type: type, shape: shape.join(','), offset, size: data.length}),
        make('output', {}, [port(0, type, shape)]),
      ]));
      bin.push(data);
      offset += data.length;
    } else {
      const declared = random.chance(0.15) ? shape.map((size) => (random.chance(0.5) ? -1 : size)) : shape;
      const text = declared.map((size) => (size < 0 ? '?' : size)).join(',');
      layers.push(make('layer', {id: i, name: `x${i}`, type: 'Parameter', version: 'opset1'}, [
        make('data', {element_type: type, shape: random.chance(0.02) ? '...' : text}),
        make('output', {}, [port(0, type, declared)]),
      ]));
    }
    edge(i, 0, target, i);
    return port(i, type, shape);
  });
  const outputs = sample.outputs.length > 0 ? sample.outputs : ['FP32'];
  layers.push(make('layer', {id: target, name: 'op', type: operation.type, version: operation.domain || `opset${operation.since + random.below(operation.until - operation.since + 1)}`}, [
    make('data', attributes),
    make('input', {}, ports),
    make('output', {}, outputs.map((precision, i) => port(ports.length + i, typeOf(precision), []))),
  ]));
  outputs.forEach((precision, i) => {
    layers.push(make('layer', {id: target + 1 + i, name: `r${i}`, type: 'Result', version: 'opset1'}, [make('input', {}, [port(0, typeOf(precision), [])])]));
    edge(target, ports.length + i, target + 1 + i, 0);
  });
  const net = make('net', {name: operation.type, version: 11}, [make('layers', {}, layers), make('edges', {}, edges)]);
  return {xml: print(net), bin: Buffer.concat(bin)};
}

/** Element types and sizes of the inputs of an IR, as {type, sizes}: texts, of which only sizes that are numbers are known. */
export function irInputs(xml) {
  const layers = child(parse(xml) ?? make('net'), 'layers')?.children ?? [];
  const parameters = layers.filter((layer) => layer.attributes.type === 'Parameter');
  return parameters.map((layer) => {
    const {element_type: type = 'f32', shape = ''} = child(layer, 'data')?.attributes ?? {};
    return {type, sizes: shape.split(',')};
  });
}

/** Generates inputs [{type, shape, bytes}] for those declared. `wrong` is the probability that one does not match. */
export function inputsFor(random, declared, wrong) {
  return declared.map(({type: given, sizes}) => {
    let type = types.includes(given) && given !== 'dynamic' ? given : 'f32';
    let shape = sizes.filter((size) => size.trim() !== '').map((size) => (/^\s*\d+\s*$/.test(size) ? Number(size) : 1 + random.below(4)));
    if (random.chance(wrong)) {
      if (random.chance(0.3)) type = random.pick(types.slice(0, -1));
      else if (random.chance(0.3)) shape = randomShape(random);
      else if (shape.length > 0) shape[random.below(shape.length)] = random.size();
    }
    const count = product(shape);
    // Large inputs get no values: they are zeros.
    const bytes = type !== 'string' && count <= 1 << 18 ? values(random, type, count) : undefined;
    return {type, shape, bytes};
  });
}

/** Whether a model has operations that draw random numbers, so that results differ between runs. */
export const isRandom = (xml) => /type="(RandomUniform|Multinomial)"/i.test(xml);
export const layerTypes = (xml) => [...new Set(all(parse(xml) ?? make('net'), 'layer').map((layer) => layer.attributes.type))].filter((type) => !/^(Parameter|Const|Constant|Result)$/.test(type));
