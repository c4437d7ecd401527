import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { RecordCache } from '../../src/search-index/rows/doc-cache.ts';
import { SqlArtifactReader } from '../../src/storage/sql/artifacts/artifact-store.ts';
import { SqlFactReader } from '../../src/storage/sql/facts/fact-store.ts';
import { SqlMemoryReader } from '../../src/storage/sql/memories/memory-reader.ts';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import type { Client, JsonObject } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

/** More than any list reads at once. */
const many = 30;

interface ListedOne {
  readonly id?: string;
  readonly memory?: { readonly id: string; readonly content: string };
  /** Of a version: those of one memory differ by their texts. */
  readonly openedAt?: string;
}

interface Listed {
  readonly data?: readonly ListedOne[];
  readonly versions?: readonly { readonly id: string }[];
  readonly count?: number;
  readonly pagination?: { readonly count?: number; readonly total?: number; readonly nextCursor?: string };
}

const givenNames = [
  'Alice',
  'Brian',
  'Carol',
  'David',
  'Emma',
  'Frank',
  'Grace',
  'Henry',
  'Irene',
  'Julia',
  'Kevin',
  'Laura',
];

const idsOf = (body: Listed) =>
  (body.data ?? body.versions ?? []).map(({ id, memory, openedAt }: ListedOne) =>
    openedAt ? memory?.content : (id ?? memory?.id),
  );
const countOf = ({ count, pagination }: Listed) => count ?? pagination?.count ?? pagination?.total;

describe.each(engines)('a list that others write to on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  let conversationId: string;
  let threadId: string;
  let entityId: string;
  let editedId: string;
  let written = 0;
  const newest: Record<string, string> = {};

  async function made(path: string, body: JsonObject) {
    const { status, body: answer } = await http.post<{ data: { id: string; conversationId: string } }>(
      path,
      body,
    );
    expect(status).toBe(201);
    return answer.data;
  }
  const remember = (more: JsonObject = {}) =>
    made('/api/memories', { content: `Note ${written++}.`, conversationId, topics: ['notes'], ...more });

  /** Others read in between, too: what is kept in the process is of later than the page. */
  async function rememberAndEdit() {
    await remember();
    await http.patch(`/api/memories/${newest.memory}`, { content: `Another text ${written++}.` });
    await http.get('/api/memories?limit=1');
  }

  const edit = () => http.put(`/api/memories/${editedId}`, { content: `Edited ${written++}.` });

  async function addInFront() {
    const { id } = await remember();
    await http.post(`/api/narratives/${threadId}/memories`, { memoryId: id, position: 0 });
  }
  const addFact = () => made('/api/facts', { subject: 'Bo', predicate: 'likes', object: `${written++}` });

  beforeAll(async () => {
    http = await app.newClient();
    const first = await made('/api/memories', { content: 'The plan.', name: 'plan', conversationId: 'NEW' });
    ({ conversationId } = first);
    for (let i = 1; i < many; i++) await http.put('/api/memories/named/plan', { content: `The plan, ${i}.` });
    editedId = (await remember()).id;
    for (let i = 1; i < many; i++) await edit();
    const root = await remember();
    threadId = (await made('/api/narratives', { title: 'Notes', rootMemoryId: root.id })).id;
    for (let i = 1; i < many; i++) {
      const { id } = await remember();
      newest.memory = id;
      await http.post(`/api/narratives/${threadId}/memories`, { memoryId: id });
    }
    for (let i = 0; i < many; i++) {
      await made('/api/artifacts', { content: `File ${i}`, type: 'text' });
      await made('/api/facts', { subject: `Ada ${i}`, predicate: 'likes', object: 'tea' });
    }
    for (let i = 0; i < givenNames.length; i++) {
      const { id } = await remember({
        content: `Ada Lovelace met ${givenNames[i]} Smith in Lisbon.`,
        conversationId: 'NEW',
        topics: [`topic ${i}`],
      });
      await made('/api/narratives', { title: `Thread ${i}`, rootMemoryId: id });
      await forget((await remember()).id);
    }
    await deriveAll(app.services);
    const { body } = await http.get<{ data: { id: string }[] }>('/api/entities?query=lisbon');
    entityId = body.data[0].id;
  });
  afterEach(() => vi.restoreAllMocks());

  /** Between two reads of one response, as often as there are any, something else of the list is written. */
  function writeBetweenReads(write: () => Promise<unknown>): () => number {
    let writes = 0;
    const readers = [
      [SqlMemoryReader.prototype, 'findByDocs'],
      [SqlArtifactReader.prototype, 'findMany'],
      [SqlFactReader.prototype, 'count'],
    ] as const;
    let isWriting = false;
    for (const [reader, method] of readers) {
      const read = reader[method as never] as (...args: unknown[]) => Promise<unknown>;
      vi.spyOn(reader, method as never).mockImplementation(async function (this: unknown, ...args: never[]) {
        const found = await read.apply(this, args);
        if (isWriting) return found as never;
        isWriting = true;
        await write();
        writes++;
        isWriting = false;
        return found as never;
      } as never);
    }
    return () => writes;
  }

  const lists: readonly [string, () => string, () => Promise<unknown>][] = [
    [
      'the history of a name',
      () => '/api/memories/named/plan/history',
      () => http.put('/api/memories/named/plan', { content: `Plan ${written++}` }),
    ],
    ['the memories', () => '/api/memories', rememberAndEdit],
    ['the versions of a memory', () => `/api/memories/${editedId}/versions`, edit],
    [
      'the memories of a conversation',
      () => `/api/conversations/${conversationId}/timeline`,
      rememberAndEdit,
    ],
    [
      'the memories of a thread',
      () => `/api/narratives/${threadId}/timeline`,
      async () => {
        const { id } = await remember();
        await http.post(`/api/narratives/${threadId}/memories`, { memoryId: id, position: 0 });
      },
    ],
    [
      'the artifacts',
      () => '/api/artifacts',
      () => made('/api/artifacts', { content: 'more', type: 'text' }),
    ],
    [
      'the facts',
      () => '/api/facts',
      () => made('/api/facts', { subject: 'Bo', predicate: 'likes', object: `${written++}` }),
    ],
  ];

  it.each(lists)(
    '%s has each record once, and their number, whatever is written between its reads',
    async (_, path, write) => {
      const before = idsOf((await http.get<Listed>(`${path()}?limit=1000`)).body);
      // As if the process kept no record: all are read.
      vi.spyOn(RecordCache.prototype, 'get').mockReturnValue(undefined);
      const writes = writeBetweenReads(write);
      const { status, body } = await http.get<Listed>(`${path()}?limit=1000`);
      expect(status).toBe(200);
      const ids = idsOf(body);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining(before));
      if (countOf(body) !== undefined) expect(countOf(body)).toBe(ids.length);
      expect(writes()).toBeGreaterThan(0);
    },
  );

  interface Followed {
    readonly path: () => string;
    /** Written between two pages. */
    readonly write: () => Promise<unknown>;
    /** Takes away a record that a page showed. */
    readonly remove?: (id: string) => Promise<unknown>;
  }
  const forget = (id: string) => http.delete(`/api/memories/${id}`);
  const followed: readonly [string, Followed][] = [
    ['the memories', { path: () => '/api/memories?', write: rememberAndEdit, remove: forget }],
    [
      'the memories, oldest first',
      { path: () => '/api/memories?order=asc&sortBy=eventTime', write: rememberAndEdit },
    ],
    [
      'the memories of a topic',
      { path: () => '/api/memories?topics=notes', write: rememberAndEdit, remove: forget },
    ],
    [
      'the memories of a conversation',
      {
        path: () => `/api/conversations/${conversationId}/timeline?`,
        write: rememberAndEdit,
        remove: forget,
      },
    ],
    [
      'the memories of an entity',
      {
        path: () => `/api/entities/${entityId}/memories?`,
        write: () => remember({ content: 'Lisbon again.' }),
        remove: forget,
      },
    ],
    [
      'the memories of a thread',
      {
        path: () => `/api/narratives/${threadId}/timeline?`,
        write: addInFront,
        remove: (id) => http.delete(`/api/narratives/${threadId}/memories/${id}`),
      },
    ],
    [
      'the history of a name',
      {
        path: () => '/api/memories/named/plan/history?',
        write: () => http.put('/api/memories/named/plan', { content: `Plan ${written++}` }),
      },
    ],
    ['the versions of a memory', { path: () => `/api/memories/${editedId}/versions?`, write: edit }],
    [
      'the conversations',
      { path: () => '/api/conversations?', write: () => remember({ conversationId: 'NEW' }) },
    ],
    [
      'the conversations by creation',
      {
        path: () => '/api/conversations?sortBy=createdAt',
        write: () => remember(),
        remove: (id) => http.delete(`/api/conversations/${id}`),
      },
    ],
    [
      'the facts',
      { path: () => '/api/facts?', write: addFact, remove: (id) => http.delete(`/api/facts/${id}`) },
    ],
    [
      'the facts with a word',
      {
        path: () => '/api/facts?q=tea&sortBy=confidence',
        write: addFact,
        remove: (id) => http.delete(`/api/facts/${id}`),
      },
    ],
    ['the facts by confidence', { path: () => '/api/facts?sortBy=confidence', write: addFact }],
    ['the topics', { path: () => '/api/topics?', write: () => remember({ topics: [`a${written++}`] }) }],
    [
      'the topics, last name first',
      { path: () => '/api/topics?order=desc', write: () => remember({ topics: [`z${written++}`] }) },
    ],
    [
      'the topics by memories',
      {
        path: () => '/api/topics?sortBy=memoryCount',
        write: () => remember({ topics: ['notes', `m${written++}`] }),
      },
    ],
    ['the entities', { path: () => '/api/entities?', write: () => remember() }],
    [
      'the entities, last name first',
      {
        path: () => '/api/entities?sortBy=name&order=desc',
        write: () => remember(),
        remove: (id) => http.delete(`/api/entities/${id}`),
      },
    ],
    [
      'the entities by the last time that they were written of',
      { path: () => '/api/entities?sortBy=lastSeenAt', write: () => remember() },
    ],
    [
      'the artifacts',
      {
        path: () => '/api/artifacts?',
        write: () => made('/api/artifacts', { content: 'more', type: 'text' }),
        remove: (id) => http.delete(`/api/artifacts/${id}`),
      },
    ],
    [
      'the narratives',
      {
        path: () => '/api/narratives?',
        write: async () => made('/api/narratives', { title: 'Another', rootMemoryId: newest.memory }),
        remove: (id) => http.delete(`/api/narratives/${id}`),
      },
    ],
    [
      'the trash',
      {
        path: () => '/api/trash?',
        write: async () => forget((await remember()).id),
        remove: (id) => http.delete(`/api/trash/${id}`),
      },
    ],
  ];

  it.each(followed)(
    '%s are followed by cursors without a gap and without a repetition',
    async (_, { path, write, remove }) => {
      const all = idsOf((await http.get<Listed>(`${path()}&limit=1000`)).body);
      const removed = new Set<unknown>();
      const seen: unknown[] = [];
      let cursor: string | undefined;
      do {
        const from: string = cursor === undefined ? '' : `&cursor=${cursor}`;
        const { status, body } = await http.get<Listed>(`${path()}&limit=7${from}`);
        expect(status).toBe(200);
        seen.push(...idsOf(body));
        cursor = body.pagination?.nextCursor;
        // The record that the next page goes on behind is gone, too.
        const last = String(idsOf(body).at(-1));
        if (remove && cursor !== undefined && removed.size < 2) {
          await remove(last);
          removed.add(last);
        }
        await write();
      } while (cursor !== undefined);
      expect(new Set(seen).size).toBe(seen.length);
      expect(all.length).toBeGreaterThan(7);
      expect(seen).toEqual(expect.arrayContaining(all));
      expect(seen.filter((id) => all.includes(id as string))).toEqual(all);
    },
  );

  it('an export without a query is followed by the cursor of its header', async () => {
    const all = (await http.post<{ id: string }[]>('/api/memories/export', { limit: 1000 })).body;
    const seen: unknown[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await http.post<{ id: string }[]>('/api/memories/export', { limit: 20, cursor });
      expect(page.status).toBe(200);
      seen.push(...page.body.map(({ id }) => id));
      cursor = page.headers.get('x-next-cursor');
      await remember();
    }
    expect(seen).toEqual(all.map(({ id }) => id));
    const ranked = await http.post('/api/memories/export', { query: 'plan', cursor: 'x' });
    expect(ranked).toMatchObject({ status: 422, body: { details: { field: 'cursor' } } });
  });

  it('a cursor is refused by name where it is not of this user, list, filter and order, or is none', async () => {
    const { body } = await http.get<Listed>('/api/memories?limit=1');
    const cursor = String(body.pagination?.nextCursor);
    expect((await http.get(`/api/memories?limit=9&cursor=${cursor}`)).status).toBe(200);
    const [hash] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string];
    const forged = (...position: unknown[]) =>
      Buffer.from(JSON.stringify([hash, ...position])).toString('base64url');
    const refused = [
      `/api/memories?order=asc&cursor=${cursor}`,
      `/api/memories?topics=notes&cursor=${cursor}`,
      `/api/facts?cursor=${cursor}`,
      `/api/memories?offset=1&cursor=${cursor}`,
      `/api/memories?page=2&cursor=${cursor}`,
      `/api/memories?cursor=${'x'.repeat(5000)}`,
      ...[
        'nonsense',
        '%00',
        'W10',
        forged(),
        forged('a', 1),
        forged(1),
        forged(1, 2, 3),
        forged(1, 1.5),
        forged([1], 1),
      ].map((none) => `/api/memories?cursor=${none}`),
    ];
    for (const path of refused)
      expect(await http.get(path), path).toMatchObject({
        status: 422,
        body: { details: { field: 'cursor' } },
      });
    const other = await app.newClient();
    expect((await other.get(`/api/memories?cursor=${cursor}`)).status).toBe(422);
  });
});
