import {addon as ov} from 'wasmvino';

const core = new ov.Core();
const controller = new AbortController();
const {signal} = controller;
const loading = core.compileModel('model.xml', 'CPU', {}, {signal});
controller.abort(new Error('the visitor went on'));
await loading.catch((error) => console.log(error.message));
