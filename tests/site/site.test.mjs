// SPDX-License-Identifier: Apache-2.0
// Tests the built site (node site/build.mjs): links, size, security policy, WCAG with axe-core, and the behaviour of pages.
import assert from 'node:assert/strict';
import {existsSync, readFileSync, readdirSync, statSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join, relative} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import puppeteer from 'puppeteer-core';
import {serve} from '../../scripts/serve.mjs';
import {formatNpy} from '../../js/src/arrays/npy.mjs';
import {boxesOf} from '../../site/.vitepress/playground/boxes.js';
import {readGraph} from '../../site/.vitepress/playground/graph.js';
import {ownTimes} from '../../site/.vitepress/playground/profile.js';
import {irText} from '../js/engine.mjs';
import {launch} from '../package/install.mjs';
import {smallFiles} from './small_models.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = join(root, 'build/site');
const axe = createRequire(join(root, 'site/package.json')).resolve('axe-core/axe.min.js');

const files = readdirSync(built, {recursive: true}).filter((file) => statSync(join(built, file)).isFile());
const pages = files.filter((file) => file.endsWith('.html') && !/^(demo|frame)\//.test(file));
const sources = new Map(pages.map((page) => [page, readFileSync(join(built, page), 'utf8')]));

let server;
let browser;
before(async () => {
  server = await serve(built, {policy: null});
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** Opens a page. page.problems collects its errors, console messages and policy violations. */
async function open(path, options = {}) {
  const context = await browser.newContext({reducedMotion: 'reduce', viewport: {width: 1280, height: 900}, ...options});
  const page = await context.newPage();
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(error.message));
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && page.problems.push(message.text()));
  page.on('response', (response) => response.status() >= 400 && page.problems.push(`${response.status()} ${response.url()}`));
  await page.goto(server.url + path, {waitUntil: 'networkidle'});
  return page;
}

/** Checks that axe-core finds no violation of WCAG 2.2 AA but of these rules, and that nothing is wider than the window. */
async function checkAccess(page, except = []) {
  await page.evaluate(readFileSync(axe, 'utf8'));
  const violations = await page.evaluate(async (except) => {
    const rules = Object.fromEntries(except.map((rule) => [rule, {enabled: false}]));
    const {violations} = await globalThis.axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], rules});
    return violations.map(({id, nodes}) => `${id}: ${nodes.map(({target, failureSummary}) => `${target} ${failureSummary}`).slice(0, 3).join('; ')}`);
  }, except);
  assert.deepEqual(violations, []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
}

test('every link leads to a page, a file and an anchor that there is', () => {
  assert.ok(pages.length > 40);
  const broken = [];
  for (const [page, html] of sources) {
    const body = html.replace(/<script[^]*?<\/script>/g, '');
    for (const [, href] of body.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)) {
      if (/^(https?|mailto|blob):/.test(href)) continue;
      const {pathname, hash} = new URL(href.replaceAll('&amp;', '&'), `http://site/${page}`);
      const path = decodeURIComponent(pathname).slice(1);
      const target = path === '' || path.endsWith('/') ? `${path}index.html` : path;
      if (!existsSync(join(built, target)) || !statSync(join(built, target)).isFile()) broken.push(`${page}: ${href}`);
      else if (hash && sources.has(target)) {
        const id = decodeURIComponent(hash.slice(1));
        if (!sources.get(target).includes(`id="${id}"`)) broken.push(`${page}: ${href} (no such anchor)`);
      }
    }
  }
  assert.deepEqual(broken, []);
});

test('every page states its policy, before any script', () => {
  for (const [page, html] of sources) {
    const at = html.indexOf('http-equiv="Content-Security-Policy"');
    assert.ok(at > 0 && at < html.indexOf('<script'), page);
    const [, scripts] = /content="[^"]*script-src ([^;"]*)/.exec(html);
    assert.match(scripts, /^'self' 'wasm-unsafe-eval'( 'sha256-[\w+/=]+')+$/, page);
  }
});

test('a page without engine and models transfers less than 300 KB', async () => {
  for (const path of ['', 'guides/first-model.html', 'reference/operators.html']) {
    const page = await open(path);
    const urls = await page.evaluate(() => performance.getEntriesByType('resource').map(({name}) => name));
    const sizes = [server.url + path, ...urls].map((url) => {
      const file = relative(built, server.locate(new URL(url).pathname).file);
      const bytes = readFileSync(join(built, file === '' ? 'index.html' : file));
      return /\.(woff2|png)$/.test(file) ? bytes.length : gzipSync(bytes).length;
    });
    assert.ok(urls.length > 3);
    assert.equal(urls.filter((url) => /\.wasm$|browser.*\.js$|model\.bin$/.test(url)).length, 0);
    const total = sizes.reduce((sum, size) => sum + size);
    assert.ok(total < 300_000, `${path}: ${total} bytes`);
    await page.context().close();
  }
});

describe('WCAG 2.2 AA by axe-core, and the width of a phone', () => {
  const shown = [
    '',
    'guides/first-model.html',
    'reference/',
    'reference/api/classes/Core.html',
    'reference/operators.html',
    'guides/errors.html',
    '404.html',
    'playground.html',
    'examples/',
    'examples/sentences.html',
  ];
  for (const path of shown) {
    for (const options of [{colorScheme: 'light'}, {colorScheme: 'dark', viewport: {width: 360, height: 740}}]) {
      test(`/${path}, ${options.colorScheme}`, async () => {
        const page = await open(path, options);
        // The theme switch gets its title once the scripts of the page run.
        await page.waitForSelector('.VPSwitchAppearance[title]', {state: 'attached'});
        await checkAccess(page);
        assert.deepEqual(page.problems, []);
        await page.context().close();
      });
    }
  }
});

test('the demo has no violation of WCAG 2.2 AA', async () => {
  const page = await open('demo/', {viewport: {width: 360, height: 740}});
  await page.locator('#phonemes li').first().waitFor();
  // A node shows "AW1 −0.08". Its name says the same in words: "AW1 after B R, …, score −0.08". The rule compares sequences.
  await checkAccess(page, ['label-content-name-mismatch']);
  await page.context().close();
});

test('no page is wider than a phone, and no column of a table with prose is out of sight', async () => {
  // The layout needs no scripts, and many pages load faster without.
  const context = await browser.newContext({javaScriptEnabled: false, viewport: {width: 360, height: 740}});
  await context.route(/\.(js|woff2)$/, (route) => route.abort());
  const page = await context.newPage();
  const wide = [];
  let blocks = 0;
  for (const path of pages) {
    await page.goto(server.url + path);
    const {beyond, cells, hidden} = await page.evaluate(() => {
      const cells = [...document.querySelectorAll('.stacked td')];
      const hidden = cells.filter((cell) => cell.getBoundingClientRect().right > innerWidth);
      return {beyond: document.documentElement.scrollWidth - innerWidth, cells: cells.length, hidden: hidden.map(({textContent}) => textContent)};
    });
    blocks += cells;
    if (beyond > 0 || hidden.length > 0) wide.push(`${path}: ${beyond} pixels, ${hidden.slice(0, 3)}`);
  }
  assert.deepEqual(wide, []);
  assert.ok(blocks > 1000);
  // The remedies of errors are under their title.
  await page.goto(`${server.url}guides/errors.html`);
  const remedy = page.locator('tr', {hasText: 'INVALID_SHAPE'}).locator('td').last();
  assert.equal(await remedy.evaluate((cell) => getComputedStyle(cell, '::before').content), '"remedy"');
  await context.close();
});

/** Pages with code that people wrote. */
const withCode = pages.filter((path) => !/^reference\/[^/]+\//.test(path));

/** In a page: the beginnings of the code blocks that one would have to scroll. */
const cutOff = () =>
  [...document.querySelectorAll('.vp-doc pre')]
    .filter((pre) => pre.checkVisibility() && pre.scrollWidth > pre.clientWidth)
    .map((pre) => `${location.pathname}: ${pre.innerText.slice(0, 80)}`);

test('lines of code are not cut off on a desk', async () => {
  const context = await browser.newContext({javaScriptEnabled: false, viewport: {width: 1280, height: 900}});
  await context.route(/\.js$/, (route) => route.abort());
  const page = await context.newPage();
  const cut = [];
  for (const path of withCode) {
    await page.goto(server.url + path);
    cut.push(...(await page.evaluate(cutOff)));
  }
  assert.deepEqual(cut, []);
  await context.close();
});

test('a diagram of characters does not wrap on a phone', async () => {
  const page = await open('contributing/architecture.html', {viewport: {width: 360, height: 740}});
  assert.equal(await page.locator('.vp-doc pre code').first().evaluate((code) => getComputedStyle(code).whiteSpace), 'pre');
  await page.context().close();
});

test('scroll bars and form fields have the colours of the theme that the visitor chose', async () => {
  const page = await open('guides/first-model.html', {colorScheme: 'light'});
  const schemes = await page.evaluate(() => {
    const scheme = () => getComputedStyle(document.documentElement).colorScheme;
    const light = scheme();
    document.documentElement.classList.add('dark');
    return [light, scheme()];
  });
  assert.deepEqual(schemes, ['light', 'dark']);
  await page.context().close();
});

test('pages hardly shift while they load', async () => {
  for (const [path, width] of ['', 'guides/first-model.html', 'playground.html', 'examples/faces.html', 'reference/operators.html'].flatMap((path) => [[path, 1280], [path, 360]])) {
    const page = await open(path, {viewport: {width, height: 740}});
    const shift = await page.evaluate(
      () =>
        new Promise((resolve) => {
          let sum = 0;
          new PerformanceObserver((list) => list.getEntries().forEach(({value}) => (sum += value))).observe({type: 'layout-shift', buffered: true});
          setTimeout(() => resolve(sum), 200);
        }),
    );
    assert.ok(shift < 0.05, `${path} at ${width} pixels: ${shift}`);
    await page.context().close();
  }
});

describe('home', () => {
  test('the table has the times of docs/benchmarks.json, for all engines', () => {
    const {places} = JSON.parse(readFileSync(join(root, 'docs/benchmarks.json'), 'utf8'));
    const {cases} = places.find(({name}) => name === 'Chromium');
    const html = sources.get('index.html');
    for (const name of ['mobilenet_v2', 'resnet50', 'yolov8n_320', 'minilm_l6_s128']) {
      for (const engine of ['wasmvino', 'onnxruntime-web', 'litert', 'tfjs']) {
        const {min} = cases[name].engines[engine];
        assert.ok(html.includes(`>${min < 100 ? min.toPrecision(3) : Math.round(min)} ms<`), `${engine}: ${name}, ${min}`);
      }
    }
  });

  test('the lines run in the sandboxed frame, also when they were edited', async () => {
    const page = await open('');
    const out = page.locator('.try output');
    await page.click('.try .button.brand');
    await out.getByText(/^sounds: W IH1 N D OW0$/).waitFor();
    assert.ok(await page.locator('.try iframe').isHidden());
    const code = page.locator('#try-code');
    await code.fill((await code.inputValue()).replace("'window'", "'wine'"));
    await page.click('.try .button.brand');
    await out.getByText(/^sounds: W AY1 N$/).waitFor();
    await code.fill("await fetch('https://example.com/')");
    await page.click('.try .button.brand');
    await out.getByText(/there is no file 'https:\/\/example.com\/' in this frame/).waitFor();
    await code.fill("console.log(typeof localStorage)");
    await page.click('.try .button.brand');
    await out.getByText(/SecurityError/).waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('the decoder starts when it is asked to', async () => {
    const page = await open('');
    await page.click('text=Start the decoder');
    const demo = page.frameLocator('.decoder iframe');
    await demo.locator('#phonemes li').first().waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
});

describe('playground', () => {
  test('the flame chart counts the layers of bodies once', () => {
    const rows = [
      {nodeName: 'loop', nodeType: 'Loop', ms: 10},
      {nodeName: 'loop/if', nodeType: 'If', ms: 7},
      {nodeName: 'loop/if/add', nodeType: 'Add', ms: 4},
      {nodeName: 'loop/mul', nodeType: 'Multiply', ms: 2},
      {nodeName: 'conv', nodeType: 'Convolution', ms: 5},
      {nodeName: 'conv/relu', nodeType: 'Relu', ms: 1}, // a name with a slash, in no body
    ];
    assert.deepEqual(ownTimes(rows).map(({own}) => own), [1, 3, 4, 2, 5, 1]);
  });

  test('a model is opened, drawn, run, profiled and observed; the page is accessible then, too', async () => {
    const page = await open('playground.html', {viewport: {width: 360, height: 740}});
    await page.click('text=Open a sample');
    await page.locator('.graph canvas').first().waitFor();
    await page.getByRole('button', {name: 'Run', exact: true}).click();
    await page.getByRole('heading', {name: /^scores f32 \[1, \d+\]/}).waitFor();
    await page.locator('.profile .link', {hasText: 'beam_search_loop'}).first().click();
    await page.getByRole('button', {name: 'Observe output 0'}).click();
    await page.locator('.observed h4', {hasText: 'beam_search_loop i32'}).waitFor();
    const titles = page.locator('.profile tbody tr td:nth-child(2)');
    const times = async () => (await titles.allTextContents()).map(Number);
    assert.deepEqual(await times(), (await times()).toSorted((a, b) => b - a));
    await page.locator('.profile').getByRole('button', {name: 'Milliseconds'}).click();
    assert.deepEqual(await times(), (await times()).toSorted((a, b) => a - b));
    assert.match(await page.locator('pre code').textContent(), /'graphemes': new ov\.Tensor\('i32', \[1, 8\]\)/);
    assert.equal(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('xml'), '/demo/model/model.xml');
    await checkAccess(page);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('layers of an .xml are read with their outputs and the layers of their bodies', () => {
    const {nodes, edges} = readGraph(`<net><layers>
      <layer id="0" name="x" type="Parameter"><output><port id="0"/></output></layer>
      <layer id="1" name="loop" type="Loop"><input><port id="0"/></input><output><port id="1"/><port id="2"/></output>
        <port_map><input external_port_id="0" internal_layer_id="0"/><output external_port_id="1" internal_layer_id="1"/></port_map>
        <body><layers><layer id="0" name="a" type="Parameter"><output><port id="0"/></output></layer>
          <layer id="1" name="if" type="If"><output><port id="1"/></output>
            <then_body><layers><layer id="0" name="add" type="Add"><output><port id="2"/></output></layer></layers></then_body></layer>
        </layers><edges><edge from-layer="0" to-layer="1"/></edges></body></layer>
      </layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges></net>`);
    assert.deepEqual(nodes.map(({name, outputs, end}) => [name, outputs, end]), [['x', 1, true], ['loop', 2, false]]);
    assert.deepEqual(nodes[1].inner.map(({path, outputs}) => [path, outputs]), [[['loop', 'if'], 1], [['loop', 'if', 'add'], 1]]);
    assert.deepEqual(edges, [{from: '0', to: '1'}]);
  });

  test('a click in the flame chart shows a layer of a loop, and any port of it is observed in every iteration', async () => {
    const page = await open('playground.html#xml=/demo/model/model.xml&shape=graphemes%3A+1%2C+5');
    await page.locator('.graph canvas').first().waitFor();
    assert.equal(await page.locator('fieldset', {hasText: 'graphemes'}).getByLabel('Shape').inputValue(), '1, 5');
    await page.getByRole('button', {name: 'Run', exact: true}).click();
    await page.locator('.flame .layer', {hasText: 'beam_search_loop/dec_gru'}).click();
    await page.locator('.flame .layer.current', {hasText: 'beam_search_loop/dec_gru'}).waitFor();
    assert.ok(await page.locator('.graph').isVisible());
    assert.ok((await page.locator('#graph').boundingBox()).y < 900, 'the graph is scrolled to');
    const line = page.locator('.node details li', {hasText: 'beam_topk'});
    await line.getByRole('button', {name: 'Observe output 1'}).click();
    await page.locator('.observed h4', {hasText: 'beam_search_loop/beam_topk i32 [1, '}).waitFor();
    const iterations = page.getByLabel('Iteration');
    assert.equal(await iterations.locator('option').count(), 20);
    const seen = new Set();
    for (const iteration of ['0', '1', '2', '3']) {
      await iterations.selectOption(iteration);
      seen.add(await page.locator('.observed').innerText());
    }
    assert.ok(seen.size > 1);
    await page.getByLabel('Find a layer').fill('encoder_loop');
    await page.keyboard.press('Tab');
    await page.locator('.node li', {hasText: 'encoder_loop'}).first().waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('the link holds the settings, and the copied code does the same', async () => {
    const page = await open('playground.html', {permissions: ['clipboard-read', 'clipboard-write']});
    await page.getByLabel('URL of an .xml or .param').fill('/demo/model/model.xml');
    await page.getByLabel('Build').selectOption('simd');
    await page.getByRole('button', {name: 'Open the URL'}).click();
    await page.locator('.graph canvas').first().waitFor();
    await page.locator('fieldset', {hasText: 'graphemes'}).getByLabel('Shape').fill('1, 6');
    await page.getByLabel('Runs', {exact: true}).fill('3');
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole('button', {name: 'Copy the code'}).click();
    const code = await copied();
    assert.match(code, /ov\.configure\({build: 'simd'}\);[^]*compileModel\('\/demo\/model\/model\.xml', 'CPU'\)[^]*'graphemes': new ov\.Tensor\('i32', \[1, 6\]\)/);
    await page.getByRole('button', {name: 'Copy a link'}).click();
    const link = await copied();
    const printed = [];
    page.on('console', (message) => printed.push(message.text()));
    await page.route('**/copied.js', (route) => route.fulfill({contentType: 'text/javascript', body: code.replace("'wasmvino'", "'/wasmvino/browser.js'")}));
    await page.addScriptTag({url: '/copied.js', type: 'module'});
    for (let i = 0; i < 100 && printed.length < 3; i++) await page.waitForTimeout(100);
    assert.deepEqual(printed.map((line) => line.split(' ')[0]), ['sequences', 'scores', 'sequence_lengths']);
    await page.context().close();
    const other = await open(link.slice(server.url.length));
    await other.locator('.graph canvas').first().waitFor();
    await other.getByRole('button', {name: 'Run', exact: true}).click();
    await other.getByText('Time of 3 runs').waitFor();
    await other.getByText(/Build simd: /).waitFor();
    assert.equal(await other.locator('fieldset', {hasText: 'graphemes'}).getByLabel('Shape').inputValue(), '1, 6');
    assert.deepEqual(other.problems, []);
    await other.context().close();
  });

  test('boxes are what rows of corners tell, the best first', () => {
    const picture = {width: 200, height: 100};
    const tensor = (shape, values) => ({type: 'f32', shape, data: Float32Array.from(values)});
    const ssd = boxesOf(tensor([1, 1, 2, 7], [0, 3, 0.5, 0.25, 0.5, 0.75, 1, -1, 9, 9, 0, 0, 1, 1]), picture);
    assert.deepEqual(ssd, [{x: 50, y: 50, width: 100, height: 50, score: 0.5, label: 3}]);
    const rows = boxesOf(tensor([1, 2, 6], [10, 20, 30, 50, 0.25, 1, 0, 0, 5, 5, 0.5, 2]), picture);
    assert.deepEqual(rows.map(({x, width, score, label}) => [x, width, score, label]), [[0, 5, 0.5, 2], [10, 20, 0.25, 1]]);
    assert.equal(boxesOf(tensor([1, 7], [0, 1, 2, 3, 4, 5, 6]), picture), undefined);
    assert.equal(boxesOf(tensor([1, 4, 4, 4], new Array(64).fill(0)), picture), undefined);
    assert.equal(boxesOf({...tensor([2, 4], new Array(8).fill(0)), type: 'i64'}, picture), undefined);
  });

  test('boxes are the best cells of raw YOLO outputs', () => {
    const picture = {width: 64, height: 32}; // 8 × 4, 4 × 2 and 2 × 1 cells
    const cells = 32 + 8 + 2;
    // Values of cells: centre, width, height, then scores.
    const wanted = {3: [20, 10, 16, 8, 0.1, 0.9], 4: [21, 10, 16, 8, 0.2, 0.8], 5: [21, 10, 16, 8, 0.7, 0.1], 40: [40, 16, 30, 20, 0, 0.5]};
    const found = [
      {x: 12, y: 6, width: 16, height: 8, score: 0.9, label: 1},
      {x: 13, y: 6, width: 16, height: 8, score: 0.7, label: 0},
      {x: 25, y: 6, width: 30, height: 20, score: 0.5, label: 1},
    ];
    const rounded = (boxes) => boxes.map((box) => ({...box, score: Number(box.score.toFixed(3))}));
    for (const outline of [[], [-0.5], [7]]) {
      const count = 6 + outline.length;
      const data = new Float32Array(count * cells);
      for (const [cell, values] of Object.entries(wanted)) [...values, ...outline].forEach((value, i) => (data[i * cells + Number(cell)] = value));
      assert.deepEqual(rounded(boxesOf({type: 'f32', shape: [1, count, cells], data}, picture)), found);
    }
    const rows = new Float32Array(3 * cells * 7);
    for (const [cell, [x, y, width, height, ...scores]] of Object.entries(wanted)) rows.set([x, y, width, height, 0.5, ...scores], 7 * (cells + Number(cell)));
    const halved = found.map((box) => ({...box, score: box.score / 2}));
    assert.deepEqual(rounded(boxesOf({type: 'f32', shape: [1, 3 * cells, 7], data: rows}, picture)), halved);
    assert.equal(boxesOf({type: 'f32', shape: [1, 6, cells + 1], data: new Float32Array(6 * (cells + 1))}, picture), undefined);
  });

  test('an output with the shape of a picture is shown as one, as a heat map and as a table', async () => {
    const page = await open('playground.html');
    const value = (names) => [{type: 'f32', shape: [1, 3, 16, 16], names}];
    const model = irText([
      {name: 'image', type: 'Parameter', outputs: value('image')},
      {name: 'relu', type: 'ReLU', inputs: ['image'], outputs: value('kept')},
      {name: 'result', type: 'Result', inputs: ['relu']},
    ]);
    await page.locator('.open input[type=file]').setInputFiles({name: 'relu.xml', mimeType: 'text/xml', buffer: Buffer.from(model)});
    await page.locator('legend', {hasText: 'image'}).waitFor();
    await page.locator('fieldset input[type=file]').setInputFiles({name: 'picture.png', mimeType: 'image/png', buffer: Buffer.from(smallFiles()['picture.png'])});
    await page.locator('fieldset', {hasText: 'picture.png'}).waitFor();
    await page.getByRole('button', {name: 'Run', exact: true}).click();
    const corner = (way) => page.locator(`canvas[aria-label="${way} of kept"]`).evaluate((canvas) => {
      const copy = new OffscreenCanvas(1, 1).getContext('2d'); // Chromium warns of several reads of one canvas
      copy.drawImage(canvas, 0, 0);
      return [...copy.getImageData(0, 0, 1, 1).data];
    });
    // The picture is (10, 200, 30). Values are scaled from the least to the greatest.
    assert.deepEqual(await corner('picture'), [0, 255, 27, 255]);
    await page.getByRole('button', {name: 'heat map'}).click();
    assert.deepEqual(await corner('heat map'), [20, 16, 24, 255]); // the first channel is the darkest
    await page.getByRole('button', {name: 'table', exact: true}).click();
    await page.getByRole('cell', {name: '0, 0, 0, 0', exact: true}).waitFor();
    await checkAccess(page);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('outputs are boxes over the picture, and sound', async () => {
    const page = await open('playground.html');
    const files = smallFiles();
    const fileOf = (name, mimeType = '') => ({name, mimeType, buffer: Buffer.from(files[name])});
    const run = async (model, port, input) => {
      await page.locator('.open input[type=file]').setInputFiles([fileOf(`${model}.xml`), fileOf(`${model}.bin`)]);
      await page.locator('legend', {hasText: port}).waitFor();
      await page.locator('fieldset input[type=file]').setInputFiles(input);
      await page.locator('fieldset', {hasText: input.name}).waitFor();
      await page.getByRole('button', {name: 'Run', exact: true}).click();
      await page.locator('.facts.memory').waitFor();
    };
    await run('detector', 'image', fileOf('picture.png', 'image/png'));
    await page.getByText('7: 0.75 1, 2, 4, 4').waitFor();
    const green = await page.locator('canvas[aria-label="1 boxes of found"]').evaluate((canvas) => [...canvas.getContext('2d').getImageData(0.8 * canvas.width, 0.8 * canvas.height, 1, 1).data]);
    assert.deepEqual(green, [10, 200, 30, 255]);
    await checkAccess(page);
    await run('rectifier', 'samples', fileOf('speech.wav', 'audio/wav'));
    await page.waitForFunction(() => document.querySelector('audio').duration > 0.99);
    await checkAccess(page);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('the builds are compared with one thread and several; memory is told by kind', async () => {
    const page = await open('playground.html');
    const {'classifier.xml': xml, 'classifier.bin': bin} = smallFiles();
    await page.locator('.open input[type=file]').setInputFiles([{name: 'c.xml', mimeType: '', buffer: Buffer.from(xml)}, {name: 'c.bin', mimeType: '', buffer: bin}]);
    await page.getByRole('button', {name: 'Run', exact: true}).click();
    for (const kind of ['Weights as stored', 'Packed weights', 'Temporaries', 'Inputs and outputs']) await page.locator('.facts', {hasText: kind}).waitFor();
    await page.getByRole('button', {name: 'Compare the builds'}).click();
    const rows = page.locator('.comparison tbody tr');
    await page.getByRole('button', {name: 'Compare the builds', disabled: false}).waitFor();
    const found = (await rows.allTextContents()).map((text) => text.trim());
    const processors = await page.evaluate(() => navigator.hardwareConcurrency);
    for (const wanted of ['simd1', 'relaxed1', ...(processors > 1 ? [`simd-mt${processors}`, `relaxed-mt${processors}`] : [])]) {
      assert.ok(found.some((text) => text.startsWith(wanted) && text.endsWith('ms')), `${wanted} in ${found}`);
    }
    await page.context().close();
  });

  test('a dropped folder is read', async () => {
    const page = await open('playground.html');
    const {'loudness.xml': xml, 'loudness.bin': bin} = smallFiles();
    await page.locator('form.open').waitFor();
    // Simulates a dropped folder. Browsers deliver its entries in portions.
    await page.evaluate(
      ([xml, bin]) => {
        const file = (name, text, encode) => ({isFile: true, file: (done) => done(new File([encode(text)], name))});
        const bytes = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
        const portions = [[file('loudness.xml', xml, String)], [file('loudness.bin', bin, bytes)], []];
        const folder = {isFile: false, createReader: () => ({readEntries: (done) => done(portions.shift())})};
        const event = new Event('drop', {bubbles: true, cancelable: true});
        event.dataTransfer = {items: [{webkitGetAsEntry: () => folder}]};
        document.querySelector('form.open').dispatchEvent(event);
      },
      [xml, bin.toString('latin1')],
    );
    await page.locator('legend', {hasText: 'samples'}).waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('a picture of the camera becomes an input', async () => {
    const filming = await launch(['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']);
    try {
      const page = await filming.newPage();
      await page.goto(`${server.url}playground.html`);
      const {'classifier.xml': xml, 'classifier.bin': bin} = smallFiles();
      await page.locator('.open input[type=file]').setInputFiles([{name: 'c.xml', mimeType: '', buffer: Buffer.from(xml)}, {name: 'c.bin', mimeType: '', buffer: bin}]);
      await page.getByRole('button', {name: 'Camera'}).click();
      await page.locator('fieldset', {hasText: 'the camera'}).waitFor();
      await page.getByRole('button', {name: 'Run', exact: true}).click();
      await page.locator('.facts.memory').waitFor();
      const means = (await page.locator('.tensor td:nth-child(2)').allTextContents()).map(Number);
      assert.ok(means.some((mean) => mean > 0.1), `${means}`);
    } finally {
      await filming.close();
    }
  });

  test('files are read, and what is wrong with a model is listed', async () => {
    const page = await open('playground.html');
    const {'strange.xml': strange} = smallFiles();
    await page.locator('.open input[type=file]').setInputFiles({name: 'strange.xml', mimeType: 'text/xml', buffer: Buffer.from(strange)});
    await page.getByText('This model cannot be run:').waitFor();
    assert.match(await page.locator('.problem li').first().textContent(), /Strange/);
    await page.context().close();
  });

  test('a PNNX model is opened, drawn, run and observed', async () => {
    const page = await open('playground.html');
    await page.locator('.open input[type=file]').setInputFiles(['param', 'bin'].map((suffix) => join(root, `build/testdata/pnnx/unet/net.pnnx.${suffix}`)));
    await page.getByText('30 nodes; constants').waitFor();
    const shape = page.locator('fieldset', {hasText: 'pnnx_input_0'}).getByLabel('Shape');
    assert.equal(await shape.inputValue(), '1, 3, 8, 8');
    await shape.fill('1, 3, 32, 48');
    await page.getByRole('button', {name: 'Run', exact: true}).click();
    await page.getByRole('heading', {name: /^pnnx_output_0 f32 \[1, 2, 32, 48\]/}).waitFor();
    await page.locator('.profile .link', {hasText: 'last'}).first().click();
    await page.locator('.node li', {hasText: 'last'}).getByRole('button').click();
    await page.locator('.observed h4', {hasText: '[1, 2, 32, 48]'}).waitFor();
    assert.match(await page.locator('pre code').textContent(), /compileModel\('net\.pnnx\.param', 'CPU'\)/);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('a picture, a recording, JSON and .npy become inputs', async () => {
    const page = await open('playground.html');
    const files = smallFiles();
    const fileOf = (name, mimeType = '') => ({name, mimeType, buffer: Buffer.from(files[name])});
    const run = async (input) => {
      await page.locator('fieldset input[type=file]').setInputFiles(input);
      await page.locator('fieldset', {hasText: input.name}).waitFor();
      await page.getByRole('button', {name: 'Run', exact: true}).click();
      await page.locator('.facts.memory').waitFor();
    };
    await page.locator('.open input[type=file]').setInputFiles([fileOf('classifier.xml'), fileOf('classifier.bin')]);
    await run(fileOf('picture.png', 'image/png'));
    await page.getByRole('cell', {name: /^0\.784/}).waitFor(); // mean of green: 200 of 255
    await page.locator('.open input[type=file]').setInputFiles([fileOf('loudness.xml'), fileOf('loudness.bin')]);
    await page.locator('legend', {hasText: 'samples'}).waitFor();
    await run(fileOf('speech.wav', 'audio/wav'));
    await page.getByRole('cell', {name: /^0\.5/}).waitFor();
    await run({name: 'values.json', mimeType: 'application/json', buffer: Buffer.from('[[1, -7, 2]]')});
    await page.getByRole('cell', {name: '7', exact: true}).waitFor();
    const npy = Buffer.from(formatNpy({type: 'f32', shape: [1, 4], data: Float32Array.of(2, -9.5, 1, 0)}));
    await run({name: 'values.npy', mimeType: '', buffer: npy});
    await page.getByRole('cell', {name: '9.50000', exact: true}).waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('a graph of 1,000 layers is drawn while the page stays responsive', async (context) => {
    const page = await open('playground.html');
    // The processor time of the page's main thread, in milliseconds. Unlike elapsed time, it does not depend on other processes.
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable', {timeDomain: 'threadTicks'});
    const busy = async () => {
      const {metrics} = await devtools.send('Performance.getMetrics');
      return 1000 * metrics.find(({name}) => name === 'TaskDuration').value;
    };
    const value = (names) => [{type: 'f32', shape: [4], names}];
    const layers = [{name: 'x', type: 'Parameter', outputs: value('x')}];
    for (let i = 0; i < 1000; i++) {
      const inputs = i % 3 === 2 ? [layers[i].name, layers[i - 2].name] : [layers[i].name];
      layers.push({name: `layer ${i}`, type: inputs.length === 2 ? 'Add' : 'Sigmoid', inputs, outputs: value(`y${i}`)});
    }
    layers.push({name: 'result', type: 'Result', inputs: ['layer 999']});
    await page.locator('.open input[type=file]').setInputFiles({name: 'deep.xml', mimeType: 'text/xml', buffer: Buffer.from(irText(layers))});
    await page.locator('.graph canvas').first().waitFor();
    assert.match(await page.getByText(/ nodes; constants/).textContent(), /Chains of layers are drawn as one node/);
    const drawn = await busy();
    const {x, y} = await page.locator('.host').boundingBox();
    await page.mouse.move(x + 300, y + 300);
    await page.mouse.down();
    for (let step = 0; step < 30; step++) await page.mouse.move(x + 300 - 5 * step, y + 300 - 8 * step);
    await page.mouse.up();
    const perStep = ((await busy()) - drawn) / 30;
    await page.getByLabel('Find a layer').fill('layer 500');
    await page.keyboard.press('Tab');
    await page.locator('.node li', {hasText: 'layer 500'}).waitFor();
    await page.getByRole('button', {name: 'Run', exact: true}).click();
    await page.locator('.profile tbody tr').first().waitFor();
    context.diagnostic(`main thread: ${Math.round(drawn)} ms until the graph is drawn, ${perStep.toFixed(1)} ms per step of a drag`);
    assert.ok(drawn < 3000 && perStep < 100);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
});

describe('examples', {skip: !existsSync(join(built, 'models')) && 'the networks are not here (../shared/models)'}, () => {
  const results = {
    faces: /^One face, \d\d % sure\.$/,
    text: /Opening hours\s*Monday to Friday\s*9:00 ?- ?17:30/,
    voice: /^Speech: \d\.\d to \d\.\d s/,
    files: /^first: python \d+ %[^]*second: html \d+ %[^]*third: csv \d+ %/,
    pronounce: /^W IH1 N D OW0/,
  };
  for (const [name, wanted] of Object.entries(results)) {
    test(name, async () => {
      const page = await open(`examples/${name}.html`);
      await page.getByRole('button', {name: 'Start'}).click();
      const result = page.locator('.result');
      await page.waitForFunction((source) => new RegExp(source).test(document.querySelector('.result')?.innerText.trim()), wanted.source, {timeout: 60_000}).catch(() => {});
      assert.match((await result.innerText()).trim(), wanted);
      await checkAccess(page);
      assert.deepEqual(page.problems, []);
      await page.context().close();
    });
  }

  test('faces are looked for in what the camera shows', async () => {
    const filming = await launch(['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']);
    try {
      const page = await filming.newPage();
      await page.goto(`${server.url}examples/faces.html`);
      await page.getByRole('button', {name: 'Start'}).click();
      await page.getByText(/^One face, /).waitFor({timeout: 60_000});
      await page.getByRole('button', {name: 'Camera'}).click();
      await page.getByText('0 faces.').waitFor(); // Chromium's test picture has none
      await page.getByRole('button', {name: 'Stop the camera'}).click();
      await page.getByRole('button', {name: 'Camera'}).waitFor();
    } finally {
      await filming.close();
    }
  });

  test('sentences: as the golden says', async () => {
    const page = await open('examples/sentences.html');
    await page.getByRole('button', {name: 'Start'}).click();
    const row = page.locator('.example tbody tr').first();
    await row.waitFor({timeout: 60_000});
    const values = (await row.locator('td').allTextContents()).map(Number);
    [1, 0.5754, -0.0821, -0.0127].forEach((golden, i) => assert.ok(Math.abs(values[i] - golden) < 0.02, `${values}`));
    await page.context().close();
  });

  test('a second visit reads the network from the cache', async () => {
    const page = await open('examples/files.html');
    const requests = [];
    page.on('request', (request) => request.url().endsWith('model.bin') && requests.push(request.method()));
    for (const expected of [['GET'], ['GET', 'HEAD']]) {
      await page.getByRole('button', {name: 'Start'}).click();
      await page.waitForFunction(() => document.querySelector('.result')?.innerText.includes('%'), undefined, {timeout: 60_000});
      assert.deepEqual(requests, expected);
      // The file is stored in the background.
      await page.waitForFunction(async () => (await (await caches.open('wasmvino')).keys()).some(({url}) => url.endsWith('model.bin')));
      await page.reload({waitUntil: 'networkidle'});
    }
    await page.context().close();
  });

  test('the model cards state source, licence and the size of the files', () => {
    for (const file of readdirSync(join(root, 'site/pages/examples'))) {
      const text = readFileSync(join(root, 'site/pages/examples', file), 'utf8');
      const cards = [...text.matchAll(/\{name: '[^']+', folder: '([^']*)', source: '[^']+', url: 'https:[^']+', licence: '(?:Apache-2\.0|MIT)', megabytes: ([\d.]+)\}/g)];
      assert.ok(cards.length > 0 || file === 'index.md', file);
      for (const [, folder, megabytes] of cards) {
        const path = folder === '' ? 'demo/model' : `models/${folder}`;
        const bytes = ['model.xml', 'model.bin'].reduce((sum, name) => sum + statSync(join(built, path, name)).size, 0);
        assert.equal((bytes / 1e6).toFixed(1), Number(megabytes).toFixed(1), `${file}: ${folder}`);
      }
    }
  });

  test('every example is at most 80 lines', () => {
    for (const file of readdirSync(join(root, 'site/examples')).filter((file) => file.endsWith('.js'))) {
      assert.ok(readFileSync(join(root, 'site/examples', file), 'utf8').split('\n').length <= 81, file);
    }
  });
});

test('the page of operations has each operation, with its agreement', () => {
  const listed = readFileSync(join(root, 'docs/operators.md'), 'utf8');
  const agreement = JSON.parse(readFileSync(join(root, 'docs/agreement.json'), 'utf8'));
  const html = sources.get('reference/operators.html');
  const names = [...listed.matchAll(/^\| (\w+) \|/gm)].map(([, name]) => name).filter((name) => name !== 'Operation');
  assert.ok(names.length > 200);
  for (const name of names) assert.ok(html.includes(`<th role="rowheader" scope="row" id="${name}">`), name);
  // OpenVINO's plugin does not run the first two. Every case has a Result.
  assert.deepEqual(names.filter((name) => !agreement[name]), ['BGRtoNV12', 'Result', 'RGBtoNV12']);
  assert.deepEqual(Object.keys(agreement).filter((name) => !names.includes(name)), []);
});

test('the search finds operations and errors, without a network', async () => {
  const page = await open('guides/errors.html');
  await page.keyboard.press('Control+k');
  await page.locator('#localsearch-input').waitFor();
  await page.waitForLoadState('networkidle');
  await page.context().setOffline(true);
  await page.fill('#localsearch-input', 'ENGINE_FAILED');
  await page.locator('#localsearch-list a', {hasText: 'By code'}).first().waitFor();
  await page.fill('#localsearch-input', 'DeformableConvolution');
  await page.locator('#localsearch-list a', {hasText: 'Operations'}).first().waitFor();
  await page.context().close();
});

test('Firefox shows the home page, runs its lines, and does not cut off code', async () => {
  const firefox = await puppeteer.launch({browser: 'firefox', executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr', headless: true});
  try {
    const page = await firefox.newPage();
    const problems = [];
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(server.url);
    await page.waitForSelector('.try .button.brand');
    await page.evaluate(() => document.querySelector('.try .button.brand').click());
    await page.waitForFunction(() => /sounds: W IH1 N D OW0/.test(document.querySelector('.try output').textContent), {timeout: 30_000});
    await page.setViewport({width: 1280, height: 900});
    const cut = [];
    for (const path of withCode) {
      await page.goto(server.url + path);
      cut.push(...(await page.evaluate(cutOff)));
    }
    assert.deepEqual(cut, []);
    assert.deepEqual(problems, []);
  } finally {
    await firefox.close();
  }
});
