// SPDX-License-Identifier: Apache-2.0
// The files of a model, and its changes since they were read.
import type {Url} from '../base/environment.js';
import type {Weights} from './weights.js';

/** @internal A change to a model after it was read, as texts that the engine parses. */
export type Edit = readonly ['reshape' | 'preprocess', readonly string[]];

/** @internal The files that a model was read from. */
export interface ModelFiles {
  xml: Uint8Array;
  weights: Weights | undefined;
  /** The changes to the model since it was read. */
  edits?: readonly Edit[];
  /** The paths of the model and of the weights, and the reason if there are no weights. */
  origin?: {model: string | Url; path: string | Url; missing?: string};
}
