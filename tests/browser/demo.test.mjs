// SPDX-License-Identifier: Apache-2.0
// Tests the demo page in Chromium: decoding, drawing, controls, and messages when something is missing.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {after, afterEach, before, describe, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {chromium} from 'playwright-core';
import {serve} from '../../scripts/serve.mjs';

const BUILDS = ['simd', 'relaxed', 'simd-mt', 'relaxed-mt'];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const WIDE = {width: 1280, height: 900};
const PHONE = {width: 360, height: 740};
const root = fileURLToPath(new URL('../..', import.meta.url));
const golden = JSON.parse(readFileSync(`${root}build/testdata/models/g2p/words_golden.json`, 'utf8'));

let isolated;
let plain;
let browser;
let contexts = [];

before(async () => {
  execFileSync(process.execPath, ['demo/build.mjs'], {cwd: root, stdio: 'inherit'});
  isolated = await serve(`${root}build/demo`);
  plain = await serve(`${root}build/demo`, {isolated: false});
  browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS});
});

after(async () => {
  await browser?.close();
  await Promise.all([isolated?.close(), plain?.close()]);
});

afterEach(async () => {
  await Promise.all(contexts.map((context) => context.close()));
  contexts = [];
});

/**
 * Opens the page. page.problems collects its errors, console messages and policy violations.
 */
async function open({
  site = plain,
  words = 'browser rhythm',
  beam = 5,
  build,
  view = WIDE,
  wait = 'ready',
  routes = {},
  ...options
} = {}) {
  const context = await browser.newContext({viewport: view, reducedMotion: 'reduce', ...options});
  contexts.push(context);
  const page = await context.newPage();
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(error.message));
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && page.problems.push(message.text()));
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  for (const [file, answer] of Object.entries(routes)) await page.route(`**/${file}`, answer);
  const query = build ? `?build=${build}` : '';
  await page.goto(`${site.url}${query}#${new URLSearchParams({words, beam})}`);
  if (wait) await page.waitForFunction((state) => document.documentElement.dataset.state === state, wait);
  return page;
}

/** Decodes words with the page's own engine. */
function decode(page, words, beam) {
  return page.evaluate(
    async ([words, beam]) => {
      const {ready} = await import(new URL('main.js', document.baseURI));
      const decoder = await ready;
      return words.map((word) => {
        const {hypotheses, sequences} = decoder.decode(word, beam);
        return {hypotheses, sequences: Array.from(sequences)};
      });
    },
    [words, beam],
  );
}

/** Decodes the golden words, and compares all listed hypotheses. */
async function checkGolden(page, beam, words = golden.words) {
  const decoded = await decode(
    page,
    words.map(({word}) => word),
    beam,
  );
  decoded.forEach(({hypotheses}, i) => {
    const {word, beams} = words[i];
    assert.equal(hypotheses.length, beam);
    beams[beam].forEach(({ids, phonemes, score}, rank) => {
      const got = hypotheses[rank];
      assert.deepEqual([got.ids, got.phonemes], [ids, phonemes], `${word}, beam ${beam}, hypothesis ${rank}`);
      assert.ok(
        Math.abs(got.score - score) < 1e-3,
        `${word}, beam ${beam}, hypothesis ${rank}: ${got.score}, not ${score}`,
      );
    });
  });
}

/** Returns the drawn tree: nodes, and edges as pairs of "step:rank". */
function drawn(page) {
  return page.evaluate(() => ({
    nodes: Array.from(document.querySelectorAll('#tree .node'), ({dataset, classList}) => ({
      id: `${dataset.step}:${dataset.rank}`,
      step: Number(dataset.step),
      rank: Number(dataset.rank),
      token: Number(dataset.token),
      classes: [...classList],
    })),
    edges: Array.from(document.querySelectorAll('#tree .edge'), ({dataset, classList}) => ({
      from: dataset.from,
      to: dataset.to,
      classes: [...classList],
    })),
  }));
}

/** Returns the path from the root to a node, following the drawn edges. */
function wayTo(tree, id) {
  const way = [];
  for (let at = id; at !== '-1:0';) {
    way.unshift(at);
    const edges = tree.edges.filter(({to}) => to === at);
    assert.equal(edges.length, 1, `${at} has one edge to it`);
    at = edges[0].from;
  }
  return way;
}

describe('decoding', () => {
  for (const build of BUILDS) {
    test(`the golden words are decoded by the build ${build}`, async () => {
      const page = await open({site: isolated, build});
      assert.match(await page.locator('#engine').innerText(), new RegExp(`build\\s+${build}\\s`));
      await checkGolden(page, 5);
      for (const beam of [1, 3, 10]) await checkGolden(page, beam, golden.words.slice(0, 60));
      assert.deepEqual(page.problems, []);
    });
  }

  test('words are decoded as they are typed', async () => {
    const page = await open({words: ''});
    assert.ok(await page.locator('#nothing').isVisible());
    const words = golden.words.slice(0, 4);
    await page.locator('#words').pressSequentially(words.map(({word}) => word).join(' '));
    await page.waitForFunction(
      (count) => document.querySelectorAll('.tab .time:not(:empty)').length === count,
      words.length,
    );
    const tabs = await page
      .locator('.tab')
      .evaluateAll((all) => all.map((tab) => Array.from(tab.children, (part) => part.textContent)));
    tabs.forEach(([word, said, time], i) => {
      assert.deepEqual([word, said], [words[i].word, words[i].beams[5][0].phonemes]);
      assert.match(time, /^[\d.]+ ms$/);
    });
    // The page shows the word at the cursor.
    const last = words.at(-1);
    assert.equal(await page.locator('#headword').innerText(), last.word);
    const shown = await page
      .locator('#nbest button')
      .evaluateAll((all) =>
        all.map((button) => ['said', 'score', 'number'].map((part) => button.querySelector(`.${part}`).textContent)),
      );
    last.beams[5].forEach(({phonemes, score}, rank) => {
      assert.equal(shown[rank][0], phonemes);
      assert.ok(Math.abs(Number(shown[rank][1].replace('−', '-')) - score) < 2e-3);
      const probability = shown[rank][2] === '< 0.1 %' ? 0 : parseFloat(shown[rank][2]);
      assert.ok(Math.abs(probability - 100 * Math.exp(score)) < 0.6);
    });
    assert.deepEqual(page.problems, []);
  });

  test('the beam width changes everything that is shown', async () => {
    const page = await open({words: 'browser'});
    await page.locator('#beam').fill('3');
    await page.waitForFunction(() => document.querySelectorAll('#nbest li').length === 3);
    const tree = await drawn(page);
    assert.equal(Math.max(...tree.nodes.map(({rank}) => rank)), 2);
    assert.equal(await page.locator('#beam-value').innerText(), '3');
    // The URL contains the state.
    await page.reload();
    await page.waitForFunction(() => document.querySelectorAll('#nbest li').length === 3);
  });

  test('letters that the model does not know are named', async () => {
    const page = await open({words: 'straße'});
    assert.match(await page.locator('#hint').innerText(), /reads “ß” as <unk>/);
  });

  test('the page says which build it uses, and why', async () => {
    const page = await open();
    assert.match(
      await page.locator('#engine').innerText(),
      /build\s+relaxed\s+relaxed SIMD; one thread: .*not cross-origin isolated/,
    );
    const other = await open({site: isolated});
    assert.match(await other.locator('#engine').innerText(), /build\s+relaxed-mt\s/);
    await other.locator('#build').selectOption('simd');
    await other.waitForURL(/\?build=simd#words=browser/);
    await other.waitForFunction(() => document.documentElement.dataset.state === 'ready');
    assert.match(await other.locator('#engine').innerText(), /build\s+simd\s/);
  });
});

describe('the tree', () => {
  for (const [words, beam] of [
    ['browser', 5],
    ['rhythm', 10],
    ['chanson', 3],
    ['wynnona', 1],
    ['internationalization', 7],
    ['a', 10],
  ]) {
    test(`of ${words} with ${beam} beams is what GatherTree walked back`, async () => {
      const page = await open({words, beam});
      const [{hypotheses, sequences}] = await decode(page, [words], beam);
      const tree = await drawn(page);
      const last = Math.max(...tree.nodes.map(({step}) => step));
      const byId = new Map(tree.nodes.map((node) => [node.id, node]));
      const survivors = new Set(['-1:0']);
      for (let rank = 0; rank < beam; ++rank) {
        const way = wayTo(tree, `${last}:${rank}`);
        way.forEach((id) => survivors.add(id));
        const gathered = way.map((_, step) => sequences[step * beam + rank]);
        assert.deepEqual(
          way.map((id) => byId.get(id).token),
          gathered,
          `hypothesis ${rank}`,
        );
        assert.deepEqual(
          gathered.filter((id) => id !== 3),
          hypotheses[rank].ids,
        );
        // Choosing a hypothesis marks the nodes and edges of its path, and no others.
        await page.locator(`#nbest button[data-rank="${rank}"]`).click();
        const now = await drawn(page);
        const marked = now.nodes.filter(({classes}) => classes.includes('path')).map(({id}) => id);
        assert.deepEqual(marked.sort(), ['-1:0', ...way].sort());
        assert.deepEqual(
          now.edges
            .filter(({classes}) => classes.includes('path'))
            .map(({to}) => to)
            .sort(),
          [...way].sort(),
        );
      }
      // Nodes that led to no hypothesis are shown as dropped.
      for (const {id, classes, step} of tree.nodes) {
        assert.equal(classes.includes('alive'), survivors.has(id), id);
        assert.equal(classes.includes('dropped'), step < last && !tree.edges.some(({from}) => from === id), id);
      }
      assert.equal(await page.locator('#agreement').innerText(), 'The paths are those that GatherTree gave.');
      // The table has the same content.
      const rows = await page
        .locator('#table tbody tr')
        .evaluateAll((all) => all.map((row) => Array.from(row.querySelectorAll('td b'), (cell) => cell.textContent)));
      const vocabulary = await page.evaluate(async () => (await fetch('model/vocab.json')).json());
      const inTree = Array.from({length: last + 1}, (_, step) =>
        Array.from({length: beam}, (_, rank) => vocabulary.phonemes[byId.get(`${step}:${rank}`).token]),
      );
      assert.deepEqual(rows, inTree);
      assert.deepEqual(page.problems, []);
    });
  }

  test('the scores of the last step are those of the outputs', async () => {
    const page = await open({words: 'browser'});
    const labels = await page
      .locator('#tree .final')
      .evaluateAll((all) => all.map((node) => [Number(node.dataset.rank), node.getAttribute('aria-label')]));
    for (const [rank, label] of labels) {
      const score = Number(/score (\S+),/.exec(label)[1].replace('−', '-'));
      assert.ok(Math.abs(score - golden.words.find(({word}) => word === 'browser').beams[5][rank].score) < 6e-3);
    }
    assert.equal(labels.length, 5);
  });

  test('steps can be gone through', async () => {
    const page = await open({words: 'browser'});
    await page.locator('#step').fill('2');
    const later = (await drawn(page)).nodes.filter(({classes}) => classes.includes('later'));
    assert.ok(later.length > 0 && later.every(({step}) => step >= 2));
    assert.match(await page.locator('#step').getAttribute('aria-valuetext'), /^2 of 6: TopK kept 5 of 370/);
    await page.locator('#play').click();
    await page.waitForFunction(() => document.querySelector('#step').value === '6');
    assert.equal(await page.locator('#tree .later').count(), 0);
    assert.equal(await page.locator('#play').getAttribute('aria-pressed'), 'false');
  });

  test('a node tells what could follow it', async () => {
    const page = await open({words: 'browser'});
    await page.locator('.node[data-step="2"][data-rank="0"]').hover();
    const inspector = page.locator('#inspector');
    assert.match(await inspector.locator('h3').innerText(), /^B R\s+AW1$/);
    const following = await inspector.locator('li').evaluateAll((all) => all.map((item) => item.textContent));
    assert.equal(following.length, 5);
    assert.match(following[0], /^S58 %place 1$/);
    assert.match(following[1], /^Z42 %place 2$/);
  });
});

describe('keyboard and screen reader', () => {
  test('everything is reached and worked by the keyboard', async () => {
    const page = await open({words: 'browser rhythm phoneme'});
    const focused = () =>
      page.evaluate(() => ({
        id: document.activeElement.id,
        ...document.activeElement.dataset,
        name: document.activeElement.className,
      }));
    const reached = [];
    for (let i = 0; i < 60 && reached.at(-1)?.id !== 'build'; ++i) {
      await page.keyboard.press('Tab');
      reached.push(await focused());
    }
    for (const id of ['theme', 'words', 'beam', 'play', 'step', 'build'])
      assert.ok(
        reached.some((one) => one.id === id),
        id,
      );
    // The words and the tree each have one tab stop.
    assert.equal(reached.filter(({word}) => word).length, 1);
    assert.equal(reached.filter(({step}) => step).length, 1);

    await page.locator('[role="tab"]').first().focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.locator('#headword').innerText(), 'rhythm');
    assert.equal((await focused()).word, 'rhythm');
    await page.keyboard.press('End');
    assert.equal(await page.locator('#headword').innerText(), 'phoneme');
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.locator('#headword').innerText(), 'browser');

    await page.locator('.node.root').focus();
    const at = async () => {
      const {step, rank} = await focused();
      return [Number(step), Number(rank)];
    };
    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await at(), [0, 0]);
    await page.keyboard.press('ArrowDown');
    assert.deepEqual(await at(), [0, 1]);
    await page.keyboard.press('ArrowLeft');
    assert.deepEqual(await at(), [-1, 0]);
    await page.keyboard.press('End');
    assert.deepEqual(await at(), [5, 0]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('#nbest button[data-rank="1"]').getAttribute('aria-pressed'), 'true');
    assert.equal(await page.locator('#ipa').innerText(), '/ˈbɹaʊzɚ/');
    await page.keyboard.press('Home');
    assert.deepEqual(await at(), [-1, 0]);
    // The focus ring is visible.
    assert.notEqual(
      await page.locator('.node.root .shape').evaluate((shape) => getComputedStyle(shape).strokeWidth),
      '1.5px',
    );

    await page.locator('#nbest button').nth(2).focus();
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('#nbest button[data-rank="2"]').getAttribute('aria-pressed'), 'true');
    await page.locator('#beam').focus();
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => document.querySelectorAll('#nbest li').length === 4);
    assert.deepEqual(page.problems, []);
  });

  test('on a phone, arrows go the way that time goes', async () => {
    const page = await open({words: 'browser', view: PHONE});
    await page.locator('.node.root').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await page.evaluate(() => ({...document.activeElement.dataset})), {
      step: '0',
      rank: '1',
      token: '36',
    });
  });

  test('roles, names and levels tell the tree', async () => {
    const page = await open({words: 'browser'});
    await page.getByRole('tree', {name: 'The beam, step by step'}).waitFor();
    await page
      .getByRole('treeitem', {name: 'AW1 after B R, step 3, place 1 in the beam, score −0.08', exact: true})
      .waitFor();
    await page
      .getByRole('treeitem', {name: 'ZH, step 1, place 5 in the beam, score −13.19, dropped: no continuation was kept'})
      .waitFor();
    await page
      .getByRole('treeitem', {
        name: 'end of B R AW1 S ER0, step 6, place 1 in the beam, score −0.63, final hypothesis 1',
      })
      .waitFor();
    const levels = await page
      .locator('[role="treeitem"]')
      .evaluateAll((all) =>
        all.map((item) => [Number(item.dataset.step) + 2, Number(item.getAttribute('aria-level'))]),
      );
    for (const [wanted, level] of levels) assert.equal(level, wanted);
    await page.getByRole('textbox', {name: 'Words'}).waitFor();
    await page.getByRole('slider', {name: 'Beam width'}).waitFor();
    await page.getByRole('tab', {name: /^browser/, selected: true}).waitFor();
    await page.getByRole('tabpanel').waitFor();
    await page.getByRole('button', {name: 'Dark theme'}).waitFor();
    const nameless = await page.locator('button, input, select, summary, a, [role]').evaluateAll((all) =>
      all
        .filter(
          (one) =>
            one.checkVisibility() &&
            !['presentation', 'status', 'tabpanel', 'alert'].includes(one.getAttribute('role')),
        )
        .filter(
          (one) =>
            !(
              one.textContent.trim() ||
              one.getAttribute('aria-label') ||
              one.getAttribute('aria-labelledby') ||
              one.labels?.length
            ),
        )
        .map((one) => one.outerHTML),
    );
    assert.deepEqual(nameless, []);
    // Screen readers get an announcement when typing pauses.
    await page.locator('#words').fill('wynnona');
    await page
      .getByRole('status')
      .filter({hasText: /^wynnona: W /})
      .waitFor();
  });
});

describe('looks', () => {
  const colours = (page) =>
    page.evaluate(() => {
      const context = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
      const luminance = (colour) => {
        context.fillStyle = colour;
        context.fillRect(0, 0, 1, 1);
        const [r, g, b] = Array.from(context.getImageData(0, 0, 1, 1).data, (v) =>
          v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
        );
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      const of = (selector, property) => luminance(getComputedStyle(document.querySelector(selector))[property]);
      return {
        paper: of('body', 'backgroundColor'),
        contrasts: [
          ['body', contrast(of('body', 'color'), of('body', 'backgroundColor'))],
          ['.lead', contrast(of('.lead', 'color'), of('body', 'backgroundColor'))],
          ['.ipa', contrast(of('.ipa', 'color'), of('.panel', 'backgroundColor'))],
          ['.phonemes b', contrast(of('.phonemes b', 'color'), of('.phonemes li', 'backgroundColor'))],
          ['.phonemes span', contrast(of('.phonemes span', 'color'), of('.phonemes li', 'backgroundColor'))],
          ['.agrees', contrast(of('.agrees', 'color'), of('.panel', 'backgroundColor'))],
          ['path node', contrast(of('.phoneme.path .label', 'fill'), of('.phoneme.path .shape', 'fill'))],
          [
            'live node',
            contrast(of('.phoneme.alive:not(.path) .label', 'fill'), of('.phoneme.alive:not(.path) .shape', 'fill')),
          ],
          [
            'live score',
            contrast(of('.phoneme.alive:not(.path) .score', 'fill'), of('.phoneme.alive:not(.path) .shape', 'fill')),
          ],
          ['dead node', contrast(of('.phoneme.dead .label', 'fill'), of('.phoneme.dead .shape', 'fill'))],
        ],
      };
    });

  for (const colorScheme of ['light', 'dark']) {
    test(`${colorScheme}: colours fit the scheme, and text can be read`, async () => {
      const page = await open({colorScheme});
      const {paper, contrasts} = await colours(page);
      assert.equal(paper < 0.5, colorScheme === 'dark');
      for (const [what, contrast] of contrasts) assert.ok(contrast >= 4.5, `${what}: ${contrast.toFixed(2)}`);
      assert.deepEqual(page.problems, []);
    });
  }

  test('the theme can be changed, is kept, and changed back follows the system again', async () => {
    const page = await open({colorScheme: 'light'});
    const isDark = async () => (await colours(page)).paper < 0.5;
    await page.getByRole('button', {name: 'Dark theme'}).click();
    assert.ok(await isDark());
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
    assert.ok(await isDark());
    await page.getByRole('button', {name: 'Light theme'}).click();
    assert.ok(!(await isDark()));
    await page.emulateMedia({colorScheme: 'dark'});
    assert.ok(await isDark());
    assert.deepEqual(page.problems, []);
  });

  for (const [words, beam] of [
    ['browser', 1],
    ['rhythm', 10],
    ['internationalization', 10],
  ]) {
    test(`${words} with ${beam} beams fits on a phone`, async () => {
      const page = await open({words, beam, view: PHONE});
      const sizes = await page.evaluate(() => {
        const edge = document.querySelector('.panel').getBoundingClientRect();
        return {
          page: document.documentElement.scrollWidth - innerWidth,
          outside: Array.from(document.querySelectorAll('#tree .node .shape'), (shape) =>
            shape.getBoundingClientRect(),
          ).filter(({left, right}) => left < edge.left || right > edge.right).length,
          direction: document.querySelector('#tree').dataset.direction,
        };
      });
      assert.deepEqual(sizes, {page: 0, outside: 0, direction: 'downwards'});
    });
  }

  test('on a wide screen hypotheses stand beside the rows that they end', async () => {
    const page = await open({words: 'browser'});
    const middle = ({top, bottom}) => (top + bottom) / 2;
    const rects = (selector) =>
      page.locator(selector).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
    const [finals, rows] = [await rects('#tree .final .shape'), await rects('#nbest .rank')];
    assert.equal(finals.length, 5);
    const tops = finals.map(middle).sort((a, b) => a - b);
    rows.forEach((row, rank) => assert.ok(Math.abs(middle(row) - tops[rank]) < 3, `row ${rank}`));
  });

  test('motion is left out where it is not wanted', async () => {
    const calm = await open({words: 'browser'});
    await calm.locator('#nbest button').nth(1).click();
    assert.equal(await calm.evaluate(() => document.getAnimations().length), 0);
    const lively = await open({words: 'browser', reducedMotion: 'no-preference'});
    await lively.locator('#nbest button').nth(1).click();
    assert.ok((await lively.evaluate(() => document.getAnimations().length)) > 0);
  });
});

describe('loading', () => {
  test('says what is fetched, and how much', async () => {
    let go;
    const held = new Promise((resolve) => (go = resolve));
    const page = await open({wait: '', routes: {'model.bin': (route) => held.then(() => route.continue())}});
    const loading = page.getByRole('region', {name: 'Loading'});
    await loading.getByText('53 KB').waitFor();
    assert.match(await loading.innerText(), /engine \(relaxed\)[^]*model\.xml[^]*model\.bin/);
    go();
    await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
    assert.ok(!(await loading.isVisible()));
    assert.match(await page.locator('#engine').innerText(), /model\.xml 53 KB, model\.bin 3\.3 MB/);
  });

  const page404 = {status: 404, contentType: 'text/html', body: '<!doctype html><title>Not found</title>'};
  const spa = {status: 200, contentType: 'text/html', body: '<!doctype html><title>Home</title>'};
  for (const [what, file, answer, message] of [
    ['no weights', 'model.bin', page404, /model\/model\.bin is not there: the server answered 404/],
    ['a page in place of the model', 'model.xml', spa, /HTML/],
    ['a page in place of the weights', 'model.bin', spa, /HTML/],
    [
      'a page in place of the vocabulary',
      'vocab.json',
      spa,
      /vocab\.json is not JSON: the server sent a page in its place/,
    ],
    ['a page in place of the engine', '*.wasm', spa, /wasm.*HTML/],
    ['no engine', '*.wasm', page404, /wasm.*404/],
  ]) {
    test(`${what}: the page says so`, async () => {
      const page = await open({wait: 'failed', routes: {[file]: (route) => route.fulfill(answer)}});
      assert.match(await page.getByRole('alert').innerText(), message);
      await page.getByRole('button', {name: 'Try again'}).waitFor();
      assert.ok(!(await page.locator('#results').isVisible()));
    });
  }

  test('threads without isolation: the page says so', async () => {
    const page = await open({build: 'simd-mt', wait: 'failed'});
    assert.match(await page.getByRole('alert').innerText(), /simd-mt/);
  });

  test('the policy is in the page and in the header, and allows neither eval nor inline scripts', async () => {
    const page = await open();
    const {meta, header} = await page.evaluate(async () => ({
      meta: document.querySelector('meta[http-equiv="Content-Security-Policy"]').content,
      header: (await fetch(location.href)).headers.get('Content-Security-Policy'),
    }));
    for (const policy of [meta, header]) {
      assert.match(policy, /script-src 'self' 'wasm-unsafe-eval'(;|$)/);
      assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'/);
    }
    assert.deepEqual(page.problems, []);
  });
});
