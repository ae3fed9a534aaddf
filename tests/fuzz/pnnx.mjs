// SPDX-License-Identifier: Apache-2.0
// Mutations of PNNX models: a .param of lines of words, and a .bin, which is a ZIP archive.
import {mutateBytes} from './mutate.mjs';
import {Random} from './random.mjs';

const types = ['f32', 'f64', 'f16', 'bf16', 'i64', 'i32', 'i16', 'i8', 'u8', 'bool', 'c32', 'c64', 'c128'];
const functions = ['add', 'sub', 'mul', 'div', 'floor_divide', 'pow', 'remainder', 'size', 'int', 'sqrt', 'exp', 'neg', 'abs', 'max', 'torch.tensor'];

// Changes a value, or one item of a list: a number, a type or a function.
function mutateValue(random, text) {
  const kind = random.below(8);
  if (kind === 0) return random.pick(['None', 'True', 'False', '()', '[]', '', 'inf', 'nan', '@0', '1e300', '(?)f32', '2+3j', 'replicate', 'torch.int']);
  if (kind === 1) return random.pick([`(${text})`, `[${text}]`, text.slice(1), text.slice(0, -1), `${random.pick(functions)}(${text},${text})`]);
  const words = [...text.matchAll(/-?[\d.]+(?:e[+-]?\d+)?|[a-z]\w*/gi)];
  if (words.length === 0) return random.integer();
  const {0: word, index} = random.pick(words);
  const instead = /^-?\d/.test(word) ? (random.chance(0.8) ? random.integer() : String(random.real())) : random.pick(types.includes(word) ? types : [...functions, ...types]);
  return text.slice(0, index) + instead + text.slice(index + word.length);
}

const mutations = [
  // Changes the value of a parameter, of a weight or of a declared shape.
  (random, lines) => {
    const words = random.pick(lines);
    const pairs = [...words.keys()].filter((i) => words[i].includes('='));
    if (pairs.length === 0) return;
    const at = random.pick(pairs);
    const [key, ...value] = words[at].split('=');
    words[at] = `${key}=${mutateValue(random, value.join('='))}`;
  },
  // Removes, repeats or copies a word.
  (random, lines) => {
    const words = random.pick(lines);
    const at = random.below(words.length);
    if (random.chance(0.5)) words.splice(at, 1);
    else words.splice(at, random.below(2), random.pick(random.pick(lines)));
  },
  // Changes the number of inputs or outputs, or an operand.
  (random, lines) => {
    const words = random.pick(lines);
    const numbers = [...words.keys()].filter((i) => i > 1 && /^\d+$/.test(words[i]));
    if (numbers.length > 0) words[random.pick(numbers)] = random.chance(0.7) ? String(random.below(8)) : random.integer();
  },
  // Changes the operator.
  (random, lines) => {
    random.pick(lines)[0] = random.pick(lines)[0];
  },
  // Removes, repeats or moves a line.
  (random, lines) => {
    const at = random.below(lines.length);
    const kind = random.below(3);
    if (kind === 0 && lines.length > 1) lines.splice(at, 1);
    else if (kind === 1) lines.splice(at, 0, [...lines[at]]);
    else lines.push(...lines.splice(at, 1));
  },
];

/** Applies the mutation of `seed` to a model: to the words of the .param, to its text, or to the .bin. */
export function mutatePnnx({xml: param, bin}, seed) {
  const random = new Random(seed);
  const kind = random.below(20);
  if (kind < 3 && bin.length > 0) return {xml: param, bin: mutateBytes(random, bin)};
  if (kind === 3) return {xml: new TextDecoder().decode(mutateBytes(random, new TextEncoder().encode(param))), bin};
  const [magic, , ...rest] = param.split('\n');
  const lines = rest.filter((line) => line.trim() !== '').map((line) => line.trim().split(/\s+/));
  if (lines.length === 0) return {xml: param, bin};
  random.pick(mutations)(random, lines);
  return {xml: [magic, `${lines.length} ${lines.length}`, ...lines.map((words) => words.join(' ')), ''].join('\n'), bin};
}

/** Element types and sizes of the inputs, as {type, sizes}: texts, of which only sizes that are numbers are known. */
export function pnnxInputs(param) {
  return [...param.matchAll(/^pnnx\.Input\s.*?#\S+=\(([^)]*)\)(\w+)/gm)].map(([, sizes, type]) => {
    const part = {c32: 'f16', c64: 'f32', c128: 'f64', bool: 'boolean'}[type] ?? type;
    return {type: part, sizes: [...sizes.split(','), ...(type.startsWith('c') ? ['2'] : [])]};
  });
}
