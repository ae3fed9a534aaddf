// SPDX-License-Identifier: Apache-2.0
// Runs conformance cases with a build of the package.
import {readArrayFile} from '../../js/src/arrays/array_files.mjs';
import {isPacked, pack, unpack} from '../../js/src/arrays/values.mjs';
import {freshPackage} from '../js/engine.mjs';
import {arrayFile} from './cases.mjs';

const bytesOf = ({buffer, byteOffset, byteLength}) => new Uint8Array(buffer, byteOffset, byteLength);

/** Converts the array of a file to a tensor. */
export function tensorOf(ov, {type, shape, data}) {
  const tensor = new ov.Tensor(type, shape);
  if (type === 'string') tensor.data = data;
  else if (isPacked(type)) pack(type, data, bytesOf(tensor.view()));
  else bytesOf(tensor.view()).set(bytesOf(data));
  return tensor;
}

/**
 * Returns the inputs of a step as tensors.
 * @param {object} ov the package
 * @param {import('./cases.mjs').CaseStep} step
 * @param {object} compiled the CompiledModel
 * @returns {{position: number, tensor: object}[]}
 */
export function stepInputs(ov, step, compiled) {
  return step.inputs.map(({position, name, file}) => {
    const port = compiled.input(position ?? name);
    const type = port.elementType === 'dynamic' ? undefined : port.elementType;
    return {position: compiled.inputs.indexOf(port), tensor: tensorOf(ov, readArrayFile(arrayFile(file), type))};
  });
}

/**
 * Converts a tensor to the form of array files.
 * @returns {import('./compare.mjs').StoredArray}
 */
export function storedArray(tensor) {
  const type = tensor.getElementType();
  const shape = tensor.getShape();
  const {data} = tensor;
  if (isPacked(type)) return {type, shape, data: unpack(type, data, tensor.getSize())};
  // If JavaScript has Float16Array, takes the bits of its values.
  return {type, shape, data: type === 'f16' ? new Uint16Array(data.buffer, data.byteOffset, data.length) : data};
}

/**
 * @param {object} how
 * @param {string} [how.build] default: the one that the package chooses
 * @param {boolean} how.passes
 * @param {boolean} how.integers
 * @param {number} how.threads 0 means one per processor
 */
export async function wasmEngine({build, passes, integers, threads}) {
  const ov = await freshPackage();
  if (build !== undefined) ov.configure({build});
  await ov.ready;
  const config = {WASMVINO_PASSES: passes, LP_TRANSFORMS_MODE: integers, INFERENCE_NUM_THREADS: threads};

  return {
    name: ov.build.name,

    /** Yields one result per case: {milliseconds, steps: [[array, …], …]}, plus {unsupported, message} after a failure. */
    async *run(cases) {
      const core = new ov.Core();
      for (const {model: path, rowGroup, sequences} of cases) {
        const answer = {steps: []};
        const made = [];
        const own = (object) => (made.unshift(object), object);
        const start = performance.now();
        let reading = true;
        try {
          const model = own(core.readModelSync(path));
          reading = false;
          const compiled = own(core.compileModelSync(model, 'CPU', {...config, DYNAMIC_QUANTIZATION_GROUP_SIZE: rowGroup, KV_CACHE_PRECISION: 'f32'}));
          const request = own(compiled.createInferRequest());
          for (const steps of sequences) {
            request.resetState();
            for (const step of steps) {
              for (const {position, tensor} of stepInputs(ov, step, compiled)) request.setInputTensor(position, tensor);
              request.infer();
              answer.steps.push(step.outputs.map(({position}) => storedArray(request.getOutputTensor(position))));
            }
          }
        } catch (error) {
          Object.assign(answer, {unsupported: reading && error.code === 'UNSUPPORTED', message: error.message});
          if (error.code === 'ENGINE_FAILED') await ov.restart();
        } finally {
          for (const object of made) object.dispose();
        }
        answer.milliseconds = performance.now() - start;
        yield answer;
      }
    },
  };
}
