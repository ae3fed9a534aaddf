// SPDX-License-Identifier: Apache-2.0
// The public form of what an engine tells about a compiled model.
import type {ExplainedMemory, ExplainedNode, ExplainedValue, ExplanationData, PassChange} from '../backend/records.js';

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
