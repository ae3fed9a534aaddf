// Finds faces and their landmarks in a picture.
// A detector finds the faces, and a second network processes each of them.
import {addon as ov} from 'wasmvino';

const MESH = 192; // the input of the landmark network is 192 × 192 pixels

/**
 * Loads both networks.
 * @param {string} folder URL of their folder
 * @param {import('wasmvino').ReadOptions} [options] progress, cache
 */
export async function load(folder, options) {
  const core = new ov.Core();
  const [detector, mesh] = await Promise.all(
    ['face_detector_e2e', 'face_landmark'].map(async (name) => {
      const path = `${folder}/${name}/model.xml`;
      const model = await core.compileModel(path, 'CPU', {}, options);
      return model.createInferRequest();
    }),
  );

  /**
   * Finds the faces in a picture: their boxes and 468 points of each, in pixels.
   * @param {OffscreenCanvas} picture
   */
  return async function find(picture) {
    const {width, height} = picture;
    const image = await ov.Tensor.from(picture); // u8 [1, height, width, 3]
    const {boxes, scores} = await detector.inferAsync({image});
    const [corners, confidence] = [boxes.data, scores.data];
    const faces = [];
    for (let face = 0; face < confidence.length; face++) {
      const [top, left, bottom, right] = corners.subarray(4 * face, 4 * face + 4);
      const [x, y] = [left * width, top * height];
      const box = {x, y, width: right * width - x, height: bottom * height - y};
      const points = await landmarks(picture, box);
      faces.push({box, score: confidence[face], points});
    }
    return faces;
  };

  async function landmarks(picture, {x, y, width, height}) {
    // A square around the box, larger by half.
    const side = 1.5 * Math.max(width, height);
    const [left, top] = [x + width / 2 - side / 2, y + height / 2 - side / 2];
    const crop = new OffscreenCanvas(MESH, MESH);
    crop.getContext('2d').drawImage(picture, left, top, side, side, 0, 0, MESH, MESH);
    const pixels = await ov.Tensor.from(crop);
    const input = Float32Array.from(pixels.data, (value) => value / 255);
    const image = new ov.Tensor('f32', pixels.getShape(), input);
    const results = await mesh.inferAsync({image});
    const at = results.landmarks.data; // x, y, z of each point, in pixels of the crop
    const scale = side / MESH;
    const point = (x, y) => ({x: left + scale * x, y: top + scale * y});
    return Array.from({length: 468}, (_, i) => point(at[3 * i], at[3 * i + 1]));
  }
}
