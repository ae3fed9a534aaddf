// SPDX-License-Identifier: Apache-2.0
// Parses the XML of IR models to a tree of {name, attributes, children, text}. Supports only what the corpus uses.

const token = /<\?[^>]*\?>|<!--[\s\S]*?-->|<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/g;
const attribute = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Returns the root element, or undefined if the text is not well formed. Texts and values stay escaped. */
export function parse(text) {
  const document = {name: '', attributes: {}, children: [], text: ''};
  const open = [document];
  let end = 0;
  for (const match of text.matchAll(token)) {
    if (match.index !== end) return undefined;
    end += match[0].length;
    const [, closing, name, attributes, empty, content] = match;
    if (content !== undefined) {
      open.at(-1).text += content.trim();
    } else if (closing) {
      if (open.pop().name !== name || open.length === 0) return undefined;
    } else if (name !== undefined) {
      const element = {name, attributes: {}, children: [], text: ''};
      for (const [, key, double, single] of attributes.matchAll(attribute)) element.attributes[key] = double ?? single;
      open.at(-1).children.push(element);
      if (!empty) open.push(element);
    }
  }
  return end === text.length && open.length === 1 && document.children.length === 1 ? document.children[0] : undefined;
}

export function print({name, attributes, children, text}) {
  const head = name + Object.entries(attributes).map(([key, value]) => ` ${key}="${String(value).replaceAll('"', '&quot;')}"`).join('');
  const inner = text + children.map(print).join('');
  return inner === '' ? `<${head}/>` : `<${head}>${inner}</${name}>`;
}

export const child = (element, name) => element?.children.find((one) => one.name === name);

/** Finds all elements with a name, at any depth, in document order. */
export function all(element, name, found = []) {
  for (const one of element.children) {
    if (one.name === name) found.push(one);
    all(one, name, found);
  }
  return found;
}

/** Creates an element. */
export const make = (name, attributes = {}, children = [], text = '') => ({name, attributes, children, text});
