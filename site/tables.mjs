// SPDX-License-Identifier: Apache-2.0
// Tables of Markdown pages. A table that is too wide scrolls, also with the keyboard. If it has prose and is too wide for a phone,
// its rows become blocks there, so that no column is out of sight: style.css lays them out, and this file adds what that needs.

const PROSE = 24; // characters: longer texts are prose
const PHONE = 312; // pixels of text on a screen with 360
const LETTER = 7.8; // pixels, in code
const PADDING = 20; // pixels on both sides of a cell
const COLUMN = 136; // pixels: prose is hard to read in a narrower column

// Table elements lose their meaning for screen readers when CSS lays them out as blocks. Roles keep it.
const roles = {table_open: 'table', thead_open: 'rowgroup', tbody_open: 'rowgroup', tr_open: 'row', th_open: 'columnheader', td_open: 'cell'};

const textOf = (token) => token.children.map(({content}) => content).join('');
const wordOf = (text) => Math.max(...text.split(/[\s-]+/).map((word) => word.length));

/**
 * A plugin of markdown-it.
 * @param {import('markdown-it').default} md
 */
export function tables(md) {
  // VitePress writes tables without their attributes.
  md.renderer.rules.table_open = (tokens, i, options, _, renderer) => renderer.renderToken(tokens, i, options);
  md.core.ruler.push('tables', ({tokens}) => {
    for (let start = 0; start < tokens.length; start++) {
      if (tokens[start].type !== 'table_open') continue;
      tokens[start].attrSet('tabindex', '0');
      const end = tokens.findIndex(({type}, i) => i > start && type === 'table_close');
      const table = tokens.slice(start, end);
      const cells = (type) => table.flatMap((token, i) => (token.type === type ? [{token, text: textOf(table[i + 1])}] : []));
      const titles = cells('th_open').map(({text}) => text);
      const body = cells('td_open');
      const columns = titles.map((title, column) => [title, ...body.filter((_, i) => i % titles.length === column).map(({text}) => text)]);
      const isProse = ([, ...texts]) => texts.filter((text) => text.length > PROSE).length > texts.length / 3;
      const width = columns.reduce((sum, column, i) => sum + Math.max(PADDING + LETTER * Math.max(...column.map(wordOf)), i > 0 && isProse(column) ? COLUMN : 0), 0);
      if (width <= PHONE || !columns.slice(1).some(isProse)) continue;
      tokens[start].attrJoin('class', 'stacked');
      for (const token of table) if (roles[token.type]) token.attrSet('role', roles[token.type]);
      body.forEach(({token}, i) => token.attrSet('data-title', titles[i % titles.length]));
    }
  });
}
