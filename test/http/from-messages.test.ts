import { beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { type Client, client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface Reply {
  data: { index: number; status: number; id?: string; code?: string }[];
  meta: {
    conversationId?: string;
    created: number;
    existing: number;
    refused: number;
    leftOut: Record<string, number>;
  };
}
interface Turn {
  content: string;
  role: string;
  topics: string[];
  metadata?: unknown;
  eventTime?: string;
}

const chat = [
  { role: 'user', content: 'I prefer the window seat on night trains.' },
  { role: 'assistant', content: 'Noted: a window seat.' },
];

describe.each(engines)('a chat stored by from-messages on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;

  beforeEach(async () => {
    http = await app.newClient();
  });

  const send = (body: object, headers = {}) => http.post<Reply>('/api/memories/from-messages', body, headers);
  const turnsOf = async (conversationId: string | undefined): Promise<Turn[]> => {
    const { body } = await http.get<{ data: { memory?: Turn }[] & Turn[] }>(
      `/api/conversations/${conversationId}/timeline`,
    );
    return body.data;
  };
  const conversations = async () =>
    (await http.get<{ data: { title: string; externalId?: string }[] }>('/api/conversations?minMemories=0'))
      .body.data;

  it('a chat of OpenAI becomes turns; system and tool messages are left out and counted', async () => {
    const messages = [
      { role: 'system', content: 'You are a travel agent.' },
      ...chat,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '12 trains' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And this?' },
          { type: 'image_url', image_url: {} },
        ],
      },
      { role: 'user', content: '  ' },
    ];
    const { status, body } = await send({ messages, topics: ['travel'], metadata: { app: 'a' } });
    expect(status).toBe(200);
    expect(body.data.map(({ index, status: of }) => [index, of])).toEqual([
      [1, 201],
      [2, 201],
      [5, 201],
    ]);
    expect(body.meta).toMatchObject({
      created: 3,
      existing: 0,
      refused: 0,
      leftOut: { 'system message': 1, 'tool message': 2, 'empty message': 1 },
    });
    expect(await turnsOf(body.meta.conversationId)).toMatchObject([
      { role: 'user', content: chat[0].content, topics: ['travel'], metadata: { app: 'a' } },
      { role: 'assistant', content: chat[1].content },
      { role: 'user', content: 'And this?', metadata: { app: 'a', attachments: [{ type: 'image_url' }] } },
    ]);
    expect(await conversations()).toMatchObject([{ title: chat[0].content }]);
  });

  it('a chat of Anthropic becomes turns; thinking and blocks of tools are no part of them', async () => {
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'Which seat?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 't1', name: 'seats', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'window' }] },
    ];
    const { body } = await send({ messages });
    expect(body.meta.leftOut).toEqual({ 'tool message': 1 });
    const turns = await turnsOf(body.meta.conversationId);
    expect(turns.map(({ content }) => content)).toEqual(['Which seat?', 'I look.']);
    expect(turns[1].metadata).toBeUndefined();
  });

  it('a chat whose conversation has a name elsewhere is stored once, and continued', async () => {
    const first = await send({ externalId: 'thread-1', title: 'Trains', messages: chat });
    const more = [...chat, { role: 'user', content: 'Thanks' }, chat[1]];
    const second = await send({ externalId: 'thread-1', messages: more });
    expect(second.body.meta).toMatchObject({
      conversationId: first.body.meta.conversationId,
      created: 2,
      existing: 2,
    });
    const alone = await send({ externalId: 'thread-1', messages: [{ role: 'user', content: 'New' }] });
    expect(alone.body.meta).toMatchObject({ created: 1, existing: 0 });
    expect(await turnsOf(first.body.meta.conversationId)).toHaveLength(5);
    expect(await conversations()).toMatchObject([{ title: 'Trains', externalId: 'thread-1' }]);
  });

  it('a chat whose messages have ids and times is known by the ids', async () => {
    const [{ conversationId }] = [(await send({ messages: chat })).body.meta];
    const messages = [
      { id: 'm1', role: 'user', content: 'Yes', created_at: 1714557600 },
      { id: 'm2', role: 'user', content: 'Yes', createdAt: '2024-05-01T10:00:01Z' },
      { id: 'm3', role: 'user', content: 'Later', createdAt: '2999-05-01T10:00:01Z' },
      { id: 'm4', role: 'user', content: 'Unknown time', timestamp: 0 },
      { id: 'm5', role: 'user', content: 'No time', timestamp: 1e300 },
    ];
    const made = await send({ conversationId, messages });
    expect(made.body.data.map(({ status }) => status)).toEqual([201, 201, 422, 201, 422]);
    expect((await send({ conversationId, messages })).body.meta).toMatchObject({ created: 0, existing: 3 });
    const times = (await turnsOf(conversationId)).map(({ eventTime }) => eventTime);
    expect(times).toContain('2024-05-01T10:00:00.000Z');
  });

  it('a chat without ids is a new conversation each time, and one request of it is one by its key', async () => {
    const key = { 'idempotency-key': 'once' };
    const [a, b] = [await send({ messages: chat }, key), await send({ messages: chat }, key)];
    expect(b.body).toEqual(a.body);
    expect((await send({ messages: [chat[0]] }, key)).status).toBe(422);
    const c = await send({ messages: chat });
    expect(c.body.meta.conversationId).not.toBe(a.body.meta.conversationId);
    expect(await conversations()).toHaveLength(2);
  });

  it('a chat with a long message has it in parts, and a long chat in one conversation', async () => {
    const long = `${'One sentence of many. '.repeat(3000)}`;
    const one = await send({ externalId: 'long', messages: [{ role: 'user', content: long }] });
    expect(one.body.data).toMatchObject([
      { index: 0, status: 201 },
      { index: 0, status: 201 },
    ]);
    expect(
      (await send({ externalId: 'long', messages: [{ role: 'user', content: long }] })).body.meta,
    ).toMatchObject({
      created: 0,
      existing: 2,
    });
    const messages = Array.from({ length: 1000 }, (_, i) => ({ role: 'user', content: `turn ${i}` }));
    expect((await send({ messages })).body.meta).toMatchObject({ created: 1000 });
    expect((await send({ messages: [...messages, messages[0]] })).status).toBe(422);
  });

  it('a chat of another user is not found, as one that does not exist', async () => {
    const { conversationId } = (await send({ externalId: 'mine', messages: chat })).body.meta;
    const other = await app.newClient();
    const foreign = await other.post('/api/memories/from-messages', { conversationId, messages: chat });
    const unknown = await other.post('/api/memories/from-messages', {
      conversationId: 'conv_unknown',
      messages: chat,
    });
    const said = ({ status, body }: { status: number; body: unknown }) => ({
      status,
      body: { ...(body as object), requestId: '' },
    });
    expect(foreign.status).toBe(404);
    expect(said(foreign)).toEqual(said(unknown));
    const own = await other.post<Reply>('/api/memories/from-messages', {
      externalId: 'mine',
      messages: chat,
    });
    expect(own.body.meta).toMatchObject({ created: 2 });
    expect(own.body.meta.conversationId).not.toBe(conversationId);
    const reader = await app.newClient(['read']);
    expect((await reader.post('/api/memories/from-messages', { messages: chat })).status).toBe(403);
    expect((await client(app.url).post('/api/memories/from-messages', { messages: chat })).status).toBe(401);
  });

  it.each([
    undefined,
    {},
    { messages: [] },
    { messages: [5] },
    { messages: chat, title: '' },
    { messages: [{ role: 'user', content: 'half \ud800' }] },
    { messages: chat, conversationId: 'c', externalId: 'e' },
    { messages: [{ role: 'user', content: 'x', createdAt: 'soon' }] },
  ])('a chat is refused whole when the body is %j', async (body) => {
    expect((await http.post('/api/memories/from-messages', body)).status).toBe(422);
    expect(await conversations()).toEqual([]);
  });

  it('a chat without a turn makes no conversation', async () => {
    const { body } = await send({ messages: [{ role: 'system', content: 'x' }, { content: 'y' }] });
    expect(body).toEqual({
      data: [],
      meta: { created: 0, existing: 0, refused: 0, leftOut: { 'system message': 1, 'other message': 1 } },
    });
    expect(await conversations()).toEqual([]);
  });
});
