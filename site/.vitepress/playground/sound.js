// SPDX-License-Identifier: Apache-2.0

/**
 * Converts samples from -1 to 1 to a sound file.
 * @param {ArrayLike<number>} samples one channel
 * @param {number} rate samples per second
 * @returns {Blob} a WAV file with 16-bit samples
 */
export function wavOf(samples, rate) {
  const bytes = new DataView(new ArrayBuffer(44 + 2 * samples.length));
  const tag = (at, text) => [...text].forEach((letter, i) => bytes.setUint8(at + i, letter.charCodeAt(0)));
  tag(0, 'RIFF');
  bytes.setUint32(4, 36 + 2 * samples.length, true);
  tag(8, 'WAVEfmt ');
  bytes.setUint32(16, 16, true);
  bytes.setUint16(20, 1, true); // integers
  bytes.setUint16(22, 1, true); // channels
  bytes.setUint32(24, rate, true);
  bytes.setUint32(28, 2 * rate, true);
  bytes.setUint16(32, 2, true);
  bytes.setUint16(34, 16, true);
  tag(36, 'data');
  bytes.setUint32(40, 2 * samples.length, true);
  for (let i = 0; i < samples.length; i++) bytes.setInt16(44 + 2 * i, 32767 * Math.max(-1, Math.min(1, samples[i])), true);
  return new Blob([bytes.buffer], {type: 'audio/wav'});
}
