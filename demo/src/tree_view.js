// SPDX-License-Identifier: Apache-2.0
// Draws a beam tree. Each step and rank has a place, and an edge connects each node with its parent. Time runs to the right if
// there is room, otherwise downwards, so that every beam fits on a phone.
import {pathTo} from './beam_tree.js';
import {set, svg} from './dom.js';
import {decimal} from './format.js';

/**
 * @typedef {import('./beam_tree.js').BeamNode} BeamNode
 * @typedef {import('./beam_tree.js').BeamTree} BeamTree
 */

// Width in pixels below which time runs downwards.
const ROOM_FOR_ROWS = 640;
// Distance of the rows of beams, and the middle of the first one. The list of hypotheses beside the tree uses the same values
// (--row and --first-row in style.css).
const ROW = 56;
const FIRST_ROW = 60;

/**
 * @param {BeamNode} node
 * @returns {string} text for screen readers
 */
export function describe(node) {
  if (node.kind === 'root') return 'Start of the word';
  const before = pathTo(node)
    .slice(0, -1)
    .filter(({kind}) => kind === 'phoneme')
    .map(({label}) => label);
  const after = before.length ? ` after ${before.join(' ')}` : '';
  const what = node.kind === 'phoneme' ? `${node.label}${after}` : `end of ${before.join(' ')}`;
  const parts = [what, `step ${node.step + 1}, place ${node.rank + 1} in the beam`, `score ${decimal(node.score)}`];
  if (node.final) parts.push(`final hypothesis ${node.rank + 1}`);
  else if (node.children.length === 0) parts.push('dropped: no continuation was kept');
  else if (!node.alive) parts.push('all its continuations were dropped later');
  return parts.join(', ');
}

// Screen readers read what describe() returns, which contains the texts of a node.
const unread = {'aria-hidden': 'true'};

export class TreeView {
  #host;
  #on;
  /** @type {BeamTree | undefined} */
  #tree;
  /** @type {Map<BeamNode, SVGGElement>} */
  #groups = new Map();
  /** @type {Map<BeamNode, SVGPathElement>} edges by the node that they lead to */
  #edges = new Map();
  #chosen = 0;
  #until = Infinity;
  #width = 0;
  #sideways = true;

  /**
   * @param {HTMLElement} host
   * @param {{inspect: (node: BeamNode | undefined) => void, choose: (final: BeamNode) => void}} on called when the visitor points
   *   at a node, and when a hypothesis is chosen
   */
  constructor(host, on) {
    this.#host = host;
    this.#on = on;
    new ResizeObserver(() => {
      if (this.#tree && host.clientWidth !== this.#width) this.#draw(false);
    }).observe(host);
    host.addEventListener('keydown', (event) => this.#key(event));
    const focused = () => this.#nodeOf({target: document.activeElement});
    for (const type of ['pointerover', 'focusin', 'pointerleave']) {
      host.addEventListener(type, (event) => this.#look(this.#nodeOf(event) ?? focused()));
    }
    host.addEventListener('focusout', () => this.#look(undefined));
    host.addEventListener('click', (event) => this.#pick(this.#nodeOf(event)));
  }

  /**
   * @param {BeamTree} tree
   * @param {number} chosen rank of the hypothesis whose path is marked
   */
  show(tree, chosen) {
    this.#tree = tree;
    this.#chosen = chosen;
    this.#until = Infinity;
    this.#draw(true);
  }

  /** @param {number} rank rank of the hypothesis whose path is marked, animated from its end */
  choose(rank) {
    this.#chosen = rank;
    this.#markPath(true);
  }

  /** @param {number} step later steps are shown as not computed yet */
  showUntil(step) {
    this.#until = step;
    for (const [node, group] of this.#groups) group.classList.toggle('later', node.step > step);
    for (const [node, edge] of this.#edges) edge.classList.toggle('later', node.step > step);
  }

  /** @param {boolean} animate */
  #draw(animate) {
    const tree = /** @type {BeamTree} */ (this.#tree);
    const focused = this.#nodeOf({target: document.activeElement});
    this.#width = this.#host.clientWidth;
    const sideways = (this.#sideways = this.#width >= ROOM_FOR_ROWS);
    const beams = tree.finals.length;
    const columns = tree.steps.length;
    const clamp = (/** @type {number} */ low, /** @type {number} */ value, /** @type {number} */ high) =>
      Math.min(high, Math.max(low, value));
    // "Along" is the direction of time, "across" that of the beam.
    const start = sideways ? 26 : 16;
    const along = sideways ? clamp(54, (this.#width - start - 34) / columns, 124) : 66;
    const across = sideways ? ROW : clamp(26, (this.#width - 32) / beams, 76);
    const side = sideways ? FIRST_ROW : 24 + across / 2;
    const box = {width: sideways ? Math.min(48, along - 14) : Math.min(46, across - 3), height: 36};
    const size = sideways
      ? {width: start + columns * along + 34, height: side + (beams - 1) * ROW + 38}
      : {
          width: Math.max(this.#width, side + (beams - 1) * across + across / 2 + 2),
          height: start + columns * along + 44,
        };
    const point = (/** @type {number} */ step, /** @type {number} */ rank) => {
      const [a, b] = [start + (step + 1) * along, side + rank * across];
      return sideways ? {x: a, y: b} : {x: b, y: a};
    };
    const half = (/** @type {BeamNode} */ node) => {
      if (node.kind === 'root') return 9;
      if (node.kind !== 'phoneme') return node.final ? 12 : node.kind === 'end' ? 9 : 3;
      return (sideways ? box.width : box.height) / 2;
    };

    const edges = svg('g', {role: 'presentation'});
    const nodes = svg('g', {role: 'presentation'});
    this.#groups.clear();
    this.#edges.clear();
    // Depth first, which is the reading order of a tree.
    const visit = (/** @type {BeamNode} */ node) => {
      const at = point(node.step, node.rank);
      if (node.parent) {
        const from = point(node.parent.step, node.parent.rank);
        const [p, q] = [half(node.parent), half(node)];
        const middle = sideways ? (from.x + p + at.x - q) / 2 : (from.y + p + at.y - q) / 2;
        const d = sideways
          ? `M${from.x + p} ${from.y}C${middle} ${from.y} ${middle} ${at.y} ${at.x - q} ${at.y}`
          : `M${from.x} ${from.y + p}C${from.x} ${middle} ${at.x} ${middle} ${at.x} ${at.y - q}`;
        const edge = svg('path', {
          class: `edge ${node.alive ? 'alive' : 'dead'}`,
          d,
          pathLength: 1,
          'data-from': `${node.parent.step}:${node.parent.rank}`,
          'data-to': `${node.step}:${node.rank}`,
          // The width grows with the probability of the hypothesis.
          'stroke-width': 1.25 + 4.75 * Math.exp(node.score),
        });
        this.#edges.set(node, edge);
        edges.append(edge);
      }
      const group = this.#drawNode(node, box);
      group.setAttribute('transform', `translate(${at.x} ${at.y})`);
      this.#groups.set(node, group);
      nodes.append(group);
      node.children.forEach(visit);
    };
    visit(tree.root);
    // Dropped edges are drawn first, the likeliest last.
    edges.append(
      ...[...this.#edges].sort(([a], [b]) => Number(a.alive) - Number(b.alive) || a.score - b.score).map(([, e]) => e),
    );

    const marks = svg('g', {class: 'marks', 'aria-hidden': 'true'});
    tree.steps.forEach((_, step) => {
      const {x, y} = point(step, 0);
      const last = step === columns - 1;
      marks.append(svg('text', sideways ? {x, y: 16} : {x: 14, y: y + 4}, sideways && last ? 'end' : String(step + 1)));
    });
    const picture = svg(
      'svg',
      {
        ...size,
        viewBox: `0 0 ${size.width} ${size.height}`,
        class: sideways ? 'sideways' : 'downwards',
        role: 'tree',
        'aria-multiselectable': 'true',
        'aria-labelledby': 'tree-title',
        'aria-describedby': 'tree-summary tree-keys',
      },
      marks,
      edges,
      nodes,
    );
    picture.classList.toggle('appearing', animate);
    this.#host.replaceChildren(picture);
    this.#host.dataset.direction = sideways ? 'sideways' : 'downwards';
    this.#markPath(animate);
    this.showUntil(this.#until);
    const target = (focused && this.#find(focused.step, focused.rank)) || tree.root;
    this.#focusable(target);
    if (focused) this.#groups.get(target)?.focus();
  }

  /**
   * @param {BeamNode} node
   * @param {{width: number, height: number}} box
   */
  #drawNode(node, box) {
    const {kind, step, rank, final} = node;
    const dropped = !final && node.children.length === 0;
    const siblings = node.parent?.children ?? [node];
    const group = svg('g', {
      class: `node ${kind} ${node.alive ? 'alive' : 'dead'}${final ? ' final' : ''}${dropped ? ' dropped' : ''}`,
      role: 'treeitem',
      tabindex: -1,
      'aria-label': describe(node),
      'aria-level': step + 2,
      'aria-posinset': siblings.indexOf(node) + 1,
      'aria-setsize': siblings.length,
      'data-step': step,
      'data-rank': rank,
      'data-token': node.token,
    });
    group.style.setProperty('--step', String(step + 1));
    if (kind === 'phoneme') {
      const {width, height} = box;
      const [, name = node.label, stress = ''] = /^([A-Z]+)(\d)$/.exec(node.label) ?? [];
      // Three letters and a stress mark fit into a narrow box only if they are small.
      const small = width < 34 ? ' small' : '';
      group.append(
        svg('rect', {class: 'shape', x: -width / 2, y: -height / 2, width, height, rx: 8}),
        svg('text', {...unread, class: `label${small}`, y: -1}, name, svg('tspan', {class: 'stress', dy: -3}, stress)),
        svg('text', {...unread, class: `score${small}`, y: 12}, decimal(node.score, small ? 1 : 2)),
      );
    } else {
      group.append(
        svg('circle', {class: 'hit', r: 15}),
        svg('circle', {class: 'shape', r: final ? 12 : kind === 'carried' ? 3 : 8}),
      );
      if (final) group.append(svg('text', {...unread, class: 'label', y: 4.5}, String(rank + 1)));
      else if (kind === 'end') group.append(svg('circle', {class: 'core', r: 3.5}));
      if (final || kind === 'end') {
        group.append(
          svg('text', {...unread, class: 'score below', y: final ? 25 : 21}, decimal(node.score, box.width < 34 ? 1 : 2)),
        );
      }
    }
    if (dropped) {
      const [x, y] = kind === 'phoneme' ? [box.width / 2 - 1, -box.height / 2 + 1] : [8, -8];
      group.append(
        svg(
          'g',
          {class: 'cross', transform: `translate(${x} ${y})`},
          svg('circle', {r: 5.5}),
          svg('path', {d: 'M-2.2-2.2 2.2 2.2M-2.2 2.2 2.2-2.2'}),
        ),
      );
    }
    return group;
  }

  /** @param {boolean} animate */
  #markPath(animate) {
    const final = this.#tree?.finals[this.#chosen];
    if (!final) return;
    const path = new Set(pathTo(final));
    for (const [node, edge] of this.#edges) {
      const on = path.has(node);
      edge.classList.toggle('path', on);
      edge.classList.toggle('walking', on && animate);
      // The animation goes from the end to the start, like GatherTree.
      edge.style.setProperty('--wait', String(final.step - node.step));
      if (on) edge.parentNode?.append(edge);
    }
    for (const [node, group] of this.#groups) {
      const on = path.has(node) || node.kind === 'root';
      group.classList.toggle('path', on);
      set(group, {'aria-selected': on ? 'true' : 'false'});
    }
  }

  /** @param {BeamNode | undefined} node the node whose path from the root is marked */
  #look(node) {
    const trail = new Set(node ? pathTo(node) : []);
    for (const [one, edge] of this.#edges) edge.classList.toggle('trail', trail.has(one));
    for (const [one, group] of this.#groups) group.classList.toggle('trail', trail.has(one));
    this.#on.inspect(node);
  }

  /** @param {BeamNode | undefined} node */
  #pick(node) {
    if (!node) return;
    this.#focusable(node);
    this.#groups.get(node)?.focus();
    const best = this.#tree?.finals.find((final) => pathTo(final).includes(node));
    if (best) this.#on.choose(best);
  }

  /** @param {{target: EventTarget | null}} event */
  #nodeOf({target}) {
    const group = target instanceof Element && this.#host.contains(target) ? target.closest('.node') : null;
    if (!(group instanceof SVGElement)) return undefined;
    return this.#find(Number(group.dataset.step), Number(group.dataset.rank));
  }

  /**
   * @param {number} step
   * @param {number} rank
   */
  #find(step, rank) {
    return step < 0 ? this.#tree?.root : this.#tree?.steps[step]?.[rank];
  }

  /** @param {BeamNode} node the node that the Tab key reaches */
  #focusable(node) {
    for (const [one, group] of this.#groups) group.setAttribute('tabindex', one === node ? '0' : '-1');
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const node = this.#nodeOf(event);
    if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
    const [ahead, back, next, previous] = this.#sideways
      ? ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp']
      : ['ArrowDown', 'ArrowUp', 'ArrowRight', 'ArrowLeft'];
    if (event.key === 'Enter' || event.key === ' ') {
      this.#pick(node);
    } else {
      const to = {
        [String(ahead)]: node.children.find(({alive}) => alive) ?? node.children[0],
        [String(back)]: node.parent,
        [String(next)]: this.#find(node.step, node.rank + 1),
        [String(previous)]: this.#find(node.step, node.rank - 1),
        Home: this.#tree?.root,
        End: this.#tree?.finals[this.#chosen],
      };
      if (!(event.key in to)) return;
      const target = to[event.key];
      if (target && target !== node) {
        this.#focusable(target);
        this.#groups.get(target)?.focus();
      }
    }
    event.preventDefault();
  }
}
