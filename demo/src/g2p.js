// SPDX-License-Identifier: Apache-2.0
// The model: converts words to ids of letters, and these to phonemes. Also returns the values of the beam search. Does not
// depend on the page.

/**
 * @typedef {import('wasmvino').CompiledModel} CompiledModel
 * @typedef {import('wasmvino').InferRequest} InferRequest
 * @typedef {typeof import('wasmvino').addon} Addon
 *
 * @typedef {object} Vocabulary the content of vocab.json, written by the script that made the model
 * @property {string[]} graphemes
 * @property {string[]} phonemes
 * @property {number} grapheme_eos
 * @property {number} grapheme_unk
 * @property {number} phoneme_eos
 *
 * @typedef {object} Hypothesis one row of the model's outputs, best first
 * @property {number[]} ids phonemes, without </s>
 * @property {string} phonemes the phonemes as text
 * @property {number} score sum of the log probabilities
 *
 * @typedef {object} Decoding
 * @property {string} word
 * @property {number} beamWidth
 * @property {Hypothesis[]} hypotheses
 * @property {Int32Array} sequences output of GatherTree, [steps, 1, beams]
 * @property {number} milliseconds time of one run
 * @property {number} [planning] additional milliseconds of the first run with these shapes
 * @property {string[]} unknown characters that the model has no id for
 *
 * @typedef {object} Step values of the loop's body in one iteration; arrays with one value per beam
 * @property {Float32Array} scores values of TopK
 * @property {Int32Array} parents the beam that each beam extends
 * @property {Int32Array} tokens ids of phonemes
 * @property {Float32Array} logProbs [previous beams, phonemes]
 *
 * @typedef {Decoding & {steps: Step[]}} Trace
 */

const LOOP = 'beam_search_loop';
// Ports of the loop's body, in the order of Step's properties.
const OBSERVED = [
  {layer: [LOOP, 'beam_topk'], port: 0},
  {layer: [LOOP, 'parent']},
  {layer: [LOOP, 'token']},
  {layer: [LOOP, 'log_probs']},
];

/**
 * Splits a text into words. Accents and apostrophes are removed ("don't" is one word). Everything else separates words.
 * @param {string} text
 */
export function wordsOf(text) {
  return (
    text
      .toLowerCase()
      .normalize('NFD')
      .replace(/[\p{M}'’]/gu, '')
      .match(/\p{L}+/gu) ?? []
  );
}

/**
 * @param {string} word
 * @param {Vocabulary} vocabulary
 */
function spell(word, vocabulary) {
  /** @type {string[]} */
  const unknown = [];
  const ids = Array.from(word, (letter) => {
    const id = vocabulary.graphemes.indexOf(letter);
    if (id >= 0) return id;
    unknown.push(letter);
    return vocabulary.grapheme_unk;
  });
  return {ids: Int32Array.of(...ids, vocabulary.grapheme_eos), unknown};
}

export class Decoder {
  #ov;
  #plain;
  #observing;
  /** @type {Set<string>} */
  #planned = new Set();

  /**
   * @param {Addon} ov
   * @param {CompiledModel} model
   * @param {Vocabulary} vocabulary
   */
  constructor(ov, model, vocabulary) {
    this.vocabulary = vocabulary;
    this.#ov = ov;
    this.#plain = model.createInferRequest();
    this.#observing = model.createInferRequest();
    this.#observing.observe(OBSERVED);
  }

  /**
   * Decodes a word and measures the time. If its shapes are new, an additional first run plans for them.
   * @param {string} word
   * @param {number} beamWidth
   * @returns {Decoding}
   */
  decode(word, beamWidth) {
    const shapes = `${word.length} ${beamWidth}`;
    const first = this.#planned.has(shapes) ? undefined : this.#run(this.#plain, word, beamWidth).milliseconds;
    this.#planned.add(shapes);
    const decoding = this.#run(this.#plain, word, beamWidth);
    return first === undefined ? decoding : {...decoding, planning: Math.max(0, first - decoding.milliseconds)};
  }

  /**
   * Decodes a word, and records the values of the loop's body in every iteration.
   * @param {string} word
   * @param {number} beamWidth
   * @returns {Trace}
   */
  trace(word, beamWidth) {
    const decoding = this.#run(this.#observing, word, beamWidth);
    /** @type {any[][]} */
    const steps = [];
    for (const {layer, port, iterations, tensor} of this.#observing.observations()) {
      const which = OBSERVED.findIndex((one) => one.layer[1] === layer[1] && (one.port ?? 0) === port);
      (steps[/** @type {number} */ (iterations[0])] ??= [])[which] = tensor.data;
    }
    return {
      ...decoding,
      steps: steps.map(([scores, parents, tokens, logProbs]) => ({scores, parents, tokens, logProbs})),
    };
  }

  /**
   * @param {InferRequest} request
   * @param {string} word
   * @param {number} beamWidth
   * @returns {Decoding}
   */
  #run(request, word, beamWidth) {
    const {Tensor} = this.#ov;
    const {ids, unknown} = spell(word, this.vocabulary);
    const inputs = {
      graphemes: new Tensor('i32', [1, ids.length], ids),
      beam_width: new Tensor('i32', [], Int32Array.of(beamWidth)),
    };
    const started = performance.now();
    const results = request.infer(inputs);
    const milliseconds = performance.now() - started;
    const [sequences, scores, lengths] = ['sequences', 'scores', 'sequence_lengths'].map((name) => {
      const tensor = results[name];
      if (!tensor) throw new Error(`the model has no output '${name}'`);
      return tensor.data;
    });
    const hypotheses = Array.from(/** @type {Float32Array} */ (scores), (score, beam) => {
      const length = Number(/** @type {Int32Array} */ (lengths)[beam]);
      const chosen = Array.from({length}, (_, step) => Number(sequences?.[step * beamWidth + beam]));
      return {ids: chosen, phonemes: chosen.map((id) => this.vocabulary.phonemes[id]).join(' '), score};
    });
    return {word, beamWidth, hypotheses, sequences: /** @type {Int32Array} */ (sequences), milliseconds, unknown};
  }
}
