import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

type Data = Record<string, unknown> & { id: string; content: string; conversationId: string };
type Related = { memory: Data; score: number; relationship: string; sharedTopics?: string[] };

describe.each(engines)('what is around a memory on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  const made: Data[] = [];

  beforeAll(async () => {
    http = await app.newClient();
    let conversationId = 'NEW';
    for (const [content, eventTime, topics] of [
      ['one', '2024-01-01', ['a', 'b']],
      ['two', '2024-01-02', ['A']],
      ['three', '2024-01-03', ['a', 'b', 'c']],
      ['four', '2024-01-04', []],
    ]) {
      const body = { content, eventTime, topics, conversationId };
      const { data } = (await http.post<{ data: Data }>('/api/memories', body)).body;
      conversationId = data.conversationId;
      made.push(data);
    }
    await http.post('/api/memories', {
      content: 'elsewhere',
      eventTime: '2024-01-05',
      conversationId: 'NEW',
      topics: ['z'],
    });
  });

  it("a memory's conversation is listed around it, oldest first, the nearer the higher the score", async () => {
    const path = `/api/memories/${made[1].id}/conversation-memories`;
    const { body } = await http.get<{ data: Related[]; sourceMemory: Data; conversationId: string }>(path);
    expect(body.data.map(({ memory, score, relationship }) => [memory.content, score, relationship])).toEqual(
      [
        ['one', 0.75, 'conversation'],
        ['three', 0.75, 'conversation'],
        ['four', 0.5, 'conversation'],
      ],
    );
    expect(body.sourceMemory.id).toBe(made[1].id);
    expect(body.conversationId).toBe(made[1].conversationId);
    const few = await http.get<{ data: Related[] }>(`${path}?limit=2`);
    expect(few.body.data).toEqual(body.data.slice(0, 2));
    expect((await http.get(`${path}?limit=0`)).status).toBe(422);
  });

  it('a memory of a long conversation is listed with its nearest neighbours, oldest first', async () => {
    const writer = await app.newClient();
    const turns: Data[] = [];
    for (let turn = 0; turn < 30; turn += 1) {
      const conversationId = turns[0]?.conversationId ?? 'NEW';
      const body = { content: `turn ${turn}`, conversationId };
      turns.push((await writer.post<{ data: Data }>('/api/memories', body)).body.data);
    }
    const around = async (turn: number, query: string) => {
      const path = `/api/memories/${turns[turn].id}/conversation-memories${query}`;
      return (await writer.get<{ data: Related[] }>(path)).body.data;
    };
    const texts = async (turn: number, query: string) =>
      (await around(turn, query)).map(({ memory }) => Number(memory.content.slice(5)));
    expect(await texts(29, '?limit=5')).toEqual([24, 25, 26, 27, 28]);
    expect(await texts(0, '?limit=3')).toEqual([1, 2, 3]);
    expect(await texts(15, '?limit=4')).toEqual([13, 14, 16, 17]);
    expect(await texts(15, '?limit=3')).toEqual([13, 14, 16]);
    expect(await texts(28, '?limit=3')).toEqual([26, 27, 29]);
    expect(await texts(29, '')).toEqual(Array.from({ length: 20 }, (_, i) => i + 9));
    expect(await texts(15, '?limit=1000')).toHaveLength(29);
    expect((await around(29, '?limit=2')).map(({ score }) => score)).toEqual([1 - 2 / 30, 1 - 1 / 30]);
  });

  it("a memory's timeline runs over all conversations", async () => {
    const path = `/api/memories/${made[2].id}/timeline`;
    const timeline = async (query: string) => {
      const reply = await http.get<{ data: Record<string, Data[]> & { memory: Data } }>(path + query);
      const { memory, preceding, following } = reply.body.data;
      return [memory.content, preceding.map((m) => m.content), following.map((m) => m.content)];
    };
    expect(await timeline('')).toEqual(['three', ['one', 'two'], ['four', 'elsewhere']]);
    expect(await timeline('?before=1&after=0')).toEqual(['three', ['two'], []]);
    expect(await timeline('?before=5000')).toEqual(['three', ['one', 'two'], ['four', 'elsewhere']]);
    expect((await http.get(`${path}?before=-1`)).status).toBe(422);
  });

  it('related memories are those that share its topics, the largest share first', async () => {
    const path = `/api/memories/${made[0].id}/related`;
    const { body } = await http.get<{ data: Related[]; sourceMemory: Data }>(path);
    expect(body.data.map(({ memory, relationship }) => [memory.content, relationship])).toEqual([
      ['three', 'topic'],
      ['two', 'topic'],
    ]);
    expect(body.data[0].score).toBeCloseTo(2 / 3);
    expect(body.data[0].sharedTopics).toEqual(['a', 'b']);
    expect((await http.get<{ data: Related[] }>(`${path}?limit=1`)).body.data).toHaveLength(1);
    const none = await http.get<{ data: Related[] }>(`/api/memories/${made[3].id}/related`);
    expect(none.body.data).toEqual([]);
  });
});
