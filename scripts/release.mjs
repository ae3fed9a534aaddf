// SPDX-License-Identifier: Apache-2.0
// node scripts/release.mjs VERSION [--date YYYY-MM-DD] [--dry-run]: prepares a release. Moves the entries below "Unreleased" in
// CHANGELOG.md under the new version, writes the version to package.json, package-lock.json and CMakeLists.txt, prints the
// text of the tag, and lets npm check the package (npm publish --dry-run), which needs dist/. Publishes nothing. With
// --dry-run, no file is changed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

export const SECTIONS = ['Added', 'Changed', 'Fixed', 'Faster'];

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;
const numbers = (version) => version.match(VERSION)?.slice(1).map(Number);

/**
 * Whether `next` follows `current` in Semantic Versioning: one of the three numbers is one higher, those after it are 0.
 * @param {string} current "0.1.0"
 * @param {string} next "0.2.0"
 */
export function follows(current, next) {
  const [from, to] = [numbers(current), numbers(next)];
  if (!from || !to) return false;
  const at = from.findIndex((number, i) => number !== to[i]);
  return at >= 0 && to[at] === from[at] + 1 && to.slice(at + 1).every((number) => number === 0);
}

/**
 * Moves the unreleased entries of a changelog under a version. Sections without entries are left out.
 * @param {string} changelog the text of CHANGELOG.md
 * @param {string} version "0.2.0"
 * @param {string} date "2026-11-29"
 * @returns {{changelog: string, notes: string}} the new text, and the entries of the version
 * @throws {Error} If nothing is unreleased, or a section has an unknown name.
 */
export function releaseChangelog(changelog, version, date) {
  const [head, rest] = changelog.split('## Unreleased\n');
  if (rest === undefined) throw new Error('CHANGELOG.md has no "## Unreleased"');
  const end = rest.search(/^## /m);
  const [unreleased, older] = end < 0 ? [rest, ''] : [rest.slice(0, end), rest.slice(end)];
  const sections = unreleased.split(/^### /m).slice(1);
  const notes = sections
    .map((section) => {
      const name = section.slice(0, section.indexOf('\n'));
      if (!SECTIONS.includes(name)) {
        throw new Error(`CHANGELOG.md has a section "${name}" (known: ${SECTIONS.join(', ')})`);
      }
      return [name, section.slice(name.length).trim()];
    })
    .filter(([, entries]) => entries)
    .map(([name, entries]) => `### ${name}\n\n${entries}\n`)
    .join('\n');
  if (!notes) throw new Error('CHANGELOG.md has no entry below "## Unreleased"');
  const empty = SECTIONS.map((name) => `### ${name}\n`).join('\n');
  return { changelog: `${head}## Unreleased\n\n${empty}\n## ${version} - ${date}\n\n${notes}\n${older}`, notes };
}

function replaceVersion(text, pattern, version, file) {
  if (!pattern.test(text)) throw new Error(`${file} states no version where the release script looks for it`);
  return text.replace(pattern, (_, before, after) => before + version + after);
}

function main() {
  const root = process.cwd();
  const { values, positionals } = parseArgs({
    options: { 'dry-run': { type: 'boolean' }, date: { type: 'string' } },
    allowPositionals: true,
  });
  const [version] = positionals;
  const read = (file) => readFileSync(path.join(root, file), 'utf8');
  const current = JSON.parse(read('package.json')).version;
  if (positionals.length !== 1 || !follows(current, version)) {
    throw new Error(`expected one version that follows ${current}, such as the next minor one, but got '${positionals.join(' ')}'`);
  }
  const date = values.date ?? new Date().toISOString().slice(0, 10);
  const { changelog, notes } = releaseChangelog(read('CHANGELOG.md'), version, date);
  const json = /^(\s*"version": ")[^"]*(")/m;
  const lock = JSON.parse(read('package-lock.json'));
  lock.version = lock.packages[''].version = version;
  const files = {
    'CHANGELOG.md': changelog,
    'package.json': replaceVersion(read('package.json'), json, version, 'package.json'),
    'package-lock.json': `${JSON.stringify(lock, null, 2)}\n`,
    'CMakeLists.txt': replaceVersion(read('CMakeLists.txt'), /(\bproject\(wasmvino VERSION )[\d.]+( )/, version, 'CMakeLists.txt'),
  };
  for (const [file, text] of Object.entries(files)) {
    console.log(`${values['dry-run'] ? 'would write' : 'wrote'} ${file}`);
    if (!values['dry-run']) writeFileSync(path.join(root, file), text);
  }
  console.log(`\ntext of the tag v${version}:\n\nwasmvino ${version}\n\n${notes}`);
  if (!existsSync(path.join(root, 'dist'))) {
    console.log('dist/ is missing: run scripts/build.sh modules package, then npm publish --dry-run');
    return;
  }
  const npm = spawnSync('npm', ['publish', '--dry-run'], { cwd: root, encoding: 'utf8' });
  if (npm.status !== 0) throw new Error(`npm publish --dry-run failed:\n${npm.stderr}`);
  console.log(npm.stderr.split('\n').filter((line) => /package size|unpacked size|total files/.test(line)).join('\n'));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.chdir(fileURLToPath(new URL('..', import.meta.url)));
  try {
    main();
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
  }
}
