// Detects the kind of content of files from their bytes.
import {addon as ov} from 'wasmvino';

const BLOCK = 4096; // bytes that are read at either end
const TAKEN = 1024; // bytes of them that the network uses
const MISSING = 256; // marks missing bytes of short files
const SPACE = new Set([9, 10, 11, 12, 13, 32]);

/**
 * Loads the network and the names of the kinds that it knows.
 * @param {string} folder URL of their folder
 * @param {import('wasmvino').ReadOptions} [options] progress, cache
 */
export async function load(folder, options) {
  const [model, labels] = await Promise.all([
    new ov.Core().compileModel(`${folder}/magika/model.xml`, 'CPU', {}, options),
    fetch(`${folder}/magika/labels.json`).then((response) => response.json()),
  ]);
  const request = model.createInferRequest();

  /**
   * Returns the three likeliest kinds of each file, best first. Files form one batch.
   * @param {Blob[]} files
   */
  return async function identify(files) {
    const rows = await Promise.all(files.map(ends));
    const bytes = new ov.Tensor('i32', [files.length, 2 * TAKEN], rows.flat());
    const {target_label: result} = await request.inferAsync({bytes});
    const values = result.data; // [files, labels]
    const count = labels.length;
    return files.map((_, file) => {
      const scores = values.subarray(file * count, (file + 1) * count);
      const ids = [...scores.keys()].sort((a, b) => scores[b] - scores[a]);
      return ids.slice(0, 3).map((id) => ({kind: labels[id], score: scores[id]}));
    });
  };
}

// Returns the first and the last bytes of a file, after trimming white space.
async function ends(file) {
  const bytesOf = async (part) => new Uint8Array(await part.arrayBuffer());
  const head = await bytesOf(file.slice(0, BLOCK));
  const tail = await bytesOf(file.slice(-BLOCK));
  const isText = (byte) => !SPACE.has(byte);
  const from = head.findIndex(isText);
  const first = from < 0 ? [] : [...head.subarray(from, from + TAKEN)];
  const to = tail.findLastIndex(isText) + 1;
  const last = [...tail.subarray(Math.max(0, to - TAKEN), to)];
  const missing = (taken) => new Array(TAKEN - taken.length).fill(MISSING);
  return [...first, ...missing(first), ...missing(last), ...last];
}
