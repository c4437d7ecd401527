import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { type Client, client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

type Call = readonly [method: string, path: string, body?: unknown];

const calls: readonly Call[] = [
  ['GET', '/api/memories'],
  ['POST', '/api/memories', { content: 'x' }],
  ['GET', '/api/memories/search?q=x'],
  ['POST', '/api/memories/search', { query: 'x' }],
  ['GET', '/api/memories/stats'],
  ['POST', '/api/memories/batch', { ids: ['x'] }],
  ['DELETE', '/api/memories/bulk', { ids: ['x'], confirmDeletion: true }],
  ['POST', '/api/memories/bulk-tag', { ids: ['x'], addTopics: ['x'] }],
  ['POST', '/api/memories/bulk-update', { ids: ['x'], updates: { topics: [] } }],
  ['GET', '/api/conversations'],
  ['POST', '/api/conversations', { title: 'x' }],
  ['POST', '/api/conversations/search', { query: 'x' }],
  ['GET', '/api/topics'],
];

/** Of one record each: 404 for an id that is unknown, another user's, or no id at all. */
const memoryCalls: readonly Call[] = [
  ['GET', '/api/memories/ID'],
  ['PUT', '/api/memories/ID', { content: 'changed by a stranger' }],
  ['DELETE', '/api/memories/ID'],
  ['GET', '/api/memories/ID/conversation-memories'],
  ['GET', '/api/memories/ID/timeline'],
  ['GET', '/api/memories/ID/related'],
];
const namedCalls: readonly Call[] = [
  ['GET', '/api/memories/named/ID'],
  ['PUT', '/api/memories/named/ID', { content: 'changed by a stranger' }],
  ['GET', '/api/memories/named/ID/history'],
];
const conversationCalls: readonly Call[] = [
  ['POST', '/api/memories', { content: 'x', conversationId: 'ID' }],
  ['GET', '/api/conversations/ID'],
  ['DELETE', '/api/conversations/ID'],
  ['GET', '/api/conversations/ID/timeline'],
];
const topicCalls: readonly Call[] = [['GET', '/api/topics/ID']];

function send(http: Client, [method, path, body]: Call, id = '') {
  const filled = body === undefined ? undefined : JSON.parse(JSON.stringify(body).replace('"ID"', `"${id}"`));
  return http.send(method, path.replace('ID', encodeURIComponent(id)), { body: filled });
}

describe.each(engines)('what is refused on %s', (engine) => {
  const app = useApp(engine);
  let owner: Client;
  let stranger: Client;
  let own: { memory: string; conversation: string; topic: string };

  beforeAll(async () => {
    owner = await app.newClient();
    stranger = await app.newClient();
    const made = await owner.post<{ data: { id: string; conversationId: string } }>('/api/memories', {
      content: 'Only mine.',
      name: 'only-mine',
      topics: ['secret'],
    });
    const topics = await owner.get<{ data: { id: string }[] }>('/api/topics');
    const { id, conversationId } = made.body.data;
    own = { memory: id, conversation: conversationId, topic: topics.body.data[0].id };
  });

  for (const call of [...calls, ...memoryCalls, ...namedCalls, ...conversationCalls, ...topicCalls]) {
    it(`the request ${call[0]} ${call[1]} without a key is 401`, async () => {
      const reply = await send(client(app.url), call, 'x');
      expect([reply.status, reply.body.code]).toEqual([401, 'AUTHENTICATION_REQUIRED']);
    });
  }

  it('a key that may only read reads and searches, and writes nothing', async () => {
    const reader = await app.newClient(['read']);
    for (const call of calls) {
      const reads = call[0] === 'GET' || /\/(batch|search)$/.test(call[1]);
      const reply = await send(reader, call);
      expect([call[1], reply.status]).toEqual([call[1], reads ? 200 : 403]);
    }
  });

  it.each([
    ['memory', 'MEMORY_NOT_FOUND', memoryCalls],
    ['name', 'MEMORY_NOT_FOUND', namedCalls],
    ['conversation', 'CONVERSATION_NOT_FOUND', conversationCalls],
    ['topic', 'TOPIC_NOT_FOUND', topicCalls],
  ] as const)(
    'a %s of another user is answered like one that nobody has, without its id',
    async (kind, code, own404) => {
      const foreign = kind === 'name' ? 'only-mine' : own[kind];
      for (const call of own404) {
        for (const id of [foreign, randomUUID(), 'no id at all', '%00é']) {
          const reply = await send(stranger, call, id);
          expect([call[1], reply.status, reply.body.code]).toEqual([call[1], 404, code]);
          expect(reply.text).not.toContain(id);
        }
      }
      const read = await owner.get<{ data: { content: string } }>(`/api/memories/${own.memory}`);
      expect(read.body.data.content).toBe('Only mine.');
    },
  );
});
