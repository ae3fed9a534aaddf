// SPDX-License-Identifier: Apache-2.0
// What "the same result" means: the rules that the conformance cases and the models give with their goldens.
import {Tensor, WasmvinoError, type element} from '../node.js';
import {bytesOf, unpack} from './arrays.js';

/** Rows of detections: matched by image, label and overlap where the score is high enough; others are not compared. */
export interface DetectionRule {
  /** Columns; a box takes four: x0, y0, x1, y1. */
  image: number;
  label: number;
  score: number;
  box: number;
  minScore: number;
  iou: number;
  scoreAtol: number;
}

export interface Rule {
  rtol: number;
  atol: number;
  /** All values equal, whatever the tolerances. */
  exact: boolean;
  meanAtol?: number;
  /** Of each row (the last axis). */
  minCosine?: number;
  detections?: DetectionRule;
}

export interface Comparison {
  /** Empty: the same. */
  difference: string;
  /** Largest absolute difference of finite values. */
  worst: number;
}

type Values = Float64Array | BigInt64Array | BigUint64Array;

const float32 = new Float32Array(1);
const float32Bits = new Uint32Array(float32.buffer);

function fromBf16(bits: number): number {
  float32Bits[0] = bits << 16;
  return float32[0]!;
}

function fromF16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 25) * (1024 + fraction) : 2 ** -24 * fraction);
}

function fromF8(bits: number, mantissaBits: number): number {
  const exponentBits = 7 - mantissaBits;
  const bias = 2 ** (exponentBits - 1) - 1;
  const sign = bits & 0x80 ? -1 : 1;
  const exponent = (bits & 0x7f) >> mantissaBits;
  const fraction = bits & ((1 << mantissaBits) - 1);
  if (mantissaBits === 2 && exponent === 31) return fraction ? NaN : sign * Infinity;
  if (mantissaBits === 3 && (bits & 0x7f) === 0x7f) return NaN;
  const unit = 2 ** -mantissaBits;
  return sign * (exponent ? 2 ** (exponent - bias) * (1 + fraction * unit) : 2 ** (1 - bias) * fraction * unit);
}

const f4 = [0, 0.5, 1, 1.5, 2, 3, 4, 6];
const decoders: Partial<Record<element, (bits: number) => number>> = {
  bf16: fromBf16,
  f8e4m3: (bits) => fromF8(bits, 3),
  f8e5m2: (bits) => fromF8(bits, 2),
  f8e8m0: (bits) => (bits === 255 ? NaN : 2 ** (bits - 127)),
  f4e2m1: (bits) => (bits & 8 ? -1 : 1) * f4[bits & 7]!,
};
const packed = new Set<element>(['u1', 'u2', 'u3', 'u4', 'i4', 'u6', 'nf4', 'f4e2m1']);

/** The values as numbers that keep them all apart. (nf4 by its codes, which rise with the values.) */
export function valuesOf(tensor: Tensor): Values {
  const type = tensor.getElementType();
  const data = tensor.data;
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) return data;
  const plain = packed.has(type) ? unpack(type, bytesOf(data), tensor.getSize()) : data;
  const decode = decoders[type] ?? (type === 'f16' && data instanceof Uint16Array ? fromF16 : undefined);
  return decode ? Float64Array.from(plain as Uint8Array, decode) : Float64Array.from(plain as Uint8Array);
}

function indexText(shape: number[], position: number): string {
  const index = shape.map(() => 0);
  for (let axis = shape.length - 1; axis >= 0; --axis) {
    index[axis] = position % shape[axis]!;
    position = Math.floor(position / shape[axis]!);
  }
  return `[${index}]`;
}

function overlap(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const width = Math.min(a[2]!, b[2]!) - Math.max(a[0]!, b[0]!);
  const height = Math.min(a[3]!, b[3]!) - Math.max(a[1]!, b[1]!);
  if (!(width > 0 && height > 0)) return 0;
  const area = (box: ArrayLike<number>) => (box[2]! - box[0]!) * (box[3]! - box[1]!);
  return (width * height) / (area(a) + area(b) - width * height);
}

// Each row of `rows` with a high score has a partner of its own among `others`.
function matchDetections(rows: Float64Array, others: Float64Array, columns: number, rule: DetectionRule, whose: string): string {
  const split = (values: Float64Array) =>
    Array.from({length: values.length / columns}, (_, i) => values.subarray(i * columns, (i + 1) * columns));
  const free = new Set(split(others));
  for (const [i, row] of split(rows).entries()) {
    if (row[rule.image]! < 0 || !(row[rule.score]! >= rule.minScore)) continue;
    let best = 0;
    let partner: Float64Array | undefined;
    for (const other of free) {
      if (other[rule.image] !== row[rule.image] || other[rule.label] !== row[rule.label]) continue;
      if (!(Math.abs(other[rule.score]! - row[rule.score]!) <= rule.scoreAtol)) continue;
      const iou = overlap(row.subarray(rule.box), other.subarray(rule.box));
      if (iou > best) [best, partner] = [iou, other];
    }
    if (!partner || best < rule.iou) {
      return `${whose} detection ${i} (label ${row[rule.label]}, score ${row[rule.score]}) has no partner; the best overlap is ${best}`;
    }
    free.delete(partner);
  }
  return '';
}

function lowestCosine(got: Float64Array, want: Float64Array, columns: number): number {
  let lowest = 1;
  for (let first = 0; first < want.length; first += columns) {
    let [dot, gotNorm, wantNorm] = [0, 0, 0];
    for (let i = first; i < first + columns; ++i) {
      dot += got[i]! * want[i]!;
      gotNorm += got[i]! ** 2;
      wantNorm += want[i]! ** 2;
    }
    const cosine = gotNorm * wantNorm > 0 ? dot / Math.sqrt(gotNorm * wantNorm) : gotNorm === wantNorm ? 1 : 0;
    lowest = Math.min(lowest, cosine);
  }
  return lowest;
}

/**
 * |got - want| <= atol + rtol * |want|; booleans and strings equal; NaN equals NaN; types and shapes equal.
 * `skipped` marks leading rows that are not compared: one entry a row, empty for none.
 */
export function compare(got: Tensor, want: Tensor, rule: Rule, skipped: boolean[] = []): Comparison {
  const type = want.getElementType();
  const shape = want.getShape();
  const differs = (difference: string, worst = 0) => ({difference, worst});
  if (got.getElementType() !== type) return differs(`the type is ${got.getElementType()}, expected ${type}`);
  if (String(got.getShape()) !== String(shape)) return differs(`the shape is [${got.getShape()}], expected [${shape}]`);
  if (type === 'string') {
    const [a, b] = [got.data, want.data] as unknown as [string[], string[]];
    const at = b.findIndex((text, i) => a[i] !== text);
    return differs(at < 0 ? '' : `element ${indexText(shape, at)} is '${a[at]}', expected '${b[at]}'`);
  }
  const [a, b] = [valuesOf(got), valuesOf(want)];
  if (rule.detections) {
    const columns = shape[shape.length - 1] ?? 0;
    if (columns < rule.detections.box + 4) return differs(`rows of ${columns} values are no detections`);
    const [found, expected] = [a as Float64Array, b as Float64Array];
    return differs(
      matchDetections(expected, found, columns, rule.detections, 'expected') ||
        matchDetections(found, expected, columns, rule.detections, 'found'),
    );
  }
  const exact = rule.exact || type === 'boolean';
  const row = skipped.length > 0 ? b.length / skipped.length : 1;
  let [wrong, first, compared, worst, sum] = [0, 0, 0, 0, 0];
  for (let i = 0; i < b.length; ++i) {
    if (skipped.length > 0 && skipped[Math.floor(i / row)]) continue;
    ++compared;
    const [x, y] = [a[i]!, b[i]!];
    if (x === y || (x !== x && y !== y)) continue;
    const difference = Math.abs(Number(x) - Number(y));
    if (Number.isFinite(difference)) worst = Math.max(worst, difference);
    sum += difference;
    if (!exact && difference <= rule.atol + rule.rtol * Math.abs(Number(y))) continue;
    if (wrong++ === 0) first = i;
  }
  if (wrong > 0) {
    const at = `${indexText(shape, first)}: ${a[first]}, expected ${b[first]}`;
    return differs(`${wrong} of ${compared} values differ, the first at ${at}; largest difference ${worst}`, worst);
  }
  if (rule.meanAtol !== undefined && compared > 0 && !(sum / compared <= rule.meanAtol)) {
    return differs(`the mean difference is ${sum / compared}, at most ${rule.meanAtol} is allowed`, worst);
  }
  if (rule.minCosine !== undefined && b.length > 0) {
    const cosine = lowestCosine(a as Float64Array, b as Float64Array, shape[shape.length - 1] ?? 1);
    if (!(cosine >= rule.minCosine)) return differs(`a row has cosine ${cosine}, at least ${rule.minCosine} is wanted`, worst);
  }
  return differs('', worst);
}

/**
 * For results whose order along an axis is unspecified: sorts tensors of one shape jointly along it, by the values of
 * the first, then of the second ...
 */
export function sortAlong(tensors: Tensor[], axis: number): Tensor[] {
  const shape = tensors[0]!.getShape();
  for (const tensor of tensors) {
    if (String(tensor.getShape()) !== String(shape)) {
      throw new WasmvinoError('INVALID_SHAPE', `outputs of shapes [${shape}] and [${tensor.getShape()}] cannot be sorted jointly`);
    }
  }
  if (axis < 0) axis += shape.length;
  const length = shape[axis]!;
  const step = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
  const keys = tensors.map(valuesOf);
  const from = tensors.map((tensor) => tensor.data);
  const to = tensors.map((tensor) => tensor.data);
  for (let lane = 0; lane < keys[0]!.length / length; ++lane) {
    const start = Math.floor(lane / step) * step * length + (lane % step);
    const order = Array.from({length}, (_, i) => start + i * step).sort((a, b) => {
      for (const values of keys) {
        if (values[a]! < values[b]!) return -1;
        if (values[a]! > values[b]!) return 1;
      }
      return 0;
    });
    order.forEach((at, i) => to.forEach((array, t) => (array[start + i * step] = from[t]![at]!)));
  }
  return tensors.map((tensor, t) => new Tensor(tensor.getElementType(), shape, to[t]!));
}
