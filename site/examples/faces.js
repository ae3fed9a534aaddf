// Faces and their landmarks in a picture: a detector finds faces, a second network takes each of them.
import {addon as ov} from 'wasmvino';

const MESH = 192; // the landmark network takes 192 × 192 pixels

/**
 * Loads both networks.
 * @param {string} folder where they are
 */
export async function load(folder) {
  const core = new ov.Core();
  const [detector, mesh] = await Promise.all(
    ['face_detector_e2e', 'face_landmark'].map(async (name) => {
      const model = await core.compileModel(`${folder}/${name}/model.xml`, 'CPU');
      return model.createInferRequest();
    }),
  );

  /**
   * The faces in a picture: boxes and 468 points each, in its pixels.
   * @param {OffscreenCanvas} picture
   */
  return async function find(picture) {
    const {width, height} = picture;
    const image = new ov.Tensor('u8', [1, height, width, 3], rgb(picture));
    const {boxes, scores} = await detector.inferAsync({image});
    const [corners, confidence] = [boxes.data, scores.data];
    const faces = [];
    for (let face = 0; face < confidence.length; face++) {
      const [top, left, bottom, right] = corners.subarray(4 * face, 4 * face + 4);
      const box = {x: left * width, y: top * height, width: (right - left) * width, height: (bottom - top) * height};
      faces.push({box, score: confidence[face], points: await landmarks(picture, box)});
    }
    return faces;
  };

  async function landmarks(picture, {x, y, width, height}) {
    // A square around the box, half as large again.
    const side = 1.5 * Math.max(width, height);
    const [left, top] = [x + width / 2 - side / 2, y + height / 2 - side / 2];
    const crop = new OffscreenCanvas(MESH, MESH);
    crop.getContext('2d').drawImage(picture, left, top, side, side, 0, 0, MESH, MESH);
    const image = Float32Array.from(rgb(crop), (value) => value / 255);
    const results = await mesh.inferAsync({image: new ov.Tensor('f32', [1, MESH, MESH, 3], image)});
    const values = results.landmarks.data; // x, y, z of each point, in pixels of the crop
    const scale = side / MESH;
    return Array.from({length: 468}, (_, i) => ({x: left + scale * values[3 * i], y: top + scale * values[3 * i + 1]}));
  }
}

function rgb(canvas) {
  const {data} = canvas.getContext('2d', {willReadFrequently: true}).getImageData(0, 0, canvas.width, canvas.height);
  const bytes = new Uint8Array((data.length / 4) * 3);
  for (let i = 0, to = 0; i < data.length; i += 4) {
    for (let channel = 0; channel < 3; channel++) bytes[to++] = data[i + channel];
  }
  return bytes;
}
