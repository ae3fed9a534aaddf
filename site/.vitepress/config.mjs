// SPDX-License-Identifier: Apache-2.0
import {createHash} from 'node:crypto';
import {defineConfig} from 'vitepress';
import {referenceSidebar, repository} from '../scripts/reference.mjs';
import {guides} from '../guides.mjs';
import {tables} from '../tables.mjs';

const base = process.env.SITE_BASE ?? '/';
const reference = referenceSidebar();

// The files of the package are served unbundled, because its modules find each other by relative paths.
const servedPackage = {
  name: 'wasmvino is served',
  enforce: 'pre',
  resolveId: (id) => (id === 'wasmvino' ? {id: `${base}wasmvino/browser.js`, external: 'absolute'} : undefined),
};

/**
 * Returns the Content-Security-Policy of a page. Hashes allow the inline scripts of VitePress. Inline styles are allowed,
 * because highlighted code has its colours in style attributes. The playground may open models from any https URL.
 * @param {string} html
 */
function policyOf(html) {
  const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^]*?)<\/script>/g)];
  const hashes = inline.map(([, code]) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`);
  return [
    "default-src 'self'",
    ["script-src 'self' 'wasm-unsafe-eval'", ...new Set(hashes)].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "connect-src 'self' https:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

export default defineConfig({
  lang: 'en',
  title: 'wasmvino',
  description: 'Runs OpenVINO IR models in browsers and Node.js, with WebAssembly SIMD.',
  base,
  srcDir: 'pages',
  outDir: '../build/site',
  cacheDir: '../build/site-cache',
  // Also works on hosts without rewriting rules.
  cleanUrls: false,
  metaChunk: true,
  // Pages load only what they show.
  router: {prefetchLinks: false},
  // The demo and the files that visitors download are copied beside the pages after the build.
  ignoreDeadLinks: [/^\/demo\//],
  head: [
    ['link', {rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg`}],
    ['meta', {name: 'color-scheme', content: 'light dark'}],
  ],
  markdown: {
    theme: {light: 'github-light-high-contrast', dark: 'github-dark-high-contrast'},
    config: tables,
  },
  themeConfig: {
    logo: {src: '/icon.svg', alt: ''},
    search: {provider: 'local'},
    notFound: {title: 'Page not found', quote: 'Use the search, or start at the home page.', linkText: 'Home', linkLabel: 'Home'},
    outline: {level: [2, 3], label: 'On this page'},
    socialLinks: [{icon: 'github', link: repository(), ariaLabel: 'The repository'}],
    footer: {message: `Free software under the <a href="${repository()}/blob/main/LICENSE">Apache License 2.0</a>. <a href="${repository()}">Source code</a>`},
    nav: [
      {text: 'Guides', link: '/guides/first-model', activeMatch: '^/guides/'},
      {text: 'Playground', link: '/playground'},
      {text: 'Examples', link: '/examples/', activeMatch: '^/examples/'},
      {text: 'Reference', link: '/reference/', activeMatch: '^/(reference|contributing)/'},
      {text: 'Demo', link: '/demo/', target: '_self'},
    ],
    sidebar: {
      '/guides/': guides,
      '/examples/': [
        {
          text: 'Live examples',
          items: [
            {text: 'Overview', link: '/examples/'},
            {text: 'Faces and landmarks', link: '/examples/faces'},
            {text: 'Text in a photo', link: '/examples/text'},
            {text: 'Voice activity', link: '/examples/voice'},
            {text: 'Kind of a file', link: '/examples/files'},
            {text: 'Sentence similarity', link: '/examples/sentences'},
            {text: 'Pronouncing dictionary', link: '/examples/pronounce'},
          ],
        },
      ],
      '/reference/': reference,
      // The pages for contributors come first there.
      '/contributing/': [...reference.slice(-1), ...reference.slice(0, -1)],
    },
  },
  // Preloads the fonts, so that text does not move when they arrive.
  transformHead: ({assets}) =>
    assets
      .filter((href) => href.endsWith('.woff2'))
      .map((href) => ['link', {rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href}]),
  transformHtml: (html) =>
    html.replace('<head>', `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policyOf(html)}">`),
  vite: {
    plugins: [servedPackage],
    worker: {format: 'es', plugins: () => [servedPackage]},
    build: {target: 'es2022', chunkSizeWarningLimit: 1500},
    server: {
      fs: {allow: ['..']},
      headers: {'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp'},
    },
  },
});
