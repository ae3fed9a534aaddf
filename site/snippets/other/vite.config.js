import {defineConfig} from 'vite';

const isolated = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

export default defineConfig({
  optimizeDeps: {exclude: ['wasmvino']}, // only the development server needs this
  server: {headers: isolated}, // only threads need these
  preview: {headers: isolated},
});
