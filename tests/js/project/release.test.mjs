// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { follows, releaseChangelog, SECTIONS } from '../../../scripts/release.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const files = ['CHANGELOG.md', 'package.json', 'package-lock.json', 'CMakeLists.txt'];
const contents = () => files.map((file) => readFileSync(`${root}/${file}`, 'utf8'));
const release = (...options) => spawnSync(process.execPath, ['scripts/release.mjs', ...options], { cwd: root, encoding: 'utf8' });

test('a version follows if one number is one higher and those after it are 0', () => {
  for (const [from, to] of [['0.1.0', '0.1.1'], ['0.1.9', '0.2.0'], ['0.9.3', '1.0.0']]) assert.ok(follows(from, to), to);
  for (const [from, to] of [['0.1.0', '0.1.0'], ['0.1.0', '0.3.0'], ['0.1.2', '0.2.2'], ['0.2.0', '0.1.1'], ['0.1.0', '0.2'], ['0.1.0', 'v0.2.0']]) {
    assert.ok(!follows(from, to), to);
  }
});

test('a release takes the unreleased entries, without empty sections', () => {
  const before = '# Changelog\n\n## Unreleased\n\n### Added\n\n- One.\n\n### Fixed\n\n## 0.1.0 - 2026-01-01\n\n### Added\n\n- All.\n';
  const { changelog, notes } = releaseChangelog(before, '0.2.0', '2026-02-03');
  assert.equal(notes, '### Added\n\n- One.\n');
  const empty = SECTIONS.map((name) => `### ${name}\n`).join('\n');
  assert.equal(
    changelog,
    `# Changelog\n\n## Unreleased\n\n${empty}\n## 0.2.0 - 2026-02-03\n\n### Added\n\n- One.\n\n## 0.1.0 - 2026-01-01\n\n### Added\n\n- All.\n`,
  );
  assert.throws(() => releaseChangelog(changelog, '0.3.0', '2026-02-03'), /no entry below/);
  assert.throws(() => releaseChangelog('## Unreleased\n\n### Removed\n\n- It.\n', '0.3.0', '2026-02-03'), /section "Removed"/);
});

test('versions agree, and a dry run changes no file', () => {
  const before = contents();
  const { version } = JSON.parse(before[1]);
  assert.equal(JSON.parse(before[2]).version, version);
  assert.match(before[3], new RegExp(`project\\(wasmvino VERSION ${version} `));
  const released = before[0].match(/^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$/m);
  assert.equal(released[1], version, 'the newest version of CHANGELOG.md');
  for (const [, name] of before[0].matchAll(/^### (.*)$/gm)) assert.ok(SECTIONS.includes(name), name);

  const wrong = release(version, '--dry-run');
  assert.equal(wrong.status, 1);
  assert.match(wrong.stderr, new RegExp(`expected one version that follows ${version}`));
  if (releasable(before[0])) {
    const next = `${Number(version.split('.')[0]) + 1}.0.0`;
    const dry = release(next, '--dry-run');
    assert.equal(dry.status, 0, dry.stderr);
    assert.match(dry.stdout, new RegExp(`text of the tag v${next}`));
  }
  assert.deepEqual(contents(), before);
});

function releasable(changelog) {
  return /^- /m.test(changelog.split('## Unreleased\n')[1].split(/^## /m)[0]);
}
