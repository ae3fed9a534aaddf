// SPDX-License-Identifier: Apache-2.0
// The text of an IR, to cut graphs: layers with their text, edges, and the values of rt_info.

/** A layer with its text. */
export interface Layer {
  id: string;
  type: string;
  /** Attributes of its <data>. */
  data: Record<string, string>;
  text: string;
}

/** The output of a layer. */
export interface Port {
  layer: string;
  port: string;
}

const entities: Record<string, string> = {lt: '<', gt: '>', amp: '&', quot: '"', apos: "'"};

function decoded(text: string): string {
  return text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w{2,4}));/g, (all, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return entities[name] ?? all;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

function attributesOf(tag: string): Record<string, string> {
  return Object.fromEntries([...tag.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, name, a, b]) => [name!, decoded(a ?? b ?? '')]));
}

// The tag at a position, up to its end. Attributes may contain '>'.
function tagAt(text: string, at: number): string {
  let quote = '';
  for (let i = at; i < text.length; ++i) {
    const character = text[i]!;
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") {
      quote = character;
    } else if (character === '>') {
      return text.slice(at, i + 1);
    }
  }
  return text.slice(at);
}

/** The text of an IR. Graphs inside layers are not supported: then there are no layers. */
export class IrText {
  readonly layers = new Map<string, Layer>();
  readonly #inputs = new Map<string, Port[]>();
  readonly #head: string;
  readonly #rtInfo: string;

  constructor(xml: string) {
    const rt = xml.lastIndexOf('<rt_info');
    this.#rtInfo = rt < 0 ? '' : xml.slice(rt);
    const net = xml.indexOf('<net');
    this.#head = net < 0 ? '<net version="11">' : tagAt(xml, net);
    if (xml.includes('<body')) return;
    for (let at = xml.indexOf('<layer '); at >= 0; ) {
      const tag = tagAt(xml, at);
      const close = tag.endsWith('/>') ? at + tag.length : xml.indexOf('</layer>', at) + '</layer>'.length;
      if (close < at + tag.length) break;
      const text = xml.slice(at, close);
      const {id = '', type = ''} = attributesOf(tag);
      const data = text.indexOf('<data');
      this.layers.set(id, {id, type, data: data < 0 ? {} : attributesOf(tagAt(text, data)), text});
      at = xml.indexOf('<layer ', close);
    }
    for (let at = xml.indexOf('<edge '); at >= 0; at = xml.indexOf('<edge ', at + 1)) {
      const {'from-layer': layer = '', 'from-port': port = '', 'to-layer': to = '', 'to-port': toPort = ''} = attributesOf(tagAt(xml, at));
      const inputs = this.#inputs.get(to) ?? [];
      inputs[Number(toPort)] = {layer, port};
      this.#inputs.set(to, inputs);
    }
  }

  /** Returns what the inputs of a layer are connected to. */
  inputsOf(layer: Layer): Port[] {
    return this.#inputs.get(layer.id) ?? [];
  }

  /** Returns the layers of a type. */
  ofType(type: string): Layer[] {
    return [...this.layers.values()].filter((layer) => layer.type === type);
  }

  /** Returns a value of rt_info. A value without a text, but with one named 'default', is that one. */
  rtInfo(name: string): string | undefined {
    const at = this.#rtInfo.search(new RegExp(`<${name}[\\s/>]`));
    if (at < 0) return undefined;
    const tag = tagAt(this.#rtInfo, at);
    if (tag.endsWith('/>')) return attributesOf(tag)['value'];
    const inner = this.#rtInfo.slice(at, this.#rtInfo.indexOf(`</${name}>`, at));
    const fallback = inner.indexOf('<default ');
    return fallback < 0 ? undefined : attributesOf(tagAt(inner, fallback))['value'];
  }

  /** Returns a model with the given outputs only, in their order. */
  cut(outputs: readonly Port[]): string {
    const needed = new Set<string>();
    const open = outputs.map(({layer}) => layer);
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (needed.has(id)) continue;
      needed.add(id);
      for (const source of this.#inputs.get(id) ?? []) if (source) open.push(source.layer);
    }
    const kept = [...this.layers.values()].filter(({id}) => needed.has(id));
    const first = Math.max(...[...this.layers.keys()].map(Number)) + 1;
    const results = outputs.map((_, i) => `<layer id="${first + i}" name="output_${i}" type="Result" version="opset1"><input><port id="0"/></input></layer>`);
    return this.#net(kept, results, outputs.map((port, i) => [port, String(first + i), 0] as const));
  }

  /** Returns the model without an input of a layer. It must be the last one. */
  without(layer: Layer, input: number): string {
    const ports = [...layer.text.matchAll(/<port\b/g)];
    const start = ports[input]!.index;
    const next = layer.text.indexOf('</port>', start);
    const self = tagAt(layer.text, start);
    const end = self.endsWith('/>') ? start + self.length : next + '</port>'.length;
    const text = layer.text.slice(0, start) + layer.text.slice(end);
    const all = [...this.layers.values()].map((one) => (one.id === layer.id ? {...one, text} : one));
    return this.#net(all, [], [], (to, port) => to === layer.id && port === input);
  }

  #net(layers: Layer[], more: string[], edges: (readonly [Port, string, number])[], leaves: (to: string, port: number) => boolean = () => false): string {
    const ids = new Set(layers.map(({id}) => id));
    const all = [...this.#inputs].flatMap(([to, inputs]) => inputs.map((port, i) => [port, to, i] as const));
    const kept = all.filter(([port, to, i]) => port && ids.has(to) && ids.has(port.layer) && !leaves(to, i));
    const written = [...kept, ...edges].map(([{layer, port}, to, i]) => `<edge from-layer="${layer}" from-port="${port}" to-layer="${to}" to-port="${i}"/>`);
    return `<?xml version="1.0"?>${this.#head}<layers>${[...layers.map(({text}) => text), ...more].join('')}</layers><edges>${written.join('')}</edges></net>`;
  }
}
