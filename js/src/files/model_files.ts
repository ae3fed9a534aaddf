// SPDX-License-Identifier: Apache-2.0
// The files of a model, and its changes since they were read.
import type {Url} from '../base/environment.js';
import type {Weights} from './weights.js';

/** @internal A change to a model after it was read, as texts that the engine parses. */
export type Edit = readonly ['reshape' | 'preprocess', readonly string[]];

/** @internal What the file of a model says before it is read: the files beside it, and ports with named dimensions. */
export interface Outline {
  files: readonly string[];
  inputs: readonly NamedPort[];
  outputs: readonly NamedPort[];
}

/** @internal An input or output whose dimensions have names; an empty one for a dimension without. */
export interface NamedPort {
  name: string;
  dimensions: readonly string[];
}

/** @internal A file that holds tensors of a model. */
export interface ModelPart {
  path: string;
  size: number;
}

/** @internal The files that a model was read from. */
export interface ModelFiles {
  xml: Uint8Array;
  weights?: Weights;
  /** The changes to the model since it was read. */
  edits?: readonly Edit[];
  outline?: Outline;
  /** The files that the weights consist of, one after the other, by the paths by which the model names them. */
  parts?: readonly ModelPart[];
  /** The paths of the model and of the weights, and the reason if there are no weights. */
  origin?: {model: string | Url; path: string | Url; missing?: string};
}
