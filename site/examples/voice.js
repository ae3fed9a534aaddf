// Detects speech in a recording.
import {addon as ov} from 'wasmvino';

const RATE = 16000;
const CHUNK = 512; // samples: 32 ms
const CONTEXT = 64; // samples of the previous chunk

/**
 * Loads the network.
 * @param {string} folder URL of its folder
 * @param {import('wasmvino').ReadOptions} [options] progress, cache
 */
export async function load(folder, options) {
  const url = `${folder}/silero_vad_sequence/model.xml`;
  const model = await new ov.Core().compileModel(url, 'CPU', {}, options);
  const request = model.createInferRequest();

  /**
   * Returns the probability of speech for every 32 ms, and the intervals of speech in
   * seconds.
   * @param {Float32Array} samples one channel at 16 kHz, from -1 to 1
   */
  return async function listen(samples) {
    const chunks = Math.floor(samples.length / CHUNK);
    if (chunks === 0) throw new Error('The recording is shorter than 32 ms.');
    const input = new Float32Array(chunks * (CONTEXT + CHUNK));
    for (let chunk = 0; chunk < chunks; chunk++) {
      const from = chunk * CHUNK;
      const before = samples.subarray(Math.max(0, from - CONTEXT), from);
      const at = chunk * (CONTEXT + CHUNK);
      input.set(before, at + CONTEXT - before.length);
      input.set(samples.subarray(from, from + CHUNK), at + CONTEXT);
    }
    const {speech_probs: result} = await request.inferAsync({
      input: new ov.Tensor('f32', [chunks, CONTEXT + CHUNK], input),
      h: new ov.Tensor('f32', [1, 1, 128]),
      c: new ov.Tensor('f32', [1, 1, 128]),
    });
    const probabilities = result.data;
    return {probabilities, stretches: stretchesOf(probabilities)};
  };
}

// Speech begins above 0.5 and ends when it has been below 0.35 for 200 ms.
function stretchesOf(probabilities) {
  const seconds = (chunk) => (chunk * CHUNK) / RATE;
  const stretches = [];
  let begin;
  let last = 0;
  probabilities.forEach((probability, chunk) => {
    if (probability > 0.5) begin ??= chunk;
    if (probability > 0.35) last = chunk + 1;
    if (begin !== undefined && seconds(chunk + 1 - last) > 0.2) {
      stretches.push({from: seconds(begin), to: seconds(last)});
      begin = undefined;
    }
  });
  if (begin !== undefined) stretches.push({from: seconds(begin), to: seconds(last)});
  return stretches;
}
