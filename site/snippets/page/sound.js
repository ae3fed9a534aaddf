import {addon as ov} from 'wasmvino';

const model = await new ov.Core().compileModel('loudness.xml', 'CPU');

// Decodes any format that the browser plays, and resamples it to 16 kHz.
const recording = await (await fetch('speech.wav')).arrayBuffer();
const decoded = await new OfflineAudioContext(1, 1, 16000).decodeAudioData(recording);
const samples = decoded.getChannelData(0); // from -1 to 1

const {loudness} = await model.createInferRequest().inferAsync({
  samples: new ov.Tensor('f32', [1, samples.length], samples.slice()),
});
console.log(`${samples.length} samples, loudness ${loudness.data[0].toFixed(2)}`);
