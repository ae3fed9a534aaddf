// SPDX-License-Identifier: Apache-2.0
// Checks the style of the site's pages and of the documents that it shows: short sentences, no filler words, terms of the field.
// scripts/test lint checks their spelling.
import assert from 'node:assert/strict';
import {readFileSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {root} from '../package/install.mjs';

const LONGEST = 25; // words

/** Words that add nothing or that are not plain, and terms that the field does not use. */
const avoided = [
  /\b(just|simply|easily|obviously|basically|actually|seamless(ly)?|blazing(ly)?|powerful|cutting-edge)\b/i,
  /\b(utili[sz]e[sd]?|leverage[sd]?|in order to|note that|please note|it should be noted)\b/i,
  /\b(e\.g\.|i\.e\.|etc\.)/i,
  /\b(we|our|us)\b/,
  /\b(open size|planar|twin)\b/i,
];

const pages = join(root, 'site/pages');
const markdown = (folder) => readdirSync(join(pages, folder)).filter((file) => file.endsWith('.md')).map((file) => `site/pages/${folder}${file}`);
const files = [
  ...markdown(''),
  ...markdown('guides/'),
  ...markdown('examples/'),
  'site/pages/reference/index.md',
  'CONTRIBUTING.md',
  ...['building', 'conformance', 'formats', 'loading', 'properties', 'reliability', 'tensors'].map((name) => `docs/${name}.md`),
];

/**
 * Splits a page into sentences. Code counts as one word. Headings, code blocks and tags are left out.
 * @param {string} text
 */
function sentencesOf(text) {
  const prose = text
    .replace(/^---\n[^]*?\n---\n/, '')
    .replace(/^```[^]*?^```$/gm, '\n')
    .replace(/^(<<<|:::|#).*$/gm, '\n')
    .replace(/<script[^]*?<\/script>|<[^>]+>/g, '')
    .replace(/`[^`\n]*`/g, 'Code')
    .replace(/\]\([^)]*\)(\{[^}]*\})?/g, ']')
    .replace(/^\|.*$/gm, (row) => row.replaceAll('|', '\n\n'))
    .replace(/^\s*([-*]|\d+\.) /gm, '\n\n')
    .replaceAll('**', '');
  return prose
    .split(/\n\s*\n/)
    .flatMap((paragraph) => paragraph.replace(/\s+/g, ' ').split(/(?<=[.?!]) |(?<=[:;]) (?=[A-Z])/))
    .map((sentence) => sentence.trim())
    .filter(Boolean);
}

const wordsOf = (sentence) => sentence.split(' ').filter((word) => /\w/.test(word)).length;

describe('prose', () => {
  for (const file of files) {
    test(file, () => {
      const sentences = sentencesOf(readFileSync(join(root, file), 'utf8'));
      assert.ok(sentences.length > 0);
      const long = sentences.filter((sentence) => wordsOf(sentence) > LONGEST).map((sentence) => `${wordsOf(sentence)} words: ${sentence}`);
      const odd = sentences.flatMap((sentence) => avoided.flatMap((words) => (words.test(sentence) ? `${words.exec(sentence)[0]}: ${sentence}` : [])));
      assert.deepEqual([...long, ...odd], []);
    });
  }
});

test('long sentences and filler words are found', () => {
  const [long, short, cell, other] = sentencesOf(`# A title\n\nIt ${'goes on and on '.repeat(7)}here. Short \`code of many words\`.\n\n| Simply so | b |\n`);
  assert.equal(wordsOf(long), 30);
  assert.equal(wordsOf(short), 2);
  assert.ok(avoided.some((words) => words.test(cell)));
  assert.equal(other, 'b');
});
