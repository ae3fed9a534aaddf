// SPDX-License-Identifier: Apache-2.0
// What a tokenizer's graph does after it has made tokens of texts: it truncates, adds special tokens, and pads. The graph is
// cut in front of that, and rows.ts does it with the options of each call.
import {check} from './check.js';
import {IrText, type Layer, type Port} from './ir_text.js';

/** A part of an encoded row: a special token, the text (-1) or the second text of a pair (-2). */
export interface Segment {
  id: number;
  type: number;
}

/** How tokens become rows. */
export interface RowLayout {
  single: Segment[];
  /** Missing if the tokenizer cannot encode pairs. */
  pair?: Segment[];
  /** Why it cannot. */
  noPair?: string;
  padToken: number;
  padType: number;
  padRight: boolean;
  /** Most tokens of a row with special tokens, when truncation is on and no other length is given. */
  maxLength: number;
  truncateRight: boolean;
  hasTypes: boolean;
}

/** A tokenizer that is cut in two. */
export interface TokenGraph {
  /** A model with the outputs begins, ends and tokens. */
  xml: string;
  layout: RowLayout;
}

class Constants {
  readonly #graph: IrText;
  readonly #weights: DataView;

  constructor(graph: IrText, weights: Uint8Array) {
    this.#graph = graph;
    this.#weights = new DataView(weights.buffer, weights.byteOffset, weights.byteLength);
  }

  layer(port: Port | undefined): Layer | undefined {
    return port && this.#graph.layers.get(port.layer);
  }

  // The values of a constant of integers. Undefined if the port is none.
  of(port: Port | undefined): number[] | undefined {
    const layer = this.layer(port);
    if (layer?.type !== 'Const') return undefined;
    const {element_type: type, offset = '', size = ''} = layer.data;
    const width = {i32: 4, i64: 8, u8: 1, boolean: 1}[type ?? ''];
    const [start, bytes] = [Number(offset), Number(size)];
    const fits = width !== undefined && start >= 0 && bytes >= 0 && start + bytes <= this.#weights.byteLength;
    check(fits, `The constant '${layer.id}' of the tokenizer is outside its weights or of type ${type}.`, 'INVALID_MODEL');
    const read = (at: number) => (width === 8 ? Number(this.#weights.getBigInt64(at, true)) : width === 4 ? this.#weights.getInt32(at, true) : this.#weights.getUint8(at));
    return Array.from({length: Math.floor(bytes / width)}, (_, i) => read(start + i * width));
  }

  text(port: Port | undefined): string {
    return new TextDecoder().decode(Uint8Array.from(this.of(port) ?? []));
  }
}

interface Template {
  ids: number[];
  type_ids?: number[];
}

function templateOf(text: string | undefined): {single?: Template; pair?: Template} | undefined {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isIds = (value: unknown): value is number[] => Array.isArray(value) && value.every(Number.isInteger);

function pairOf(single: Segment[], text: string | undefined): Pick<RowLayout, 'pair' | 'noPair'> {
  const refuse = (why: string) => ({noPair: `Could not add second input. ${why}`});
  if (text === undefined) return refuse('Post processor is not present in the model.');
  const template = templateOf(text);
  const [one, two] = [template?.single?.ids, template?.pair?.ids];
  if (!isIds(one) || !isIds(two)) return refuse('post_processor does not contain input signature for paired input');
  const same = (ids: number[]) => single.every(({id}, i) => ids[i] === id);
  if (one.length !== single.length || !same(one)) return refuse('Input signature from rt_info does not match to the CombineSegments node inputs.');
  if (!same(two)) return refuse("Paired inputs are allowed only when it's widening the single input.");
  if (two.filter((id) => id < 0).length !== 2) return refuse('Only 2 inputs are allowed for the paired input');
  const types = template?.pair?.type_ids;
  if (!isIds(types) || types.length !== two.length) return refuse("post_processor does not contain 'type_ids' for paired input");
  // Some templates write -1 for both texts.
  const second = two.map((id) => id < 0).lastIndexOf(true);
  return {pair: two.map((id, i) => ({id: i === second ? -2 : id, type: types[i]!}))};
}

/** Cuts a tokenizer. Returns undefined if its graph does not end as those of openvino_tokenizers: it then runs as it is. */
export function tokenGraph(xml: string, weights: Uint8Array): TokenGraph | undefined {
  const graph = new IrText(xml);
  const constants = new Constants(graph, weights);
  const [combine] = graph.ofType('CombineSegments');
  const dense = graph.ofType('RaggedToDense');
  if (!combine || dense.length === 0) return undefined;
  const inputs = graph.inputsOf(combine);
  const count = Math.floor((inputs.length - 1) / 3);
  const types = constants.of(inputs[3 * count]);
  if (!types || types.length !== count) return undefined;

  let tokens: Port[] | undefined;
  let truncate: Layer | undefined;
  const single: Segment[] = [];
  for (let i = 0; i < count; ++i) {
    const ids = constants.of(inputs[3 * i + 2]);
    if (ids) {
      if (ids.length !== 1) return undefined;
      single.push({id: ids[0]!, type: types[i]!});
      continue;
    }
    if (tokens) return undefined; // two texts: only one is expected here
    const source = constants.layer(inputs[3 * i + 2]);
    if (!source) return undefined;
    if (source.type === 'Truncate') [truncate, tokens] = [source, graph.inputsOf(source).slice(0, 3)];
    else tokens = outputsOf(source);
    single.push({id: -1, type: types[i]!});
  }
  if (!tokens) return undefined;

  const added = single.length - 1;
  const limit = truncate && limitOf(graph, constants, graph.inputsOf(truncate)[3]);
  const [first, second] = dense;
  const padOf = (layer: Layer | undefined) => constants.of(layer && graph.inputsOf(layer)[4])?.[0] ?? 0;
  return {
    xml: graph.cut(tokens),
    layout: {
      single,
      ...pairOf(single, graph.rtInfo('processed_post_processor_template')),
      padToken: padOf(first),
      padType: padOf(second),
      padRight: first!.data['pad_right'] !== 'false',
      maxLength: limit === undefined ? Number.POSITIVE_INFINITY : limit + added,
      truncateRight: !truncate || constants.text(graph.inputsOf(truncate)[4]) !== 'left',
      hasTypes: second !== undefined,
    },
  };
}

// The outputs of a layer, in order.
function outputsOf({id, text}: Layer): Port[] | undefined {
  const at = text.indexOf('<output');
  const ports = at < 0 ? [] : [...text.slice(at).matchAll(/<port\s+id="(\d+)"/g)].map((match) => ({layer: id, port: match[1]!}));
  return ports.length === 3 ? ports : undefined;
}

// The length to which a tokenizer truncates: a constant, or one of two by a variable.
function limitOf(graph: IrText, constants: Constants, port: Port | undefined): number | undefined {
  const layer = constants.layer(port);
  const source = layer?.type === 'Select' ? graph.inputsOf(layer)[1] : port;
  return constants.of(source)?.[0];
}
