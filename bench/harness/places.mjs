// SPDX-License-Identifier: Apache-2.0
// The places where engines run. A place starts one participant per engine and thread count: a Node.js process, or a page in a
// separate browser context, which Chromium runs in a separate process. `call(method, …)` calls the Host of a participant.
// Native engines are processes of Python among those of Node.js.
// `caseFolder` and `paths` locate the cases and the engines for it.

import {fork, spawn, spawnSync} from 'node:child_process';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath, pathToFileURL} from 'node:url';

import {ENGINES} from '../engines/index.mjs';
import {hasRelaxedSimd} from '../peak/peak.mjs';
import {serve} from '../../scripts/serve.mjs';
import {launchWebKit} from '../../tests/package/webkit.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const bench = join(here, '..');
const python = join(bench, '../build/bench/venv/bin/python');

const PACKAGES = ['/npm/', '/package/'];

const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Node.js 20 has relaxed SIMD behind a flag. Later versions have it by default, and may not know the flag.
 */
export function nodeFlags() {
  const flag = '--experimental-wasm-relaxed-simd';
  if (hasRelaxedSimd()) return [];
  return spawnSync(process.execPath, [flag, '-e', '0']).status === 0 ? [flag] : [];
}

/**
 * Calls methods of a process that answers messages {id, method, args} with {id, result} or {id, error}.
 * @param label name of the process in the error if it ends
 * @param child the process
 * @param send (message) => sends a message to it
 * @param listen (take) => calls take(answer) for each answer
 * @returns (method, …args) => promise of the result
 */
function caller(label, child, send, listen) {
  const waiting = new Map();
  let count = 0;
  let gone;
  listen(({id, result, error}) => {
    const {resolve, reject} = waiting.get(id);
    waiting.delete(id);
    error === undefined ? resolve(result) : reject(new Error(error));
  });
  const end = (reason) => {
    gone ??= new Error(`the process of ${label} ended (${reason})`);
    for (const {reject} of waiting.values()) reject(gone);
  };
  child.on('error', ({message}) => end(message));
  child.on('exit', (code, signal) => end(signal ?? code));
  return (method, ...args) =>
    new Promise((resolve, reject) => {
      if (gone) {
        reject(gone);
        return;
      }
      waiting.set(++count, {resolve, reject});
      send({id: count, method, args});
    });
}

function startNode(label, execArgv) {
  const child = fork(join(here, 'node_child.mjs'), {execArgv, serialization: 'advanced'});
  const call = caller(
    label,
    child,
    (message) => child.send(message),
    (take) => child.on('message', take),
  );
  return {call, close: () => child.disconnect()};
}

/** Starts a native engine, which speaks lines of JSON. */
function startProgram(label, {program, environment}) {
  const child = spawn(python, [join(bench, 'engines', program)], {
    env: {...process.env, PYTHONPATH: bench, PYTHONDONTWRITEBYTECODE: '1', ...environment},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => {}); // the process has ended, which is noticed elsewhere
  const call = caller(
    label,
    child,
    (message) => child.stdin.write(`${JSON.stringify(message)}\n`),
    (take) => createInterface({input: child.stdout}).on('line', (line) => take(JSON.parse(line))),
  );
  return {call, close: () => child.stdin.end()};
}

export async function openNode({models, wasmvino, baseline}) {
  const execArgv = nodeFlags();
  return {
    name: 'Node.js',
    version: [process.versions.node, ...execArgv].join(' '),
    async start(label, engine) {
      return ENGINES[engine]?.program ? startProgram(label, ENGINES[engine]) : startNode(label, execArgv);
    },
    caseFolder: (name) => join(models, name),
    paths: {
      wasmvino: pathToFileURL(wasmvino.node).href,
      baseline: baseline && pathToFileURL(baseline.node).href,
    },
    close() {},
  };
}

/** Serves what pages need. `paths` locates the engines for them. */
async function servePages({models, wasmvino, baseline}) {
  // Cross-origin isolation permits threads, and a clock with steps of 5 µs instead of 100.
  const folders = {
    '/bench/': bench,
    '/js/': join(bench, '../js'),
    '/models/': models,
    '/npm/': join(bench, 'node_modules'),
    '/package/': wasmvino.root,
    ...(baseline && {'/baseline/': baseline.root}),
  };
  const {url, locate, close} = await serve(folders, {policy: null});
  const paths = {
    wasmvino: `/package/${wasmvino.browser}`,
    baseline: baseline && `/baseline/${baseline.browser}`,
    onnxruntime: '/npm/onnxruntime-web/dist/',
    litert: '/npm/@litertjs/core/wasm/',
    tfjs: '/npm/@tensorflow/tfjs-backend-wasm/dist/',
  };
  return {page: `${url}bench/harness/page.html`, paths, caseFolder: (name) => `/models/${name}`, locate, close};
}

export async function openChromium({executablePath, flags = [], ...served}) {
  const {chromium} = await import('playwright-core');
  const pages = await servePages(served);
  const browser = await chromium.launch({executablePath, args: [...CHROMIUM_FLAGS, ...flags]});
  return {
    name: 'Chromium',
    version: [browser.version(), ...flags].join(' '),
    async start() {
      const context = await browser.newContext();
      const page = await context.newPage();
      const messages = [];
      const requested = new Set();
      page.on('requestfinished', (request) => requested.add(new URL(request.url()).pathname));
      page.on('pageerror', (error) => messages.push(error.message));
      await page.goto(pages.page);
      await page
        .waitForFunction(() => globalThis.host !== undefined)
        .catch((error) => {
          throw new Error(`the page did not start: ${[...messages, error.message].join('; ')}`);
        });
      const call = (method, ...args) =>
        page.evaluate(([name, list]) => globalThis.host[name](...list), [method, args]);
      return {
        call,
        page,
        // The files of npm packages that the page has loaded so far.
        packageFiles: () => [...requested].map(pages.locate).filter(({prefix}) => PACKAGES.includes(prefix)),
        close: () => context.close(),
      };
    },
    caseFolder: pages.caseFolder,
    paths: pages.paths,
    async close() {
      await browser.close();
      pages.close();
    },
  };
}

/** WebKitGTK, Safari's engine. It has no relaxed SIMD and, because it is not isolated, no threads. */
export async function openWebKit(served) {
  const pages = await servePages(served);
  const first = await launchWebKit();
  const {version} = first;
  await first.close();
  return {
    name: 'WebKitGTK',
    version,
    async start() {
      const browser = await launchWebKit();
      try {
        await browser.open(pages.page);
        await browser.run(async () => {
          for (let i = 0; i < 300 && globalThis.host === undefined; i++) await new Promise((done) => setTimeout(done, 100));
          if (globalThis.host === undefined) throw new Error('the page did not start');
        });
      } catch (error) {
        await browser.close();
        throw error;
      }
      return {
        call: (method, ...args) => browser.run((name, list) => globalThis.host[name](...list), method, args),
        close: () => browser.close(),
      };
    },
    caseFolder: pages.caseFolder,
    paths: pages.paths,
    close: () => pages.close(),
  };
}
