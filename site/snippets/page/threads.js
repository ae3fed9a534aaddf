import {addon as ov} from 'wasmvino';

await ov.ready;
console.log(ov.build.name, '–', ov.build.reason);

const config = {INFERENCE_NUM_THREADS: 2};
const model = await new ov.Core().compileModel('classifier.xml', 'CPU', config);
console.log('threads:', model.getProperty('INFERENCE_NUM_THREADS'));
