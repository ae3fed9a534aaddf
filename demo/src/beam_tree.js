// SPDX-License-Identifier: Apache-2.0
// Builds the tree of the beam search from values of the loop's body. It does not search: nodes are the hypotheses that TopK kept,
// and edges lead to their parents.

/**
 * @typedef {import('./g2p.js').Trace} Trace
 * @typedef {import('./g2p.js').Vocabulary} Vocabulary
 *
 * @typedef {object} BeamNode
 * @property {number} step 0 is the first phoneme; the root is at -1
 * @property {number} rank position in the beam; 0 is the best
 * @property {number} token
 * @property {string} label
 * @property {number} score
 * @property {BeamNode | undefined} parent
 * @property {BeamNode[]} children the continuations that the beam kept, best first
 * @property {boolean} alive whether it leads to a final hypothesis
 * @property {'root' | 'phoneme' | 'end' | 'carried'} kind carried: a finished hypothesis that repeats </s>
 * @property {boolean} final
 *
 * @typedef {object} BeamTree
 * @property {Trace} trace
 * @property {BeamNode} root
 * @property {BeamNode[][]} steps steps[step][rank]
 * @property {BeamNode[]} finals by rank
 * @property {number} dropped leaves of the tree that are not final
 */

/**
 * Builds the tree up to the step at which the last hypothesis ends. Later steps only repeat </s>.
 * @param {Trace} trace
 * @param {Vocabulary} vocabulary
 * @returns {BeamTree}
 */
export function makeTree(trace, vocabulary) {
  const eos = vocabulary.phoneme_eos;
  const longest = Math.max(...trace.hypotheses.map(({ids}) => ids.length));
  const count = Math.min(longest + 1, trace.steps.length);
  /** @type {BeamNode} */
  const root = {
    step: -1,
    rank: 0,
    token: -1,
    label: '<s>',
    score: 0,
    parent: undefined,
    children: [],
    alive: true,
    kind: 'root',
    final: false,
  };
  /** @type {BeamNode[][]} */
  const steps = [];
  trace.steps.slice(0, count).forEach(({tokens, parents, scores}, step) => {
    const before = steps[step - 1];
    steps.push(
      Array.from(tokens, (token, rank) => {
        const parent = before ? before[Number(parents[rank])] : root;
        if (!parent) throw new Error(`step ${step}: beam ${rank} has no parent ${parents[rank]}`);
        /** @type {BeamNode} */
        const node = {
          step,
          rank,
          token,
          label: vocabulary.phonemes[token] ?? `#${token}`,
          score: Number(scores[rank]),
          parent,
          children: [],
          alive: false,
          kind: token !== eos ? 'phoneme' : parent.token === eos ? 'carried' : 'end',
          final: step === count - 1,
        };
        parent.children.push(node);
        return node;
      }),
    );
  });
  const finals = steps[count - 1] ?? [];
  for (const final of finals) for (const node of pathTo(final)) node.alive = true;
  const dropped = steps.flat().filter((node) => !node.final && node.children.length === 0).length;
  return {trace, root, steps, finals, dropped};
}

/**
 * Returns the path from the first step to the node. GatherTree follows it in the other direction.
 * @param {BeamNode} node
 * @returns {BeamNode[]}
 */
export function pathTo(node) {
  /** @type {BeamNode[]} */
  const path = [];
  for (let at = /** @type {BeamNode | undefined} */ (node); at?.parent; at = at.parent) path.unshift(at);
  return path;
}

/**
 * Whether the path to a final node has the tokens that GatherTree returned for this beam.
 * @param {BeamTree} tree
 * @param {BeamNode} final
 */
export function agreesWithGatherTree(tree, final) {
  const {sequences, beamWidth} = tree.trace;
  return pathTo(final).every(({token, step}) => sequences[step * beamWidth + final.rank] === token);
}

/**
 * Returns the likeliest continuations of a node, including those that the beam dropped.
 * @param {BeamTree} tree
 * @param {BeamNode} node
 * @param {Vocabulary} vocabulary
 * @param {number} count
 * @returns {{label: string, probability: number, kept: BeamNode | undefined}[]} empty if nothing follows
 */
export function continuations(tree, node, vocabulary, count) {
  const logProbs = tree.trace.steps[node.step + 1]?.logProbs;
  if (!logProbs || node.final || node.kind === 'end' || node.kind === 'carried') return [];
  const size = vocabulary.phonemes.length;
  return Array.from(logProbs.subarray(node.rank * size, (node.rank + 1) * size), (value, token) => ({value, token}))
    .sort((a, b) => b.value - a.value)
    .slice(0, count)
    .map(({value, token}) => ({
      label: vocabulary.phonemes[token] ?? `#${token}`,
      probability: Math.exp(value),
      kept: node.children.find((child) => child.token === token),
    }));
}

/**
 * Returns the node on the path to a final node whose likeliest continuation had the lowest probability.
 * @param {BeamTree} tree
 * @param {BeamNode} final
 * @param {Vocabulary} vocabulary
 */
export function hardestChoice(tree, final, vocabulary) {
  const sure = (/** @type {BeamNode} */ node) => continuations(tree, node, vocabulary, 1)[0]?.probability ?? 1;
  return pathTo(final).reduce((hardest, node) => (sure(node) < sure(hardest) ? node : hardest), tree.root);
}
