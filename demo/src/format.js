// SPDX-License-Identifier: Apache-2.0

/**
 * Formats a number with a real minus sign: "−0.63".
 * @param {number} value
 * @param {number} [digits]
 */
export function decimal(value, digits = 2) {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text.replace('-', '−');
}

/** @param {number} probability */
export function percent(probability) {
  const value = probability * 100;
  if (value < 0.1) return '< 0.1 %';
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} %`;
}

/** @param {number} value */
export function milliseconds(value) {
  return `${value < 9.95 ? value.toFixed(value < 0.995 ? 2 : 1) : Math.round(value)} ms`;
}

/** @param {number} bytes */
export function size(bytes) {
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export function counted(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}
