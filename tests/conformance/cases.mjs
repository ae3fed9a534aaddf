// SPDX-License-Identifier: Apache-2.0
// Reads conformance cases. They have two forms: arrays by position, and named sets or sequences.
import {existsSync, readFileSync, readdirSync, statSync} from 'node:fs';
import {basename, join, resolve} from 'node:path';

/**
 * @typedef {object} CaseInput
 * @property {number} [position] position of the model's input; if absent, `name` identifies it
 * @property {string} name
 * @property {string} file path, with or without suffix
 *
 * @typedef {object} CaseOutput
 * @property {number} position
 * @property {string} name
 * @property {string} file
 * @property {string} [type] default: the type of the file
 * @property {import('./compare.mjs').Rule} rule
 * @property {string} result path of the result below the folder of results, without suffix
 *
 * @typedef {object} CaseStep
 * @property {string} name "step 2"; empty if there is only one
 * @property {CaseInput[]} inputs
 * @property {CaseOutput[]} outputs
 *
 * @typedef {object} Case
 * @property {string} name path below the folder, and the model if there are several
 * @property {string} operation results are counted by this name
 * @property {string} model
 * @property {number} rowGroup the DYNAMIC_QUANTIZATION_GROUP_SIZE that the goldens were computed with
 * @property {CaseStep[][]} sequences the state is reset before each sequence and kept between its steps
 * @property {number} [sortAxis] the order of the outputs along this axis is unspecified
 */

// Python's json module writes Infinity and NaN, which JSON does not allow. Outside of strings, they are read as null.
function parseJson(text) {
  return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (part) => (part[0] === '"' ? part : 'null')));
}

// Form 1: in_I.npy and out_I.npy, or, with several steps, in_STEP_I.npy and out_STEP_I.npy.
function readPositional(folder, below, json) {
  const steps = json.steps ?? 1;
  if (json.compare && json.compare.mode !== 'sort_axis') throw unknownMode(json.compare.mode);
  const step = (s) => {
    const prefix = steps > 1 ? `${s}_` : '';
    return {
      name: steps > 1 ? `step ${s}` : '',
      inputs: json.inputs.map((port, i) => ({position: i, name: port.name ?? '', file: join(folder, `in_${prefix}${i}`)})),
      outputs: json.outputs.map((port, i) => ({
        position: i,
        name: port.name ?? '',
        file: join(folder, `out_${prefix}${i}`),
        type: port.type,
        rule: {rtol: json.rtol, atol: json.atol, exact: !/^(b?f|nf)\d/.test(port.type)},
        result: join(below, `out_${prefix}${i}`),
      })),
    };
  };
  return {
    name: below === '' ? (json.name ?? '.') : below,
    operation: json.suite === 'ops' ? `${json.op}-${json.opset}` : json.op,
    model: join(folder, existsSync(join(folder, 'model.onnx')) ? 'model.onnx' : 'model.xml'),
    rowGroup: 0,
    sequences: [Array.from({length: steps}, (_, s) => step(s))],
    sortAxis: json.compare?.axis,
  };
}

function unknownMode(mode) {
  return new Error(`there is no way of comparing called ${mode}`);
}

function detectionRule(json) {
  if (json.mode !== 'detections') throw unknownMode(json.mode);
  const column = (name) => {
    const at = json.columns.indexOf(name);
    if (at < 0) throw new Error(`the columns of the detections lack ${name}`);
    return at;
  };
  return {
    image: column('image'),
    label: column('label'),
    score: column('score'),
    box: column('x0'),
    minScore: json.min_score,
    iou: json.iou,
    scoreAtol: json.score_atol,
  };
}

// The rule of the model for an output. The tolerances of the case are the defaults.
function outputRule(json, model, name) {
  const port = model.outputs.find((output) => output.name === name) ?? {};
  return {
    rtol: json.rtol,
    atol: port.atol ?? json.atol,
    exact: (json.exact ?? []).includes(name),
    meanAtol: port.mean_atol ?? json.mean_atol,
    minCosine: port.min_cosine,
    detections: port.compare && detectionRule(port.compare),
  };
}

// Form 2: independent sets of inputs, or sequences of steps that keep the state; for one model or several.
function readNamed(folder, below, json, int8) {
  return Object.entries(json.models ?? {model: json}).map(([key, model]) => {
    const results = join(below, key);
    const step = (name, record, to) => ({
      name,
      inputs: Object.entries(record.inputs).map(([port, array]) => ({name: port, file: join(folder, array.file)})),
      outputs: Object.entries(record.outputs).map(([port, array]) => ({
        position: array.index,
        name: port,
        file: join(folder, (int8 && array.file_int8_kernels) || array.file),
        rule: outputRule(json, model, port),
        result: join(to, `out_${array.index}`),
      })),
    });
    const name = json.models ? results : below;
    // OpenVINO computed the outputs of int8 kernels with its default, 32.
    const rowGroup = int8 && JSON.stringify(model).includes('"file_int8_kernels"') ? 32 : 0;
    return {
      name,
      operation: name,
      model: join(folder, model.model ?? 'model.xml'),
      rowGroup,
      sequences: model.sequences
        ? model.sequences.map((sequence, q) =>
            sequence.steps.map((record, t) =>
              step(`sequence ${q}, step ${t}`, record, join(results, `seq_${q}`, `step_${t}`)),
            ),
          )
        : model.sets.map((set, s) => [step(`set ${s}`, set, join(results, `set_${s}`))]),
    };
  });
}

/**
 * Returns all cases below a folder, sorted by path.
 * @param {string} folder
 * @param {boolean} int8 compare with the outputs of OpenVINO's int8 kernels, if a case has them
 * @returns {Case[]}
 */
export function findCases(folder, int8 = false) {
  if (!statSync(folder, {throwIfNoEntry: false})?.isDirectory()) {
    throw new Error(`there is no folder ${folder}`);
  }
  const cases = [];
  const search = (below) => {
    const here = join(folder, below);
    const entries = readdirSync(here, {withFileTypes: true}).sort((a, b) => (a.name < b.name ? -1 : 1));
    if (entries.some(({name}) => name === 'case.json')) {
      const file = join(here, 'case.json');
      let json;
      try {
        json = parseJson(readFileSync(file, 'utf8'));
      } catch (cause) {
        throw new Error(`${file}: ${cause.message}`, {cause});
      }
      // If the given folder is itself a case, its results are named after it.
      if (json.sets || json.sequences || json.models) cases.push(...readNamed(here, below || basename(resolve(folder)), json, int8));
      else if (json.outputs) cases.push(readPositional(here, below, json));
    }
    for (const entry of entries) {
      const isFolder = entry.isSymbolicLink() ? statSync(join(here, entry.name)).isDirectory() : entry.isDirectory();
      if (isFolder) search(join(below, entry.name));
    }
  };
  search('');
  return cases;
}

/** Returns the path of an array file whose suffix may be missing. */
export function arrayFile(stem) {
  const file = [stem, `${stem}.npy`, `${stem}.json`].find((path) => existsSync(path));
  if (file === undefined) throw new Error(`there is no array ${stem}.npy`);
  return file;
}
