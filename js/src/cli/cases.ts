// SPDX-License-Identifier: Apache-2.0
// Conformance cases in their two forms (arrays by position; named sets and sequences), read into one.
import {readFileSync, readdirSync, statSync} from 'node:fs';
import {basename, join, resolve} from 'node:path';
import {WasmvinoError, type element} from '../node.js';
import type {DetectionRule, Rule} from './compare.js';

export interface CaseInput {
  /** Of the model's input; where absent, `name` tells. */
  position?: number;
  name: string;
  file: string;
}

export interface CaseOutput {
  position: number;
  name: string;
  file: string;
  /** Absent: the type of the file. */
  type?: element;
  rule: Rule;
  /** Where a result belongs, below the folder of results, without a suffix. */
  result: string;
}

export interface CaseStep {
  /** "step 2"; empty where there is but one. */
  name: string;
  inputs: CaseInput[];
  outputs: CaseOutput[];
}

export interface Case {
  /** Path below the folder, and the model where there are several. */
  name: string;
  /** What results are counted by. */
  operation: string;
  model: string;
  /** Each begins with a fresh state; within one the state is kept. */
  sequences: CaseStep[][];
  /** The outputs' order along it is unspecified. */
  sortAxis?: number;
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of many forms.
type Json = any;

// Python's json writes Infinity and NaN, which are no JSON: outside strings they become null.
function parseJson(text: string): Json {
  return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (part) => (part[0] === '"' ? part : 'null')));
}

// Form 1: in_I.npy and out_I.npy, or in_STEP_I.npy and out_STEP_I.npy where there are several steps.
function readPositional(folder: string, below: string, json: Json): Case {
  const steps: number = json.steps ?? 1;
  if (json.compare && json.compare.mode !== 'sort_axis') throw unknownMode(json.compare.mode);
  const step = (s: number): CaseStep => {
    const prefix = steps > 1 ? `${s}_` : '';
    return {
      name: steps > 1 ? `step ${s}` : '',
      inputs: json.inputs.map((port: Json, i: number) => ({position: i, name: port.name ?? '', file: join(folder, `in_${prefix}${i}`)})),
      outputs: json.outputs.map((port: Json, i: number) => ({
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
    model: join(folder, 'model.xml'),
    sequences: [Array.from({length: steps}, (_, s) => step(s))],
    sortAxis: json.compare?.axis,
  };
}

function unknownMode(mode: string): WasmvinoError {
  return new WasmvinoError('INVALID_ARGUMENT', `there is no way of comparing called ${mode}`);
}

function detectionRule(json: Json): DetectionRule {
  if (json.mode !== 'detections') throw unknownMode(json.mode);
  const column = (name: string) => {
    const at = json.columns.indexOf(name);
    if (at < 0) throw new WasmvinoError('INVALID_ARGUMENT', `the columns of the detections lack ${name}`);
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

// What a model says of the output called `name`, with the case's own tolerances where it says nothing.
function outputRule(json: Json, model: Json, name: string): Rule {
  const port: Json = model.outputs.find((output: Json) => output.name === name) ?? {};
  return {
    rtol: json.rtol,
    atol: port.atol ?? json.atol,
    exact: (json.exact ?? []).includes(name),
    meanAtol: port.mean_atol ?? json.mean_atol,
    minCosine: port.min_cosine,
    detections: port.compare && detectionRule(port.compare),
  };
}

// Form 2: sets, each with a fresh state, or sequences of steps that keep it; one model or several.
function readNamed(folder: string, below: string, json: Json, int8: boolean): Case[] {
  return Object.entries<Json>(json.models ?? {model: json}).map(([key, model]) => {
    const results = join(below, key);
    const step = (name: string, record: Json, to: string): CaseStep => ({
      name,
      inputs: Object.entries<Json>(record.inputs).map(([port, array]) => ({name: port, file: join(folder, array.file)})),
      outputs: Object.entries<Json>(record.outputs).map(([port, array]) => ({
        position: array.index,
        name: port,
        file: join(folder, (int8 && array.file_int8_kernels) || array.file),
        rule: outputRule(json, model, port),
        result: join(to, `out_${array.index}`),
      })),
    });
    const name = json.models ? results : below;
    return {
      name,
      operation: name,
      model: join(folder, model.model ?? 'model.xml'),
      sequences: model.sequences
        ? model.sequences.map((sequence: Json, q: number) =>
            sequence.steps.map((record: Json, t: number) =>
              step(`sequence ${q}, step ${t}`, record, join(results, `seq_${q}`, `step_${t}`)),
            ),
          )
        : model.sets.map((set: Json, s: number) => [step(`set ${s}`, set, join(results, `set_${s}`))]),
    };
  });
}

/**
 * All cases below a folder, sorted by path. With `int8`, outputs are compared with those of OpenVINO's int8 kernels where a
 * case has them.
 */
export function findCases(folder: string, int8 = false): Case[] {
  if (!statSync(folder, {throwIfNoEntry: false})?.isDirectory()) {
    throw new WasmvinoError('INVALID_ARGUMENT', `there is no folder ${folder}`);
  }
  const cases: Case[] = [];
  const search = (below: string) => {
    const here = join(folder, below);
    const names = readdirSync(here).sort();
    if (names.includes('case.json')) {
      const file = join(here, 'case.json');
      let json: Json;
      try {
        json = parseJson(readFileSync(file, 'utf8'));
      } catch (cause) {
        throw new WasmvinoError('INVALID_ARGUMENT', `${file}: ${(cause as Error).message}`, {cause});
      }
      // A folder given itself still has a name of its own among results.
      if (json.sets || json.sequences || json.models) cases.push(...readNamed(here, below || basename(resolve(folder)), json, int8));
      else if (json.outputs) cases.push(readPositional(here, below, json));
    }
    for (const name of names) {
      if (statSync(join(here, name)).isDirectory()) search(join(below, name));
    }
  };
  search('');
  return cases;
}
