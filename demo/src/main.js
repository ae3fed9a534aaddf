// SPDX-License-Identifier: Apache-2.0
// The script of the page. It decodes words while they are typed, and shows the beam search.
import {addon as ov} from 'wasmvino';
import {agreesWithGatherTree, continuations, hardestChoice, makeTree, pathTo} from './beam_tree.js';
import {byId, html, set} from './dom.js';
import {counted, decimal, milliseconds, percent, size} from './format.js';
import {Decoder, wordsOf} from './g2p.js';
import {builds} from '../../js/manifest.mjs';
import {fetchBytes, fetchJson} from './load.js';
import {ipaOf, sound} from './phonemes.js';
import {TreeView} from './tree_view.js';

/**
 * @typedef {import('./beam_tree.js').BeamNode} BeamNode
 * @typedef {import('./beam_tree.js').BeamTree} BeamTree
 * @typedef {import('./g2p.js').Decoding} Decoding
 */

const FIRST_WORDS = 'browser rhythm vineyard';
// Milliseconds of decoding before the page may draw and react.
const STRETCH_MS = 40;
const STEP_MS = 700;
// Screen readers announce the result after typing has paused for this time.
const PAUSE_MS = 700;
// With more steps, the tree also needs the width of the list beside it.
const MANY_STEPS = 10;

const root = document.documentElement;
const words = byId('words', HTMLInputElement);
const beam = byId('beam', HTMLInputElement);
const tabs = byId('tabs', HTMLElement);
const stepRange = byId('step', HTMLInputElement);
const play = byId('play', HTMLButtonElement);

/** @type {Decoder | undefined} */
let decoder;
/** @type {BeamTree | undefined} */
let tree;
/** @type {string[]} */
let wanted = [];
let selected = '';
let chosen = 0;
let round = 0;
/** @type {Map<string, Decoding>} by beam width and word */
const decoded = new Map();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let announcing;
/** @type {ReturnType<typeof setInterval> | undefined} */
let playing;

const view = new TreeView(byId('tree', HTMLElement), {inspect, choose: (final) => choose(final.rank)});

/** @param {string} word */
const keyOf = (word) => `${beam.value} ${word}`;

// ---------------------------------------------------------------- decoding

/** Decodes new words, the selected word first, and shows the results. */
async function update() {
  if (!decoder) return;
  const current = ++round;
  wanted = [...new Set(wordsOf(words.value))];
  if (!wanted.includes(selected)) selected = wanted[0] ?? '';
  remember();
  if (decoded.size > 2000) decoded.clear();
  const todo = wanted.filter((word) => !decoded.has(keyOf(word)));
  todo.sort((a, b) => Number(b === selected) - Number(a === selected));
  let shown = false;
  for (let next = todo.shift(); next !== undefined || !shown; next = todo.shift()) {
    const started = performance.now();
    for (; next !== undefined; next = performance.now() - started < STRETCH_MS ? todo.shift() : undefined) {
      decoded.set(keyOf(next), decoder.decode(next, Number(beam.value)));
    }
    showTabs();
    if (!shown) showWord();
    shown = true;
    await new Promise((resolve) => setTimeout(resolve));
    if (current !== round) return;
  }
  root.dataset.state = 'ready';
  clearTimeout(announcing);
  announcing = setTimeout(announce, PAUSE_MS);
}

function announce() {
  const best = tree?.trace.hypotheses[0];
  const told = wanted.length > 1 ? `${counted(wanted.length, 'word')} decoded. ` : '';
  byId('live', HTMLElement).textContent = best
    ? `${told}${selected}: ${best.phonemes}, ${percent(Math.exp(best.score))}`
    : '';
}

/** Stores the state in the URL, so that it can be bookmarked and shared. */
function remember() {
  const state = new URLSearchParams({words: wanted.join(' '), beam: beam.value});
  history.replaceState(null, '', `#${state}`);
}

function recall() {
  const state = new URLSearchParams(location.hash.slice(1));
  words.value = state.get('words') ?? FIRST_WORDS;
  beam.value = state.get('beam') ?? '5';
  byId('beam-value', HTMLElement).textContent = beam.value;
  selected = wordsOf(words.value)[0] ?? '';
}

// ---------------------------------------------------------------- words

function showTabs() {
  const focused = tabs.contains(document.activeElement);
  const made = wanted.map((word) => {
    const decoding = decoded.get(keyOf(word));
    const tab = html(
      'button',
      {
        type: 'button',
        role: 'tab',
        class: 'tab',
        'aria-selected': word === selected ? 'true' : 'false',
        'aria-controls': 'panel',
        tabindex: word === selected ? 0 : -1,
        'data-word': word,
      },
      html('span', {class: 'word'}, word),
      html('span', {class: 'said'}, decoding ? decoding.hypotheses[0]?.phonemes || 'silent' : '…'),
      html('span', {class: 'time'}, decoding ? milliseconds(decoding.milliseconds) : ''),
    );
    return tab;
  });
  tabs.replaceChildren(...made);
  if (focused) made[wanted.indexOf(selected)]?.focus();
  byId('nothing', HTMLElement).hidden = wanted.length > 0;
  byId('panel', HTMLElement).hidden = wanted.length === 0;
}

/** @param {string} word */
function select(word) {
  selected = word;
  for (const tab of tabs.children) {
    const on = tab instanceof HTMLElement && tab.dataset.word === word;
    set(tab, {'aria-selected': on ? 'true' : 'false', tabindex: on ? 0 : -1});
  }
  showWord();
}

function showWord() {
  const decoding = decoded.get(keyOf(selected));
  if (!decoder || !decoding) return;
  stop();
  chosen = 0;
  tree = makeTree(decoder.trace(selected, Number(beam.value)), decoder.vocabulary);
  const [best] = decoding.hypotheses;
  if (!best) return;
  byId('headword', HTMLElement).textContent = selected;
  byId('facts', HTMLElement).replaceChildren(
    ...fact('probability', percent(Math.exp(best.score))),
    ...fact('score', decimal(best.score, 3)),
    ...fact('time', milliseconds(decoding.milliseconds), planningOf(decoding)),
  );
  const hint = byId('hint', HTMLElement);
  hint.hidden = decoding.unknown.length === 0;
  hint.textContent = `The model knows the letters a to z; it reads “${decoding.unknown.join('”, “')}” as <unk>.`;
  showSummary();
  showHypotheses(decoding);
  showChosen();
  stepRange.max = String(tree.steps.length);
  byId('search', HTMLElement).classList.toggle('long', tree.steps.length > MANY_STEPS);
  view.show(tree, chosen);
  showStep(tree.steps.length);
  inspect(undefined);
  showTable();
}

/** @param {Decoding} decoding */
function planningOf({planning}) {
  return planning ? `and ${milliseconds(planning)} to plan for this length` : undefined;
}

/**
 * @param {string} name
 * @param {string} value
 * @param {string} [more]
 */
function fact(name, value, more) {
  const definition = html('dd', {}, value);
  if (more) definition.append(html('small', {}, more));
  return [html('div', {}, html('dt', {}, name), definition)];
}

function showSummary() {
  const {steps, finals, dropped, trace} = /** @type {BeamTree} */ (tree);
  const all = trace.steps.length;
  const rest =
    all > steps.length ? `; ${all - steps.length} more of the loop's ${all} iterations only repeat </s>` : '';
  const agree = finals.every((final) => agreesWithGatherTree(/** @type {BeamTree} */ (tree), final));
  byId('tree-summary', HTMLElement).replaceChildren(
    `${counted(steps.length, 'step')}${rest}. ${counted(finals.length, 'hypothesis', 'hypotheses')} at the end, ` +
      `${counted(dropped, 'branch', 'branches')} dropped. `,
    html(
      'strong',
      {class: agree ? 'agrees' : 'differs', id: 'agreement'},
      agree ? 'The paths are those that GatherTree gave.' : 'The paths differ from what GatherTree gave.',
    ),
  );
}

/** @param {Decoding} decoding */
function showHypotheses({hypotheses}) {
  byId('nbest-count', HTMLElement).textContent = hypotheses.length > 1 ? String(hypotheses.length) : '';
  byId('nbest', HTMLElement).replaceChildren(
    ...hypotheses.map(({phonemes, score}, rank) => {
      const bar = html('span', {class: 'bar', 'aria-hidden': 'true'});
      bar.style.setProperty('--share', String(Math.exp(score)));
      const button = html(
        'button',
        {type: 'button', 'aria-pressed': rank === chosen ? 'true' : 'false', 'data-rank': rank},
        html('span', {class: 'rank', 'aria-hidden': 'true'}, String(rank + 1)),
        html('span', {class: 'said'}, phonemes || 'silent'),
        html('span', {class: 'number'}, percent(Math.exp(score))),
        bar,
        html('span', {class: 'score'}, decimal(score, 3)),
      );
      return html('li', {}, button);
    }),
  );
}

/** @param {number} rank rank of the hypothesis to show */
function choose(rank) {
  chosen = rank;
  for (const button of byId('nbest', HTMLElement).querySelectorAll('button')) {
    set(button, {'aria-pressed': Number(button.dataset.rank) === rank ? 'true' : 'false'});
  }
  view.choose(rank);
  showChosen();
  inspect(undefined);
}

function showChosen() {
  const phonemes = tree?.trace.hypotheses[chosen]?.phonemes ?? '';
  byId('ipa', HTMLElement).textContent = phonemes ? `/${ipaOf(phonemes)}/` : '';
  byId('phonemes', HTMLElement).replaceChildren(
    ...phonemes
      .split(' ')
      .filter(Boolean)
      .map((phoneme) => {
        const {ipa = '', example = '', stress} = sound(phoneme) ?? {};
        const said = `as in ${example}${stress ? `, ${stress}` : ''}`;
        return html(
          'li',
          {title: said},
          html('b', {}, phoneme),
          html('span', {'aria-hidden': 'true'}, ipa),
          html('span', {class: 'visually-hidden'}, said),
        );
      }),
  );
}

// ---------------------------------------------------------------- steps

/** @param {number} step 0 shows nothing, the last one everything */
function showStep(step) {
  if (!tree || !decoder) return;
  stepRange.value = String(step);
  view.showUntil(step - 1);
  const count = tree.steps.length;
  const nodes = tree.steps[step - 1] ?? [];
  const [best] = nodes;
  const kept = `${nodes.length} of ${nodes.length * decoder.vocabulary.phonemes.length}`;
  const lost = step > 1 ? (tree.steps[step - 2] ?? []).filter(({children}) => children.length === 0).length : 0;
  const leading =
    best &&
    pathTo(best)
      .filter(({kind}) => kind === 'phoneme')
      .map(({label}) => label)
      .join(' ');
  const text = best
    ? `${step} of ${count}: TopK kept ${kept}${lost ? `, ${counted(lost, 'beam')} dropped` : ''}; ${leading} leads`
    : 'the letters are read, nothing is said yet';
  byId('step-text', HTMLElement).textContent = text;
  set(stepRange, {'aria-valuetext': text});
}

function stop() {
  clearInterval(playing);
  playing = undefined;
  set(play, {'aria-pressed': 'false'});
  set(byId('step-text', HTMLElement), {'aria-live': undefined});
}

function togglePlay() {
  if (playing) return stop();
  let step = Number(stepRange.value) >= Number(stepRange.max) ? 0 : Number(stepRange.value);
  showStep(step);
  set(play, {'aria-pressed': 'true'});
  set(byId('step-text', HTMLElement), {'aria-live': 'polite'});
  playing = setInterval(() => {
    showStep(++step);
    if (step >= Number(stepRange.max)) stop();
  }, STEP_MS);
}

// ---------------------------------------------------------------- one node, and the table

/** @param {BeamNode | undefined} looked default: the least certain choice on the chosen path */
function inspect(looked) {
  const final = tree?.finals[chosen];
  if (!tree || !decoder || !final) return;
  const node = looked ?? hardestChoice(tree, final, decoder.vocabulary);
  const before = pathTo(node)
    .slice(0, -1)
    .filter(({kind}) => kind === 'phoneme')
    .map(({label}) => label);
  const last = {root: 'Start of the word', phoneme: node.label, end: 'end', carried: 'end'}[node.kind];
  const {ipa, example, stress} = sound(node.label) ?? {};
  const said = ipa ? `${ipa}, as in ${example}${stress ? `, ${stress}` : ''}` : '';
  const bars = continuations(tree, node, decoder.vocabulary, 5).map(({label, probability, kept}) => {
    const bar = html('span', {class: 'bar', 'aria-hidden': 'true'});
    bar.style.setProperty('--share', String(probability));
    const outcome = kept ? `place ${kept.rank + 1}` : 'not kept';
    return html(
      'li',
      {class: kept ? (kept.alive ? 'alive' : 'dead') : 'lost'},
      html('b', {}, label),
      bar,
      html('span', {class: 'number'}, percent(probability)),
      html('span', {class: 'note'}, outcome),
    );
  });
  byId('inspector', HTMLElement).replaceChildren(
    html(
      'div',
      {},
      html('h4', {}, looked ? 'This node' : 'The hardest choice on the way'),
      html('h3', {}, before.length ? `${before.join(' ')} ` : '', html('b', {}, last)),
      html('p', {class: 'note'}, said),
      html(
        'dl',
        {class: 'facts'},
        ...fact('this step', node.kind === 'root' ? '–' : percent(Math.exp(node.score - (node.parent?.score ?? 0)))),
        ...fact('so far', percent(Math.exp(node.score))),
        ...fact('score', decimal(node.score, 3)),
      ),
    ),
    html(
      'div',
      {},
      html('h4', {}, bars.length ? 'What could follow' : 'Nothing follows'),
      html('ol', {class: 'following'}, ...bars),
    ),
  );
}

function showTable() {
  const {steps} = /** @type {BeamTree} */ (tree);
  const head = html(
    'tr',
    {},
    html('th', {scope: 'col'}, 'Step'),
    ...(steps[0] ?? []).map((_, rank) => html('th', {scope: 'col'}, `Place ${rank + 1}`)),
  );
  const rows = steps.map((nodes, step) =>
    html(
      'tr',
      {},
      html('th', {scope: 'row'}, String(step + 1)),
      ...nodes.map((node) => {
        const fate = node.final ? 'final' : node.children.length === 0 ? 'dropped' : node.alive ? '' : 'dropped later';
        return html(
          'td',
          {class: node.alive ? 'alive' : 'dead'},
          html('b', {}, node.label),
          ` ${decimal(node.score)}`,
          html(
            'small',
            {},
            step > 0 ? `from place ${(node.parent?.rank ?? 0) + 1}` : '',
            fate && step > 0 ? ', ' : '',
            fate,
          ),
        );
      }),
    ),
  );
  byId('table', HTMLElement).replaceChildren(
    html(
      'table',
      {},
      html(
        'caption',
        {},
        `What TopK kept for “${selected}”: phoneme, score, and the place in the step before that it continues`,
      ),
      html('thead', {}, head),
      html('tbody', {}, ...rows),
    ),
  );
}

// ---------------------------------------------------------------- starting

/** @param {unknown} error */
function fail(error) {
  root.dataset.state = 'failed';
  byId('loading', HTMLElement).hidden = true;
  byId('results', HTMLElement).hidden = true;
  const again = html('button', {type: 'button'}, 'Try again');
  again.addEventListener('click', () => location.reload());
  const place = byId('problem', HTMLElement);
  place.hidden = false;
  place.replaceChildren(
    html('h2', {}, 'This did not work'),
    html('p', {}, error instanceof Error ? error.message : String(error)),
    again,
  );
}

/**
 * Adds a line to the loading list.
 * @param {string} name
 */
function loadingLine(name) {
  const bar = html('progress', {'aria-label': name});
  const text = html('span', {class: 'number'}, '…');
  byId('loading', HTMLElement).append(html('p', {}, html('span', {}, name), bar, text));
  return {
    /**
     * @param {number} have
     * @param {number | undefined} total
     */
    progress(have, total) {
      if (total) set(bar, {max: total, value: have});
      text.textContent = total ? `${size(have)} of ${size(total)}` : size(have);
    },
    /** @param {string} told */
    done(told) {
      set(bar, {max: 1, value: 1});
      text.textContent = told;
    },
  };
}

/** @param {string} file */
async function modelFile(file) {
  const line = loadingLine(file);
  const bytes = await fetchBytes(`model/${file}`, line.progress);
  line.done(size(bytes.length));
  return bytes;
}

/** Size of the fetched .wasm in bytes. */
function wasmBytes() {
  const entry = performance.getEntriesByType('resource').find(({name}) => name.endsWith('.wasm'));
  return entry instanceof PerformanceResourceTiming ? entry.decodedBodySize : 0;
}

function showBuilds() {
  const given = new URLSearchParams(location.search).get('build');
  const menu = byId('build', HTMLSelectElement);
  menu.replaceChildren(
    html('option', {value: ''}, 'the one that fits best'),
    ...builds.map((name) =>
      html(
        'option',
        {value: name, selected: name === given, disabled: name.endsWith('-mt') && !crossOriginIsolated},
        name,
      ),
    ),
  );
  menu.addEventListener('change', () => {
    location.search = menu.value ? `?build=${menu.value}` : '';
  });
  if (given) ov.configure({build: /** @type {import('wasmvino').BuildName} */ (given)});
}

async function start() {
  const began = performance.now();
  recall();
  showBuilds();
  const {name, reason} = ov.build;
  byId('loading', HTMLElement).hidden = false;
  const engineLine = loadingLine(`engine (${name})`);
  const [xml, bin, vocabulary] = await Promise.all([
    modelFile('model.xml'),
    modelFile('model.bin'),
    fetchJson('model/vocab.json'),
    ov.ready.then(() => engineLine.done(size(wasmBytes()))),
  ]);
  const compiling = performance.now();
  const core = new ov.Core();
  // A word takes a few milliseconds, so several threads would not help.
  const model = await core.compileModel(await core.readModel(xml, bin), 'CPU', {INFERENCE_NUM_THREADS: 1});
  decoder = new Decoder(ov, model, vocabulary);
  const ended = performance.now();
  byId('engine', HTMLElement).replaceChildren(
    ...fact('build', name, reason),
    ...fact('engine', size(wasmBytes()), 'WebAssembly'),
    ...fact('model', size(xml.length + bin.length), `model.xml ${size(xml.length)}, model.bin ${size(bin.length)}`),
    ...fact('compiled in', milliseconds(ended - compiling), `ready after ${milliseconds(ended - began)}`),
  );
  byId('loading', HTMLElement).hidden = true;
  byId('results', HTMLElement).hidden = false;
  await update();
  return decoder;
}

/** @param {() => void | Promise<void>} act */
function orFail(act) {
  return () => {
    try {
      act()?.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}

byId('form', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());
words.addEventListener(
  'input',
  orFail(() => {
    // Selects the word at the cursor.
    const typed = wordsOf(words.value.slice(0, words.selectionEnd ?? undefined));
    const all = wordsOf(words.value);
    selected = all[Math.max(0, typed.length - 1)] ?? '';
    return update();
  }),
);
beam.addEventListener(
  'input',
  orFail(() => {
    byId('beam-value', HTMLElement).textContent = beam.value;
    return update();
  }),
);
for (const example of document.querySelectorAll('[data-words]')) {
  example.addEventListener(
    'click',
    orFail(() => {
      words.value = /** @type {HTMLElement} */ (example).dataset.words ?? '';
      selected = wordsOf(words.value)[0] ?? '';
      return update();
    }),
  );
}
addEventListener(
  'hashchange',
  orFail(() => {
    recall();
    return update();
  }),
);
tabs.addEventListener('click', (event) => {
  const tab = event.target instanceof Element ? event.target.closest('[data-word]') : null;
  if (tab instanceof HTMLElement) orFail(() => select(tab.dataset.word ?? ''))();
});
tabs.addEventListener('keydown', (event) => {
  const at = wanted.indexOf(selected);
  const last = wanted.length - 1;
  const to = {ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last}[event.key];
  const word = to === undefined ? undefined : wanted[to];
  if (word === undefined) return;
  event.preventDefault();
  orFail(() => select(word))();
  /** @type {HTMLElement | undefined} */ (tabs.children[/** @type {number} */ (to)])?.focus();
});
byId('nbest', HTMLElement).addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('button') : null;
  if (button) choose(Number(button.dataset.rank));
});
stepRange.addEventListener('input', () => {
  stop();
  showStep(Number(stepRange.value));
});
play.addEventListener('click', togglePlay);

const theme = byId('theme', HTMLButtonElement);
const systemDark = matchMedia('(prefers-color-scheme: dark)');
function isDark() {
  return root.dataset.theme ? root.dataset.theme === 'dark' : systemDark.matches;
}
function showTheme() {
  byId('theme-name', HTMLElement).textContent = isDark() ? 'Light' : 'Dark';
}
theme.addEventListener('click', () => {
  const dark = !isDark();
  // The system's scheme needs no setting.
  if (dark === systemDark.matches) delete root.dataset.theme;
  else root.dataset.theme = dark ? 'dark' : 'light';
  try {
    if (root.dataset.theme) localStorage.setItem('theme', root.dataset.theme);
    else localStorage.removeItem('theme');
  } catch {
    // Without storage, the choice is lost with the page.
  }
  showTheme();
});
systemDark.addEventListener('change', showTheme);
showTheme();

/** Resolves to the decoder of this page once it is loaded, or to undefined if loading failed. The page then shows the error. */
export const ready = start().catch((error) => {
  fail(error);
  return undefined;
});
