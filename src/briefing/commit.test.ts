import { describe, expect, it } from 'vitest';
import { type CommitReport, type GitCommit, summarizeCommit } from './commit.ts';

const git: GitCommit = {
  sha: '9f3c2a1b7d5e4f60718293a4b5c6d7e8f9012345',
  branch: 'main',
  message:
    'Retry failed jobs three times\n\nThe provider is away for minutes, because it restarts each night.',
  author: 'Ana',
  filesChanged: ['src/jobs/queue.ts', 'src/jobs/retry.ts', 'README.md', 'test/jobs/queue.test.ts'],
  insertions: 41,
  deletions: 7,
};
const contentOf = (report: Partial<CommitReport>) => summarizeCommit({ git, ...report }).content;

describe('the summary of a commit', () => {
  it('the summary of a commit has its message, files by folder and counts', () => {
    expect(summarizeCommit({ git })).toEqual({
      content: [
        'Commit 9f3c2a1 on main by Ana: Retry failed jobs three times',
        'The provider is away for minutes, because it restarts each night.',
        [
          'Changed: 4 files, 41 insertions, 7 deletions',
          '- . (1 file): README.md',
          '- src/jobs (2 files): queue.ts, retry.ts',
          '- test/jobs (1 file): queue.test.ts',
        ].join('\n'),
        'Decisions and reasons:\n- The provider is away for minutes, because it restarts each night.',
      ].join('\n\n'),
      context: 'Commit 9f3c2a1 on main',
      topics: ['commit-context'],
      skipReason: undefined,
    });
  });

  it('the summary of a commit groups many files into few folders', () => {
    const filesChanged = Array.from(
      { length: 3000 },
      (_, i) => `packages/p${i % 30}/src/d${i % 7}/file${i}.ts`,
    );
    const lines = contentOf({ git: { ...git, filesChanged } })
      .split('\n')
      .filter((line) => line.startsWith('- packages'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^- packages \(3000 files\): p0\/src\/d0\/file0\.ts, .* and 2994 more$/);
  });

  it('the summary of a commit has what a session asked, decided, met and used', () => {
    const transcript = [
      { type: 'user', message: { role: 'user', content: 'Please retry the jobs.' } },
      {
        type: 'assistant',
        message: {
          content: [
            {
              type: 'text',
              text: 'I read the queue first. We decided to wait twice as long each time. Fine.',
            },
            { type: 'tool_use', name: 'Bash', input: { command: 'echo because of this' } },
          ],
        },
      },
      {
        type: 'user',
        message: { content: [{ type: 'tool_result', content: 'x failed because of y and z' }] },
      },
    ];
    const content = contentOf({
      session: {
        agent: 'claude-code',
        model: 'm-1',
        toolCalls: [
          { name: 'Bash', count: 2 },
          { name: 'Edit', count: 9 },
        ],
        totalToolCalls: 11,
        recentPrompts: ['Please retry the jobs.'],
        errors: ['TypeError: jobs is undefined', 'TypeError: jobs is undefined'],
      },
      diff: '@@ -1,2 +1,3 @@ export class Queue {\n-a\n+b\n@@ -9,2 +9,3 @@ export class Queue {\n@@ -1 +1 @@\n+c',
      transcript: transcript.map((line) => JSON.stringify(line)).join('\n'),
    });
    expect(content).toContain('Definitions changed in:\n- export class Queue {\n\n');
    expect(content).toContain('Requested:\n- Please retry the jobs.\n\n');
    expect(content).toContain('- We decided to wait twice as long each time.\n');
    expect(content).toContain('Errors on the way:\n- TypeError: jobs is undefined\n\n');
    expect(content).toContain('Made with claude-code (m-1), 11 tool calls: Edit 9, Bash 2');
    expect(content).not.toContain('because of');
  });

  it('the summary of a commit has decisions of a transcript of plain text, the last ones', () => {
    const lines = Array.from({ length: 20 }, (_, i) => `We chose the option number ${i} of them.`);
    const content = contentOf({ git: { ...git, message: 'x' }, transcript: `{"half":\n${lines.join('\n')}` });
    expect(content.match(/^- We chose .*$/gm)).toEqual(lines.slice(-8).map((line) => `- ${line}`));
  });

  it.each([
    ['a key of a service', 'sk-proj-4tb9Zq2Lx8Vw1Rk7Hs3Nd6'],
    ['a token of a forge', 'ghp_4tb9Zq2Lx8Vw1Rk7Hs3Nd6Yc5Mf0'],
    ['a header', 'Authorization: Bearer 4tb9Zq2Lx8Vw1Rk7'],
    ['a password in a URL', 'postgres://ana:hunter2hunter@db/x'],
    ['a password by its name', 'DB_PASSWORD="hunter2hunter"'],
    ['a key of this API', 'cmk_live_4tb9Zq2Lx8Vw1Rk7.Hs3Nd6Yc5Mf0'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIEow4tb9\n-----END RSA PRIVATE KEY-----'],
  ])('the summary of a commit hides %s wherever it stands', (_, secret) => {
    const value = /4tb9\w*|hunter2\w*/.exec(secret)?.[0] ?? '';
    const content = contentOf({
      git: { ...git, message: `Use ${secret}\n\nWe decided on ${secret} because it works.` },
      session: { recentPrompts: [`${'long '.repeat(70)}${secret}`, `use ${secret}`], errors: [secret] },
      transcript: `We decided to use ${secret} instead of the other one.`,
    });
    expect(content).toContain('[hidden]');
    expect(content).not.toContain(value);
  });

  it('the summary of a commit leaves words alone that only look like secrets', () => {
    const message =
      'token: refresh before it expires; password must have 8 characters; sk-learn-pipelines-for-all';
    expect(contentOf({ git: { ...git, message } })).toContain(message);
  });

  it('the summary of a commit is short, however long its report', () => {
    const long = 'We decided this because of that. '.repeat(30_000);
    const filesChanged = Array.from({ length: 10_000 }, (_, i) => `a${i}/${'b'.repeat(200)}/${i}.ts`);
    const content = contentOf({
      git: { ...git, message: long, filesChanged },
      session: { agent: long.slice(0, 500), recentPrompts: [long, long], errors: [long, `${long}.`] },
      diff: `@@ -1 +1 @@ ${long}\n`.repeat(3),
      transcript: long.replaceAll('. ', `.\n`),
    });
    expect(content.length).toBeLessThan(12_000);
  });

  it('a commit is skipped that says nothing', () => {
    const skipped = (more: Partial<GitCommit>, report: Partial<CommitReport> = {}) =>
      summarizeCommit({ git: { ...git, ...more }, ...report }).skipReason;
    const merge = { isMergeCommit: true, message: "Merge branch 'main' into feature" };
    expect(skipped(merge)).toContain('merge');
    expect(skipped({ ...merge, message: 'Merge branch x\n\nResolved by hand.' })).toBeUndefined();
    expect(skipped(merge, { session: { errors: ['a conflict'] } })).toBeUndefined();
    expect(skipped({ filesChanged: [] })).toContain('no file');
    expect(skipped({})).toBeUndefined();
  });
});
