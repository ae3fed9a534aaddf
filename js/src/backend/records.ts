// SPDX-License-Identifier: Apache-2.0
// The records that engines report, and the settings and limits that they take.
import type {PartName} from '../base/builds.js';
import type {Failure} from '../base/error.js';
import type {element} from '../tensor/element.js';

/** An input or output of a model. */
export interface PortInfo {
  /** Tensor names, sorted. */
  names: string[];
  /** Name of the layer. */
  friendlyName: string;
  /** Element type. */
  type: element;
  /** Shape as text: "[1,3,?,2..5]". */
  shape: string;
  /** Names that the file gives to dynamic dimensions, empty for other dimensions. Missing if there are none. */
  dimensionNames?: string[];
}

/** Time of one layer in the last run. */
export interface ProfilingInfo {
  /** Name of the layer. Layers in bodies are named "outer/inner". */
  nodeName: string;
  /** Operation of the layer. */
  nodeType: string;
  /** Operation and version that ran: "GatherTree-1". */
  execType: string;
  /** Whether the layer ran. */
  status: 'NOT_RUN' | 'OPTIMIZED_OUT' | 'EXECUTED';
  /** Time in microseconds, summed over the iterations of bodies. */
  realTime: number;
  /** The same as realTime. */
  cpuTime: number;
  /** Number of times that the layer ran. */
  calls: number;
}

/** A report about a model, whether or not it can run. */
export interface Inspection {
  /** Name of the model. */
  name: string;
  /** Version of the IR; 0 in other formats. */
  irVersion: number;
  /** The parts of the engine that reading the model takes, in addition to its module. */
  parts: PartName[];
  /** The inputs, in the model's order. */
  inputs: PortInfo[];
  /** The outputs, in the model's order. */
  outputs: PortInfo[];
  /** The operations of the model, the number of layers of each, and whether the engine supports it. */
  operations: {type: string; version: string; count: number; supported: boolean}[];
  /** All problems. The model can run if there are none. */
  problems: Failure[];
}

/** A version of a supported operation. */
export interface OperationInfo {
  /** Empty for operations of OpenVINO's opsets. Other domains are `extension`, `ai.onnx`, `com.microsoft`. */
  domain: string;
  /** Name of the operation. */
  type: string;
  /** First opset that has this version. */
  since: number;
  /** Last opset that has this version. */
  until: number;
  /** Path of the specification in the OpenVINO documentation: "arithmetic/abs-1". */
  specification: string;
  /** Element types of each input: "data: a numeric type; indices: i32 or i64". */
  inputs: string;
  /** Operators of other formats that the operation serves, by format: `{PNNX: ['F.relu', 'nn.ReLU']}`. */
  operators: Record<string, string[]>;
}

/** Limits of one call. 0 means no limit. */
export interface CallLimits {
  /** Number of the Core whose memory is counted. */
  owner: number;
  memoryBytes: number;
  tensorBytes: number;
  layers: number;
  nesting: number;
  iterations: number;
  milliseconds: number;
}

/** A property that a model file asks for. */
export interface RuntimeOption {
  name: string;
  value: string;
}

export interface CompileSettings {
  passes: boolean;
  integers: boolean;
  lastLogits: boolean;
  profiling: boolean;
  rowGroup: number;
  threads: number;
  /** Of the caches of keys and of values. 0: f32, 1: f16, 2: u8. */
  keyPrecision: number;
  valuePrecision: number;
  /** Names separated by commas. */
  skippedPasses: string;
}

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
