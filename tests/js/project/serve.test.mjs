// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { serve } from '../../../scripts/serve.mjs';

let folder;
let site;

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'wasmvino-serve-'));
  await mkdir(path.join(folder, 'site', 'sub'), { recursive: true });
  await writeFile(path.join(folder, 'secret.txt'), 'secret');
  await writeFile(path.join(folder, 'site', 'index.html'), '<p>start</p>');
  await writeFile(path.join(folder, 'site', 'sub', 'a b.wasm'), '\0asm');
  await symlink(path.join(folder, 'secret.txt'), path.join(folder, 'site', 'link.txt'));
  await symlink(folder, path.join(folder, 'site', 'up'));
  await symlink('index.html', path.join(folder, 'site', 'start.html'));
  await writeFile(path.join(folder, 'site', 'large.bin'), Buffer.alloc(32 << 20));
  await writeFile(path.join(folder, 'site', '_headers'), '/*\n  X-All: yes\n/sub/*\n  Content-Security-Policy: sandbox\n');
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

test('what the file _headers asks for is sent, by path', async () => {
  const [page, below] = await Promise.all(['', 'sub/a%20b.wasm'].map((file) => fetch(site.url + file)));
  assert.deepEqual([page.headers.get('x-all'), below.headers.get('x-all')], ['yes', 'yes']);
  assert.match(page.headers.get('content-security-policy'), /script-src/);
  assert.equal(below.headers.get('content-security-policy'), 'sandbox');
});

test('wasm has the type that streaming compilation needs', async () => {
  const response = await fetch(new URL('sub/a%20b.wasm', site.url));
  assert.equal(response.headers.get('content-type'), 'application/wasm');
  assert.equal((await response.arrayBuffer()).byteLength, 4);
});

// fetch() resolves "..", but http.request() sends the path unchanged.
const statusOf = (url, at) =>
  new Promise((resolve, reject) => {
    request(new URL(url), { path: at }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });

test('what is not a file of the folder is not found', async () => {
  const outside = ['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/link.txt', '/up/secret.txt'];
  for (const at of ['/missing', '/sub', '/%zz', '/%', ...outside]) assert.equal(await statusOf(site.url, at), 404, at);
  assert.equal(await statusOf(site.url, '/start.html'), 200, 'a link inside of the folder');
});

test('a page 404.html answers for what is not found', async () => {
  const page = path.join(folder, 'site', '404.html');
  await writeFile(page, '<p>gone</p>');
  const response = await fetch(new URL('missing', site.url));
  assert.deepEqual([response.status, response.headers.get('content-type'), await response.text()], [404, 'text/html; charset=utf-8', '<p>gone</p>']);
  await rm(page);
});

test('folders are served by prefix', async () => {
  const two = await serve({ '/a/': path.join(folder, 'site', 'sub'), '/b/': path.join(folder, 'site') }, { policy: null });
  const response = await fetch(new URL('b/', two.url));
  assert.equal(await response.text(), '<p>start</p>');
  assert.equal(response.headers.get('content-security-policy'), null);
  assert.equal(two.locate('/a/a%20b.wasm').prefix, '/a/');
  for (const at of ['/', '/%', '/c/x', '/a/../secret.txt', '/a/%2e%2e/index.html']) {
    assert.equal(await statusOf(two.url, at), 404, at);
  }
  await two.close();
});

test('aborted downloads leave no file open', { skip: process.platform !== 'linux' }, async () => {
  const open = async () => {
    const links = (await readdir('/proc/self/fd')).map((name) => readlink(`/proc/self/fd/${name}`).catch(() => ''));
    return (await Promise.all(links)).filter((link) => link.endsWith('large.bin')).length;
  };
  for (let i = 0; i < 5; ++i) {
    await new Promise((resolve, reject) => {
      const started = request(new URL('large.bin', site.url), (response) => {
        response.once('data', () => started.destroy());
        response.once('close', resolve);
        response.on('error', () => {});
      });
      started.on('error', reject).end();
    });
  }
  while ((await open()) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
});
