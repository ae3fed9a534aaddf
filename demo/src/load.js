// SPDX-License-Identifier: Apache-2.0

/**
 * Fetches a file and reports its progress.
 * @param {string} url
 * @param {(have: number, total: number | undefined) => void} progress bytes; the total is undefined if the server does not send it
 * @returns {Promise<Uint8Array>}
 * @throws {Error} if the file is not available; the message names it and what was received instead
 */
export async function fetchBytes(url, progress) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(url);
  } catch (cause) {
    throw new Error(`${url} cannot be fetched: ${cause instanceof Error ? cause.message : cause}`, {cause});
  }
  if (!response.ok || !response.body) {
    throw new Error(`${url} is not there: the server answered ${response.status} ${response.statusText}`.trimEnd());
  }
  // For compressed transfers, the header gives the compressed length.
  const length = Number(response.headers.get('content-length'));
  const total = length > 0 && !response.headers.get('content-encoding') ? length : undefined;
  /** @type {Uint8Array[]} */
  const parts = [];
  let have = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    have += part.value.length;
    progress(have, total);
  }
  const bytes = new Uint8Array(have);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * @param {string} url
 * @returns {Promise<any>}
 */
export async function fetchJson(url) {
  const text = new TextDecoder().decode(await fetchBytes(url, () => {}));
  try {
    return JSON.parse(text);
  } catch (cause) {
    const html = /^\s*</.test(text) ? ': the server sent a page in its place' : '';
    throw new Error(`${url} is not JSON${html}`, {cause});
  }
}
