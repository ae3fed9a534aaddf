// SPDX-License-Identifier: Apache-2.0
// Inspects the model of a path, for the command line.
import {ownedLimits} from '../backend/limits.js';
import type {Inspection} from '../backend/records.js';
import {internally} from '../base/error.js';
import {loadParts, whenReady} from '../engine/current.js';
import {LocalModel} from '../engine/local.js';
import {load, loadSettings, type FileSource} from '../files/loading.js';
import {Progress, type LoadProgress} from '../files/progress.js';
import {Weights} from '../files/weights.js';
import {Model} from './model.js';
import {sourceOf} from './model_source.js';

/**
 * @internal Loads the files of a model as readModel() does, and reports what is in them. The weights may be missing. `read` reads
 * the model from the same bytes, because a pipe can be read only once.
 */
export async function inspectFiles(path: string, onProgress: (progress: LoadProgress) => void): Promise<{found: Inspection; hasWeights: boolean; read: () => Model}> {
  const {source, settings} = loadSettings({onProgress}, sourceOf('readModel', [path]) as FileSource);
  const [files, engine] = await Promise.all([load(source, settings, new Progress(settings.onProgress)), whenReady()]);
  const parts = engine.partsOf(files.xml);
  await loadParts(engine, parts);
  engine.setExtensions([]);
  const found = {...engine.look((glue) => glue.inspect(engine.lend(new Weights(files.xml)), engine.lend(files.weights))), parts};
  return {found, hasWeights: files.weights !== undefined, read: () => new Model(internally, LocalModel.read(engine, files, ownedLimits({}), []))};
}
