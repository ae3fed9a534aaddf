// SPDX-License-Identifier: Apache-2.0
// node scripts/serve.mjs FOLDER [--port N]: serves FOLDER as a static site, with the headers that a page needs for
// threads (COOP, COEP) and the strictest policy that lets WebAssembly run.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
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
  '.xml': 'text/xml; charset=utf-8',
};

export const STRICT_POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'";

/**
 * Serves a folder on 127.0.0.1.
 * @param {string} folder what '/' stands for; nothing outside of it is served
 * @param {{port?: number, isolated?: boolean, policy?: string}} [options] port 0 (the default) is any free one;
 *   isolated: send COOP and COEP (default true); policy: the Content-Security-Policy
 * @returns {Promise<{url: string, close: () => Promise<void>}>}
 */
export async function serve(folder, { port = 0, isolated = true, policy = STRICT_POLICY } = {}) {
  const root = path.resolve(folder);
  const server = createServer(async (request, response) => {
    const headers = { 'Cache-Control': 'no-cache', 'Content-Security-Policy': policy };
    if (isolated) {
      headers['Cross-Origin-Opener-Policy'] = 'same-origin';
      headers['Cross-Origin-Embedder-Policy'] = 'require-corp';
    }
    const refuse = (status) => response.writeHead(status, headers).end();
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405);
    let file;
    let info;
    try {
      file = path.join(root, decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
      if (file.endsWith(path.sep)) file = path.join(file, 'index.html');
      if (!file.startsWith(root + path.sep)) return refuse(404);
      info = await stat(file);
    } catch {
      return refuse(404);
    }
    if (!info.isFile()) return refuse(404);
    headers['Content-Type'] = TYPES[path.extname(file)] ?? 'application/octet-stream';
    headers['Content-Length'] = info.size;
    response.writeHead(200, headers);
    if (request.method === 'HEAD') return response.end();
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${server.address().port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { port: { type: 'string' } } });
  if (positionals.length !== 1) {
    console.error('usage: node scripts/serve.mjs FOLDER [--port N]');
    process.exit(2);
  }
  const { url } = await serve(positionals[0], { port: Number(values.port ?? 8080) });
  console.log(`${positionals[0]} is served at ${url} (Ctrl+C ends)`);
}
