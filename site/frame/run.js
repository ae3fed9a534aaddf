// SPDX-License-Identifier: Apache-2.0
// Runs code that a visitor typed. This script is inlined in frame/run.html, which runs in a sandboxed frame: its origin is
// opaque, and its policy allows no connections. The page sends the package and the model in a message.
'use strict';

// Only a page of this site is told anything, and only such a page can make the frame run code. The origin of a sandboxed
// document is opaque, but its location is that of the site.
const site = location.origin;
const tell = (message) => parent.postMessage(message, site);
const textOf = (value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value));
const urlOf = (source) => URL.createObjectURL(new Blob([source], {type: 'text/javascript'}));

for (const level of ['log', 'warn', 'error']) {
  console[level] = (...values) => tell({line: values.map(textOf).join(' '), level});
}
addEventListener('unhandledrejection', ({reason}) => tell({line: String(reason), level: 'error'}));

let started = false;
addEventListener('message', async ({source, origin, data}) => {
  // Without an opaque origin, the code could read what the site stores.
  if (started || source !== parent || origin !== site || self.origin !== 'null') return;
  started = true;
  const {code, package: engine, shared, factory, wasm, files} = data;
  // Only the files that the page sent can be fetched.
  globalThis.fetch = async (path) => {
    const name = String(path).replace(/^\.?\//, '');
    if (!Object.hasOwn(files, name)) {
      throw new TypeError(`there is no file '${name}' in this frame: there are ${Object.keys(files).join(', ')}`);
    }
    return new Response(files[name], {headers: {'content-length': files[name].byteLength}});
  };
  try {
    // Scripts of the package import each other by relative URLs, which blobs do not have.
    const url = urlOf(new TextDecoder().decode(engine).replaceAll('./shared.js', urlOf(shared)));
    const {configure} = await import(url);
    configure({build: 'simd', factory: (await import(urlOf(factory))).default, wasmBinary: wasm});
    await import(urlOf(code.replace(/(\bfrom\s*|\bimport\s*\(?\s*)(['"])wasmvino\2/g, `$1'${url}'`)));
    tell({done: true});
  } catch (error) {
    tell({line: String(error), level: 'error', done: true});
  }
});
tell(self.origin === 'null' ? {ready: true} : {line: 'This frame runs code only with sandbox="allow-scripts".', level: 'error', done: true});
