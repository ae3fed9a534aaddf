// SPDX-License-Identifier: Apache-2.0
// Pre- and post-processing that becomes part of a model: OpenVINO's PrePostProcessor.
import {checkElementType, type element} from './element.js';
import {checkCaller, incorrectParameters, internally, invalidArgument, textOf} from './error.js';
import {Model} from './model.js';
import {findPort} from './output.js';
import {PartialShape} from './partial_shape.js';

const choices = <Name extends string>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, name])) as {readonly [N in Name]: N};

/** How preprocess().resize() computes pixels. */
export const resizeAlgorithm = choices('RESIZE_NEAREST', 'RESIZE_CUBIC', 'RESIZE_LINEAR', 'RESIZE_BILINEAR_PILLOW', 'RESIZE_BICUBIC_PILLOW');
export type resizeAlgorithm = keyof typeof resizeAlgorithm;

/** What the channels, and the planes, of a picture mean. */
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
export type colorFormat = keyof typeof colorFormat;

/** What preprocess().pad() puts around a value. */
export const paddingMode = choices('CONSTANT', 'REFLECT', 'SYMMETRIC', 'EDGE');
export type paddingMode = keyof typeof paddingMode;

// As Interpolate calls them.
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
    throw invalidArgument(`Wrong number of parameters. Expected ${expected}, ${args.length} came.`, {expected, actual: `${args.length}`});
  }
}

function expectNone(args: ArrayLike<unknown>): void {
  if (args.length > 0) throw invalidArgument(`Function does not take any parameters. ${args.length} came.`);
}

function choice<T extends object>(value: unknown, among: T, what: string): keyof T & string {
  if (typeof value === 'string' && Object.hasOwn(among, value)) return value as keyof T & string;
  const expected = Object.keys(among).join(', ');
  throw invalidArgument(`${what} is one of ${expected}, not ${textOf(value)}.`, {expected, actual: textOf(value)});
}

function numbers(value: unknown, what: string, whole = false): string {
  const list: unknown[] = Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView)) ? Array.from(value as never) : [value];
  const fits = (each: unknown) => typeof each === 'number' && (whole ? Number.isSafeInteger(each) : Number.isFinite(each));
  if (list.length === 0 || !list.every(fits)) {
    throw invalidArgument(`${what} takes ${whole ? 'whole numbers' : 'a number or an array of them'}, not ${textOf(value)}.`);
  }
  return list.join(',');
}

// Sizes, any of which may be open: -1.
function sizes(shape: unknown, what: string): string {
  if (shape instanceof PartialShape || typeof shape === 'string') return String(shape instanceof PartialShape ? shape : new PartialShape(shape)).slice(1, -1);
  return numbers(shape, what, true);
}

/** @internal What is said of one input or output: keys with values, as recipes of the engine have them (src/preprocess/recipe.h). */
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

  setLayout(key: string, args: ArrayLike<unknown>): void {
    expectCount(args, 1);
    this.set(key, this.checkLayout(args[0]));
  }

  setElementType(args: ArrayLike<unknown>): void {
    expectCount(args, 1);
    this.set('type', checkElementType(args[0]));
  }

  checkLayout(text: unknown): string {
    if (typeof text !== 'string') throw invalidArgument(`A layout is a text such as 'NHWC', not ${textOf(text)}.`);
    this.#model.engine.look((glue) => glue.checkLayout(text));
    return text;
  }

  step(key: string, value: string): void {
    this.steps.push(key, value);
  }

  convertElementType(args: ArrayLike<unknown>): void {
    expectCount(args, 1);
    this.step('convertType', checkElementType(args[0]));
  }

  convertLayout(args: ArrayLike<unknown>): void {
    expectCount(args, 1);
    if (typeof args[0] === 'string') this.step('convertLayout', this.checkLayout(args[0]));
    else this.step('transpose', numbers(args[0], 'convertLayout()', true));
  }
}

/** What the caller gives for an input. Each method gives the object itself. */
class InputTensorInfo {
  readonly #wishes: Wishes;

  /** @internal */
  constructor(token: typeof internally, wishes: Wishes) {
    checkCaller(token, 'InputTensorInfo', 'InputInfo.tensor()');
    this.#wishes = wishes;
  }

  /**
   * The element type of what comes: 'u8' for pictures.
   *
   * @throws WasmvinoError `INVALID_ARGUMENT` where there is no such type.
   */
  setElementType(_elementType: element): this {
    this.#wishes.setElementType(arguments);
    return this;
  }

  /**
   * What the axes of what comes mean.
   *
   * @param _layout 'NHWC', 'N...C', '?C??', '[n,channels,h,w]'.
   * @throws WasmvinoError `INVALID_ARGUMENT` where it is no layout.
   */
  setLayout(_layout: string): this {
    this.#wishes.setLayout('layout', arguments);
    return this;
  }

  /**
   * The shape of what comes, where it is not the model's with its axes moved.
   *
   * @param shape Sizes, -1 for those that are open, or a PartialShape.
   */
  setShape(shape: readonly number[] | Int32Array | PartialShape | string): this {
    expectCount(arguments, 1);
    this.#wishes.set('shape', sizes(shape, 'setShape()'));
    return this;
  }

  /** Height and width of what comes. */
  setSpatialStaticShape(height: number, width: number): this {
    expectCount(arguments, 2);
    this.#wishes.set('spatial', numbers([height, width], 'setSpatialStaticShape()', true));
    return this;
  }

  /** Pictures of any height and width come. */
  setSpatialDynamicShape(...args: []): this {
    expectNone(args);
    this.#wishes.set('spatial', '?,?');
    return this;
  }

  /**
   * The color format of what comes. NV12 and I420 may come in several planes: each is an input of its own then.
   *
   * @param format One of `ov.preprocess.colorFormat`.
   * @param planes Names of the planes, behind the input's: 'Y' and 'UV' where they are not given.
   */
  setColorFormat(format: colorFormat, planes: readonly string[] = []): this {
    this.#wishes.set('color', choice(format, colorFormat, 'A color format'));
    if (!Array.isArray(planes) || !planes.every((name) => typeof name === 'string' && !name.includes(','))) {
      throw invalidArgument(`setColorFormat() takes the names of planes as an array of texts without commas, not ${textOf(planes)}.`);
    }
    if (planes.length > 0) this.#wishes.set('planes', planes.join(','));
    return this;
  }
}

/** What the caller gets of an output. Each method gives the object itself. */
class OutputTensorInfo {
  readonly #wishes: Wishes;

  /** @internal */
  constructor(token: typeof internally, wishes: Wishes) {
    checkCaller(token, 'OutputTensorInfo', 'OutputInfo.tensor()');
    this.#wishes = wishes;
  }

  /** The element type of what the caller gets. */
  setElementType(_elementType: element): this {
    this.#wishes.setElementType(arguments);
    return this;
  }

  /** The layout of what the caller gets; it takes that of the model, too. */
  setLayout(_layout: string): this {
    this.#wishes.setLayout('layout', arguments);
    return this;
  }
}

/** What is known of an input or output of the model. */
class ModelInfo {
  readonly #wishes: Wishes;

  /** @internal */
  constructor(token: typeof internally, wishes: Wishes) {
    checkCaller(token, 'ModelInfo', 'InputInfo.model()');
    this.#wishes = wishes;
  }

  /** What the axes in the model mean: 'NCHW'. */
  setLayout(_layout: string): this {
    this.#wishes.setLayout('modelLayout', arguments);
    return this;
  }
}

/** Steps between what the caller gives and the model, in the order of the calls. Each method gives the object itself. */
class PreProcessSteps {
  readonly #wishes: Wishes;

  /** @internal */
  constructor(token: typeof internally, wishes: Wishes) {
    checkCaller(token, 'PreProcessSteps', 'InputInfo.preprocess()');
    this.#wishes = wishes;
  }

  /** Converts to an element type. */
  convertElementType(_elementType: element): this {
    this.#wishes.convertElementType(arguments);
    return this;
  }

  /** Moves axes: to a layout, or so that axis i becomes axis order[i] of what it was. */
  convertLayout(_layoutOrOrder: string | readonly number[]): this {
    this.#wishes.convertLayout(arguments);
    return this;
  }

  /** Subtracts one value, or one from each channel. The value must be of a floating point type. */
  mean(values: number | readonly number[] | Float32Array): this {
    expectCount(arguments, 1);
    this.#wishes.step('mean', numbers(values, 'mean()'));
    return this;
  }

  /** Divides by one value, or each channel by one. The value must be of a floating point type. */
  scale(values: number | readonly number[] | Float32Array): this {
    expectCount(arguments, 1);
    this.#wishes.step('scale', numbers(values, 'scale()'));
    return this;
  }

  /**
   * Resizes pictures, to the height and width of the model's input where they are not given.
   *
   * @param algorithm One of `ov.preprocess.resizeAlgorithm`.
   */
  resize(algorithm: resizeAlgorithm, height = -1, width = -1): this {
    expectCount(arguments, 1, 3);
    const mode = resizeModes[choice(algorithm, resizeAlgorithm, 'resizeAlgorithm')];
    this.#wishes.step('resize', `${mode},${numbers([height, width], 'resize()', true)}`);
    return this;
  }

  /** Converts NV12, I420, RGBX and BGRX to RGB or BGR, and these to each other or to GRAY. */
  convertColor(format: colorFormat): this {
    expectCount(arguments, 1);
    this.#wishes.step('convertColor', choice(format, colorFormat, 'A color format'));
    return this;
  }

  /** Reverses the order of the channels. */
  reverseChannels(...args: []): this {
    expectNone(args);
    this.#wishes.step('reverseChannels', '');
    return this;
  }

  /** Takes the positions from `begin` to before `end` along each axis; negative ones count from its end. */
  crop(begin: readonly number[], end: readonly number[]): this {
    expectCount(arguments, 2);
    this.#wishes.step('crop', numbers([...pair(begin, end, 'crop()')], 'crop()', true));
    return this;
  }

  /** Puts `begin` positions before and `end` behind each axis. The value must be of a floating point type. */
  pad(begin: readonly number[], end: readonly number[], value: number, mode: paddingMode): this {
    expectCount(arguments, 4);
    const pads = numbers([...pair(begin, end, 'pad()')], 'pad()', true);
    this.#wishes.step('padMode', choice(mode, paddingMode, 'paddingMode').toLowerCase());
    this.#wishes.step('padValue', numbers([value], 'pad()'));
    this.#wishes.step('pad', pads);
    return this;
  }
}

function pair(begin: unknown, end: unknown, what: string): unknown[] {
  if (!Array.isArray(begin) || !Array.isArray(end) || begin.length !== end.length) {
    throw invalidArgument(`${what} takes two arrays of one number for each axis, not ${textOf(begin)} and ${textOf(end)}.`);
  }
  return [...begin, ...end];
}

/** Steps between the model and what the caller gets, in the order of the calls. Each method gives the object itself. */
class PostProcessSteps {
  readonly #wishes: Wishes;

  /** @internal */
  constructor(token: typeof internally, wishes: Wishes) {
    checkCaller(token, 'PostProcessSteps', 'OutputInfo.postprocess()');
    this.#wishes = wishes;
  }

  /** Converts to an element type. */
  convertElementType(_elementType: element): this {
    this.#wishes.convertElementType(arguments);
    return this;
  }

  /** Moves axes: to a layout, or so that axis i becomes axis order[i] of what it was. */
  convertLayout(_layoutOrOrder: string | readonly number[]): this {
    this.#wishes.convertLayout(arguments);
    return this;
  }
}

/** What is to be done with an input. */
class InputInfo {
  readonly #wishes: Wishes;

  /** @internal */
  constructor(token: typeof internally, wishes: Wishes) {
    checkCaller(token, 'InputInfo', 'PrePostProcessor.input()');
    this.#wishes = wishes;
  }

  /** What the caller gives. */
  tensor(...args: []): InputTensorInfo {
    expectNone(args);
    return new InputTensorInfo(internally, this.#wishes);
  }

  /** The steps from there to the model. */
  preprocess(...args: []): PreProcessSteps {
    expectNone(args);
    return new PreProcessSteps(internally, this.#wishes);
  }

  /** What the model takes. */
  model(...args: []): ModelInfo {
    expectNone(args);
    return new ModelInfo(internally, this.#wishes);
  }
}

/** What is to be done with an output. */
class OutputInfo {
  readonly #wishes: Wishes;

  /** @internal */
  constructor(token: typeof internally, wishes: Wishes) {
    checkCaller(token, 'OutputInfo', 'PrePostProcessor.output()');
    this.#wishes = wishes;
  }

  /** What the model gives. */
  model(...args: []): ModelInfo {
    expectNone(args);
    return new ModelInfo(internally, this.#wishes);
  }

  /** The steps from there to the caller. */
  postprocess(...args: []): PostProcessSteps {
    expectNone(args);
    return new PostProcessSteps(internally, this.#wishes);
  }

  /** What the caller gets. */
  tensor(...args: []): OutputTensorInfo {
    expectNone(args);
    return new OutputTensorInfo(internally, this.#wishes);
  }
}

/**
 * Makes pre- and post-processing part of a model: it then takes pictures as they come. What is not said stays as it is;
 * the element type and the layout become those of the model at the end of all steps.
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

  /** @param model The model that build() changes. */
  constructor(model: Model) {
    if (arguments.length !== 1 || !(model instanceof Model)) throw incorrectParameters('PrePostProcessor', arguments, 'Model');
    this.#model = model;
  }

  /**
   * What is to be done with an input.
   *
   * @param idxOrTensorName Its position or name; not for the only one.
   * @throws WasmvinoError `INVALID_ARGUMENT` where there is no such input.
   */
  input(idxOrTensorName?: number | string): InputInfo {
    expectCount(arguments, 0, 1);
    return new InputInfo(internally, this.#wishes(this.#inputs, findPort(this.#model.inputs, idxOrTensorName, 'input')));
  }

  /**
   * What is to be done with an output.
   *
   * @param idxOrTensorName Its position or name; not for the only one.
   * @throws WasmvinoError `INVALID_ARGUMENT` where there is no such output.
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
   * Changes the model, once.
   *
   * @throws WasmvinoError `INVALID_ARGUMENT`, `INVALID_TYPE` or `INVALID_SHAPE` where a step does not fit, which the
   *   message names. The model is unchanged then.
   */
  build(...args: []): this {
    expectNone(args);
    const said = (kind: string, kept: Map<number, Wishes>) =>
      [...kept].flatMap(([position, {settings, steps}]) => [kind, `${position}`, ...settings, ...steps]);
    this.#model.edit('preprocess', [...said('input', this.#inputs), ...said('output', this.#outputs)]);
    this.#inputs.clear();
    this.#outputs.clear();
    return this;
  }
}

export const preprocess = {PrePostProcessor, resizeAlgorithm, colorFormat, paddingMode};
