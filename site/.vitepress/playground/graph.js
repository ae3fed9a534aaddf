// SPDX-License-Identifier: Apache-2.0
// Prepares the graph of a model for drawing: its top level, without constants. In large graphs, each chain of layers becomes
// one node.
import dagre from '@dagrejs/dagre';

const LARGE = 250;
const ENDS = ['Parameter', 'Result', 'pnnx.Input', 'pnnx.Output'];
const CONSTANTS = ['Const', 'Constant', 'pnnx.Attribute'];

function attributes(text) {
  const entities = {lt: '<', gt: '>', amp: '&', quot: '"', apos: "'"};
  const plain = (value) => value.replace(/&(\w+);/g, (whole, name) => entities[name] ?? whole);
  return Object.fromEntries(Array.from(text.matchAll(/([\w:-]+)="([^"]*)"/g), ([, name, value]) => [name, plain(value)]));
}

/**
 * @typedef {object} Layer
 * @property {string} id
 * @property {string} name
 * @property {string} type
 * @property {number} outputs number of output ports
 * @property {boolean} end whether it is an input or output of the model
 * @property {{path: string[], type: string, outputs: number}[]} inner the layers of its bodies without constants; `path` has the
 *   names from the outermost layer inwards
 */

/**
 * Returns the layers of an .xml outside of bodies, or the operators of a .param, and their edges.
 * @param {string} text
 * @returns {{nodes: Layer[], edges: {from: string, to: string}[]}}
 */
export function readGraph(text) {
  const {nodes, edges} = text.startsWith('7767517') ? readParam(text) : readXml(text);
  return {nodes: nodes.map((node) => ({...node, end: ENDS.includes(node.type)})), edges};
}

/** An operator is a line: its type and name, the numbers of inputs and outputs, and the names of these. */
function readParam(text) {
  const lines = text.split('\n').slice(2).map((line) => line.trim().split(/\s+/)).filter(({length}) => length >= 4);
  const nodes = lines.map(([type, name, , outputs]) => ({id: name, name, type, outputs: Number(outputs), inner: []}));
  const makers = new Map();
  for (const [, name, inputs, outputs, ...names] of lines) {
    for (const operand of names.slice(Number(inputs), Number(inputs) + Number(outputs))) makers.set(operand, name);
  }
  const edges = lines.flatMap(([, to, inputs, , ...names]) => names.slice(0, Number(inputs)).map((operand) => ({from: makers.get(operand), to})));
  return {nodes, edges};
}

function readXml(xml) {
  const nodes = [];
  const edges = [];
  const open = []; // the layers around the current tag, outermost first
  let depth = 0; // of bodies
  let inOutput = false;
  for (const [, end, tag, text, empty] of xml.matchAll(/<(\/?)(layer|edge|output|port|body|then_body|else_body)\b((?:"[^"]*"|[^>"])*?)(\/?)>/g)) {
    if (tag.endsWith('body')) depth += end ? -1 : empty ? 0 : 1;
    else if (tag === 'layer' && end) open.pop();
    else if (tag === 'layer') {
      const {id, name, type} = attributes(text);
      const layer = {id, name, type, outputs: 0, inner: []};
      if (depth === 0) nodes.push(layer);
      else if (![...ENDS, ...CONSTANTS].includes(type)) open[0].inner.push(Object.assign(layer, {path: [...open.map((outer) => outer.name), name]}));
      if (!empty) open.push(layer);
    } else if (tag === 'output') inOutput = !end && !empty;
    else if (tag === 'port') open.at(-1).outputs += inOutput && !end ? 1 : 0;
    else if (depth === 0 && !end) {
      const {'from-layer': from, 'to-layer': to} = attributes(text);
      edges.push({from, to});
    }
  }
  return {nodes, edges};
}

/** Merges chains: a node joins its producer if it has no other producer, and the producer has no other consumer. */
function contract({nodes, edges}) {
  const count = (end) => edges.reduce((map, edge) => map.set(edge[end], (map.get(edge[end]) ?? 0) + 1), new Map());
  const [consumers, producers] = [count('from'), count('to')];
  const into = new Map(nodes.map((node) => [node.id, node.id]));
  const rootOf = (id) => {
    while (into.get(id) !== id) id = into.get(id);
    return id;
  };
  for (const {from, to} of edges) {
    if (consumers.get(from) === 1 && producers.get(to) === 1) into.set(to, from);
  }
  const groups = new Map();
  for (const node of nodes) {
    const root = rootOf(node.id);
    groups.set(root, [...(groups.get(root) ?? []), node]);
  }
  return {
    nodes: Array.from(groups, ([id, members]) => ({...members[0], id, members})),
    edges: edges.map(({from, to}) => ({from: rootOf(from), to: rootOf(to)})).filter(({from, to}) => from !== to),
  };
}

/**
 * Computes the positions of the nodes, from top to bottom.
 * @param {ReturnType<typeof readGraph>} graph
 */
export function layOut({nodes, edges}) {
  const shown = nodes.filter(({type}) => !CONSTANTS.includes(type));
  const ids = new Set(shown.map(({id}) => id));
  const plain = {
    nodes: shown.map((node) => ({...node, members: [node]})),
    edges: edges.filter(({from, to}) => ids.has(from) && ids.has(to)),
  };
  const drawn = shown.length > LARGE ? contract(plain) : plain;
  const layout = new dagre.graphlib.Graph().setGraph({nodesep: 20, ranksep: 30, ranker: 'longest-path'}).setDefaultEdgeLabel(() => ({}));
  for (const {id} of drawn.nodes) layout.setNode(id, {width: 150, height: 34});
  for (const {from, to} of drawn.edges) layout.setEdge(from, to);
  dagre.layout(layout);
  return {
    collapsed: drawn !== plain,
    nodes: drawn.nodes.map((node) => ({...node, x: layout.node(node.id).x, y: layout.node(node.id).y})),
    edges: drawn.edges,
  };
}
