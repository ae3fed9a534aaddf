// SPDX-License-Identifier: Apache-2.0
// Reads, compiles, runs and disposes of a model again and again. `checkLives` refers to nothing outside of itself, so that it
// also runs in pages.

/**
 * Takes a model through many lives: read, compile, infer on zeros, dispose. The memory of the engine and of the script may
 * only grow in the first tenth of the rounds.
 *
 * @param ov the package
 * @param {{xml: Uint8Array, bin: Uint8Array, inputs: {type: string, shape: number[]}[]}} model its files, and types and shapes of
 *   its inputs
 * @param {number} rounds number of lives
 * @param {() => Promise<number>} [heap] collects garbage, and returns the size of the script's memory in bytes
 * @returns {Promise<{engine: number, script: number}>} growth in the last nine tenths of the rounds, in bytes
 */
export async function checkLives(ov, {xml, bin, inputs}, rounds, heap = async () => 0) {
  const core = new ov.Core();
  const settled = Math.max(3, Math.ceil(rounds / 10));
  let before;
  for (let round = 0; round < rounds; ++round) {
    if (round === settled) before = {engine: ov.memoryBytes(), script: await heap()};
    const model = await core.readModel(xml, bin);
    const compiled = await core.compileModel(model, 'CPU');
    const request = compiled.createInferRequest();
    const tensors = inputs.map(({type, shape}) => new ov.Tensor(type, shape));
    tensors.forEach((tensor, i) => request.setInputTensor(i, tensor));
    await request.inferAsync();
    for (const object of [...tensors, request, compiled, model]) object.dispose();
  }
  return {engine: ov.memoryBytes() - before.engine, script: (await heap()) - before.script};
}
