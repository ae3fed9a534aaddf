// SPDX-License-Identifier: Apache-2.0
// Pictures as inputs. Preprocessing is added to the model, so that it accepts the pictures of the files unchanged.
import {WasmvinoError, addon as ov, type Model, type Tensor} from '../entries/node.js';
import {isPicture, readPicture} from './media.js';

export interface PictureOptions {
  mean?: string;
  scale?: string;
  bgr?: boolean;
}

function fail(message: string): never {
  throw new WasmvinoError('INVALID_ARGUMENT', message);
}

// Guesses the layout: the axis of size 1, 3 or 4 is that of the channels.
function guessedLayout(name: string, sizes: readonly (number | [number, number])[]): string {
  const isChannels = (size: unknown) => size === 1 || size === 3 || size === 4;
  const batch = sizes.length === 4 ? 'N' : '';
  if (sizes.length === 3 || sizes.length === 4) {
    if (isChannels(sizes[sizes.length - 3])) return `${batch}CHW`;
    if (isChannels(sizes[sizes.length - 1])) return `${batch}HWC`;
  }
  return fail(`input '${name}' of sizes [${sizes}] does not take pictures: it has no axis of 1, 3 or 4 channels before or after height and width`);
}

function numbersOf(option: string, text: string): number[] {
  const numbers = text.split(',').map(Number);
  if (!numbers.every(Number.isFinite)) fail(`--${option} takes a number or one for each channel, separated by commas, not '${text}'`);
  return numbers;
}

function divisorsOf(option: string, text: string): number[] {
  const numbers = numbersOf(option, text);
  if (numbers.includes(0)) fail(`--${option} divides, so it takes no 0, but it is '${text}'`);
  return numbers;
}

/**
 * Reads pictures, and adds preprocessing for them to a model: it converts size, type and layout, subtracts means and divides
 * by scales. Returns the pictures by position of the input.
 */
export function takePictures(model: Model, files: ReadonlyMap<number, string>, {mean, scale, bgr}: PictureOptions): Map<number, Tensor> {
  const pictures = new Map<number, Tensor>();
  const processor = new ov.preprocess.PrePostProcessor(model);
  for (const [i, path] of files) {
    if (!isPicture(path)) continue;
    const port = model.input(i);
    const sizes = port.getPartialShape().getDimensions();
    const layout = guessedLayout(port.anyName, sizes);
    const sizeOf = (axis: string) => sizes[layout.indexOf(axis)];
    const picture = readPicture(path, sizeOf('C') as number);
    const [, height, width] = picture.getShape();
    const input = processor.input(i);
    input.tensor().setElementType('u8').setLayout('NHWC').setShape(picture.getShape());
    input.model().setLayout(layout);
    const steps = input.preprocess();
    if (bgr) steps.reverseChannels();
    steps.convertElementType('f32');
    const isFixed = [sizeOf('H'), sizeOf('W')].every((size) => typeof size === 'number' && size > 0);
    if (isFixed && (sizeOf('H') !== height || sizeOf('W') !== width)) steps.resize('RESIZE_LINEAR');
    if (mean !== undefined) steps.mean(numbersOf('mean', mean));
    if (scale !== undefined) steps.scale(divisorsOf('scale', scale));
    pictures.set(i, picture);
  }
  if (pictures.size > 0) processor.build();
  else if (mean !== undefined || scale !== undefined || bgr) fail('--mean, --scale and --bgr are for pictures, but no --input is a picture');
  return pictures;
}
