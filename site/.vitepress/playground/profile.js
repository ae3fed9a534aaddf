// SPDX-License-Identifier: Apache-2.0

const BODIED = new Set(['TensorIterator', 'Loop', 'If']);

/**
 * Computes the time of each layer without that of its body. The profile lists the layers of bodies too, and the time of a loop
 * or branch includes them.
 * @template {{nodeName: string, nodeType: string, ms: number}} Row
 * @param {Row[]} profile
 * @returns {(Row & {own: number})[]}
 */
export function ownTimes(profile) {
  // The innermost come first, so that each layer is assigned to the nearest enclosing layer.
  const outer = profile.filter(({nodeType}) => BODIED.has(nodeType)).sort((a, b) => b.nodeName.length - a.nodeName.length);
  const inside = new Map();
  for (const {nodeName, ms} of profile) {
    const body = outer.find((each) => nodeName.startsWith(`${each.nodeName}/`));
    if (body) inside.set(body.nodeName, (inside.get(body.nodeName) ?? 0) + ms);
  }
  return profile.map((row) => ({...row, own: Math.max(0, row.ms - (BODIED.has(row.nodeType) ? (inside.get(row.nodeName) ?? 0) : 0))}));
}
