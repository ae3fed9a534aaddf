// SPDX-License-Identifier: Apache-2.0
// node scripts/serve.mjs FOLDER [--port N] [--own-policy]
// Serves FOLDER as a static site. Sends the headers that a page needs for threads (COOP, COEP) and the strictest
// Content-Security-Policy that lets WebAssembly run. With --own-policy, the pages state their own policies. The site, the
// demo, tests and benchmarks use this server, too.
// sirv 3 and serve-static 2 are not suitable: both follow links out of the folder, and sirv leaves files of aborted
// downloads open.
import { createReadStream } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';

const TYPES = {
  '.bin': 'application/octet-stream',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.wav': 'audio/wav',
  '.woff2': 'font/woff2',
  '.xml': 'text/xml; charset=utf-8',
};

export const STRICT_POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'";

// The headers that a folder asks hosts for in its file `_headers`: paths, which may end in *, each with lines of headers.
async function headersOf(folder) {
  const text = await readFile(path.join(folder, '_headers'), 'utf8').catch(() => '');
  const rules = [];
  for (const line of text.split('\n')) {
    const [name, value] = line.split(/:\s(.*)/);
    if (/^\S/.test(line)) rules.push({ start: line.replace(/\*$/, ''), isPrefix: line.endsWith('*'), headers: {} });
    else if (value !== undefined) rules.at(-1).headers[name.trim()] = value;
  }
  return (pathname) => {
    const fitting = rules.filter(({ start, isPrefix }) => (isPrefix ? pathname.startsWith(start) : pathname === start));
    return Object.assign({}, ...fitting.map(({ headers }) => headers));
  };
}

/**
 * Serves folders on 127.0.0.1. Sends what the file `_headers` of the folder for '/' asks for. Never serves files outside of them, even if paths or links lead there.
 * @param {string | Record<string, string>} folders the folder for '/', or folders by prefix: `{'/npm/': 'node_modules'}`
 * @param {{port?: number, isolated?: boolean, policy?: string | null}} [options] port 0 (the default): any free port;
 *   isolated: send COOP and COEP (default true); policy: the Content-Security-Policy, null for none
 * @returns {Promise<{url: string, locate: (pathname: string) => {prefix?: string, file?: string}, close: () => Promise<void>}>}
 *   `locate` returns the file of a path
 */
export async function serve(folders, { port = 0, isolated = true, policy = STRICT_POLICY } = {}) {
  // The longest matching prefix is used.
  const roots = Object.entries(typeof folders === 'string' ? { '/': folders } : folders).sort(([a], [b]) => b.length - a.length);
  const locate = (pathname) => {
    const wanted = decodeURIComponent(pathname);
    const [prefix, folder] = roots.find(([start]) => wanted.startsWith(start)) ?? [];
    return prefix ? { prefix, file: path.join(folder, path.normalize(path.sep + wanted.slice(prefix.length))), folder } : {};
  };
  // Returns the file of a path, its size and its modification time. Throws if there is none.
  const find = async (address) => {
    const { file, folder } = locate(new URL(address, 'http://localhost').pathname);
    const real = await realpath(file.endsWith(path.sep) ? path.join(file, 'index.html') : file);
    if (!real.startsWith((await realpath(folder)) + path.sep)) throw new Error('outside of the folder');
    const info = await stat(real);
    if (!info.isFile()) throw new Error('no file');
    return { real, size: info.size, changed: info.mtime };
  };
  const asked = await headersOf(roots.at(-1)[1]);
  const server = createServer(async (request, response) => {
    const headers = { 'Cache-Control': 'no-cache' };
    if (policy !== null) headers['Content-Security-Policy'] = policy;
    if (isolated) {
      headers['Cross-Origin-Opener-Policy'] = 'same-origin';
      headers['Cross-Origin-Embedder-Policy'] = 'require-corp';
      // Sandboxed frames need it, because their origin is opaque.
      headers['Cross-Origin-Resource-Policy'] = 'cross-origin';
    }
    Object.assign(headers, asked(request.url.split('?', 1)[0]));
    if (request.method !== 'GET' && request.method !== 'HEAD') return response.writeHead(405, headers).end();
    const none = () => undefined;
    let found = await find(request.url).catch(none);
    const status = found ? 200 : 404;
    // Static hosts answer with this page, too.
    found ??= await find('/404.html').catch(none);
    if (!found) return response.writeHead(404, headers).end();
    headers['Content-Type'] = TYPES[path.extname(found.real)] ?? 'application/octet-stream';
    headers['Content-Length'] = found.size;
    headers['Last-Modified'] = found.changed.toUTCString();
    response.writeHead(status, headers);
    if (request.method === 'HEAD') return response.end();
    // Closes the file even if the download is aborted. The error is ignored, as no client is left to receive it.
    pipeline(createReadStream(found.real), response, () => {});
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${server.address().port}/`,
    locate,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { port: { type: 'string' }, 'own-policy': { type: 'boolean' } },
  });
  if (positionals.length !== 1) {
    console.error('usage: node scripts/serve.mjs FOLDER [--port N] [--own-policy]');
    process.exit(2);
  }
  const { url } = await serve(positionals[0], {
    port: Number(values.port ?? 8080),
    policy: values['own-policy'] ? null : STRICT_POLICY,
  });
  console.log(`${positionals[0]} is served at ${url} (Ctrl+C ends)`);
}
