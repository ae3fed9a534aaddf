// Reads the text in a photo. One network finds the lines, a second one reads each.
import {addon as ov} from 'wasmvino';
import {regions} from './regions.js'; // groups pixels

/**
 * Loads both networks. The .xml of the second one lists the characters that it knows.
 * @param {string} folder URL of their folder
 * @param {import('wasmvino').ReadOptions} [options] progress, cache
 */
export async function load(folder, options) {
  const core = new ov.Core();
  const urls = ['ppocr_det', 'ppocr_rec'].map((id) => `${folder}/${id}/model.xml`);
  const compile = (url) => core.compileModel(url, 'CPU', {}, options);
  const compiled = await Promise.all(urls.map(compile));
  const [finder, reader] = compiled.map((model) => model.createInferRequest());
  const xml = await (await fetch(urls[1])).text();
  const parsed = new DOMParser().parseFromString(xml, 'text/xml');
  const listed = parsed.querySelector('framework > character').getAttribute('value');
  const characters = ['', ...listed.split('\n'), ' ']; // class 0 separates characters

  /**
   * Returns the lines of text: their boxes and their characters.
   * @param {OffscreenCanvas} picture
   */
  return async function read(picture) {
    const lines = [];
    for (const box of await find(picture)) {
      const text = await recognise(picture, box);
      if (text !== '') lines.push({...box, text});
    }
    return lines;
  };

  async function find(picture) {
    // Sides are at most 960 pixels, and multiples of 32.
    const scale = Math.min(1, 960 / Math.max(picture.width, picture.height));
    const round = (side) => Math.max(32, Math.round((side * scale) / 32) * 32);
    const [width, height] = [round(picture.width), round(picture.height)];
    const whole = [0, 0, picture.width, picture.height];
    const [mean, deviation] = [[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]];
    const x = planes(picture, whole, width, height, mean, deviation);
    const map = Object.values(await finder.inferAsync({x}))[0].data;
    return regions(map, width, height).map(([left, top, right, bottom]) => {
      const margin = 0.75 * (bottom - top); // the map shows only the core of a line
      const [x, y] = [Math.max(0, left - margin), Math.max(0, top - margin)];
      const w = Math.min(width, right + margin) - x;
      const h = Math.min(height, bottom + margin) - y;
      const [sx, sy] = [picture.width / width, picture.height / height];
      return {x: x * sx, y: y * sy, width: w * sx, height: h * sy};
    });
  }

  async function recognise(picture, {x, y, width, height}) {
    const columns = Math.max(48, Math.round((48 * width) / height));
    const [half, box] = [[0.5, 0.5, 0.5], [x, y, width, height]];
    const input = planes(picture, box, columns, 48, half, half);
    const output = Object.values(await reader.inferAsync({x: input}))[0];
    const [, steps, count] = output.getShape();
    const values = output.data;
    const best = Array.from({length: steps}, (_, step) => {
      const row = values.subarray(step * count, (step + 1) * count);
      return row.reduce((at, value, i) => (value > row[at] ? i : at), 0);
    });
    const ids = best.filter((id, step) => id !== best[step - 1]); // drops repetitions
    return ids.map((id) => characters[id]).join('').trim();
  }
}

// Converts a part of a picture to normalised planes of blue, green and red.
function planes(picture, part, width, height, mean, deviation) {
  const context = new OffscreenCanvas(width, height).getContext('2d');
  context.drawImage(picture, ...part, 0, 0, width, height);
  const {data} = context.getImageData(0, 0, width, height);
  const values = new Float32Array(3 * width * height);
  for (let i = 0; i < values.length; i++) {
    const [plane, pixel] = [Math.floor(i / (width * height)), i % (width * height)];
    values[i] = (data[4 * pixel + 2 - plane] / 255 - mean[plane]) / deviation[plane];
  }
  return new ov.Tensor('f32', [1, 3, height, width], values);
}
