// SPDX-License-Identifier: Apache-2.0

const BODIED = new Set(['TensorIterator', 'Loop', 'If']);

/**
 * What each layer took itself: the time of a loop or branch has that of the layers in its body in it, which are listed, too.
 * @template {{nodeName: string, nodeType: string, ms: number}} Row
 * @param {Row[]} profile
 * @returns {(Row & {own: number})[]}
 */
export function ownTimes(profile) {
  // Those nested deepest come first, so that each layer counts for the nearest body around it.
  const outer = profile.filter(({nodeType}) => BODIED.has(nodeType)).sort((a, b) => b.nodeName.length - a.nodeName.length);
  const inside = new Map();
  for (const {nodeName, ms} of profile) {
    const body = outer.find((each) => nodeName.startsWith(`${each.nodeName}/`));
    if (body) inside.set(body.nodeName, (inside.get(body.nodeName) ?? 0) + ms);
  }
  return profile.map((row) => ({...row, own: Math.max(0, row.ms - (BODIED.has(row.nodeType) ? (inside.get(row.nodeName) ?? 0) : 0))}));
}
