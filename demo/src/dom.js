// SPDX-License-Identifier: Apache-2.0

/** @typedef {Record<string, string | number | boolean | undefined>} Attributes */

/**
 * @param {Element} element
 * @param {Attributes} attributes undefined and false remove an attribute
 */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) element.removeAttribute(name);
    else element.setAttribute(name, String(value));
  }
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 */
export function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  set(element, attributes);
  element.append(...children);
  return element;
}

/**
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  set(element, attributes);
  element.append(...children);
  return element;
}

/**
 * Returns the element with an id. Throws if it is not of the expected type.
 * @template {Element} Type
 * @param {string} id
 * @param {new () => Type} type
 * @returns {Type}
 */
export function byId(id, type) {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`the page has no ${type.name} #${id}`);
  return element;
}
