// SPDX-License-Identifier: Apache-2.0
// What a compiled model consists of.

/** What a pass did to the operations of a model or a body. */
export interface PassChange {
  /** Name of the pass. */
  name: string;
  /** What it gains. */
  reason: string;
  /** Names of the layers around the body, outermost first. Empty for the model itself. */
  path: string[];
  /** Operations that were fused, folded or replaced. */
  removed: {name: string; type: string}[];
  /** Operations that took their place. */
  added: {name: string; type: string}[];
}

/** Element type and shape of a value: "f32", "[1,?,64]". */
export interface ExplainedValue {
  type: string;
  shape: string;
  /** Whether it is the same in every run. */
  constant: boolean;
}

/** An operation as it runs. */
export interface ExplainedNode {
  /** Names of the layers around it, outermost first. */
  path: string[];
  name: string;
  /** Its operation, after the passes. */
  type: string;
  /**
   * How its outputs come about:
   * - `computed`: a kernel computes them.
   * - `view`: they show the memory of an input.
   * - `constant`: they were computed when the model was compiled.
   * - `planned while running`: as computed, but their shapes depend on data.
   */
  how: 'computed' | 'view' | 'constant' | 'planned while running';
  /** How the kernel computes, where there are several ways: "indirect", "u8 x i8, dot products of i16". */
  method?: string;
  /** Layout of input 0, where the operation has a choice. */
  inputLayout?: 'NCHW' | 'NHWC';
  /** Layout of output 0, where the operation has a choice. */
  outputLayout?: 'NCHW' | 'NHWC';
  /** Integer types of weights and data show what is quantised. */
  inputs: ExplainedValue[];
  outputs: ExplainedValue[];
  /** Predicted additions and multiplications. Inside a body: of one iteration. */
  operations: number;
  /** Predicted bytes that it reads and writes. */
  bytes: number;
}

/** Bytes of the engine's memory by what they hold. */
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
const pathOf = (path: string[], name: string) => [...path, name].join('/');

/** What a compiled model consists of: what the passes did, what runs, and what takes memory. */
export class Explanation {
  /** What the passes changed, in their order. */
  readonly passes: PassChange[];
  /** The operations that run. Empty before the first run of a model with dynamic shapes. */
  readonly nodes: ExplainedNode[];
  /** Bytes of the engine's memory by what they hold. */
  readonly memory: ExplainedMemory;

  /** @internal */
  constructor({passes, nodes, memory}: ExplanationData) {
    this.passes = passes;
    this.nodes = nodes;
    this.memory = memory;
  }

  /** Returns the explanation as text: one line for each pass, operation and kind of memory. */
  toString(): string {
    const list = (operations: PassChange['removed']) => operations.map(({name, type}) => `${type} '${name}'`).join(', ') || 'nothing';
    const lines = ['passes'];
    for (const {name, reason, path, removed, added} of this.passes) {
      lines.push(`  ${name}${path.length > 0 ? ` in ${path.join('/')}` : ''}: ${reason}`);
      lines.push(`    ${list(removed)} -> ${list(added)}`);
    }
    lines.push('operations');
    for (const {path, name, type, how, method, inputLayout, outputLayout, inputs, outputs, operations, bytes} of this.nodes) {
      const values = (list: ExplainedValue[]) => list.map(({type, shape, constant}) => `${type} ${shape}${constant ? ' constant' : ''}`).join(', ');
      const layouts = inputLayout === undefined ? '' : `, ${inputLayout} -> ${outputLayout}`;
      lines.push(`  ${type} '${pathOf(path, name)}': ${how}${method === undefined ? '' : `: ${method}`}${layouts}`);
      lines.push(`    ${values(inputs)} -> ${values(outputs)}`);
      if (bytes > 0) lines.push(`    ${(operations / 1e6).toFixed(3)} million operations, ${megabytes(bytes)} read and written`);
    }
    lines.push('memory', ...Object.entries(this.memory).map(([kind, bytes]) => `  ${kind.padEnd(8)} ${megabytes(bytes).padStart(12)}`));
    return lines.join('\n');
  }
}
