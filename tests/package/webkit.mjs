// SPDX-License-Identifier: Apache-2.0
// Drives WebKitGTK over WebDriver (https://www.w3.org/TR/webdriver2). It has Safari's engines for JavaScript and WebAssembly.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createServer} from 'node:net';
import {setTimeout as wait} from 'node:timers/promises';

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

// Sends a command and returns the answer. WebDriver reports errors in the same member.
async function ask(url, method, body) {
  const response = await fetch(url, {method, body: body && JSON.stringify(body), headers: {'content-type': 'application/json'}});
  const {value} = await response.json();
  if (!response.ok) throw new Error(`WebDriver: ${method} ${new URL(url).pathname}: ${value.error}: ${value.message}`);
  return value;
}

// Starts a program that runs until it is stopped, and collects its output.
function start(program, args, env = process.env) {
  const child = spawn(program, args, {env, stdio: ['ignore', 'pipe', 'pipe']});
  let said = '';
  let ended;
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
  const end = new Promise((resolve) => child.once('error', resolve).once('exit', (code) => resolve(new Error(`it ended with ${code}`))));
  end.then((error) => (ended = error));
  return {
    said: () => said,
    /** Calls `answer` every 50 ms until it returns something. */
    async until(answer) {
      for (const started = Date.now(); ; await wait(50)) {
        const value = await answer();
        if (value) return value;
        if (ended || Date.now() - started > 30_000) throw new Error(`${program} does not work: ${ended?.message ?? 'no answer in 30 s'}: ${said}`);
      }
    },
    async stop() {
      child.kill();
      await end;
    },
  };
}

/**
 * Starts WebKitGTK's MiniBrowser on a virtual screen.
 * @returns {Promise<{
 *   version: string,
 *   open: (url: string) => Promise<void>,
 *   run: <T>(work: (...args: unknown[]) => T | Promise<T>, ...args: unknown[]) => Promise<T>,
 *   close: () => Promise<void>}>} `open` loads a page; `run` calls a function in it, which must refer only to its arguments
 */
export async function launchWebKit() {
  const running = [];
  const stop = async () => {
    for (const each of running.reverse()) await each.stop();
  };
  try {
    const screen = start('Xvfb', ['-displayfd', '1', '-nolisten', 'tcp', '-screen', '0', '1024x768x24']);
    running.push(screen);
    // If other screens are in use, Xvfb says so before it writes the number.
    const [display] = await screen.until(() => /^\d+(?=\n)/m.exec(screen.said()));

    const env = {...process.env, DISPLAY: `:${display}`};
    // The sandbox does not start for root.
    if (process.getuid?.() === 0) env.WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS = '1';
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const driver = start(process.env.WEBKIT_DRIVER ?? 'WebKitWebDriver', [`--port=${port}`], env);
    running.push(driver);
    await driver.until(() => ask(`${url}/status`, 'GET').catch(() => undefined));

    const capabilities = {alwaysMatch: {'webkitgtk:browserOptions': {args: ['--automation']}, timeouts: {script: 300_000}}};
    const {sessionId, capabilities: found} = await ask(`${url}/session`, 'POST', {capabilities});
    const session = `${url}/session/${sessionId}`;
    return {
      version: found.browserVersion,
      open: (page) => ask(`${session}/url`, 'POST', {url: page}),
      async run(work, ...args) {
        const script = `
          const done = arguments[arguments.length - 1];
          (async () => (${work})(...${JSON.stringify(args)}))().then(
            (value) => done({value}),
            (error) => done({error: error + '\\n' + error?.stack}),
          );`;
        const {value, error} = await ask(`${session}/execute/async`, 'POST', {script, args: []});
        if (error !== undefined) throw new Error(`in the page: ${error}`);
        return value;
      },
      close: () => ask(session, 'DELETE').finally(stop),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
