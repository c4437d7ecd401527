import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { RecordCache } from '../../src/retrieval/index/record-cache.ts';
import { SqlArtifactReader } from '../../src/storage/sql/artifacts/artifact-store.ts';
import { SqlFactReader } from '../../src/storage/sql/facts/fact-store.ts';
import { SqlMemoryReader } from '../../src/storage/sql/memories/memory-reader.ts';
import { engines } from '../support/database.ts';
import type { Client, JsonObject } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

/** More than any list reads at once. */
const many = 30;

interface Listed {
  readonly data?: readonly { readonly id?: string; readonly memory?: { readonly id: string } }[];
  readonly versions?: readonly { readonly id: string }[];
  readonly count?: number;
  readonly pagination?: { readonly count?: number; readonly total?: number };
}

const idsOf = (body: Listed) =>
  (body.data ?? body.versions ?? []).map(
    ({ id, memory }: { id?: string; memory?: { id: string } }) => id ?? memory?.id,
  );
const countOf = ({ count, pagination }: Listed) => count ?? pagination?.count ?? pagination?.total;

describe.each(engines)('a list that others write to on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  let conversationId: string;
  let threadId: string;
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

  beforeAll(async () => {
    http = await app.newClient();
    const first = await made('/api/memories', { content: 'The plan.', name: 'plan', conversationId: 'NEW' });
    ({ conversationId } = first);
    for (let i = 1; i < many; i++) await http.put('/api/memories/named/plan', { content: `The plan, ${i}.` });
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
});
