// Pronounces words, even those that are in no dictionary.
import {addon as ov} from 'wasmvino';

/**
 * Loads the network and its vocabulary.
 * @param {string} folder URL of their folder
 * @param {import('wasmvino').ReadOptions} [options] progress, cache
 */
export async function load(folder, options) {
  const [model, vocabulary] = await Promise.all([
    new ov.Core().compileModel(`${folder}/model.xml`, 'CPU', {}, options),
    fetch(`${folder}/vocab.json`).then((response) => response.json()),
  ]);
  const request = model.createInferRequest();
  const {graphemes, grapheme_eos: end, grapheme_unk: unknown} = vocabulary;
  const {phonemes, phoneme_eos: stop} = vocabulary;

  /**
   * Returns the likeliest pronunciations of a word, best first. A score is the
   * logarithm of a probability.
   * @param {string} word
   * @param {number} width number of pronunciations
   */
  return async function pronounce(word, width = 3) {
    const letters = Array.from(word.toLowerCase(), (letter) => {
      const id = graphemes.indexOf(letter);
      return id < 0 ? unknown : id;
    });
    const {sequences, scores} = await request.inferAsync({
      graphemes: new ov.Tensor('i32', [1, letters.length + 1], [...letters, end]),
      beam_width: new ov.Tensor('i32', [], [width]),
    });
    const ids = Array.from(sequences.data); // [steps, 1, width]
    return Array.from(scores.data, (score, beam) => {
      const sounds = ids.filter((id, i) => i % width === beam && id !== stop);
      return {sounds: sounds.map((id) => phonemes[id]), score};
    });
  };
}
