import { describe, expect, it } from 'vitest';
import { retitle } from '../../src/domain/conversations/place-memory.ts';
import { writeAs } from '../../src/domain/shared/write.ts';
import { engines } from '../support/database.ts';
import { useApp, useClient } from '../support/use-app.ts';

type Data = Record<string, unknown> & { id: string; conversationId: string; title: string };
type One = { data: Data };
type Many = { data: Data[]; count?: number };

describe.each(engines)('what a conversation shows of its memories on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const create = async (content: string, conversationId = 'NEW'): Promise<Data> => {
    const made = await http.post<One>('/api/memories', { content, conversationId });
    expect(made.status).toBe(201);
    return made.body.data;
  };
  const remove = async (path: string) => expect((await http.delete(path)).status).toBe(204);
  const conversation = async (id: string) => (await http.get<One>(`/api/conversations/${id}`)).body.data;
  const titleOf = async (id: string) => (await conversation(id)).title;
  const listed = async (query = '') =>
    (await http.get<Many>(`/api/conversations?${query}`)).body.data.map(({ title }) => title);
  const found = async (query: string) =>
    (await http.post<Many>('/api/conversations/search', { query })).body.data.map(({ title }) => title);
  const entryOf = async (recordId: string): Promise<string> => {
    const entries = (await http.get<Many>('/api/trash?limit=100')).body.data;
    return entries.find((entry) => entry.recordId === recordId)?.id ?? 'none';
  };
  const restore = async (recordId: string) =>
    expect((await http.post(`/api/trash/${await entryOf(recordId)}/restore`)).status).toBe(200);
  const erase = async (recordId: string) => remove(`/api/trash/${await entryOf(recordId)}`);

  it('a conversation made for a memory takes its title from the oldest memory that is live', async () => {
    const { id, conversationId } = await create('pin of the safe is 4711');
    const second = await create('second of them', conversationId);
    expect(await titleOf(conversationId)).toBe('pin of the safe is 4711');
    await http.put(`/api/memories/${id}`, { content: 'redacted' });
    expect(await titleOf(conversationId)).toBe('redacted');
    await remove(`/api/memories/${id}`);
    expect(await titleOf(conversationId)).toBe('second of them');
    await restore(id);
    expect(await titleOf(conversationId)).toBe('redacted');
    await remove(`/api/memories/${second.id}`);
    await http.post('/api/memories/bulk-update', { ids: [id], updates: { content: 'other' } });
    await remove(`/api/memories/${id}`);
    expect(await titleOf(conversationId)).toBe('Untitled');
    await create('third of them', conversationId);
    expect(await titleOf(conversationId)).toBe('third of them');
  });

  it('a search of conversations finds neither deleted nor edited text', async () => {
    const { id, conversationId } = await create('pin of the safe is 4711');
    expect(await found('safe pin')).toEqual(['pin of the safe is 4711']);
    await http.put(`/api/memories/${id}`, { content: 'redacted' });
    expect(await found('safe pin')).toEqual([]);
    expect(await found('redacted')).toEqual(['redacted']);
    await remove(`/api/memories/${id}`);
    expect(await found('redacted untitled')).toEqual([]);
    await restore(id);
    expect(await found('redacted')).toEqual(['redacted']);
    expect(await titleOf(conversationId)).toBe('redacted');
  });

  it('a conversation left empty by deletes is listed only where empty ones are asked for', async () => {
    const { id, conversationId } = await create('the only one');
    await http.post('/api/conversations', { title: 'made by a client' });
    await remove(`/api/memories/${id}`);
    expect(await listed()).toEqual(['made by a client']);
    expect((await listed('minMemories=0')).sort()).toEqual(['Untitled', 'made by a client']);
    expect((await conversation(conversationId)).memoryCount).toBe(0);
    await restore(id);
    expect((await listed()).sort()).toEqual(['made by a client', 'the only one']);
  });

  it('a title that a client gave stays', async () => {
    const made = await http.post<One>('/api/conversations', { title: 'first words' });
    const conversationId = made.body.data.id;
    const { id } = await create('first words', conversationId);
    await http.put(`/api/memories/${id}`, { content: 'other words' });
    await remove(`/api/memories/${id}`);
    await erase(id);
    expect(await titleOf(conversationId)).toBe('first words');
  });

  it('the entry of a deleted conversation shows no text that was deleted before it or erased', async () => {
    const { id, conversationId } = await create('zqtitleword begins it');
    await create('second of it', conversationId);
    await remove(`/api/memories/${id}`);
    await remove(`/api/conversations/${conversationId}`);
    const shown = async () => (await http.get<Many>('/api/trash')).text;
    await erase(id);
    expect(await shown()).not.toContain('zqtitleword');
    expect(await shown()).toContain('second of it');
    await restore(conversationId);
    expect(await titleOf(conversationId)).toBe('second of it');
  });

  it('a title from before it followed its memories goes with the text that is erased', async () => {
    const { id, conversationId } = await create('zqoldtitle begins it');
    await create('second of it', conversationId);
    await remove(`/api/memories/${id}`);
    const { body } = await http.get<One>('/api/users/me');
    const user = (await app.services.users.list()).find(({ publicId }) => publicId === body.data.id);
    if (!user) throw new Error('no user');
    const { stores, clock } = app.services;
    await writeAs({ stores, clock }, user, (write) => retitle(write, conversationId, 'zqoldtitle begins it'));
    await remove(`/api/conversations/${conversationId}`);
    expect((await http.get('/api/trash')).text).toContain('zqoldtitle');
    await erase(id);
    expect((await http.get('/api/trash')).text).not.toContain('zqoldtitle');
  });

  it('the last activity of a conversation is when its newest live memory was written', async () => {
    const first = await create('first');
    const { conversationId } = first;
    const second = await create('second', conversationId);
    const last = await create('last', conversationId);
    const lastActivity = async () => (await conversation(conversationId)).lastActivityAt;
    expect(await lastActivity()).toBe(last.createdAt);
    await remove(`/api/memories/${first.id}`);
    expect(await lastActivity()).toBe(last.createdAt);
    await remove(`/api/memories/${last.id}`);
    expect(await lastActivity()).toBe(second.createdAt);
    await remove(`/api/memories/${second.id}`);
    expect(await lastActivity()).toBe((await conversation(conversationId)).createdAt);
    await restore(last.id);
    await restore(second.id);
    expect(await lastActivity()).toBe(last.createdAt);
  });
});
