// SPDX-License-Identifier: Apache-2.0
// Converts the model's phonemes from ARPAbet to IPA. Each has an example word.

/** @type {Record<string, [ipa: string, example: string]>} */
const ARPABET = {
  AA: ['ɑ', 'father'],
  AE: ['æ', 'cat'],
  AH: ['ʌ', 'cut'],
  AO: ['ɔ', 'law'],
  AW: ['aʊ', 'cow'],
  AY: ['aɪ', 'hide'],
  B: ['b', 'bee'],
  CH: ['tʃ', 'cheese'],
  D: ['d', 'day'],
  DH: ['ð', 'then'],
  EH: ['ɛ', 'bed'],
  ER: ['ɝ', 'bird'],
  EY: ['eɪ', 'day'],
  F: ['f', 'fee'],
  G: ['ɡ', 'green'],
  HH: ['h', 'he'],
  IH: ['ɪ', 'it'],
  IY: ['i', 'eat'],
  JH: ['dʒ', 'joy'],
  K: ['k', 'key'],
  L: ['l', 'lee'],
  M: ['m', 'me'],
  N: ['n', 'knee'],
  NG: ['ŋ', 'sing'],
  OW: ['oʊ', 'oat'],
  OY: ['ɔɪ', 'toy'],
  P: ['p', 'pea'],
  R: ['ɹ', 'red'],
  S: ['s', 'sea'],
  SH: ['ʃ', 'she'],
  T: ['t', 'tea'],
  TH: ['θ', 'thin'],
  UH: ['ʊ', 'book'],
  UW: ['u', 'two'],
  V: ['v', 'vine'],
  W: ['w', 'we'],
  Y: ['j', 'yes'],
  Z: ['z', 'zoo'],
  ZH: ['ʒ', 'measure'],
};
// When unstressed, these two have their own symbols.
const REDUCED = new Map([
  ['AH0', ['ə', 'about']],
  ['ER0', ['ɚ', 'letter']],
]);

// The longest group of consonants at the end of the text that can begin a syllable. A stress mark precedes them.
const ONSET = /(?:S [PTK] [RLWY]|(?:[PTKBDGFVMN]|TH|SH|HH) [RLWY]|S [PTKMNLW]|(?!NG)\b[A-Z]+)$/;

/**
 * Returns the IPA symbol of a phoneme without its stress, and an example word. Undefined for tokens that are not sounds.
 * @param {string} phoneme
 */
export function sound(phoneme) {
  const [ipa, example] = REDUCED.get(phoneme) ?? ARPABET[phoneme.replace(/\d/, '')] ?? [];
  return ipa && example
    ? {ipa, example, stress: {1: 'primary stress', 2: 'secondary stress'}[phoneme.slice(-1)]}
    : undefined;
}

/**
 * Returns the IPA of a word. Stress marks precede the onsets of their syllables.
 * @param {string} phonemes "B R AW1 S ER0"
 */
export function ipaOf(phonemes) {
  const parts = phonemes.split(' ');
  /** @type {Map<number, string>} */
  const marks = new Map();
  let syllable = 0; // the first phoneme after the last vowel
  parts.forEach((phoneme, i) => {
    if (!/\d/.test(phoneme)) return;
    const consonants = parts.slice(syllable, i);
    const onset = syllable === 0 ? consonants.length : (ONSET.exec(consonants.join(' '))?.[0].split(' ').length ?? 0);
    const mark = {1: 'ˈ', 2: 'ˌ'}[phoneme.slice(-1)];
    if (mark) marks.set(i - onset, mark);
    syllable = i + 1;
  });
  return parts.map((phoneme, i) => (marks.get(i) ?? '') + (sound(phoneme)?.ipa ?? '')).join('');
}
