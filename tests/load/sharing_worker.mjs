// SPDX-License-Identifier: Apache-2.0
// Runs a model in a separate engine that uses the module compiled by the main thread.
import {parentPort, workerData} from 'node:worker_threads';
import {packageWith} from '../js/engine.mjs';

const ov = await packageWith('simd');
ov.configure({build: 'simd', wasmBinary: workerData.module});
const core = new ov.Core();
const request = (await core.compileModel(await core.readModel(workerData.model), 'CPU')).createInferRequest();
const ones = new Float32Array(6).fill(1);
const {sum} = await request.inferAsync([Float32Array.from([1, 2, 3, 4, 5, 6]), ones]);
parentPort.postMessage([...sum.data]);
