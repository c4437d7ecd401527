import { describe, expect, it } from 'vitest';
import { feedbackKeptMax, feedbackQueryMax } from '../../src/domain/feedback/feedback.ts';
import { engines } from '../support/database.ts';
import { readRows, runStatement } from '../support/run-statement.ts';
import { useApp, useClient } from '../support/use-app.ts';

const path = '/api/memories/search/feedback';
const unknownId = '00000000-0000-4000-8000-000000000000';

describe.each(engines)('search feedback on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const remember = async (content: string, topics: readonly string[] = []) => {
    const body = { content, topics, conversationId: 'NEW' };
    return (await http.post<{ data: { id: string } }>('/api/memories', body)).body.data.id;
  };
  const say = async (memoryId: string, fields: object) => {
    const reply = await http.post(path, { memoryId, action: 'selected', ...fields });
    expect([reply.status, reply.text]).toEqual([204, '']);
  };
  const said = async (query = '') =>
    (await http.get<{ feedback: unknown }>(`/api/memories/stats?${query}`)).body.feedback;
  const rows = (columns: string) =>
    readRows(
      { engine, url: app.databaseUrl },
      `SELECT ${columns} FROM search_feedback ORDER BY user_id, number`,
    );

  it('search feedback is kept and counted by method, by topic and time of the memories', async () => {
    const tea = await remember('green tea', ['Tea']);
    const milk = await remember('milk');
    await say(tea, { searchMethod: 'hybrid', resultPosition: 1, query: 'what do I drink' });
    await say(tea, { searchMethod: 'hybrid', resultPosition: 4 });
    await say(milk, { searchMethod: 'hybrid', action: 'not_selected', resultPosition: 9 });
    await say(milk, { searchMethod: 'Keyword', searchSessionId: 's1' });
    await say(milk, {});
    const hybrid = { searchMethod: 'hybrid', selected: 2, notSelected: 1, meanSelectedPosition: 2.5 };
    const keyword = { searchMethod: 'Keyword', selected: 1, notSelected: 0 };
    expect(await said()).toEqual({
      selected: 4,
      notSelected: 1,
      meanSelectedPosition: 2.5,
      byMethod: [keyword, hybrid],
    });
    const ofTea = { selected: 2, notSelected: 0, meanSelectedPosition: 2.5 };
    expect(await said('topic=TEA')).toEqual({ ...ofTea, byMethod: [{ ...hybrid, notSelected: 0 }] });
    const nothing = { selected: 0, notSelected: 0, byMethod: [] };
    expect(await said('topic=coffee')).toEqual(nothing);
    expect(await said('after=2999-01-01')).toEqual(nothing);
    expect(await said('before=2001-01-01')).toEqual(nothing);
    expect(await said('after=2001-01-01&before=2999-01-01')).toMatchObject({ selected: 4 });
  });

  it('search feedback is stored with what was asked, cut between characters', async () => {
    const id = await remember('x');
    const long = `${'x'.repeat(feedbackQueryMax - 1)}😀`;
    const fields = { searchMethod: 'semantic', searchSessionId: 's2', resultPosition: 0 };
    await say(id, { query: long, action: 'not_selected', ...fields });
    await say(id, { query: '' });
    const [first, second] = (
      await rows('memory_id, action, query, search_method, search_session_id, position')
    ).slice(-2);
    expect(Object.values(first)).toEqual([
      id,
      'not_selected',
      'x'.repeat(feedbackQueryMax - 1),
      'semantic',
      's2',
      expect.toSatisfy((position) => Number(position) === 0),
    ]);
    expect(Object.values(second)).toEqual([id, 'selected', null, null, null, null]);
  });

  it('search feedback is not counted while its memory is in the trash, and is erased with it', async () => {
    const id = await remember('tea');
    await say(id, {});
    await http.delete(`/api/memories/${id}`);
    expect(await said()).toMatchObject({ selected: 0 });
    expect((await http.post(path, { memoryId: id, action: 'selected' })).status).toBe(404);
    const trash = await http.get<{ data: { id: string }[] }>('/api/trash');
    await http.post(`/api/trash/${trash.body.data[0].id}/restore`);
    expect(await said()).toMatchObject({ selected: 1 });
    await http.delete(`/api/memories/${id}`);
    const again = await http.get<{ data: { id: string }[] }>('/api/trash');
    expect((await http.delete(`/api/trash/${again.body.data[0].id}`)).status).toBe(204);
    expect((await rows('memory_id')).filter((row) => row.memory_id === id)).toEqual([]);
  });

  it('search feedback is erased with its user', async () => {
    const id = await remember('tea');
    await say(id, {});
    const kept = await rows('memory_id, user_id');
    const mine = kept.find((row) => row.memory_id === id)?.user_id;
    const user = (await app.services.users.list()).find((each) => each.id === Number(mine));
    if (!user) throw new Error('no user');
    await app.storage.users.erase(user);
    expect(await rows('memory_id, user_id')).toEqual(kept.filter((row) => row.user_id !== mine));
  });

  it('old search feedback makes room for what is newer', async () => {
    const old = await remember('old');
    const id = await remember('new');
    await say(old, {});
    await runStatement(
      { engine, url: app.databaseUrl },
      `UPDATE search_feedback SET number = ${feedbackKeptMax} WHERE memory_id = '${old}'`,
    );
    await say(id, {});
    expect(await said()).toMatchObject({ selected: 2 });
    await runStatement(
      { engine, url: app.databaseUrl },
      `UPDATE search_feedback SET number = 1 WHERE memory_id = '${old}'`,
    );
    await say(id, {});
    expect(await said()).toMatchObject({ selected: 2 });
    expect((await rows('memory_id')).filter((row) => row.memory_id === old)).toEqual([]);
  });

  it('search feedback changes a score by a twentieth at most, and neither what is found nor an order that is clear', async () => {
    await remember('green tea');
    const second = await remember('black tea and coffee and milk');
    const find = async () => {
      const reply = await http.get<{ data: { id: string; score: number }[] }>(
        '/api/memories/search?q=green%20tea',
      );
      return reply.body.data;
    };
    const before = await find();
    for (let i = 0; i < 5; i++) await say(second, { query: 'green tea', resultPosition: 1 });
    const after = await find();
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(after[0].score).toBe(before[0].score);
    expect(after[1].score / before[1].score).toBeCloseTo(1 + 0.05 * (5 / 7), 6);
  });

  it('search feedback is refused for a memory of another user, and with bad input', async () => {
    const id = await remember('tea');
    const other = await app.newClient();
    for (const memoryId of [id, unknownId, 'x']) {
      const reply = await other.post<{ code: string; error: string }>(path, { memoryId, action: 'selected' });
      expect([reply.status, reply.body.code, reply.body.error]).toEqual([
        404,
        'MEMORY_NOT_FOUND',
        'No such memory.',
      ]);
    }
    for (const fields of [
      { action: undefined },
      { action: 'liked' },
      { memoryId: undefined },
      { memoryId: '' },
      { memoryId: 5 },
      { resultPosition: -1 },
      { resultPosition: 1.5 },
      { resultPosition: '1' },
      { resultPosition: 1e9 },
      { query: 'x'.repeat(32_769) },
      { query: 'a\0b' },
      { searchMethod: 'x'.repeat(51) },
      { searchSessionId: 'x'.repeat(201) },
    ]) {
      const reply = await http.post(path, { memoryId: id, action: 'selected', ...fields });
      expect([JSON.stringify(fields), reply.status]).toEqual([JSON.stringify(fields), 422]);
    }
    expect(await said()).toMatchObject({ selected: 0 });
    const made = await http.post<{ data: { apiKey: string } }>('/api/apikeys', { scopes: ['read'] });
    const headers = { authorization: `Bearer ${made.body.data.apiKey}` };
    expect((await http.post(path, { memoryId: id, action: 'selected' }, headers)).status).toBe(403);
  });
});
