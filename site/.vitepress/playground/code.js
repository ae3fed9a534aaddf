// SPDX-License-Identifier: Apache-2.0

/**
 * Generates code that does the same as the playground.
 * @param {{name: string, bin: string, inputs: {name: string, type: string, shape: number[]}[], build: string, threads: number}} settings
 */
export function codeOf({name, bin, inputs, build, threads}) {
  const config = threads > 0 ? `, {INFERENCE_NUM_THREADS: ${threads}}` : '';
  const lines = inputs.map(({name, type, shape}) => `  '${name.replaceAll("'", "\\'")}': new ov.Tensor('${type}', [${shape.join(', ')}]), // zeros: give your values as the third argument`);
  return `import {addon as ov} from 'wasmvino';
${build ? `\nov.configure({build: '${build}'});` : ''}
const core = new ov.Core();
const model = await core.compileModel(${bin ? `await core.readModel('${name}', '${bin}')` : `'${name}'`}, 'CPU'${config});
const request = model.createInferRequest();
const results = await request.inferAsync({
${lines.join('\n')}
});
for (const [name, tensor] of Object.entries(results)) console.log(name, tensor.getShape(), tensor.data);
`;
}
