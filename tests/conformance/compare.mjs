// SPDX-License-Identifier: Apache-2.0
// Compares results with goldens by the rules of the cases.
import {valuesOf} from '../../js/src/arrays/values.mjs';

/**
 * @typedef {import('../../js/src/arrays/values.mjs').StoredArray} StoredArray
 *
 * The rule for lists of detections. Rows are matched by image, label and overlap. Only rows with a high score are compared.
 * @typedef {object} DetectionRule
 * @property {number} image number of a column, like the next three
 * @property {number} label
 * @property {number} score
 * @property {number} box the first of four columns: x0, y0, x1, y1
 * @property {number} minScore
 * @property {number} iou
 * @property {number} scoreAtol
 *
 * @typedef {object} Rule
 * @property {number} rtol
 * @property {number} atol
 * @property {boolean} exact all values must be equal, regardless of tolerances
 * @property {number} [meanAtol]
 * @property {number} [minCosine] of each row (the last axis)
 * @property {DetectionRule} [detections]
 *
 * @typedef {object} Comparison
 * @property {string} difference empty if there is none
 * @property {number} worst largest absolute difference of finite values
 */

function indexText(shape, position) {
  const index = shape.map(() => 0);
  for (let axis = shape.length - 1; axis >= 0; --axis) {
    index[axis] = position % shape[axis];
    position = Math.floor(position / shape[axis]);
  }
  return `[${index}]`;
}

function overlap(a, b) {
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  if (!(width > 0 && height > 0)) return 0;
  const area = (box) => (box[2] - box[0]) * (box[3] - box[1]);
  return (width * height) / (area(a) + area(b) - width * height);
}

// Each row of `rows` with a high score must match a different row of `others`.
function matchDetections(rows, others, columns, rule, whose) {
  const split = (values) => Array.from({length: values.length / columns}, (_, i) => values.subarray(i * columns, (i + 1) * columns));
  const free = new Set(split(others));
  for (const [i, row] of split(rows).entries()) {
    if (row[rule.image] < 0 || !(row[rule.score] >= rule.minScore)) continue;
    let best = 0;
    let partner;
    for (const other of free) {
      if (other[rule.image] !== row[rule.image] || other[rule.label] !== row[rule.label]) continue;
      if (!(Math.abs(other[rule.score] - row[rule.score]) <= rule.scoreAtol)) continue;
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

function lowestCosine(got, want, columns) {
  let lowest = 1;
  for (let first = 0; first < want.length; first += columns) {
    let [dot, gotNorm, wantNorm] = [0, 0, 0];
    for (let i = first; i < first + columns; ++i) {
      dot += got[i] * want[i];
      gotNorm += got[i] ** 2;
      wantNorm += want[i] ** 2;
    }
    const equal = gotNorm === wantNorm ? 1 : 0;
    lowest = Math.min(lowest, gotNorm * wantNorm > 0 ? dot / Math.sqrt(gotNorm * wantNorm) : equal);
  }
  return lowest;
}

/**
 * Checks that |got - want| <= atol + rtol * |want|. Types, shapes, booleans and strings must be equal. NaN equals NaN.
 * @param {StoredArray} got
 * @param {StoredArray} want
 * @param {Rule} rule
 * @param {boolean[]} skipped whether each row of the leading axes is skipped; empty: none is
 * @returns {Comparison}
 */
export function compare(got, want, rule, skipped = []) {
  const {type, shape} = want;
  const differs = (difference, worst = 0) => ({difference, worst});
  if (got.type !== type) return differs(`the type is ${got.type}, expected ${type}`);
  if (String(got.shape) !== String(shape)) return differs(`the shape is [${got.shape}], expected [${shape}]`);
  if (type === 'string') {
    const at = want.data.findIndex((text, i) => got.data[i] !== text);
    return differs(at < 0 ? '' : `element ${indexText(shape, at)} is '${got.data[at]}', expected '${want.data[at]}'`);
  }
  const [a, b] = [valuesOf(got), valuesOf(want)];
  if (rule.detections) {
    const columns = shape[shape.length - 1] ?? 0;
    if (columns < rule.detections.box + 4) return differs(`rows of ${columns} values are no detections`);
    return differs(matchDetections(b, a, columns, rule.detections, 'expected') || matchDetections(a, b, columns, rule.detections, 'found'));
  }
  const exact = rule.exact || type === 'boolean';
  const row = skipped.length > 0 ? b.length / skipped.length : 1;
  let [wrong, first, compared, worst, sum] = [0, 0, 0, 0, 0];
  for (let i = 0; i < b.length; ++i) {
    if (skipped.length > 0 && skipped[Math.floor(i / row)]) continue;
    ++compared;
    const [x, y] = [a[i], b[i]];
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
    const cosine = lowestCosine(a, b, shape[shape.length - 1] ?? 1);
    if (!(cosine >= rule.minCosine)) return differs(`a row has cosine ${cosine}, at least ${rule.minCosine} is wanted`, worst);
  }
  return differs('', worst);
}

/**
 * Sorts arrays of equal shape jointly along an axis, by the values of the first array, then of the second, and so on.
 * @param {StoredArray[]} arrays whose order along the axis is unspecified
 * @param {number} axis
 * @returns {StoredArray[]}
 */
export function sortAlong(arrays, axis) {
  const {shape} = arrays[0];
  for (const other of arrays) {
    if (String(other.shape) !== String(shape)) throw new Error(`outputs of shapes [${shape}] and [${other.shape}] cannot be sorted jointly`);
  }
  const length = shape[axis < 0 ? axis + shape.length : axis];
  if (length === undefined) throw new Error(`shape [${shape}] has no axis ${axis}`);
  const step = shape.slice(axis < 0 ? axis + shape.length + 1 : axis + 1).reduce((a, b) => a * b, 1);
  const keys = arrays.map(valuesOf);
  const sorted = arrays.map((array) => ({...array, data: array.data.slice()}));
  for (let lane = 0; lane < keys[0].length / length; ++lane) {
    const start = Math.floor(lane / step) * step * length + (lane % step);
    const order = Array.from({length}, (_, i) => start + i * step).sort((a, b) => {
      for (const values of keys) {
        if (values[a] < values[b]) return -1;
        if (values[a] > values[b]) return 1;
      }
      return 0;
    });
    order.forEach((at, i) => sorted.forEach(({data}, t) => (data[start + i * step] = arrays[t].data[at])));
  }
  return sorted;
}
