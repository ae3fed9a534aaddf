import {addon as ov} from 'wasmvino';
import {writeFile} from 'node:fs/promises';

const core = new ov.Core();
const model = await core.compileModel('model.xml', 'CPU', {PERF_COUNT: true});
const request = model.createInferRequest();
await request.inferAsync({
  graphemes: new ov.Tensor('i32', [1, 5], [25, 11, 16, 7, 2]), // "wine"
  beam_width: new ov.Tensor('i32', [], [3]),
});

const {passes, nodes, memory} = await request.explain();
const [{name, reason}] = passes;
console.log(`${passes.length} changes by passes, the first by ${name}: ${reason}`);
const [largest] = nodes.sort((a, b) => b.operations - a.operations);
console.log(`${largest.type} '${largest.name}': ${largest.operations} operations`);
console.log(`${memory.packed} bytes of packed weights`);

const profile = request.getProfile();
console.log(profile.toTable(3));
// Open this file in chrome://tracing.
await writeFile('trace.json', JSON.stringify({traceEvents: profile.toTraceEvents()}));
