// SPDX-License-Identifier: Apache-2.0
// Packs the package and installs it into an empty folder. The folder also gets the model of the README.
import {execFileSync} from 'node:child_process';
import {copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {extname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {chromium} from 'playwright-core';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const dist = join(root, 'dist');
// How long a page may take. Most take a second. Beside other work on two processors, Firefox took more than 30.
export const PATIENCE = {timeout: 120_000};
const g2p = join(root, 'build/testdata/models/g2p');

/** Returns npm's report about the packed files, and the folder where they are installed. */
export function install() {
  const folder = mkdtempSync(join(tmpdir(), 'wasmvino-package-'));
  const npm = (...args) => execFileSync('npm', [...args, '--loglevel=error'], {cwd: folder, encoding: 'utf8'});
  const [packed] = JSON.parse(npm('pack', '--json', root));
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  npm('install', '--offline', '--no-audit', '--no-fund', join(folder, packed.filename));
  for (const file of ['model.xml', 'model.bin']) copyFileSync(join(g2p, file), join(folder, file));
  return {folder, packed, remove: () => rmSync(folder, {recursive: true})};
}

/** Scores of the word in the README's examples, best first. */
export function goldenScores() {
  const {words} = JSON.parse(readFileSync(join(g2p, 'words_golden.json'), 'utf8'));
  return words.find(({word}) => word === 'browser').beams[3].map(({score}) => score);
}

/** Returns the first code block in a language after a line of the README. */
export function exampleAfter(line, language) {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const from = readme.indexOf(line);
  const [, code] = new RegExp(`\\n\`\`\`${language}\\n([^]*?)\\n\`\`\`\\n`).exec(readme.slice(from)) ?? [];
  if (from < 0 || !code) throw new Error(`the README has no ${language} after "${line}"`);
  return code;
}

const types = {'.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.xml': 'text/xml'};

/**
 * Serves a folder with these headers. `answers` take precedence over files: path → {status, type, body, after}. `after` is a
 * promise to wait for. The favicon is empty, because browsers request it by themselves.
 */
export async function serve(folder, headers = {}, answers = {}) {
  const server = createServer(async (request, response) => {
    const {pathname} = new URL(request.url, 'http://localhost');
    const given = answers[pathname] ?? (pathname === '/favicon.ico' ? {status: 204, body: ''} : undefined);
    await given?.after;
    let body = given?.body;
    let status = given?.status ?? 200;
    try {
      body ??= readFileSync(join(folder, pathname));
    } catch {
      status = 404;
    }
    response.writeHead(status, {'content-type': given?.type ?? types[extname(pathname)] ?? 'application/octet-stream', ...headers});
    response.end(body);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {url: `http://127.0.0.1:${server.address().port}/`, close: () => (server.close(), server.closeAllConnections())};
}

export const isolation = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

/** Starts Chromium with additional command-line options. */
export function launch(options = []) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      ...options,
    ],
  });
}

/** Starts each browser with puppeteer. */
export const browsers = {
  Chromium: {
    browser: 'chrome',
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  },
  Firefox: {browser: 'firefox', executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr'},
};

/** Opens a page. Returns the text of its <output> once that is final, the fetched files, and the errors of the page. */
export async function outputOf(browser, url) {
  const page = await browser.newPage();
  const errors = [];
  const fetching = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('response', (response) => {
    const size = response.ok() ? response.body().then((body) => body.length) : Promise.resolve(0);
    const path = new URL(response.url()).pathname;
    // If a body is not available any more, its size is NaN, which fails only tests that count bytes.
    fetching.push(size.catch(() => NaN).then((known) => ({path, size: known})));
  });
  await page.goto(url);
  await page
    .waitForFunction(() => !['…', '', undefined].includes(document.querySelector('output')?.textContent), undefined, PATIENCE)
    .catch((cause) => {
      throw new Error(`the page shows nothing: ${errors.join('; ')}`, {cause});
    });
  const text = await page.textContent('output');
  await page.waitForLoadState('networkidle');
  const fetched = await Promise.all(fetching);
  await page.close();
  return {text, fetched, errors};
}
