// SPDX-License-Identifier: Apache-2.0
// OpenVINO's PrePostProcessor. It adds pre- and post-processing to a model.
import {checkCaller, incorrectParameters, internally, invalidArgument, textOf} from '../base/error.js';
import {checkElementType, isTypedArray, type element} from '../tensor/element.js';
import {shapeText, type PartialShape} from '../tensor/partial_shape.js';
import {CustomStep, CustomValue} from './custom_step.js';
import {Model} from './model.js';
import {findPort} from './output.js';

const choices = <Name extends string>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, name])) as {readonly [N in Name]: N};

/** Interpolation methods of resize(). */
export const resizeAlgorithm = choices('RESIZE_NEAREST', 'RESIZE_CUBIC', 'RESIZE_LINEAR', 'RESIZE_BILINEAR_PILLOW', 'RESIZE_BICUBIC_PILLOW');
/** The name of an interpolation method of resize(). */
export type resizeAlgorithm = keyof typeof resizeAlgorithm;

/** Color formats: the meaning of the channels and planes of a picture. */
export const colorFormat = choices(
  'UNDEFINED',
  'NV12_SINGLE_PLANE',
  'NV12_TWO_PLANES',
  'I420_SINGLE_PLANE',
  'I420_THREE_PLANES',
  'RGB',
  'BGR',
  'GRAY',
  'RGBX',
  'BGRX',
);
/** The name of a color format. */
export type colorFormat = keyof typeof colorFormat;

/** Padding modes: which values pad() adds. */
export const paddingMode = choices('CONSTANT', 'REFLECT', 'SYMMETRIC', 'EDGE');
/** The name of a padding mode. */
export type paddingMode = keyof typeof paddingMode;

// Their names in the operation Interpolate.
const resizeModes: Record<resizeAlgorithm, string> = {
  RESIZE_NEAREST: 'nearest',
  RESIZE_CUBIC: 'cubic',
  RESIZE_LINEAR: 'linear',
  RESIZE_BILINEAR_PILLOW: 'bilinear_pillow',
  RESIZE_BICUBIC_PILLOW: 'bicubic_pillow',
};

function expectCount(args: ArrayLike<unknown>, ...counts: number[]): void {
  if (!counts.includes(args.length)) {
    const expected = counts.join(' or ');
    throw invalidArgument(`Wrong number of parameters. Expected ${expected}, got ${args.length}.`, {expected, actual: `${args.length}`});
  }
}

function expectNone(args: ArrayLike<unknown>): void {
  if (args.length > 0) throw invalidArgument(`Function does not take any parameters. It got ${args.length}.`);
}

function choice<T extends object>(value: unknown, among: T, what: string): keyof T & string {
  if (typeof value === 'string' && Object.hasOwn(among, value)) return value as keyof T & string;
  const expected = Object.keys(among).join(', ');
  throw invalidArgument(`${what} is one of ${expected}, not ${textOf(value)}.`, {expected, actual: textOf(value)});
}

function numbers(value: unknown, what: string, whole = false): string {
  const list: unknown[] = Array.isArray(value) || isTypedArray(value) ? [...(value as unknown[])] : [value];
  const fits = (each: unknown) => typeof each === 'number' && (whole ? Number.isSafeInteger(each) : Number.isFinite(each));
  if (list.length === 0 || !list.every(fits)) {
    throw invalidArgument(`${what} takes ${whole ? 'whole numbers' : 'a number or an array of them'}, not ${textOf(value)}.`);
  }
  return list.join(',');
}

// Formats a shape for the engine. -1 is a dynamic dimension.
function sizes(shape: unknown, what: string): string {
  return shapeText(shape)?.slice(1, -1) ?? numbers(shape, what, true);
}

/** The settings and steps of one input or output, as keys and values of the engine's recipes (src/preprocess/recipe.h). */
class Wishes {
  readonly settings: string[] = [];
  readonly steps: string[] = [];
  readonly #model: Model;

  constructor(model: Model) {
    this.#model = model;
  }

  set(key: string, value: string): void {
    this.settings.push(key, value);
  }

  step(key: string, value: string): void {
    this.steps.push(key, value);
  }

  checkLayout(text: unknown): string {
    if (typeof text !== 'string') throw invalidArgument(`A layout is a string such as 'NHWC', not ${textOf(text)}.`);
    this.#model.backend.checkLayout(text);
    return text;
  }
}

let wishesOf: (part: Part) => Wishes;

// Base class of the objects that a PrePostProcessor returns. They all write to the same settings and steps.
abstract class Part {
  /** @internal The method that returns such an object, for error messages. */
  static readonly source: string;
  readonly #wishes: Wishes;

  static {
    wishesOf = (part) => part.#wishes;
  }

  /** @internal */
  constructor(token: typeof internally, wishes: Wishes) {
    checkCaller(token, new.target.name, new.target.source);
    this.#wishes = wishes;
  }
}

/** Describes the caller's tensor. Each method returns the object itself. */
abstract class TensorInfo extends Part {
  /**
   * Sets the element type of the caller's tensor.
   *
   * @param elementType The element type, such as 'u8' for pictures.
   * @returns This object.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such type.
   * @example
   * ppp.input().tensor().setElementType('u8');
   */
  setElementType(elementType: element): this {
    expectCount(arguments, 1);
    wishesOf(this).set('type', checkElementType(elementType));
    return this;
  }

  /**
   * Sets the meaning of the axes of the caller's tensor. An output's tensor is transposed to this layout.
   *
   * @param layout One letter or name per axis: 'NHWC', 'N...C', '?C??', '[n,channels,h,w]'.
   * @returns This object.
   * @throws WasmvinoError `INVALID_ARGUMENT` if it is not a layout.
   * @example
   * ppp.input().tensor().setLayout('NHWC');
   */
  setLayout(layout: string): this {
    expectCount(arguments, 1);
    const wishes = wishesOf(this);
    wishes.set('layout', wishes.checkLayout(layout));
    return this;
  }
}

/** Describes the tensor that the caller passes as an input. Each method returns the object itself. */
export class InputTensorInfo extends TensorInfo {
  /** @internal */
  static override readonly source = 'InputInfo.tensor()';

  /**
   * Sets the shape of the caller's tensor. The default is the shape of the model's input, in the caller's layout.
   *
   * @param shape Dimensions, -1 for dynamic ones, or a PartialShape.
   * @returns This object.
   * @throws WasmvinoError `INVALID_ARGUMENT` if it is not a shape.
   * @example
   * ppp.input().tensor().setShape([1, 480, 640, 3]);
   */
  setShape(shape: readonly number[] | Int32Array | PartialShape | string): this {
    expectCount(arguments, 1);
    wishesOf(this).set('shape', sizes(shape, 'setShape()'));
    return this;
  }

  /**
   * Sets the size of the caller's pictures.
   *
   * @param height Height in pixels.
   * @param width Width in pixels.
   * @returns This object.
   * @throws WasmvinoError `INVALID_ARGUMENT` if one is not a whole number.
   * @example
   * ppp.input().tensor().setLayout('NHWC').setSpatialStaticShape(480, 640);
   */
  setSpatialStaticShape(height: number, width: number): this {
    expectCount(arguments, 2);
    wishesOf(this).set('spatial', numbers([height, width], 'setSpatialStaticShape()', true));
    return this;
  }

  /**
   * Makes height and width of the caller's pictures dynamic, so that each run may take another size.
   *
   * @returns This object.
   * @example
   * ppp.input().tensor().setLayout('NHWC').setSpatialDynamicShape();
   */
  setSpatialDynamicShape(...args: []): this {
    expectNone(args);
    wishesOf(this).set('spatial', '?,?');
    return this;
  }

  /**
   * Sets the color format of the caller's pictures. If the format has several planes (NV12, I420), each plane becomes a
   * separate input.
   *
   * @param format One of `ov.preprocess.colorFormat`.
   * @param planes Names of the planes, which are appended to the name of the input. Default: 'Y' and 'UV'.
   * @returns This object.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such format, or the names are not an array of strings.
   * @example
   * ppp.input().tensor().setElementType('u8').setColorFormat('NV12_SINGLE_PLANE');
   */
  setColorFormat(format: colorFormat, planes: readonly string[] = []): this {
    const wishes = wishesOf(this);
    wishes.set('color', choice(format, colorFormat, 'A color format'));
    if (!Array.isArray(planes) || !planes.every((name) => typeof name === 'string' && !name.includes(','))) {
      throw invalidArgument(`setColorFormat() takes the names of planes as an array of strings without commas, not ${textOf(planes)}.`);
    }
    if (planes.length > 0) wishes.set('planes', planes.join(','));
    return this;
  }
}

/** Describes the tensor that the caller receives as an output. Each method returns the object itself. */
export class OutputTensorInfo extends TensorInfo {
  /** @internal */
  static override readonly source = 'OutputInfo.tensor()';
}

/** Describes an input or output of the model itself. */
export class ModelInfo extends Part {
  /** @internal */
  static override readonly source = 'InputInfo.model()';

  /**
   * Sets the meaning of the axes in the model.
   *
   * @param layout One letter or name per axis: 'NCHW'.
   * @returns This object.
   * @throws WasmvinoError `INVALID_ARGUMENT` if it is not a layout.
   * @example
   * ppp.input().model().setLayout('NCHW');
   */
  setLayout(layout: string): this {
    expectCount(arguments, 1);
    const wishes = wishesOf(this);
    wishes.set('modelLayout', wishes.checkLayout(layout));
    return this;
  }
}

/** Steps that run in the order of the calls. Each method returns the object itself. */
abstract class Steps extends Part {
  /**
   * Converts to an element type.
   *
   * @param elementType The type.
   * @returns This object.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such type.
   * @example
   * ppp.input().preprocess().convertElementType('f32');
   */
  convertElementType(elementType: element): this {
    expectCount(arguments, 1);
    wishesOf(this).step('convertType', checkElementType(elementType));
    return this;
  }

  /**
   * Transposes to a layout.
   *
   * @param layoutOrOrder A layout such as 'NCHW', or an array with the old axis for each new one, such as [0, 3, 1, 2].
   * @returns This object.
   * @throws WasmvinoError `INVALID_ARGUMENT` if it is neither.
   * @example
   * ppp.input().preprocess().convertLayout([0, 3, 1, 2]);
   */
  convertLayout(layoutOrOrder: string | readonly number[]): this {
    expectCount(arguments, 1);
    const wishes = wishesOf(this);
    if (typeof layoutOrOrder === 'string') wishes.step('convertLayout', wishes.checkLayout(layoutOrOrder));
    else wishes.step('transpose', numbers(layoutOrOrder, 'convertLayout()', true));
    return this;
  }

  /**
   * Adds a step that consists of any operations. The value keeps its layout, unless the layout has another number of axes.
   *
   * @param add A function that is called once, immediately. It receives the value before the step, and an object that adds
   *   operations. It returns the value after the step.
   * @returns This object.
   * @throws WasmvinoError `INVALID_ARGUMENT` if `add` is not a function, or does not return a value of the step. Errors that
   *   `add` throws pass through.
   * @example
   * steps.custom((x, step) => step.add('Clamp', [x], {min: 0, max: 1}));
   * steps.custom((x, step) => step.add('Power', [x, step.constant('f32', [1], [0.45])]));
   */
  custom(add: (value: CustomValue, step: CustomStep) => CustomValue): this {
    expectCount(arguments, 1);
    if (typeof add !== 'function') throw invalidArgument(`custom() takes a function, not ${textOf(add)}.`);
    const nodes: string[] = [];
    const step = new CustomStep(internally, nodes);
    const result = step.place(add(new CustomValue(internally, step, 0), step), 'The result of the function of custom()');
    wishesOf(this).steps.push(...nodes, 'custom', result);
    return this;
  }
}

/** Steps between the caller's tensor and the model, in the order of the calls. Each method returns the object itself. */
export class PreProcessSteps extends Steps {
  /** @internal */
  static override readonly source = 'InputInfo.preprocess()';

  /**
   * Subtracts a mean. The element type must be floating point at this step.
   *
   * @param values One value, or one per channel.
   * @returns This object.
   * @throws WasmvinoError `INVALID_ARGUMENT` if they are not finite numbers.
   * @example
   * ppp.input().preprocess().convertElementType('f32').mean([124, 116, 104]);
   */
  mean(values: number | readonly number[] | Float32Array): this {
    expectCount(arguments, 1);
    wishesOf(this).step('mean', numbers(values, 'mean()'));
    return this;
  }

  /**
   * Divides by a scale. The element type must be floating point at this step.
   *
   * @param values One value, or one per channel.
   * @returns This object.
   * @throws WasmvinoError `INVALID_ARGUMENT` if they are not finite numbers.
   * @example
   * ppp.input().preprocess().convertElementType('f32').scale(255);
   */
  scale(values: number | readonly number[] | Float32Array): this {
    expectCount(arguments, 1);
    wishesOf(this).step('scale', numbers(values, 'scale()'));
    return this;
  }

  /**
   * Resizes pictures.
   *
   * @param algorithm One of `ov.preprocess.resizeAlgorithm`.
   * @param height New height in pixels. Default: that of the model's input.
   * @param width New width in pixels. Default: that of the model's input.
   * @returns This object.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such algorithm, or a size is not a positive whole number.
   * @example
   * ppp.input().preprocess().resize('RESIZE_LINEAR', 224, 224);
   */
  resize(algorithm: resizeAlgorithm, height = -1, width = -1): this {
    expectCount(arguments, 1, 3);
    const mode = resizeModes[choice(algorithm, resizeAlgorithm, 'resizeAlgorithm')];
    const sizes = numbers([height, width], 'resize()', true);
    if (arguments.length === 3 && !(height > 0 && width > 0)) {
      throw invalidArgument(`resize() takes a positive height and width, not ${sizes}.`, {expected: 'positive sizes', actual: sizes});
    }
    wishesOf(this).step('resize', `${mode},${sizes}`);
    return this;
  }

  /**
   * Converts the color format: NV12, I420, RGBX and BGRX to RGB or BGR, and RGB and BGR to each other or to GRAY.
   *
   * @param format One of `ov.preprocess.colorFormat`.
   * @returns This object.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such format.
   * @example
   * ppp.input().preprocess().convertColor('RGB');
   */
  convertColor(format: colorFormat): this {
    expectCount(arguments, 1);
    wishesOf(this).step('convertColor', choice(format, colorFormat, 'A color format'));
    return this;
  }

  /**
   * Reverses the order of the channels.
   *
   * @returns This object.
   * @example
   * ppp.input().preprocess().reverseChannels();
   */
  reverseChannels(...args: []): this {
    expectNone(args);
    wishesOf(this).step('reverseChannels', '');
    return this;
  }

  /**
   * Cuts out the positions from `begin` to `end`.
   *
   * @param begin First position, per axis. Negative positions count from the end of the axis.
   * @param end Position after the last one, per axis.
   * @returns This object.
   * @throws WasmvinoError `INVALID_ARGUMENT` if they are not two arrays of the same length.
   * @example
   * ppp.input().preprocess().crop([0, 16, 16, 0], [1, 240, 240, 3]);
   */
  crop(begin: readonly number[], end: readonly number[]): this {
    expectCount(arguments, 2);
    wishesOf(this).step('crop', numbers([...pair(begin, end, 'crop()')], 'crop()', true));
    return this;
  }

  /**
   * Pads each axis. The element type must be floating point at this step.
   *
   * @param begin Number of positions before, per axis.
   * @param end Number of positions after, per axis.
   * @param value Value of the new positions in the mode CONSTANT.
   * @param mode One of `ov.preprocess.paddingMode`.
   * @returns This object.
   * @throws WasmvinoError `INVALID_ARGUMENT` if the arrays differ in length, or there is no such mode.
   * @example
   * ppp.input().preprocess().convertElementType('f32').pad([0, 2, 2, 0], [0, 2, 2, 0], 0, 'CONSTANT');
   */
  pad(begin: readonly number[], end: readonly number[], value: number, mode: paddingMode): this {
    expectCount(arguments, 4);
    const wishes = wishesOf(this);
    const pads = numbers([...pair(begin, end, 'pad()')], 'pad()', true);
    wishes.step('padMode', choice(mode, paddingMode, 'paddingMode').toLowerCase());
    wishes.step('padValue', numbers([value], 'pad()'));
    wishes.step('pad', pads);
    return this;
  }
}

function pair(begin: unknown, end: unknown, what: string): unknown[] {
  if (!Array.isArray(begin) || !Array.isArray(end) || begin.length !== end.length) {
    throw invalidArgument(`${what} takes two arrays with one number per axis, not ${textOf(begin)} and ${textOf(end)}.`);
  }
  return [...begin, ...end];
}

/** Steps between the model and the caller's tensor, in the order of the calls. Each method returns the object itself. */
export class PostProcessSteps extends Steps {
  /** @internal */
  static override readonly source = 'OutputInfo.postprocess()';
}

abstract class PortInfo extends Part {
  /**
   * Returns an object that describes the input or output of the model itself.
   *
   * @returns That object.
   * @example
   * ppp.input().model().setLayout('NCHW');
   */
  model(...args: []): ModelInfo {
    expectNone(args);
    return new ModelInfo(internally, wishesOf(this));
  }
}

/** The processing of one input. */
export class InputInfo extends PortInfo {
  /** @internal */
  static override readonly source = 'PrePostProcessor.input()';

  /**
   * Returns an object that describes the tensor that the caller passes.
   *
   * @returns That object.
   * @example
   * ppp.input().tensor().setElementType('u8').setLayout('NHWC');
   */
  tensor(...args: []): InputTensorInfo {
    expectNone(args);
    return new InputTensorInfo(internally, wishesOf(this));
  }

  /**
   * Returns an object that collects the steps from the caller's tensor to the model.
   *
   * @returns That object.
   * @example
   * ppp.input().preprocess().convertElementType('f32').scale(255);
   */
  preprocess(...args: []): PreProcessSteps {
    expectNone(args);
    return new PreProcessSteps(internally, wishesOf(this));
  }
}

/** The processing of one output. */
export class OutputInfo extends PortInfo {
  /** @internal */
  static override readonly source = 'PrePostProcessor.output()';

  /**
   * Returns an object that collects the steps from the model to the caller's tensor.
   *
   * @returns That object.
   * @example
   * ppp.output().postprocess().convertElementType('f32');
   */
  postprocess(...args: []): PostProcessSteps {
    expectNone(args);
    return new PostProcessSteps(internally, wishesOf(this));
  }

  /**
   * Returns an object that describes the tensor that the caller receives.
   *
   * @returns That object.
   * @example
   * ppp.output().tensor().setElementType('f32');
   */
  tensor(...args: []): OutputTensorInfo {
    expectNone(args);
    return new OutputTensorInfo(internally, wishesOf(this));
  }
}

/**
 * Adds pre- and post-processing to a model, so that it accepts pictures directly. Anything not specified stays as it is.
 * After all steps, element type and layout are converted to those of the model.
 *
 * @example
 * const ppp = new ov.preprocess.PrePostProcessor(model);
 * ppp.input().tensor().setElementType('u8').setLayout('NHWC').setShape([1, 480, 640, 3]);
 * ppp.input().model().setLayout('NCHW');
 * ppp.input().preprocess().convertElementType('f32').resize('RESIZE_LINEAR').mean([124, 116, 104]).scale([58, 57, 57]);
 * ppp.build();
 * const compiled = await core.compileModel(model, 'CPU');
 * await compiled.createInferRequest().inferAsync([await ov.Tensor.from(picture)]);
 */
export class PrePostProcessor {
  readonly #model: Model;
  readonly #inputs = new Map<number, Wishes>();
  readonly #outputs = new Map<number, Wishes>();

  /**
   * Describes the processing of a model. Nothing changes before build().
   *
   * @param model The model to change.
   * @throws WasmvinoError `INVALID_ARGUMENT` if it is not a Model.
   * @example
   * const ppp = new ov.preprocess.PrePostProcessor(model);
   */
  constructor(model: Model) {
    if (arguments.length !== 1 || !(model instanceof Model)) throw incorrectParameters('PrePostProcessor', arguments, 'Model');
    this.#model = model;
  }

  /**
   * Selects an input.
   *
   * @param idxOrTensorName Position or tensor name of the input. May be omitted if the model has one input.
   * @returns An object that describes the processing of the input.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such input.
   * @example
   * ppp.input('image').tensor().setElementType('u8');
   */
  input(idxOrTensorName?: number | string): InputInfo {
    expectCount(arguments, 0, 1);
    return new InputInfo(internally, this.#wishes(this.#inputs, findPort(this.#model.inputs, idxOrTensorName, 'input')));
  }

  /**
   * Selects an output.
   *
   * @param idxOrTensorName Position or tensor name of the output. May be omitted if the model has one output.
   * @returns An object that describes the processing of the output.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such output.
   * @example
   * ppp.output(0).tensor().setElementType('f32');
   */
  output(idxOrTensorName?: number | string): OutputInfo {
    expectCount(arguments, 0, 1);
    return new OutputInfo(internally, this.#wishes(this.#outputs, findPort(this.#model.outputs, idxOrTensorName, 'output')));
  }

  #wishes(kept: Map<number, Wishes>, position: number): Wishes {
    const wishes = kept.get(position) ?? new Wishes(this.#model);
    kept.set(position, wishes);
    return wishes;
  }

  /**
   * Adds the processing to the model. The model given to the constructor changes.
   *
   * @returns This object, without settings and steps.
   * @throws WasmvinoError `INVALID_ARGUMENT`, `INVALID_TYPE` or `INVALID_SHAPE` if a step is not possible. The message names
   *   the step, and the model is unchanged.
   * @example
   * ppp.build();
   */
  build(...args: []): this {
    expectNone(args);
    const said = (kind: string, kept: Map<number, Wishes>) =>
      [...kept].flatMap(([position, {settings, steps}]) => [kind, `${position}`, ...settings, ...steps]);
    this.#model.backend.edit(['preprocess', [...said('input', this.#inputs), ...said('output', this.#outputs)]]);
    this.#inputs.clear();
    this.#outputs.clear();
    return this;
  }
}

/** Pre- and post-processing: the class PrePostProcessor and the values that its methods accept. */
export const preprocess = {PrePostProcessor, resizeAlgorithm, colorFormat, paddingMode};
