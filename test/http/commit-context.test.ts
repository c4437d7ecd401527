import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Remembered {
  data: { memoryId: string; content: string; context: string; topics: string[]; skipped?: boolean };
}
type Data = Record<string, unknown> & { id: string };

const path = '/api/commit-context';
const sha = '9f3c2a1b7d5e4f60718293a4b5c6d7e8f9012345';
const git = {
  sha,
  shortSha: '9f3c2a1',
  branch: 'main',
  message: 'Retry failed jobs three times',
  author: 'Ana',
  timestamp: '2026-02-01T10:30:00+01:00',
  filesChanged: ['src/jobs/queue.ts'],
  insertions: 41,
  deletions: 7,
  isMergeCommit: false,
};

describe.each(engines)('a commit that is remembered on %s', (engine) => {
  const app = useApp(engine, { MEMORYD_LOG_LEVEL: 'debug', MEMORYD_BODY_BYTES_MAX: '4000000' });
  const http = useClient(app);
  const remember = (body: object) => http.post<Remembered>(path, body);

  it('a commit that is remembered is a memory with its words, time, topics and metadata', async () => {
    const made = await remember({ git, codeContext: { product: 'memoryd' } });
    expect(made.status).toBe(201);
    const { memoryId, content, context, topics } = made.body.data;
    expect(content).toContain('Commit 9f3c2a1 on main by Ana: Retry failed jobs three times');
    const { data } = (await http.get<{ data: Data }>(`/api/memories/${memoryId}`)).body;
    expect(data).toMatchObject({
      content,
      context,
      topics,
      eventTime: '2026-02-01T09:30:00.000Z',
      memoryType: 'episodic',
      codeContext: { product: 'memoryd' },
      metadata: { commit: { sha, branch: 'main', author: 'Ana' } },
    });
    // As `mx commit-context list` asks.
    const listed = await http.get<{ data: Data[] }>(
      '/api/memories/search?topics=commit-context&sortBy=createdAt&order=desc',
    );
    expect(listed.body.data.map(({ id }) => id)).toEqual([memoryId]);
  });

  it('a commit that is remembered twice, or by many at once, has one memory', async () => {
    const replies = await Promise.all(Array.from({ length: 6 }, () => remember({ git })));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 201]);
    const upper = await remember({ git: { ...git, sha: sha.toUpperCase(), message: 'Another message' } });
    expect([upper.status, upper.body]).toEqual([200, replies[0].body]);
    expect(new Set(replies.map(({ body }) => body.data.memoryId)).size).toBe(1);
    expect((await http.get<{ data: Data[] }>('/api/memories')).body.data).toHaveLength(1);
    const other = await app.newClient();
    expect((await other.post(path, { git })).status).toBe(201);
  });

  it('commits that are remembered of one session share its conversation', async () => {
    const session = { agent: 'claude-code', sessionId: 's-1' };
    const conversationOf = async (more: object, own: object = {}) => {
      const { memoryId } = (await remember({ git: { ...git, ...more }, ...own })).body.data;
      return (await http.get<{ data: Data }>(`/api/memories/${memoryId}`)).body.data.conversationId;
    };
    const first = await conversationOf({ sha: '1111111' }, { session });
    expect(await conversationOf({ sha: '2222222' }, { session })).toBe(first);
    expect(await conversationOf({ sha: '3333333' })).not.toBe(first);
  });

  it('a commit that says nothing is not remembered, and the response says why', async () => {
    const reply = await remember({ git: { ...git, message: "Merge branch 'main'", isMergeCommit: true } });
    expect([reply.status, reply.body.data]).toEqual([
      200,
      expect.objectContaining({ skipped: true, skipReason: expect.stringContaining('merge') }),
    ]);
    expect((await http.get<{ data: Data[] }>('/api/memories')).body.data).toEqual([]);
  });

  it('a commit that is remembered leaves no secret of its session in the memory or the log', async () => {
    const secret = 'ghp_4tb9Zq2Lx8Vw1Rk7Hs3Nd6Yc5Mf0';
    const session = { recentPrompts: [`use ${secret}`], errors: [`denied for ${secret}`] };
    const made = await remember({ git, session, transcript: `We decided on ${secret} because it is short.` });
    expect(made.body.data.content).toContain('[hidden]');
    expect(made.text + app.log.join('')).not.toContain('4tb9');
  });

  it.each([
    ['git.message', { git: { ...git, message: 'x'.repeat(1_000_001) } }],
    ['diff', { git, diff: 'x'.repeat(1_000_001) }],
    ['transcript', { git, transcript: 'x'.repeat(1_000_001) }],
  ])('a commit whose %s is too long is a 413 that names it', async (field, body) => {
    const reply = await http.post<{ error: string; code: string }>(path, body);
    expect([reply.status, reply.body.code]).toEqual([413, 'CONTENT_TOO_LONG']);
    expect(reply.body.error).toContain(field);
    const large = await remember({ git, transcript: 'x'.repeat(4_000_000) });
    expect([large.status, large.body]).toMatchObject([413, { code: 'BODY_TOO_LARGE' }]);
  });

  it.each([
    [{}, 'git'],
    [{ git: { ...git, sha: 'no sha' } }, 'git.sha'],
    [{ git: { ...git, message: '' } }, 'git.message'],
    [{ git: { ...git, timestamp: 'yesterday' } }, 'git.timestamp'],
    [{ git: { ...git, filesChanged: [1] } }, 'git.filesChanged'],
    [{ git: { ...git, insertions: -1 } }, 'git.insertions'],
    [{ git, session: { recentPrompts: 'all' } }, 'session.recentPrompts'],
    [{ git, codeContext: { product: 'x'.repeat(201) } }, 'codeContext.product'],
  ])('a commit of bad input %# is a 422 that names the field', async (body, field) => {
    const reply = await http.post<{ error: string }>(path, body);
    expect([reply.status, reply.body.error]).toEqual([422, expect.stringContaining(field)]);
  });
});
