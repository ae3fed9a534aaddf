// SPDX-License-Identifier: Apache-2.0
// Tests loading models from URLs and files: progress, broken connections, several parts, hashes.
import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {gzipSync} from 'node:zlib';
import {packageWith, productModel} from '../engine.mjs';

const {xml, bin} = productModel(2, 512); // 1 MiB
const size = xml.length + bin.length;
const large = productModel(1, 1700); // 11 MiB: more than one piece of memory

// Answers a request. `how` says what to do to the answer: {gzip, breakAfter, breaks, etag, changes, chunked, noRanges}, and what
// servers do that answer with a range of another version: {anyRange, headers, contentRange}.
function answer(request, response, body, how, seen) {
  const {range} = request.headers;
  seen.push({url: request.url, range, ifRange: request.headers['if-range']});
  const version = how.changes && seen.length > 1 ? 2 : 1;
  const bytes = version === 2 ? Buffer.from(body).fill(0) : Buffer.from(body);
  const headers = how.etag ? {etag: `"version ${version}"`} : {...how.headers?.(version)};
  if (how.gzip) {
    const packed = gzipSync(bytes);
    return response.writeHead(200, {...headers, 'content-encoding': 'gzip', 'content-length': packed.length}).end(packed);
  }
  const isSame = how.anyRange || request.headers['if-range'] === headers.etag;
  const start = range && isSame && !how.noRanges ? Number(/^bytes=(\d+)-$/.exec(range)[1]) : 0;
  const rest = bytes.subarray(start);
  if (start > 0) headers['content-range'] = `bytes ${start}-${bytes.length - 1}/${bytes.length}`;
  if (start > 0 && how.contentRange) Object.assign(headers, {'content-range': how.contentRange(start, bytes.length)});
  if (headers['content-range'] === undefined) delete headers['content-range'];
  if (!how.chunked) headers['content-length'] = rest.length;
  response.writeHead(start > 0 ? 206 : 200, headers);
  if (how.breakAfter && seen.length <= how.breaks) {
    response.write(rest.subarray(0, how.breakAfter));
    setTimeout(() => response.destroy(), 50);
  } else {
    response.end(rest);
  }
}

describe('loading a model', async () => {
  const ov = await packageWith('simd');
  const core = new ov.Core();
  let server;
  let url;
  let how = {};
  let seen = [];

  before(async () => {
    server = createServer((request, response) => {
      const {pathname} = new URL(request.url, 'http://localhost');
      const part = /^\/part(\d)$/.exec(pathname);
      if (pathname === '/hostile.xml') response.end('<data '.repeat(70_000));
      else if (pathname === '/model.xml') response.writeHead(200, {'content-length': xml.length}).end(xml);
      else if (pathname === '/model.bin') answer(request, response, bin, how, seen);
      else if (pathname === '/large.xml') response.end(large.xml);
      else if (pathname === '/large.bin') answer(request, response, large.bin, how, seen);
      else if (part) answer(request, response, bin.subarray(part[1] * 400_000, (+part[1] + 1) * 400_000), how, seen);
      else response.writeHead(404).end();
    });
    await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${server.address().port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  // Reads and runs the model. Returns the requests to the server and the progress reports.
  async function read(served, options = {}) {
    how = served;
    seen = [];
    const told = [];
    const model = await core.readModel(`${url}/model.xml`, {onProgress: (progress) => told.push(progress), ...options});
    const compiled = await core.compileModel(model, 'CPU');
    const {y} = await compiled.createInferRequest().inferAsync([new Float32Array(1024)]);
    assert.deepEqual(y.data, new Float32Array(1024).fill(1 / 512));
    assert.ok(compiled.exportModelSync().subarray(-bin.length).every((byte, i) => byte === bin[i]));
    for (const [i, {loaded, total}] of told.entries()) {
      assert.ok(loaded >= (told[i - 1]?.loaded ?? 0) && (total === undefined || loaded <= total), `${loaded} of ${total}`);
    }
    assert.equal(told.at(-1).phase, 'read');
    assert.equal(told.at(-1).loaded, size);
    assert.equal(told.at(-1).total, size);
    return {told, seen};
  }

  it('tells how far it is, of both files together', async () => {
    const {told} = await read({});
    assert.ok(told.some(({file, phase, loaded, total}) => file === `${url}/model.bin` && phase === 'download' && loaded < size && total === size));
  });

  // A regular expression that looks for the end of each <data took half a minute.
  it('looks for the size of weights in any text at once', {timeout: 10_000}, async () => {
    how = {chunked: true};
    await assert.rejects(core.readModel(`${url}/hostile.xml`, `${url}/model.bin`), {code: 'INVALID_MODEL'});
  });

  it('knows the size of compressed and of chunked weights by the model', async () => {
    for (const served of [{gzip: true}, {chunked: true}]) {
      const {told} = await read(served);
      const ofWeights = told.filter(({file}) => file.endsWith('.bin'));
      assert.ok(ofWeights.length > 1);
      assert.ok(ofWeights.every(({total}) => total === size));
    }
  });

  it('asks for the rest where the connection breaks', async () => {
    const {seen} = await read({etag: true, breakAfter: 300_000, breaks: 2});
    assert.equal(seen.length, 3);
    assert.equal(seen[0].range, undefined);
    for (const {range, ifRange} of seen.slice(1)) {
      assert.match(range, /^bytes=[1-9]\d*-$/);
      assert.equal(ifRange, '"version 1"');
    }
    assert.equal(Number(seen[2].range.match(/\d+/)[0]), 600_000);
  });

  it('begins again where ranges are not served, or nothing tells versions apart', async () => {
    const {seen: whole} = await read({etag: true, noRanges: true, breakAfter: 300_000, breaks: 1});
    assert.equal(whole[1].range, 'bytes=300000-');
    const {seen: without} = await read({breakAfter: 300_000, breaks: 1});
    assert.equal(without[1].range, undefined);
  });

  it('begins again where the file is another one by then', async () => {
    how = {etag: true, changes: true, breakAfter: 300_000, breaks: 1};
    seen = [];
    const model = await core.readModel(`${url}/model.xml`);
    const exported = (await core.compileModel(model, 'CPU')).exportModelSync();
    assert.ok(exported.subarray(-bin.length).every((byte) => byte === 0));
    assert.equal(seen[1].ifRange, '"version 1"');
  });

  it('never joins parts of two versions', async () => {
    const etag = (version) => ({etag: version === 1 ? '"a"' : '"b"'});
    const modified = 'Sun, 29 Nov 2026 00:00:00 GMT';
    const cases = {
      'Last-Modified of one second': {headers: () => ({'last-modified': modified})},
      'a weak ETag, and Last-Modified': {headers: () => ({etag: 'W/"a"', 'last-modified': modified})},
      'another ETag': {headers: etag},
      'no ETag in the second answer': {headers: (version) => (version === 1 ? {etag: '"a"'} : {})},
      'no Content-Range': {headers: () => ({etag: '"a"'}), contentRange: () => undefined},
      'another total': {headers: () => ({etag: '"a"'}), contentRange: (start, length) => `bytes ${start}-${length - 1}/${length + 1}`},
      'an unknown total': {headers: () => ({etag: '"a"'}), contentRange: (start, length) => `bytes ${start}-${length - 1}/*`},
      'another start': {headers: () => ({etag: '"a"'}), contentRange: (start, length) => `bytes ${start + 1}-${length - 1}/${length}`},
    };
    for (const [name, served] of Object.entries(cases)) {
      how = {...served, anyRange: true, changes: true, breakAfter: 300_000, breaks: 1};
      seen = [];
      const compiled = await core.compileModel(await core.readModel(`${url}/model.xml`), 'CPU');
      assert.ok(compiled.exportModelSync().subarray(-bin.length).every((byte) => byte === 0), name);
    }
  });

  it('resumes without an ETag where a hash tells versions apart', async () => {
    const integrity = {weights: `sha256-${createHash('sha256').update(bin).digest('base64')}`};
    const {seen: resumed} = await read({anyRange: true, breakAfter: 300_000, breaks: 1}, {integrity});
    assert.equal(resumed[1].range, 'bytes=300000-');
    how = {anyRange: true, changes: true, breakAfter: 300_000, breaks: 1};
    seen = [];
    await assert.rejects(core.readModel(`${url}/model.xml`, {integrity}), {code: 'INVALID_MODEL'});
  });

  it('gives up a connection that always breaks', async () => {
    how = {breakAfter: 1000, breaks: Infinity};
    seen = [];
    await assert.rejects(core.readModel(`${url}/model.xml`), {
      code: 'INVALID_ARGUMENT',
      message: /model\.bin cannot be read: the transfer broke off after 1000 of 1048576 bytes/,
    });
    assert.equal(seen.length, 4);
  });

  it('ends by its signal, and waits no longer for the next attempt', async () => {
    how = {breakAfter: 1000, breaks: Infinity};
    seen = [];
    const controller = new AbortController();
    const reason = new Error('the user went away');
    const reading = core.readModel(`${url}/model.xml`, {signal: controller.signal, onProgress: ({file}) => file.endsWith('.bin') && controller.abort(reason)});
    await assert.rejects(reading, reason);
    assert.equal(seen.length, 1);
  });

  it('ends by what the listener throws', async () => {
    const reason = new Error('not like this');
    const onProgress = () => {
      throw reason;
    };
    await assert.rejects(core.readModel(`${url}/model.xml`, {onProgress}), reason);
  });

  it('joins weights of several files', async () => {
    const weights = [0, 1, 2].map((part) => `${url}/part${part}`);
    const {told, seen} = await read({}, {weights});
    assert.deepEqual(seen.map((each) => each.url).filter((path) => path !== '/model.bin'), ['/part0', '/part1', '/part2']);
    assert.equal(new Set(told.map(({file}) => file)).size, 4);
    how = {};
    await assert.rejects(core.readModel(`${url}/model.xml`, {weights: [weights[0], `${url}/none`]}), {
      code: 'INVALID_ARGUMENT',
      message: /none cannot be opened: status 404/,
    });
    await assert.rejects(core.readModel(`${url}/model.xml`, {weights: []}), {
      code: 'INVALID_ARGUMENT',
      message: /weights takes an array of paths or URLs, not an empty array/,
    });
    await assert.rejects(core.readModel(`${url}/model.xml`, `${url}/model.bin`, {weights}), {
      code: 'INVALID_ARGUMENT',
      message: /weights are given twice, as the path '.*model\.bin' and as the option weights/,
    });
  });

  it('checks hashes', async () => {
    const hash = (kind, data) => `${kind}-${createHash(kind).update(data).digest('base64')}`;
    await read({}, {integrity: {xml: hash('sha256', xml), weights: `${hash('sha384', bin)} sha256-AAAA`}});
    const wrong = hash('sha512', xml);
    await assert.rejects(core.readModel(`${url}/model.xml`, {integrity: {weights: wrong}}), {
      code: 'INVALID_MODEL',
      message: /model\.bin is not the expected file: its hash is sha512-/,
      expected: wrong,
      actual: hash('sha512', bin),
    });
    await assert.rejects(core.readModel(`${url}/model.xml`, {integrity: {weights: 'md5-AAAA'}}), {code: 'INVALID_ARGUMENT', message: /integrity takes hashes/});
    await assert.rejects(core.readModel(`${url}/model.xml`, {integrity: {weights: [wrong, wrong]}}), {code: 'INVALID_ARGUMENT', message: /1 files.*2 hashes/});
  });

  it('collects large files in pieces', async () => {
    const weights = `sha256-${createHash('sha256').update(large.bin).digest('base64')}`;
    for (const served of [{}, {chunked: true}, {gzip: true}, {etag: true, breakAfter: 9_000_000, breaks: 1}]) {
      how = served;
      seen = [];
      const model = await core.readModel(`${url}/large.xml`, {integrity: {weights}});
      const exported = core.compileModelSync(model, 'CPU').exportModelSync().subarray(-large.bin.length);
      assert.ok(Buffer.from(large.bin).equals(exported), JSON.stringify(served));
    }
  });

  it('refuses what memory cannot hold before any of it comes', async () => {
    const far = Buffer.from(new TextDecoder().decode(xml).replace(/offset="0"/, 'offset="5000000000"'));
    const claims = createServer((request, response) => {
      const isXml = request.url.endsWith('.xml');
      response.writeHead(200, isXml ? {'content-length': far.length} : {});
      if (isXml) response.end(far);
      else response.write('x');
    });
    await new Promise((listening) => claims.listen(0, '127.0.0.1', listening));
    try {
      await assert.rejects(core.readModel(`http://127.0.0.1:${claims.address().port}/model.xml`), {
        code: 'OUT_OF_MEMORY',
        expected: 'at most 4294967296 bytes',
        actual: `${5e9 + bin.length} bytes`,
      });
    } finally {
      claims.closeAllConnections();
      claims.close();
    }
  });

  it('takes the same options for files, and for what is compiled at once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wasmvino-'));
    try {
      writeFileSync(join(folder, 'model.xml'), xml);
      const weights = [0, 1, 2].map((part) => join(folder, `part${part}`));
      weights.forEach((path, part) => writeFileSync(path, bin.subarray(part * 400_000, (part + 1) * 400_000)));
      const told = [];
      const compiled = await core.compileModel(join(folder, 'model.xml'), 'CPU', {}, {weights, onProgress: (progress) => told.push(progress)});
      assert.equal(compiled.outputs.length, 1);
      for (const [i, phase] of [[-2, 'read'], [-1, 'compile']]) {
        assert.deepEqual(told.at(i), {loaded: size, total: size, file: join(folder, 'model.xml'), phase});
      }
      await assert.rejects(core.readModel(folder), {code: 'INVALID_ARGUMENT', message: /it is a folder/});
    } finally {
      rmSync(folder, {recursive: true});
    }
  });

  it('refuses options that have no meaning', async () => {
    await assert.rejects(core.readModel(xml, bin, {cache: true}), {code: 'INVALID_ARGUMENT', message: /option cache applies only to models that are read from a path/});
    assert.throws(() => core.readModel(`${url}/model.xml`, {cached: true}), {code: 'INVALID_ARGUMENT', message: /no option 'cached'/});
    await assert.rejects(core.readModel(`${url}/model.xml`, {cache: 5}), {code: 'INVALID_ARGUMENT', message: /cache takes/});
    await assert.rejects(core.readModel(`${url}/model.xml`, {onProgress: 5}), {code: 'INVALID_ARGUMENT', message: /onProgress takes a function/});
    assert.throws(() => core.readModelSync(`${url}/model.xml`), {code: 'INVALID_STATE', message: /use readModel\(\)/});
  });
});
