// Compares the meaning of sentences. The tokenizer is in wordpiece.js.
import {addon as ov} from 'wasmvino';
import {wordPiece} from './wordpiece.js';

/**
 * Loads the network and its vocabulary.
 * @param {string} folder URL of their folder
 * @param {import('wasmvino').ReadOptions} [options] progress, cache
 */
export async function load(folder, options) {
  const [model, vocabulary] = await Promise.all([
    new ov.Core().compileModel(`${folder}/minilm_int8/model.xml`, 'CPU', {}, options),
    fetch(`${folder}/minilm_int8/vocab.json`).then((response) => response.json()),
  ]);
  const request = model.createInferRequest();
  const tokenize = wordPiece(vocabulary);

  /**
   * Returns the similarity of each pair of sentences, from -1 to 1.
   * @param {string[]} sentences
   */
  return async function compare(sentences) {
    const tokens = sentences.map(tokenize);
    const length = Math.max(...tokens.map((ids) => ids.length));
    const shape = [sentences.length, length];
    // Shorter sentences are padded with zeros. The mask hides these from the network.
    const pad = (ids) => [...ids, ...new Array(length - ids.length).fill(0)];
    const padded = tokens.flatMap(pad);
    const mask = tokens.map((ids) => ids.map(() => 1)).flatMap(pad);
    const {sentence_embedding: embedding} = await request.inferAsync({
      input_ids: new ov.Tensor('i64', shape, padded),
      attention_mask: new ov.Tensor('i64', shape, mask),
      token_type_ids: new ov.Tensor('i64', shape),
    });
    const [count, size] = embedding.getShape();
    const values = embedding.data;
    const row = (i) => values.subarray(i * size, (i + 1) * size);
    const rows = Array.from({length: count}, (_, i) => row(i));
    const similarity = (a, b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
    return rows.map((a) => rows.map((b) => similarity(a, b)));
  };
}

function dot(a, b) {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}
