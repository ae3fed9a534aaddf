const name = 'app-v1';
const files = [
  './',
  'node_modules/wasmvino/dist/browser.js',
  'node_modules/wasmvino/dist/shared.js',
  'node_modules/wasmvino/dist/wasmvino-relaxed.mjs',
  'node_modules/wasmvino/dist/wasmvino-relaxed.wasm',
  'model.xml',
  'model.bin',
];

addEventListener('install', (event) => {
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(files)));
});
addEventListener('fetch', (event) => {
  const kept = caches.match(event.request);
  event.respondWith(kept.then((response) => response ?? fetch(event.request)));
});
