// SPDX-License-Identifier: Apache-2.0
// Reads, compiles, runs and disposes of a model again and again. `checkLives` stands alone: it runs in Node.js and in pages.

/**
 * Lives of a model: read, compile, infer on zeros, dispose. The engine's memory and the script's may grow in the first
 * tenth of the rounds only.
 *
 * @param ov the package
 * @param {{xml: Uint8Array, bin: Uint8Array, inputs: {type: string, shape: number[]}[]}} model its files, and what its inputs take
 * @param {number} rounds lives
 * @param {() => Promise<number>} [heap] bytes of the script's memory after a collection
 * @returns {Promise<{engine: number, script: number}>} bytes by which they grew in the other nine tenths
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
