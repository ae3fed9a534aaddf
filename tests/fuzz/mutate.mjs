// SPDX-License-Identifier: Apache-2.0
// Mutations of models and of bytes. Each has its own random sequence, so omitting one does not change the others.
import {precisionOf, types} from './models.mjs';
import {Random} from './random.mjs';
import {all, child, make, parse, print} from './xml.mjs';

const elementOf = (random, net, name) => {
  const found = all(net, name);
  return found.length > 0 ? random.pick(found) : undefined;
};

function near(random, text) {
  const number = Number(text);
  if (/^-?\d+$/.test(text) && random.chance(0.5)) return String(number + random.pick([-2, -1, 1, 2, number, -number, 2 ** 31, 2 ** 32]));
  return random.integer();
}

// Changes a value slightly: one number of a list, a flag, a type, or a word that other layers use.
function mutateText(random, text, net) {
  if (types.includes(text) && random.chance(0.8)) return random.pick(types);
  if (/^(true|false)$/.test(text) && random.chance(0.8)) return text === 'true' ? 'false' : 'true';
  const kind = random.below(10);
  if (kind === 0) return '';
  if (kind === 1) return String(random.real());
  if (kind === 2) {
    const data = elementOf(random, net, 'data');
    return random.pick([...Object.values(data?.attributes ?? {}), 'x']);
  }
  const parts = text.split(',');
  const at = random.below(parts.length);
  if (kind === 3) parts.splice(at, 1);
  else if (kind === 4) parts.splice(at, 0, random.integer());
  else parts[at] = /^\s*-?[\d.]+/.test(parts[at]) ? near(random, parts[at].trim()) : random.integer();
  return parts.join(',');
}

const mutations = [
  // Changes an attribute of a layer.
  (random, net) => {
    const {attributes} = elementOf(random, net, 'data') ?? make('data');
    const name = random.pick(Object.keys(attributes));
    if (name === undefined) return;
    if (random.chance(0.1)) delete attributes[name];
    else attributes[name] = mutateText(random, attributes[name], net);
  },
  // Changes the type of a parameter or constant, and of its port.
  (random, net) => {
    const layers = all(net, 'layer').filter((layer) => child(layer, 'data')?.attributes.element_type !== undefined);
    if (layers.length === 0) return;
    const type = random.pick(types);
    for (const layer of random.chance(0.5) ? layers : [random.pick(layers)]) {
      child(layer, 'data').attributes.element_type = type;
      for (const one of all(layer, 'port')) one.attributes.precision = precisionOf(type);
    }
  },
  // Changes the shape of a parameter.
  (random, net) => {
    const parameters = all(net, 'layer').filter((layer) => layer.attributes.type === 'Parameter');
    const data = child(random.pick(parameters), 'data');
    if (data === undefined) return;
    const sizes = (data.attributes.shape ?? '').split(',').filter((size) => size !== '');
    const size = random.chance(0.15) ? random.pick(['?', '-1', '2..5', '..', '...', '']) : String(random.size());
    const kind = random.below(4);
    if (kind === 0) sizes.splice(random.below(sizes.length + 1), 0, size);
    else if (kind === 1) sizes.splice(random.below(sizes.length), 1);
    else if (sizes.length > 0) sizes[random.below(sizes.length)] = size;
    data.attributes.shape = sizes.join(',');
  },
  // Changes a declared size or precision of a port, or the port itself.
  (random, net) => {
    const kind = random.below(4);
    const dim = elementOf(random, net, 'dim');
    const port = elementOf(random, net, 'port');
    if (kind === 0 && dim) dim.text = String(random.chance(0.2) ? -1 : random.size());
    else if (kind === 1 && port) port.attributes.precision = precisionOf(random.pick(types));
    else if (kind === 2 && port) port.attributes.id = near(random, port.attributes.id ?? '0');
    else {
      const side = elementOf(random, net, random.pick(['input', 'output']));
      if (!side || side.children.length === 0) return;
      const at = random.below(side.children.length);
      if (random.chance(0.5)) side.children.splice(at, 1);
      else side.children.push(structuredClone(side.children[at]));
    }
  },
  // Changes the start or end of an edge.
  (random, net) => {
    const edges = elementOf(random, net, 'edges');
    if (!edges || edges.children.length === 0) return;
    const at = random.below(edges.children.length);
    const kind = random.below(4);
    if (kind === 0) edges.children.splice(at, 1);
    else if (kind === 1) edges.children.push(structuredClone(edges.children[at]));
    else {
      const {attributes} = edges.children[at];
      const name = random.pick(Object.keys(attributes));
      if (name !== undefined) attributes[name] = random.chance(0.7) ? random.pick(edges.children).attributes[name] : random.integer();
    }
  },
  // Removes, duplicates or moves a layer, or changes its type or opset.
  (random, net) => {
    const layers = elementOf(random, net, 'layers');
    if (!layers || layers.children.length === 0) return;
    const at = random.below(layers.children.length);
    const layer = layers.children[at];
    const kind = random.below(6);
    if (kind === 0) layers.children.splice(at, 1);
    else if (kind === 1) layers.children.push(structuredClone(layer));
    else if (kind === 2) layers.children.push(layers.children.splice(at, 1)[0]);
    else if (kind === 3) layer.attributes.type = random.pick(layers.children).attributes.type;
    else if (kind === 4) layer.attributes.version = `opset${random.below(18)}`;
    else layer.attributes.id = near(random, layer.attributes.id ?? '0');
  },
  // Changes the inputs and outputs of a body, or the body itself.
  (random, net) => {
    const maps = elementOf(random, net, random.pick(['port_map', 'back_edges', 'then_port_map', 'else_port_map']));
    if (maps && maps.children.length > 0 && random.chance(0.8)) {
      const {attributes} = random.pick(maps.children);
      const name = random.pick(Object.keys(attributes));
      if (name !== undefined) attributes[name] = near(random, attributes[name]);
    } else {
      const parents = [net, ...all(net, 'layer')].filter((one) => one.children.length > 0);
      const parent = random.pick(parents);
      if (parent) parent.children.splice(random.below(parent.children.length), 1);
    }
  },
];

/** Applies the mutation of `seed` to a model: to the tree, to the text, or to the weights. */
export function mutateModel({xml, bin}, seed) {
  const random = new Random(seed);
  const kind = random.below(20);
  if (kind === 0) return {xml, bin: bin.subarray(0, random.below(bin.length + 1))};
  if (kind === 1) return {xml, bin: mutateBytes(random, bin)};
  const net = kind === 2 ? undefined : parse(xml);
  if (net === undefined) return {xml: new TextDecoder().decode(mutateBytes(random, new TextEncoder().encode(xml))), bin};
  random.pick(mutations)(random, net);
  return {xml: print(net), bin};
}

/** Changes, removes, repeats or inserts some bytes. */
export function mutateBytes(random, bytes) {
  let result = Uint8Array.from(bytes);
  for (let change = 1 + random.below(3); change > 0; change--) {
    const at = random.below(result.length + 1);
    const kind = random.below(6);
    if (kind === 0) result = result.subarray(0, at);
    else if (kind === 1) result = Buffer.concat([result.subarray(0, at), random.bytes(1 + random.below(16)), result.subarray(at)]);
    else if (kind === 2) result = Buffer.concat([result.subarray(0, at), result.subarray(Math.min(result.length, at + 1 + random.below(16)))]);
    else if (kind === 3) result = Buffer.concat([result, result.subarray(at, at + 1 + random.below(64))]);
    else if (kind === 4 && at < result.length) result[at] = random.next();
    else if (at + 8 <= result.length) new DataView(result.buffer, result.byteOffset).setBigInt64(at, BigInt(random.pick(['-1', '0', '4294967296', '2147483648', '9223372036854775807'])), true);
  }
  return Uint8Array.from(result);
}
