// SPDX-License-Identifier: Apache-2.0
// Generates the reference: pages of the package's declarations, with TypeDoc, and pages from the documents in docs/.
import {existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {Application} from 'typedoc';

const site = fileURLToPath(new URL('..', import.meta.url));
const root = dirname(site.replace(/\/$/, ''));
const pages = join(site, 'pages');
const sidebarFile = join(pages, 'reference/api/sidebar.json');

// The documents in docs/ that become pages, and the paths of these pages.
const documents = {
  'operators.md': 'reference/operators.md',
  'conformance.md': 'reference/conformance.md',
  'reliability.md': 'reference/reliability.md',
  'loading.md': 'reference/loading.md',
  'benchmarks.md': 'reference/benchmarks.md',
  'architecture.md': 'contributing/architecture.md',
  'performance.md': 'contributing/performance.md',
  'adding_an_operator.md': 'contributing/adding_an_operator.md',
  'building.md': 'contributing/building.md',
  'formats.md': 'reference/formats.md',
  'tensors.md': 'reference/tensors.md',
  'properties.md': 'reference/properties.md',
};

/** The URL of the repository. */
export function repository() {
  const {repository: {url}} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return url.replace(/^git\+/, '').replace(/\.git$/, '');
}

/**
 * Rewrites the links of a document to pages of the site or, for other files, to the repository.
 * @param {string} text
 * @param {string} from its path in the repository
 */
function relinked(text, from) {
  return text.replace(/\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)/g, (_, path, anchor = '') => {
    const target = join(dirname(from), path);
    const page = documents[basename(target)];
    if (dirname(target) === 'docs' && page) return `](/${page}${anchor})`;
    return `](${repository()}/blob/main/${target}${anchor})`;
  });
}

// Escapes "<T>" in prose, which would be read as a tag. Code stays unchanged.
const withoutTags = (text) =>
  text
    .split(/(^```[^]*?^```|`[^`\n]+`)/m)
    .map((part) => (part.startsWith('`') ? part : part.replace(/<(?!!--)(?=[A-Za-z/])/g, '&lt;')))
    .join('');

/** The start of a cell. On phones, its title is above it (style.css). */
const cellOf = (title) => `<td role="cell" data-title="${title}">`;
/** Lets long names of operations break between their words. */
const breakable = (name) => name.replace(/(?<=[a-z])(?=[A-Z])/g, '<wbr>');
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * Reads the rows of a Markdown table as objects by the titles of the columns.
 * @param {string[]} lines
 */
function rowsOf([titles, , ...lines]) {
  const cells = (line) => line.slice(1, -1).split('|').map((cell) => cell.trim());
  const names = cells(titles);
  return lines.map((line) => Object.fromEntries(cells(line).map((cell, i) => [names[i], cell])));
}

/**
 * Converts docs/operators.md to a page with one table per category. A row states how many cases compare the operation with
 * OpenVINO (docs/agreement.json). The long lists of PNNX operators are folded.
 * @param {string} text
 */
function operatorsPage(text) {
  const agreement = JSON.parse(readFileSync(join(root, 'docs/agreement.json'), 'utf8'));
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith('|'));
  const rows = rowsOf(lines.slice(start).filter((line) => line.startsWith('|')));
  const intro = lines.slice(0, start).join('\n').replace(/^The last columns .*$/m, '');
  const categories = [...new Set(rows.map(({Category}) => Category))].sort();
  const tables = categories.map((category) => {
    const body = rows.filter(({Category}) => Category === category).map((row) => {
      const {Operation: name, Opsets: opsets, PNNX: pnnx, 'Element types of the inputs': types} = row;
      const [, url] = /\((https:[^)]+)\)/.exec(row.Specification) ?? [];
      const {cases, identical, contradictions} = agreement[name] ?? {};
      const compared = `${cases ?? '–'}${contradictions > 0 ? ` + ${contradictions}` : ''}`;
      const others = pnnx === '' ? [] : pnnx.split(', ');
      const folded = others.map((other) => `<code>${escaped(other.replaceAll('`', ''))}</code>`).join(', ');
      return [
        `<tr role="row"><th role="rowheader" scope="row" id="${name}">${url ? `<a href="${url}">${breakable(name)}</a>` : breakable(name)}</th>`,
        `${cellOf('Opsets')}${opsets}</td>${cellOf('Element types of the inputs')}${escaped(types)}`,
        others.length === 0 ? '' : `<details><summary>PNNX: ${others.length} ${others.length === 1 ? 'operator' : 'operators'}</summary>${folded}</details>`,
        `</td>${cellOf('Cases')}${compared}</td>${cellOf('Identical')}${identical ?? '–'}</td></tr>`,
      ].join('');
    });
    const titles = ['Operation', 'Opsets', 'Element types of the inputs', 'Cases', 'Identical'];
    return [
      `## ${category[0].toUpperCase()}${category.slice(1)}\n`,
      `<div class="scroller" tabindex="0" role="region" aria-label="Operations: ${category}"><table role="table" class="operations stacked">`,
      `<thead role="rowgroup"><tr role="row">${titles.map((title) => `<th role="columnheader" scope="col">${title}</th>`).join('')}</tr></thead>`,
      `<tbody role="rowgroup">${body.join('\n')}</tbody></table></div>\n`,
    ].join('\n');
  });
  return `${intro.trimEnd()}

The name of an operation links to its specification. "PNNX" lists the operators of that [format](formats.md) that use it.

"Cases" counts the models that compare an operation with OpenVINO's CPU plugin. All of them agree within their tolerances.
"Identical" counts those with the same bits. In "19 + 4", OpenVINO contradicts its specification in 4 more cases, where
wasmvino follows the specification. [Agreement with OpenVINO](conformance.md) says how this is measured.

${tables.join('\n')}`;
}

async function api() {
  const out = join(pages, 'reference/api');
  rmSync(out, {recursive: true, force: true});
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    outputs: [{name: 'markdown', path: out}],
    entryPoints: [join(root, 'dist/types/api/index.d.ts')],
    tsconfig: join(site, 'tsconfig.reference.json'),
    readme: 'none',
    name: 'wasmvino',
    excludeInternal: true,
    excludePrivate: true,
    disableSources: true,
    hideBreadcrumbs: true,
    hidePageHeader: true,
    entryFileName: 'index',
    useCodeBlocks: true,
    parametersFormat: 'table',
    propertiesFormat: 'table',
    enumMembersFormat: 'table',
    expandObjects: true,
    indexFormat: 'table',
    sanitizeComments: true,
    logLevel: 'Warn',
    validation: {notExported: false, invalidLink: true, rewrittenLink: true, notDocumented: false},
  });
  const project = await app.convert();
  if (!project || app.logger.hasErrors()) throw new Error('TypeDoc cannot read dist/types');
  await app.generateOutputs(project);
  for (const file of readdirSync(out, {recursive: true}).filter((name) => name.endsWith('.md'))) {
    const path = join(out, file);
    // A union in a cell of a table starts with a bar.
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('| \\| ', '| '));
  }
  // One group per folder of pages.
  const groups = {classes: 'Classes', functions: 'Functions', interfaces: 'Interfaces', 'type-aliases': 'Types', variables: 'Variables'};
  const sidebar = Object.entries(groups)
    .filter(([folder]) => existsSync(join(out, folder)))
    .map(([folder, text]) => ({
      text,
      items: readdirSync(join(out, folder))
        .sort()
        .map((file) => file.replace(/\.md$/, ''))
        .map((name) => ({text: name, link: `/reference/api/${folder}/${name}`})),
    }));
  writeFileSync(sidebarFile, JSON.stringify(sidebar));
}

/** Writes all generated pages. Needs the package in dist/. */
export async function makeReference() {
  for (const [name, page] of Object.entries(documents)) {
    const text = readFileSync(join(root, 'docs', name), 'utf8');
    mkdirSync(dirname(join(pages, page)), {recursive: true});
    // v-pre keeps VitePress from evaluating double braces as expressions.
    const content = name === 'operators.md' ? relinked(operatorsPage(text), `docs/${name}`) : withoutTags(relinked(text, `docs/${name}`));
    writeFileSync(join(pages, page), `::: v-pre\n${content}\n:::\n`);
  }
  await api();
}

/** @returns {import('vitepress').DefaultTheme.SidebarItem[]} */
export function referenceSidebar() {
  const api = existsSync(sidebarFile) ? JSON.parse(readFileSync(sidebarFile, 'utf8')) : [];
  return [
    {
      text: 'Reference',
      items: [
        {text: 'Overview', link: '/reference/'},
        {text: 'Operations', link: '/reference/operators'},
        {text: 'Agreement with OpenVINO', link: '/reference/conformance'},
        {text: 'Properties', link: '/reference/properties'},
        {text: 'Model formats', link: '/reference/formats'},
        {text: 'Tensors', link: '/reference/tensors'},
        {text: 'Loading', link: '/reference/loading'},
        {text: 'Reliability', link: '/reference/reliability'},
        {text: 'Benchmarks', link: '/reference/benchmarks'},
      ],
    },
    ...api,
    {
      text: 'For contributors',
      items: [
        {text: 'Building', link: '/contributing/building'},
        {text: 'Architecture', link: '/contributing/architecture'},
        {text: 'Performance', link: '/contributing/performance'},
        {text: 'Adding an operator', link: '/contributing/adding_an_operator'},
      ],
    },
  ];
}
