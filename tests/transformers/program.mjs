// SPDX-License-Identifier: Apache-2.0
// What the test does with transformers.js, in Node.js and in pages: code that knows nothing of wasmvino.

/** Runs the models below a path, and returns plain values. */
export async function run({pipeline, env, RawImage}, path) {
  Object.assign(env, {localModelPath: path, allowRemoteModels: false, allowLocalModels: true, useBrowserCache: false, useFSCache: false});
  const options = {dtype: 'fp32'};
  const vectors = await pipeline('feature-extraction', 'vectors', options);
  const scores = await pipeline('fill-mask', 'scores', options);
  const next = await pipeline('text-generation', 'next', options);
  const colour = await pipeline('image-classification', 'colour', {...options, use_external_data_format: true});
  const image = new RawImage(Uint8ClampedArray.from({length: 4 * 4 * 3}, (_, i) => [10, 200, 30][i % 3]), 4, 4, 3);
  const mean = await vectors(['red green', 'blue'], {pooling: 'mean'});
  const filled = await scores('dark [MASK]', {top_k: 2});
  const [{generated_text: text}] = await next('light red', {max_new_tokens: 4, do_sample: false});
  const shades = await colour(image, {top_k: 3});
  for (const each of [vectors, scores, next, colour]) await each.dispose();
  return {mean: mean.tolist(), filled: filled.map(({token}) => token), text, shades};
}
