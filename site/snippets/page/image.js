import {addon as ov} from 'wasmvino';

const size = 224;
const model = await new ov.Core().compileModel('classifier.xml', 'CPU');

// The picture, scaled to the input size of the network: RGBA bytes, row by row.
const picture = await (await fetch('picture.png')).blob();
const resized = {resizeWidth: size, resizeHeight: size, resizeQuality: 'high'};
const bitmap = await createImageBitmap(picture, resized);
const context = new OffscreenCanvas(size, size).getContext('2d');
context.drawImage(bitmap, 0, 0);
const {data} = context.getImageData(0, 0, size, size);

// Channels first, as floating point: (value - mean) / deviation for each channel.
const mean = [123.675, 116.28, 103.53];
const deviation = [58.395, 57.12, 57.375];
const input = new Float32Array(3 * size * size);
for (let i = 0; i < size * size; i++) {
  for (let channel = 0; channel < 3; channel++) {
    const value = data[4 * i + channel];
    input[channel * size * size + i] = (value - mean[channel]) / deviation[channel];
  }
}

const {scores} = await model.createInferRequest().inferAsync({
  image: new ov.Tensor('f32', [1, 3, size, size], input),
});
console.log('best class:', scores.data.indexOf(Math.max(...scores.data)));
