// SPDX-License-Identifier: Apache-2.0
// node tests/load/churn.mjs [--minutes N] [--seed S] [--build NAME]: keeps a threaded build busy with runs, aborts,
// disposals and failures in random order. The exit code is 1 unless every promise settles, every result is right, and memory
// stays bounded.
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {Random} from '../fuzz/random.mjs';
import {bytes, loopModel, packageWith} from '../js/engine.mjs';
import {models} from './models.mjs';

const LANES = 6; // simultaneous users
const STUCK_SECONDS = 60; // the longest step takes less than a second
const MOST_MEMORY = 1.5e9; // bytes; a leak of 1 MB in every hundredth step exceeds it within half an hour

/** One user. Each step loads, runs and disposes of a model, and may be interrupted at any point. */
class Lane {
  constructor(ov, random, networks, expected) {
    Object.assign(this, {ov, random, networks, expected, core: new ov.Core(), counts: {ran: 0, aborted: 0, refused: 0, disposed: 0}});
  }

  async step() {
    const {ov, random, core} = this;
    const network = random.pick(this.networks);
    const made = [];
    const keep = (object) => (made.push(object), object);
    const abort = new AbortController();
    const {signal} = abort;
    const cut = random.chance(0.3) ? setTimeout(() => abort.abort(), random.below(60)) : undefined;
    try {
      if (random.chance(0.1)) await core.readModel(bytes('<net version="11"><layers>'));
      const model = keep(await core.readModel(network.xml, network.bin, {signal}));
      const compiled = keep(await core.compileModel(model, 'CPU', {}, {signal}));
      const request = keep(compiled.createInferRequest());
      network.inputs.forEach(({type, shape}, i) => request.setInputTensor(i, keep(new ov.Tensor(type, shape))));
      const runs = 1 + random.below(4);
      for (let run = 0; run < runs; ++run) {
        const running = request.inferAsync(undefined, {signal});
        if (random.chance(0.05)) {
          // A model that is disposed of during a run is freed after it.
          compiled.dispose();
          ++this.counts.disposed;
        }
        await running;
      }
      if (!network.hasState) this.check(network, request);
      ++this.counts.ran;
    } catch (error) {
      if (error.name === 'AbortError') ++this.counts.aborted;
      else if (error instanceof ov.WasmvinoError && ['INVALID_MODEL', 'INVALID_STATE', 'DISPOSED'].includes(error.code)) ++this.counts.refused;
      else throw error;
    } finally {
      clearTimeout(cut);
      for (const object of made.reverse()) object.dispose();
    }
  }

  check(network, request) {
    const tensor = request.getOutputTensor(0);
    const text = Buffer.from(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength).toString('base64');
    if (this.expected.has(network.name) && this.expected.get(network.name) !== text) throw new Error(`${network.name}: another result than before`);
    this.expected.set(network.name, text);
  }
}

/** Runs for `seconds`. Returns the number of steps by how they ended. Throws if something is wrong. */
export async function churn({build, seconds, seed}) {
  const ov = await packageWith(build);
  await ov.ready;
  const networks = models(20).map(({name, xml, bin, inputs}) => {
    const text = readFileSync(xml, 'utf8');
    return {name, xml: bytes(text), bin: readFileSync(bin), inputs, hasState: text.includes('"ReadValue"')};
  });
  // Runs long enough to be aborted.
  networks.push({name: 'loop', ...loopModel(100_000), inputs: [{type: 'f32', shape: [1]}]});
  const end = Date.now() + seconds * 1000;
  const expected = new Map();
  const lanes = Array.from({length: LANES}, (_, i) => new Lane(ov, new Random(seed + i), networks, expected));
  let steps = 0;
  const stuck = {};
  const watch = new Promise((_, reject) => {
    let seen = -1;
    stuck.timer = setInterval(() => {
      if (steps === seen) reject(new Error(`no step ended within ${STUCK_SECONDS} s, after ${steps}`));
      seen = steps;
    }, STUCK_SECONDS * 1000);
  });
  const work = Promise.all(
    lanes.map(async (lane) => {
      for (; Date.now() < end; ++steps) await lane.step();
    }),
  );
  await Promise.race([work, watch]).finally(() => clearInterval(stuck.timer));
  if (ov.memoryBytes() > MOST_MEMORY) throw new Error(`the engine's memory grew to ${ov.memoryBytes()} bytes`);
  const counts = {steps, memory: ov.memoryBytes()};
  for (const lane of lanes) for (const [name, count] of Object.entries(lane.counts)) counts[name] = (counts[name] ?? 0) + count;
  return counts;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const {values} = parseArgs({
    options: {minutes: {type: 'string', default: '30'}, seed: {type: 'string', default: '1'}, build: {type: 'string', default: 'relaxed-mt'}},
  });
  console.log(JSON.stringify(await churn({build: values.build, seconds: values.minutes * 60, seed: Number(values.seed)})));
  process.exit(0);
}
