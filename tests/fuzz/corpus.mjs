// SPDX-License-Identifier: Apache-2.0
// The corpus: the models of build/testdata, which mutations start from, and samples of the layers of IRs.
import {existsSync, readFileSync, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {all, child, parse} from './xml.mjs';

const folders = ['cases', 'specification', 'dynamic', 'models', 'compressed', 'bad'];
const largest = {xml: 100_000, bin: 1_000_000};

function* below(folder, suffix) {
  const names = readdirSync(folder, {withFileTypes: true}).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of names) {
    if (entry.isDirectory()) yield* below(join(folder, entry.name), suffix);
    else if (entry.name.endsWith(suffix)) yield join(folder, entry.name);
  }
}

// Returns the small files with a suffix.
const found = (folder, suffix) => [...below(folder, suffix)].filter((path) => statSync(path).size <= largest.xml);

export class Corpus {
  #paths = [];
  #pnnx; // paths of PNNX models
  #samples; // layers by type

  constructor(testdata) {
    for (const folder of folders) {
      const path = join(testdata, folder);
      if (!existsSync(path)) continue;
      this.#paths.push(...found(path, '.xml'));
    }
    this.#pnnx = found(join(testdata, 'pnnx'), '.param');
    if (this.#paths.length < 1000) throw new Error(`${testdata} lacks the cases: scripts/setup/testdata.sh`);
  }

  /** Picks a model: its path, the text of the .xml, the bytes of the .bin. */
  pick(random) {
    return this.#pick(random, this.#paths);
  }

  /** Picks a PNNX model: its path, the text of the .param as `xml`, the bytes of the .bin. */
  pickPnnx(random) {
    return this.#pick(random, this.#pnnx);
  }

  #pick(random, paths) {
    for (;;) {
      const path = random.pick(paths);
      const bin = path.replace(/\.\w+$/, '.bin');
      const size = statSync(bin, {throwIfNoEntry: false})?.size ?? 0;
      if (size > largest.bin) continue;
      return {path, xml: readFileSync(path, 'utf8'), bin: size > 0 ? new Uint8Array(readFileSync(bin)) : new Uint8Array()};
    }
  }

  /** Layers of a type, as {version, attributes, inputs: [{precision, sizes}], outputs: [precision]}. Empty for unknown types. */
  samples(type) {
    this.#samples ??= this.#collect();
    return this.#samples.get(type.toLowerCase()) ?? [];
  }

  #collect() {
    const samples = new Map();
    for (const path of this.#paths) {
      if (statSync(path).size > 20_000) continue;
      const net = parse(readFileSync(path, 'utf8'));
      for (const layer of net ? all(net, 'layer') : []) {
        const type = String(layer.attributes.type).toLowerCase();
        if (!samples.has(type)) samples.set(type, []);
        const ports = (side) => child(layer, side)?.children ?? [];
        samples.get(type).push({
          version: layer.attributes.version,
          attributes: child(layer, 'data')?.attributes ?? {},
          inputs: ports('input').map((port) => ({precision: port.attributes.precision, sizes: port.children.map((dim) => dim.text)})),
          outputs: ports('output').map((port) => port.attributes.precision),
        });
      }
    }
    return samples;
  }
}
