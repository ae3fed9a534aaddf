// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { serve } from '../../scripts/serve.mjs';

let folder;
let site;

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'wasmvino-serve-'));
  await mkdir(path.join(folder, 'site', 'sub'), { recursive: true });
  await writeFile(path.join(folder, 'secret.txt'), 'secret');
  await writeFile(path.join(folder, 'site', 'index.html'), '<p>start</p>');
  await writeFile(path.join(folder, 'site', 'sub', 'a b.wasm'), '\0asm');
  site = await serve(path.join(folder, 'site'));
});

after(async () => {
  await site.close();
  await rm(folder, { recursive: true });
});

test('a page is served isolated and under a policy without eval', async () => {
  const response = await fetch(site.url);
  assert.equal(await response.text(), '<p>start</p>');
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(response.headers.get('cross-origin-opener-policy'), 'same-origin');
  assert.equal(response.headers.get('cross-origin-embedder-policy'), 'require-corp');
  assert.match(response.headers.get('content-security-policy'), /script-src 'self' 'wasm-unsafe-eval';/);
});

test('wasm has the type that streaming compilation needs', async () => {
  const response = await fetch(new URL('sub/a%20b.wasm', site.url));
  assert.equal(response.headers.get('content-type'), 'application/wasm');
  assert.equal((await response.arrayBuffer()).byteLength, 4);
});

test('what is not a file of the folder is not found', async () => {
  // fetch() resolves dots by itself; http.request sends the path as it is.
  const status = (at) =>
    new Promise((resolve, reject) => {
      request(new URL(site.url), { path: at }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
  for (const at of ['/missing', '/sub', '/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/%zz']) {
    assert.equal(await status(at), 404, at);
  }
});
