import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeMemory } from '../../domain/memories/change-memory.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { IndexRow } from '../../search-index/ports.ts';
import type { StorageEngine } from '../engine.ts';
import {
  insertConversation,
  insertFact,
  insertMemory,
  newConversation,
  newFact,
  newKey,
  newMemory,
  newUser,
  writeMemory,
} from './store-fixture.ts';

export interface EngineUnderTest {
  open(): Promise<StorageEngine>;
  drop(): Promise<void>;
}

/** The contract of every engine; run by `storage/sqlite` and `storage/postgres` with an empty store. */
export function describeStorageEngine(name: string, under: () => Promise<EngineUnderTest>): void {
  describe(`${name} store`, () => {
    let subject: EngineUnderTest;
    let engine: StorageEngine;
    beforeAll(async () => {
      subject = await under();
      engine = await subject.open();
    });
    afterAll(async () => {
      await engine.close();
      await subject.drop();
    });

    const rowsOf = (user: UserRef, since = 0): Promise<IndexRow[]> =>
      engine.indexFor(user).changesSince(since, 0, 1000);
    const docsOf = async (user: UserRef, term: string) =>
      (await engine.indexFor(user).postings('memory', [term]))[0].docs;

    it('a store gives back a memory with every field as it was written', async () => {
      const user = await newUser(engine);
      const memory = await writeMemory(engine.forUser(user), {
        name: 'full',
        role: 'assistant',
        context: 'tests',
        topics: ['One', 'two'],
        eventTime: 5,
        validFrom: 6,
        validTo: 7,
        codeContext: { product: 'p', extra: { a: 'b' } },
        externalId: 'x-1',
        metadata: { a: { b: [1, 'x', null] }, c: true },
        taskId: 't',
        outcome: 'resolved',
        importance: 0.5,
        memoryTypeUserSet: true,
        memoryType: 'procedural',
        chainId: randomUUID(),
        chainVersion: 1,
      });
      const { memories } = engine.forUser(user);
      expect(await memories.find(memory.id)).toEqual(memory);
      expect(await memories.findByName('full')).toEqual(memory);
      expect(await memories.findByExternalIds(['x-1', 'x-2'])).toEqual(
        new Map([['x-1', { memory, isTrashed: false }]]),
      );
      expect(await memories.findByDocs([memory.doc, 999_999])).toEqual([memory]);
      expect(await memories.docsByIdPrefix(memory.id.slice(0, 8), 5)).toEqual([memory.doc]);
      expect(await memories.listChain(memory.chainId ?? '', 5)).toEqual([memory]);
    });

    it('a store numbers the memories of a user in the order of writing', async () => {
      const stores = engine.forUser(await newUser(engine));
      const first = await writeMemory(stores);
      const others = await Promise.all(Array.from({ length: 20 }, () => writeMemory(stores)));
      const seqs = [first, ...others].map(({ seq }) => seq);
      expect(new Set(seqs).size).toBe(21);
      expect(Math.min(...seqs)).toBe(first.seq);
    });

    it('a store hides one user from another', async () => {
      const [alice, bob] = [await newUser(engine), await newUser(engine)];
      const memory = await writeMemory(engine.forUser(alice), {
        name: 'secret',
        content: 'xylophone',
        topics: ['t'],
      });
      const other = engine.forUser(bob);
      expect(await other.memories.find(memory.id)).toBeUndefined();
      expect(await other.memories.findByName('secret')).toBeUndefined();
      expect(await other.memories.findMany([memory.id])).toEqual([]);
      expect(await other.memories.findByDocs([memory.doc])).toEqual([]);
      expect(await other.conversations.find(memory.conversationId)).toBeUndefined();
      expect(await other.topics.find('t')).toBeUndefined();
      expect(await docsOf(bob, 'xylophone')).toEqual([]);
      expect(await docsOf(alice, 'xylophone')).toEqual([memory.doc]);
    });

    it('a store undoes a failing transaction whole and leaves the others of its group', async () => {
      const user = await newUser(engine);
      const stores = engine.forUser(user);
      const failing = stores.transaction(async (tx) => {
        const conversation = newConversation();
        await insertConversation(tx, conversation);
        await insertMemory(tx, newMemory(conversation.id, { content: 'zanzibar' }));
        throw new AppError('INPUT_INVALID', 'no');
      });
      const fine = writeMemory(stores, { content: 'walrus' });
      await expect(failing).rejects.toMatchObject({ code: 'INPUT_INVALID' });
      const memory = await fine;
      expect(await docsOf(user, 'zanzibar')).toEqual([]);
      expect(await docsOf(user, 'walrus')).toEqual([memory.doc]);
      expect(await stores.memories.count()).toBe(1);
      expect(await stores.conversations.count()).toBe(1);
    });

    it('a store closes the version that a change replaces and indexes the new words', async () => {
      const user = await newUser(engine);
      const stores = engine.forUser(user);
      const memory = await writeMemory(stores, { content: 'old lighthouse' });
      const { rev } = await engine.indexFor(user).head();
      const changed = await stores.transaction((tx) =>
        changeMemory({ tx, at: 3000, indexer: stores.indexer }, memory, {
          content: 'new harbour',
          updatedAt: 3000,
        }),
      );
      expect(await stores.memories.find(memory.id)).toEqual({
        ...memory,
        content: 'new harbour',
        updatedAt: 3000,
        doc: changed.doc,
        rev: changed.rev,
      });
      expect(changed.doc).toBeGreaterThan(memory.doc);
      const rows = await rowsOf(user, rev + 1);
      expect(rows.map(({ doc, closedAt }) => [doc, closedAt])).toEqual([
        [memory.doc, 3000],
        [changed.doc, null],
      ]);
      expect(await docsOf(user, 'harbour')).toEqual([changed.doc]);
      expect(await docsOf(user, 'lighthouse')).toEqual([memory.doc]);
    });

    it('a store counts how often a term stands in a document, up to eight', async () => {
      const user = await newUser(engine);
      const stores = engine.forUser(user);
      const once = await writeMemory(stores, { content: 'tea' });
      const often = await writeMemory(stores, { content: Array(12).fill('tea').join(' ') });
      const thrice = await writeMemory(stores, { content: 'tea tea tea' });
      const [postings] = await engine.indexFor(user).postings('memory', ['tea']);
      expect(postings.docs).toEqual([once.doc, often.doc, thrice.doc]);
      expect([...postings.frequencies]).toEqual([1, 8, 3]);
      expect(await engine.indexFor(user).docsContaining('memory', ['tea', 'none'])).toEqual([
        postings.docs,
        [],
      ]);
    });

    it('a store reads of each term the documents beyond the one that is known', async () => {
      const user = await newUser(engine);
      const stores = engine.forUser(user);
      const [first, second, third] = [
        await writeMemory(stores, { content: 'tea tea milk' }),
        await writeMemory(stores, { content: 'tea milk milk' }),
        await writeMemory(stores, { content: 'tea tea tea milk' }),
      ].map(({ doc }) => doc);
      const reader = engine.indexFor(user);
      const after = [first, second, third];
      const read = await reader.postings('memory', ['tea', 'milk', 'none'], after);
      expect(read.map(({ docs }) => docs)).toEqual([[second, third], [third], []]);
      expect(read.map(({ frequencies }) => [...frequencies])).toEqual([[1, 3], [1], []]);
      expect(await reader.docsContaining('memory', ['milk', 'tea', 'tea'], [0, first, third])).toEqual([
        [first, second, third],
        [second, third],
        [],
      ]);
    });

    it('a store takes trashed memories out of sight and marks all their versions', async () => {
      const user = await newUser(engine);
      const stores = engine.forUser(user);
      const memory = await writeMemory(stores, { name: 'gone', topics: ['t'] });
      const changed = await stores.transaction((tx) =>
        changeMemory({ tx, at: 3000, indexer: stores.indexer }, memory, { content: 'b' }),
      );
      await stores.transaction((tx) => tx.memories.trash([changed], 4000));
      expect(await stores.memories.find(memory.id)).toBeUndefined();
      expect(await stores.memories.findByName('gone')).toBeUndefined();
      expect(await stores.memories.count()).toBe(0);
      expect((await stores.topics.find('T'))?.memoryCount).toBe(0);
      expect((await rowsOf(user)).map(({ trashed }) => trashed)).toEqual([1, 1]);
      await expect(writeMemory(stores, { name: 'gone' })).resolves.toBeDefined();
    });

    it('a store refuses a name that is taken, whoever writes first', async () => {
      const stores = engine.forUser(await newUser(engine));
      await writeMemory(stores, { name: 'taken' });
      await expect(writeMemory(stores, { name: 'taken' })).rejects.toThrow();
      expect(await stores.memories.count()).toBe(1);
    });

    it('a store pages through changes in order of revision', async () => {
      const user = await newUser(engine);
      const stores = engine.forUser(user);
      for (let i = 0; i < 5; i++) await writeMemory(stores);
      const all = await rowsOf(user);
      const index = engine.indexFor(user);
      const first = await index.changesSince(0, 0, 2);
      const rest = await index.changesSince(first[1].rev, first[1].doc, 100);
      expect([...first, ...rest]).toEqual(all);
    });

    it('a store lists conversations by what is asked', async () => {
      const stores = engine.forUser(await newUser(engine));
      const quiet = newConversation({ title: 'quiet', createdAt: 10 });
      const busy = newConversation({ title: 'busy', createdAt: 5, agentSessionId: 'agent' });
      await stores.transaction(async (tx) => {
        await insertConversation(tx, quiet);
        await insertConversation(tx, busy);
      });
      await writeMemory(stores, { conversationId: busy.id, createdAt: 9000 });
      const page = { limit: 10, offset: 0, sortBy: 'createdAt', order: 'desc' } as const;
      expect((await stores.conversations.list(page)).items.map(({ title }) => title)).toEqual([
        'quiet',
        'busy',
      ]);
      const full = await stores.conversations.list({ ...page, minMemories: 1 });
      expect(full.items.map(({ title, memoryCount }) => [title, memoryCount])).toEqual([['busy', 1]]);
      expect(full.count).toBe(1);
      const found = await stores.conversations.findByAgentSession('agent');
      expect(found).toMatchObject({ id: busy.id, lastActivityAt: 9000, lastSessionId: 'session_1' });
      await stores.transaction((tx) => tx.conversations.trash(quiet.id, 1));
      expect(await stores.conversations.count()).toBe(1);
    });

    it('a store keeps topics once, by normalised name', async () => {
      const stores = engine.forUser(await newUser(engine));
      await writeMemory(stores, { topics: ['Rate Limiting', 'b'] });
      await writeMemory(stores, { topics: ['rate  limiting'] });
      const page = await stores.topics.list({ limit: 10, offset: 0, sortBy: 'memoryCount', order: 'desc' });
      expect(page.items.map(({ name, memoryCount }) => [name, memoryCount])).toEqual([
        ['Rate Limiting', 2],
        ['b', 1],
      ]);
      expect(page.count).toBe(2);
    });

    it('a store lists edges whose two ends are live', async () => {
      const stores = engine.forUser(await newUser(engine));
      const [a, b] = [await writeMemory(stores), await writeMemory(stores)];
      const edge = {
        id: randomUUID(),
        sourceMemoryId: a.id,
        targetMemoryId: b.id,
        type: 'SUPERSEDES',
        confidence: 1,
        creationMethod: 'manual',
        reason: null,
        createdAt: 1,
      } as const;
      await stores.transaction((tx) => tx.relationships.insert(edge));
      expect(await stores.relationships.listOf(b.id, 'incoming', 10)).toEqual([edge]);
      expect(await stores.relationships.listOf(b.id, 'outgoing', 10)).toEqual([]);
      expect(await stores.relationships.countOutgoing(a.id, 'SUPERSEDES')).toBe(1);
      expect(await stores.relationships.countOutgoing(a.id, 'CONTRADICTS')).toBe(0);
      const earlier = { ...edge, id: randomUUID(), sourceMemoryId: b.id, targetMemoryId: a.id, createdAt: 0 };
      await stores.transaction((tx) => tx.relationships.insert({ ...earlier, type: 'FOLLOWS' }));
      const both = [{ ...earlier, type: 'FOLLOWS' }, edge];
      expect(await stores.relationships.listOf(b.id, 'both', 10)).toEqual(both);
      expect(await stores.relationships.listOf(a.id, 'both', 1)).toEqual(both.slice(0, 1));
      await stores.transaction((tx) => tx.relationships.remove(earlier.id, 2));
      expect(await stores.relationships.incomingTypes([a.id, b.id])).toEqual(
        new Map([[b.id, ['SUPERSEDES']]]),
      );
      expect(await stores.relationships.targetsOf([a.id])).toEqual([b.id]);
      await stores.transaction((tx) => tx.memories.trash([a], 5));
      expect(await stores.relationships.incomingTypes([b.id])).toEqual(new Map());
      const chained = [{ sourceId: a.id, targetId: b.id }];
      expect(await stores.relationships.supersessions([a.id], 'outgoing', 10)).toEqual(chained);
      expect(await stores.relationships.supersessions([a.id, b.id], 'incoming', 10)).toEqual(chained);
      await stores.transaction((tx) => tx.relationships.remove(edge.id, 6));
      expect(await stores.relationships.supersessions([a.id], 'outgoing', 10)).toEqual([]);
    });

    it('a store keeps API keys and who owns them', async () => {
      const user = await newUser(engine);
      const key = { ...newKey(), userId: user.id };
      await engine.forUser(user).transaction(({ keys }) => keys.insert(key));
      expect(await engine.keys.findByPrefix(key.prefix)).toEqual({
        key,
        owner: { id: user.id, publicId: user.publicId, name: user.name },
      });
      await engine.keys.touch(new Map([[key.id, 77]]));
      expect((await engine.keys.listOf(user.id))[0].lastUsedAt).toBe(77);
      expect(await engine.keys.revoke(user.id + 1, key.id, 5)).toBe(false);
      expect(await engine.keys.revoke(user.id, key.id, 5)).toBe(true);
      expect(await engine.keys.revoke(user.id, key.id, 5)).toBe(false);
      expect(await engine.keys.listOf(user.id)).toEqual([]);
    });

    it('a store lists users with memories, those whose keys were used last first', async () => {
      const [often, once, empty] = [await newUser(engine), await newUser(engine), await newUser(engine)];
      for (const user of [often, once]) await writeMemory(engine.forUser(user));
      for (const [user, lastUse] of [
        [often, 9_000_000_000_001],
        [once, 9_000_000_000_000],
        [empty, 9_000_000_000_002],
      ] as const) {
        const [used, unused] = [newKey(), newKey()];
        for (const key of [used, unused]) await engine.forUser(user).transaction((tx) => tx.keys.insert(key));
        await engine.keys.touch(new Map([[used.id, lastUse]]));
      }
      const ids = (await engine.users.listRecentlyActive(1000)).map(({ id }) => id);
      expect(ids.slice(0, 2)).toEqual([often.id, once.id]);
      expect(ids).not.toContain(empty.id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(await engine.users.listRecentlyActive(1)).toEqual([often]);
    });

    it('a store erases a user with everything of theirs, and nobody else', async () => {
      const [gone, stays] = [await newUser(engine), await newUser(engine)];
      const { id } = await writeMemory(engine.forUser(gone), { content: 'quagga', topics: ['t'] });
      await engine.forUser(gone).transaction((tx) => insertFact(tx, newFact({ sourceMemoryIds: [id] })));
      await writeMemory(engine.forUser(stays), { content: 'quagga' });
      await engine.users.erase(gone);
      expect(await engine.users.findByName(gone.name)).toBeUndefined();
      expect(await docsOf(gone, 'quagga')).toEqual([]);
      expect(await rowsOf(gone)).toEqual([]);
      expect(await docsOf(stays, 'quagga')).toHaveLength(1);
      await expect(newUser(engine, stays.name)).rejects.toMatchObject({ code: 'USER_NAME_CONFLICT' });
    });

    it('a store knows the terms of a user, written by committed transactions only', async () => {
      const user = await newUser(engine);
      const stores = engine.forUser(user);
      const { vocabulary } = engine.indexFor(user);
      const failing = stores.transaction(async (tx) => {
        const conversation = newConversation();
        await insertConversation(tx, conversation);
        await insertMemory(tx, newMemory(conversation.id, { content: 'marmalade' }));
        throw new AppError('INPUT_INVALID', 'no');
      });
      await expect(failing).rejects.toThrow();
      expect(await vocabulary.among(['marmalade', 'marmot'])).toEqual([]);
      await writeMemory(stores, { content: 'marmalade marmot marten' });
      await writeMemory(engine.forUser(await newUser(engine)), { content: 'margarine' });
      expect((await vocabulary.among(['marmot', 'marmalade', 'margarine'])).toSorted()).toEqual([
        'marmalade',
        'marmot',
      ]);
      expect(await vocabulary.beginningWith('mar', 2)).toEqual(['marmot', 'marten']);
      const shape = { beginnings: ['mart'], middles: ['alad'], ends: ['ot'], lengthMin: 6, lengthMax: 6 };
      expect(await vocabulary.shaped(shape, 10)).toEqual(['marmot', 'marten']);
      expect(await vocabulary.shaped({ ...shape, lengthMax: 9 }, 2)).toEqual(['marmalade', 'marmot']);
      await engine.users.erase(user);
      expect(await vocabulary.beginningWith('mar', 9)).toEqual([]);
    });

    it('a store gives the shortest terms that begin so, however many there are', async () => {
      const user = await newUser(engine);
      const { vocabulary } = engine.indexFor(user);
      const words = Array.from({ length: 40 }, (_, i) => `zq${'o'.repeat(40 - i)}`);
      const content = (of: readonly string[]) => ({ content: ['zqb', 'zqa', ...of].join(' ') });
      for (const more of [[], words.map((word) => `${word}b`)]) {
        await writeMemory(engine.forUser(user), content([...words, ...more]));
        const found = await vocabulary.beginningWith('zq', 5);
        expect(found).toEqual([...found].sort((a, b) => [...a].length - [...b].length));
        expect(found.slice(0, 3)).toEqual(['zqa', 'zqb', 'zqo']);
        expect(found.length).toBe(5);
      }
    });

    it('a store counts tokens of an LLM by day, across a restart, and forgets the days before', async () => {
      const counter = () => engine.llmTokens;
      expect(await counter().addTokens('2026-03-01', 500)).toBe(500);
      const added = Array.from({ length: 20 }, () => counter().addTokens('2026-03-01', 10));
      expect(Math.max(...(await Promise.all(added)))).toBe(700);
      expect(await counter().addTokens('2026-03-01', -100)).toBe(600);
      await engine.close();
      engine = await subject.open();
      expect(await counter().tokensOf('2026-03-01')).toBe(600);
      expect(await counter().addTokens('2026-03-02', 7)).toBe(7);
      expect(await counter().tokensOf('2026-03-01')).toBe(0);
    });

    it('a store keeps everything when it is opened again', async () => {
      const user = await newUser(engine);
      const memory = await writeMemory(engine.forUser(user), { content: 'persimmon' });
      await engine.close();
      engine = await subject.open();
      expect(await engine.forUser(user).memories.find(memory.id)).toEqual(memory);
      expect(await docsOf(user, 'persimmon')).toEqual([memory.doc]);
    });
  });
}
