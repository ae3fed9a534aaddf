// SPDX-License-Identifier: Apache-2.0
/** What an optimisation pass changed in a model, or in a body of a loop or branch. */
export interface PassChange {
  /** Name of the pass. */
  name: string;
  /** Why the change is an improvement. */
  reason: string;
  /** Names of the layers around the body, outermost first. Empty for the model itself. */
  path: string[];
  /** Operations that were fused, folded or replaced. */
  removed: {name: string; type: string}[];
  /** Operations that took their place. */
  added: {name: string; type: string}[];
}

/** A value that an operation reads or writes. */
export interface ExplainedValue {
  /** Element type: "f32". */
  type: string;
  /** Shape as text: "[1,?,64]". */
  shape: string;
  /** Whether the value is the same in every run. */
  constant: boolean;
  /** How an 8-bit value represents real numbers. Absent if it is not quantised. */
  quantization?: ExplainedQuantization;
}

/**
 * The quantisation of a value: the integer q represents (q - zeroPoint) * scale. Both have one element for the whole value,
 * or one per index of its last axis.
 */
export interface ExplainedQuantization {
  /** The distance between two neighbouring values. */
  scale: number[];
  /** The integer that represents 0. It may be fractional: ranges need not contain 0. */
  zeroPoint: number[];
}

/** An operation as it runs. */
export interface ExplainedNode {
  /** Names of the layers around it, outermost first. */
  path: string[];
  /** Name of the layer. */
  name: string;
  /** Its operation, after the passes. */
  type: string;
  /**
   * How it produces its outputs:
   * - `computed`: a kernel computes them.
   * - `view`: they refer to the memory of an input, without a copy.
   * - `constant`: they were computed when the model was compiled.
   * - `planned while running`: as `computed`, but their shapes depend on data.
   */
  how: 'computed' | 'view' | 'constant' | 'planned while running';
  /** The method of the kernel, if there are several: "indirect", "u8 x i8, dot products of i16". */
  method?: string;
  /** Layout of input 0, if the operation supports several layouts. */
  inputLayout?: 'NCHW' | 'NHWC';
  /** Layout of output 0, if the operation supports several layouts. */
  outputLayout?: 'NCHW' | 'NHWC';
  /** Its inputs. Quantised weights and activations have integer types here. */
  inputs: ExplainedValue[];
  /** Its outputs. */
  outputs: ExplainedValue[];
  /** Predicted number of additions and multiplications. Inside a body: in one iteration. */
  operations: number;
  /** Predicted number of bytes that it reads and writes. */
  bytes: number;
}

/** Use of the engine's memory, in bytes. */
export interface ExplainedMemory {
  /** Constants as the model stores them. */
  weights: number;
  /** Weights packed for kernels. */
  packed: number;
  /** Temporaries. */
  arena: number;
  /** Inputs, outputs and variables of the request. */
  tensors: number;
}

/** @internal */
export interface ExplanationData {
  passes: PassChange[];
  nodes: ExplainedNode[];
  memory: ExplainedMemory;
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`;
const scaleOf = ({quantization}: ExplainedValue) => {
  if (quantization === undefined) return '';
  const {scale} = quantization;
  return scale.length === 1 ? ` scale ${scale[0]!.toPrecision(3)}` : ` ${scale.length} scales`;
};
const pathOf = (path: string[], name: string) => [...path, name].join('/');

/** Explains how a compiled model is executed: what the passes changed, what runs, and what takes memory. */
export class Explanation {
  /** The changes of the optimisation passes, in order. */
  readonly passes: PassChange[];
  /** The operations that run. Empty before the first run of a model with dynamic shapes. */
  readonly nodes: ExplainedNode[];
  /** Use of the engine's memory, in bytes. */
  readonly memory: ExplainedMemory;

  /** @internal */
  constructor({passes, nodes, memory}: ExplanationData) {
    this.passes = passes;
    this.nodes = nodes;
    this.memory = memory;
  }

  /**
   * Returns the explanation as text: a list of passes, of operations and of the uses of memory.
   *
   * @returns The text, of several lines.
   * @example
   * console.log(String(await request.explain()));
   */
  toString(): string {
    const list = (operations: PassChange['removed']) => operations.map(({name, type}) => `${type} '${name}'`).join(', ') || 'nothing';
    const lines = ['passes'];
    for (const {name, reason, path, removed, added} of this.passes) {
      lines.push(`  ${name}${path.length > 0 ? ` in ${path.join('/')}` : ''}: ${reason}`);
      lines.push(`    ${list(removed)} -> ${list(added)}`);
    }
    lines.push('operations');
    for (const {path, name, type, how, method, inputLayout, outputLayout, inputs, outputs, operations, bytes} of this.nodes) {
      const values = (list: ExplainedValue[]) => list.map((value) => `${value.type} ${value.shape}${value.constant ? ' constant' : ''}${scaleOf(value)}`).join(', ');
      const layouts = inputLayout === undefined ? '' : `, ${inputLayout} -> ${outputLayout}`;
      lines.push(`  ${type} '${pathOf(path, name)}': ${how}${method === undefined ? '' : `: ${method}`}${layouts}`);
      lines.push(`    ${values(inputs)} -> ${values(outputs)}`);
      if (bytes > 0) lines.push(`    ${(operations / 1e6).toFixed(3)} million operations, ${megabytes(bytes)} read and written`);
    }
    lines.push('memory', ...Object.entries(this.memory).map(([kind, bytes]) => `  ${kind.padEnd(8)} ${megabytes(bytes).padStart(12)}`));
    return lines.join('\n');
  }
}
