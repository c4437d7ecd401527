import { beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

type Many = { data: { id: string; title: string }[]; count: number };

describe.each(engines)('conversations by words and meaning on %s', (engine) => {
  const app = useApp(engine);
  const plain = useApp(engine, { MEMORYD_EMBEDDER: 'none' });
  let http: Client;

  beforeEach(async () => {
    http = await app.newClient();
  });

  const talk = async (title: string, contents: readonly string[], extra: object = {}) => {
    const made = await http.post<{ data: { id: string } }>('/api/conversations', { title, ...extra });
    const conversationId = made.body.data.id;
    for (const content of contents) await http.post('/api/memories', { content, conversationId });
    return conversationId;
  };
  const found = async (query: string) =>
    (await http.post<Many>('/api/conversations/search', { query })).body.data.map(({ title }) => title);
  const talkOfThree = async () => {
    await talk('One', ['We adopted two puppies from the shelter', 'They sleep all day']);
    await talk('Two', ['The invoice of the electrician came', 'I shall pay it tomorrow']);
    await talk('Puppy food', []);
  };

  it('conversations are found by a memory that shares no word with the query', async () => {
    await talkOfThree();
    expect((await found('which pets do we own?')).toSorted()).toEqual(['One', 'Puppy food']);
    expect((await found('billing.'))[0]).toBe('Two');
    http = await plain.newClient();
    await talkOfThree();
    expect(await found('which pets do we own?')).toEqual([]);
    expect(await found('electrician')).toEqual(['Two']);
  });

  it('conversations are found by title and summary alone, as they are now', async () => {
    const id = await talk('Buying a bicycle', []);
    await talk('Untitled', [], { summary: 'Where to repair the roof' });
    expect((await found('cycling'))[0]).toBe('Buying a bicycle');
    expect((await found('house maintenance'))[0]).toBe('Untitled');
    await http.delete(`/api/conversations/${id}`);
    expect(await found('cycling')).not.toContain('Buying a bicycle');
    const other = await app.newClient();
    expect((await other.post<Many>('/api/conversations/search', { query: 'roof' })).body.data).toEqual([]);
  });

  it('conversations come in order of their best memories, those that contain the words first', async () => {
    await talk('near', ['My sister plays the cello']);
    await talk('words', ['My sister plays the violin']);
    await talk('both', ['I bought a violin', 'The violin of my sister is older']);
    await talk('neither', ['The roof leaks again']);
    expect(await found('violin of my sister.')).toEqual(['both', 'words', 'near']);
  });

  it('conversations are found by words that are unfinished or have a typo', async () => {
    for (const { newClient } of [app, plain]) {
      http = await newClient();
      await talk('Cluster', ['Kubernetes runs three nodes']);
      await talk('Garden', ['Tomatoes need water']);
      expect(await found('kuber')).toEqual(['Cluster']);
      expect((await found('tomatos need.'))[0]).toBe('Garden');
      expect((await found('kubernets.'))[0]).toBe('Cluster');
    }
  });

  it('conversations are not found by a memory that is deleted or changed', async () => {
    const conversationId = await talk('Talk', ['We adopted two puppies']);
    const [memory] = (
      await http.get<{ data: { id: string }[] }>(`/api/conversations/${conversationId}/timeline`)
    ).body.data;
    expect(await found('our dogs.')).toEqual(['Talk']);
    await http.put(`/api/memories/${memory.id}`, { content: 'The roof leaks' });
    expect(await found('our dogs.')).toEqual([]);
    expect(await found('roofing.')).toEqual(['Talk']);
    await http.delete(`/api/memories/${memory.id}`);
    expect(await found('roofing.')).toEqual([]);
  });

  it('conversations are searched without an error by queries that say nothing', async () => {
    await talk('Talk', ['We adopted two puppies']);
    for (const query of ['the of', '?!', '😀', 'x'.repeat(2000)]) {
      const reply = await http.post<Many>('/api/conversations/search', { query });
      expect([reply.status, reply.body]).toEqual([200, { data: [], count: 0 }]);
    }
  });
});
