// SPDX-License-Identifier: Apache-2.0
// The page of the frame for edited code, and the policies that belong to it.
import {createHash} from 'node:crypto';

/**
 * Headers for hosts that can send some. The frame has an opaque origin even if a page embeds it without `sandbox`, and other
 * sites cannot embed it. Neither can be said in the page itself, so the script checks both, too.
 */
export const FRAME_POLICY = "sandbox allow-scripts; frame-ancestors 'self'";

/**
 * The page. Its policy allows only this script, blobs that it makes, and WebAssembly. It allows no connections.
 *
 * @param {string} script the text of run.js
 */
export function frameHtml(script) {
  const hash = createHash('sha256').update(script).digest('base64');
  return `<!doctype html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-${hash}' blob: 'wasm-unsafe-eval'">
<title>Runs edited code</title>
<script>${script}</script>
`;
}
