import {addon as ov} from 'wasmvino';

const core = new ov.Core();
const model = await core.compileModel('model.xml', 'CPU', {PERF_COUNT: true});
const request = model.createInferRequest();
const inputs = {
  graphemes: new ov.Tensor('i32', [1, 5], [25, 11, 16, 7, 2]), // "wine"
  beam_width: new ov.Tensor('i32', [], [3]),
};
await request.inferAsync(inputs); // the first run with a new shape plans for it
await request.inferAsync(inputs);

const nodes = request.getProfilingInfo().filter(({status}) => status === 'EXECUTED');
nodes.sort((a, b) => b.realTime - a.realTime);
for (const {nodeName, nodeType, realTime, calls} of nodes.slice(0, 5)) {
  const ms = (realTime / 1000).toFixed(2);
  console.log(`${ms} ms in ${calls} calls  ${nodeType}  ${nodeName}`);
}
