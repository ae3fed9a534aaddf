import {addon as ov} from 'wasmvino';

// Downloads a file and reports how many bytes have arrived.
// Keeps the file in a cache of the browser.
async function download(url, onProgress) {
  const cache = await caches.open('models-v1');
  let response = await cache.match(url);
  if (!response) {
    response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: status ${response.status}`);
    await cache.put(url, response.clone());
  }
  const total = Number(response.headers.get('content-length'));
  const bytes = [];
  let loaded = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes.push(part.value);
    onProgress((loaded += part.value.length), total);
  }
  return new Uint8Array(await new Blob(bytes).arrayBuffer());
}

const [xml, bin] = await Promise.all([
  download('model.xml', () => {}),
  download('model.bin', (loaded, total) => {
    if (loaded === total) console.log('weights:', loaded, 'bytes');
  }),
]);
const model = await new ov.Core().readModel(xml, bin);
console.log('inputs:', model.inputs.map((port) => port.anyName).join(', '));
