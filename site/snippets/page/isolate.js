// Adds the two headers to everything that the page loads.
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => event.respondWith(isolated(event.request)));

async function isolated(request) {
  const response = await fetch(request);
  if (response.type === 'opaque') return response; // from another origin
  const headers = new Headers(response.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  const {status, statusText} = response;
  return new Response(response.body, {status, statusText, headers});
}
