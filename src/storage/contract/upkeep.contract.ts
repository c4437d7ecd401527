import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeMemory } from '../../domain/memories/change-memory.ts';
import type { DocumentIndexer } from '../../domain/shared/text-indexer.ts';
import type { RebuildStatus } from '../../domain/system/system-service.ts';
import type { User } from '../../domain/users/user.ts';
import { UserService } from '../../domain/users/user-service.ts';
import type { StorageEngine } from '../engine.ts';
import type { CheckReport } from '../upkeep.ts';
import {
  insertConversation,
  insertFact,
  newConversation,
  newFact,
  newKey,
  newUser,
  replaceFact,
  storedResponse,
  writeMemory,
} from './store-fixture.ts';
import { wordIndexer } from './word-indexer.ts';

export interface UpkeepUnderTest {
  /** Opens the same store on every call. */
  open(indexer: DocumentIndexer): Promise<StorageEngine>;
  /** Writes to the tables behind the store's back. */
  corrupt(statement: string): Promise<void>;
  /** Takes a document out of the keyword index behind the store's back. */
  dropDocument(doc: number): Promise<void>;
  /** Adds a document of this user with the words `stray` and `word`, without a record. */
  plantDocument(user: User, doc: number): Promise<void>;
  drop(): Promise<void>;
}

const quiet = () => undefined;
const repairAt = { at: 9000, onProgress: quiet };

/** Indexes each word from its second letter on: the same records, other terms. */
const laterIndexer: DocumentIndexer = {
  version: 2,
  memory: (memory) => {
    const { terms, metadataKeys } = wordIndexer.memory(memory);
    return { metadataKeys, terms: [...terms.map((term) => term.slice(1)), 'later'], traits: 1, speaker: 'x' };
  },
  conversation: (title) => ({
    ...wordIndexer.conversation(title, null),
    terms: ['later', title.toLowerCase()],
  }),
  fact: (fact) => ({ ...wordIndexer.fact(fact), terms: ['later', fact.object] }),
};

/** The contract of upkeep for every engine; run by both with an empty store per test. */
export function describeUpkeep(name: string, under: () => Promise<UpkeepUnderTest>): void {
  describe(`upkeep on ${name}`, () => {
    let subject: UpkeepUnderTest;
    let engine: StorageEngine;
    let user: User;
    beforeEach(async () => {
      subject = await under();
      engine = await subject.open(wordIndexer);
      user = await newUser(engine);
    });
    afterEach(async () => {
      await engine.close();
      await subject.drop();
    });

    const docsOf = async (term: string, of = user) =>
      (await engine.indexFor(of).postings('memory', [term]))[0].docs;
    const check = () => engine.upkeep.check(quiet);
    const repair = async (report: CheckReport) => engine.upkeep.repair(report, repairAt);
    const clean = {
      damage: [],
      indexDamage: [],
      orphans: [],
      strays: [],
      unfinishedRemovals: [],
      faults: [],
    };

    it('upkeep finds nothing wrong in a store with edges, changes, trash and several users', async () => {
      const stores = engine.forUser(user);
      const [a, b] = [await writeMemory(stores, { content: 'tea tea' }), await writeMemory(stores)];
      await stores.transaction(async (tx) => {
        await changeMemory({ tx, at: 3000, indexer: stores.indexer }, a, { content: 'coffee' });
        const [fact, trashed] = [newFact({ sourceMemoryIds: [b.id] }), newFact()];
        for (const made of [fact, trashed]) await insertFact(tx, made);
        await replaceFact(tx, { ...fact, object: 'coffee' });
        await tx.facts.trash(trashed.id, 4000);
        await tx.memories.trash([b], 4000);
        await tx.conversations.removeMemories(b.conversationId, 1);
      });
      await writeMemory(engine.forUser(await newUser(engine)), { content: '?!' });
      expect(await check()).toEqual({ ...clean, users: 2, versions: 4, conversations: 3, facts: 2 });
    });

    it('upkeep names rows of users who are no more, and a repair deletes them', async () => {
      const gone = await newUser(engine);
      await writeMemory(engine.forUser(gone), { content: 'walrus', topics: ['t'] });
      await subject.corrupt(`DELETE FROM users WHERE id = ${gone.id}`);
      const report = await check();
      expect(report.strays).toContainEqual({ table: 'memory_versions', userId: gone.id, rows: 1 });
      await repair(report);
      expect(await check()).toMatchObject(clean);
      expect(await docsOf('walrus', gone)).toEqual([]);
    });

    it('upkeep names a user whose removal did not finish, and removing them again finishes it', async () => {
      const users = new UserService(engine.users, { now: () => 5 });
      await subject.corrupt(`DELETE FROM user_counters WHERE user_id = ${user.id}`);
      expect((await check()).unfinishedRemovals).toEqual([user.name]);
      expect(await users.list()).toEqual([]);
      expect(await users.listUnfinishedRemovals()).toEqual([user.name]);
      await expect(users.get(user.name)).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
      await expect(users.add(user.name)).rejects.toMatchObject({ code: 'USER_NAME_CONFLICT' });
      await users.remove(user.name);
      expect(await check()).toMatchObject(clean);
      await expect(users.remove(user.name)).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
      await expect(users.add(user.name)).resolves.toMatchObject({ name: user.name });
    });

    it('upkeep shows no user whose import is not complete, but to whoever asks for those', async () => {
      const name = `(loading) ${user.name}`;
      await subject.corrupt(`UPDATE users SET name = '${name}' WHERE id = ${user.id}`);
      expect(await engine.users.list()).toEqual([]);
      expect(await engine.users.findByName(name)).toBeUndefined();
      expect((await engine.users.listInactive()).map((inactive) => inactive.name)).toEqual([name]);
    });

    it('upkeep leaves nothing of a user who is removed while they write', async () => {
      const stores = engine.forUser(user);
      const memory = await writeMemory(stores);
      const writes = Array.from({ length: 40 }, (_, i) => [
        stores.transaction((tx) => insertFact(tx, newFact({ sourceMemoryIds: [memory.id] }))),
        stores.transaction((tx) => insertConversation(tx, newConversation())),
        stores.transaction((tx) => tx.responses.save(`k${i}`, storedResponse)),
        stores.transaction((tx) => tx.keys.insert(newKey())),
        writeMemory(stores, { content: `walrus ${i}` }),
      ]).flat();
      const removed = engine.users.erase(user);
      const results = await Promise.allSettled([...writes, writeMemory(stores)]);
      await removed;
      const late = await Promise.allSettled([writeMemory(stores)]);
      for (const result of [...results, ...late])
        if (result.status === 'rejected')
          expect(result.reason).toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
      expect(late[0].status).toBe('rejected');
      expect(await check()).toMatchObject(clean);
    });

    it('upkeep finds and restores a document that is gone', async () => {
      const memory = await writeMemory(engine.forUser(user), { content: 'walrus' });
      await subject.dropDocument(memory.doc);
      expect(await docsOf('walrus')).toEqual([]);
      const report = await check();
      expect(report.faults).toMatchObject([
        { missing: [{ kind: 'memory', doc: memory.doc }], wrongWords: [], wrongColumns: [] },
      ]);
      await repair(report);
      expect(await docsOf('walrus')).toEqual([memory.doc]);
      expect(await check()).toMatchObject(clean);
    });

    it('upkeep finds and repairs documents with other words than their record', async () => {
      const memory = await writeMemory(engine.forUser(user), { content: 'walrus' });
      await subject.corrupt(
        `UPDATE memory_versions SET content = 'penguin penguin' WHERE doc = ${memory.doc}`,
      );
      const report = await check();
      expect(report.faults).toMatchObject([
        {
          wrongWords: [{ kind: 'memory', doc: memory.doc }],
          wrongColumns: [{ kind: 'memory', doc: memory.doc }],
          counters: { documents: 0, terms: 0 },
        },
      ]);
      await repair(report);
      expect([await docsOf('walrus'), await docsOf('penguin')]).toEqual([[], [memory.doc]]);
      expect(await check()).toMatchObject(clean);
    });

    it('upkeep finds and repairs titles, traits, numbers of terms and speakers', async () => {
      const memory = await writeMemory(engine.forUser(user));
      await subject.corrupt(`UPDATE conversations SET title = 'Voyage', term_count = 7`);
      await subject.corrupt(
        `UPDATE memory_versions SET term_count = 99, traits = 3, speaker = 'nobody', metadata_keys = 'x'`,
      );
      const before = await engine.indexFor(user).head();
      const report = await check();
      expect(report.faults).toMatchObject([
        {
          missing: [],
          wrongWords: [{ kind: 'conversation' }],
          wrongColumns: [{ kind: 'memory', doc: memory.doc }, { kind: 'conversation' }],
          counters: { documents: 0, terms: 93 },
        },
      ]);
      await repair(report);
      const after = await engine.indexFor(user).head();
      expect(after.epoch).toBeGreaterThan(before.epoch);
      const [row] = await engine.indexFor(user).changesSince(0, 0, 10);
      expect(row).toMatchObject({ termCount: 6, traits: 0, speaker: '', metadataKeys: '', rev: memory.rev });
      expect(await check()).toMatchObject(clean);
    });

    it('upkeep finds and repairs facts with other words than their record, and those that are gone', async () => {
      const stores = engine.forUser(user);
      const [a, b] = [newFact({ object: 'tea' }), newFact({ object: 'milk' })];
      await stores.transaction(async (tx) => {
        for (const fact of [a, b]) await insertFact(tx, fact);
      });
      const factsWith = async (term: string) =>
        (await engine.indexFor(user).postings('fact', [term]))[0].docs;
      const [[docA], [docB]] = [await factsWith('tea'), await factsWith('milk')];
      await subject.corrupt(`UPDATE facts SET object = 'cocoa with cream' WHERE doc = ${docA}`);
      await subject.dropDocument(docB);
      const report = await check();
      expect(report.faults).toMatchObject([
        {
          missing: [{ kind: 'fact', doc: docB }],
          wrongWords: [{ kind: 'fact', doc: docA }],
          wrongColumns: [{ kind: 'fact', doc: docA }],
          unknownWords: [],
          counters: { documents: 0, terms: 0 },
        },
      ]);
      await repair(report);
      expect([await factsWith('tea'), await factsWith('cocoa'), await factsWith('milk')]).toEqual([
        [],
        [docA],
        [docB],
      ]);
      expect(await engine.indexFor(user).liveDocuments('fact', [docA])).toContainEqual({
        id: a.id,
        doc: docA,
        termCount: 5,
      });
      expect(await check()).toMatchObject(clean);
    });

    it('upkeep finds and restores words that the vocabulary lacks', async () => {
      const memory = await writeMemory(engine.forUser(user), { content: 'walrus and whale' });
      await subject.corrupt(`DELETE FROM user_terms WHERE term LIKE 'w%'`);
      const report = await check();
      expect(report.faults).toMatchObject([
        { missing: [], wrongWords: [], unknownWords: [{ kind: 'memory', doc: memory.doc }] },
      ]);
      await engine.close();
      engine = await subject.open(wordIndexer);
      await repair(report);
      expect(await check()).toMatchObject(clean);
    });

    it('upkeep finds and removes documents of no record and of users that are gone', async () => {
      const memory = await writeMemory(engine.forUser(user), { content: 'walrus' });
      await subject.plantDocument(user, 700);
      await subject.plantDocument({ ...user, id: user.id + 5 }, 701);
      const report = await check();
      expect(report.orphans).toEqual([
        { userId: user.id, doc: 700 },
        { userId: user.id + 5, doc: 701 },
      ]);
      expect(report.faults).toEqual([]);
      await repair(report);
      expect([await docsOf('stray'), await docsOf('walrus')]).toEqual([[], [memory.doc]]);
      expect(await check()).toMatchObject(clean);
    });

    it('upkeep finds and corrects counters of users and conversations', async () => {
      const memory = await writeMemory(engine.forUser(user));
      await subject.corrupt(`UPDATE user_counters SET documents = 40, document_terms = 2`);
      await subject.corrupt('UPDATE conversations SET memory_count = 9');
      const report = await check();
      expect(report.faults).toMatchObject([
        {
          counters: { documents: -39, terms: 4 },
          memoryCounts: [{ id: memory.conversationId, by: -8 }],
        },
      ]);
      const late = await writeMemory(engine.forUser(user), { conversationId: memory.conversationId });
      await repair(report);
      expect(await engine.forUser(user).memories.count()).toBe(2);
      expect(await engine.forUser(user).conversations.find(late.conversationId)).toMatchObject({
        memoryCount: 2,
      });
      expect(await check()).toMatchObject(clean);
    });

    it('upkeep finds and corrects an effective state that no edge calls for, and one that an edge does', async () => {
      const stores = engine.forUser(user);
      const [a, b] = [await writeMemory(stores), await writeMemory(stores)];
      const edge = {
        id: randomUUID(),
        sourceMemoryId: a.id,
        targetMemoryId: b.id,
        type: 'SUPERSEDES',
      } as const;
      const rest = { confidence: 1, creationMethod: 'manual', reason: null, createdAt: 1 } as const;
      await stores.transaction((tx) => tx.relationships.insert({ ...edge, ...rest }));
      await subject.corrupt(`UPDATE memory_versions SET effective_state = 'duplicate' WHERE doc = ${a.doc}`);
      const report = await check();
      expect(report.faults.map(({ wrongStates }) => wrongStates)).toEqual([[a.id, b.id]]);
      await repair(report);
      expect((await stores.memories.find(a.id))?.effectiveState).toBe('current');
      expect((await stores.memories.find(b.id))?.effectiveState).toBe('superseded');
      expect(await check()).toMatchObject(clean);
    });

    it('upkeep repairs hundreds of documents while others write', async () => {
      const stores = engine.forUser(user);
      const made = await Promise.all(
        Array.from({ length: 300 }, (_, i) => writeMemory(stores, { content: `n${'x'.repeat(i % 7)} tea` })),
      );
      await subject.corrupt(`UPDATE memory_versions SET term_count = 50, content = 'milk and ' || content`);
      const report = await check();
      const repairing = repair(report);
      const changed = stores.transaction((tx) =>
        changeMemory({ tx, at: 3000, indexer: stores.indexer }, made[5], { content: 'cocoa' }),
      );
      const added = await Promise.all(Array.from({ length: 20 }, () => writeMemory(stores)));
      await Promise.all([repairing, changed]);
      expect(await check()).toMatchObject(clean);
      expect((await docsOf('milk')).length).toBe(300);
      expect(await stores.memories.count()).toBe(made.length + added.length);
    });

    const rebuilt = async (): Promise<RebuildStatus> => {
      const deadline = Date.now() + 20_000;
      for (;;) {
        const status = await engine.upkeep.rebuildStatus();
        const [row] = await engine.indexFor(user).changesSince(0, 0, 1);
        if (status.state === 'idle' && row?.traits === 1) return status;
        if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(status)}`);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };

    const rebuild = async (signal = new AbortController().signal) => {
      const { rebuildIndex } = engine.maintenance;
      while (!signal.aborted && (await rebuildIndex.slice(signal)).more);
    };

    it('upkeep rebuilds the index for a newer analyser, while searches are answered', async () => {
      const other = await newUser(engine);
      const memories = await Promise.all(
        Array.from({ length: 150 }, () => writeMemory(engine.forUser(user), { content: 'walrus' })),
      );
      await writeMemory(engine.forUser(other), { content: 'walrus' });
      await engine.forUser(user).transaction(async (tx) => {
        for (let i = 0; i < 50; i++) await insertFact(tx, newFact());
      });
      const { epoch } = await engine.indexFor(user).head();
      await engine.close();
      engine = await subject.open(laterIndexer);
      const rebuilding = rebuild();
      const late = await writeMemory(engine.forUser(user), { content: 'walrus' });
      const found = new Set([...(await docsOf('walrus')), ...(await docsOf('alrus'))]);
      expect(found).toEqual(new Set([...memories, late].map(({ doc }) => doc)));
      await rebuilding;
      expect(await rebuilt()).toEqual({ state: 'idle', done: 0, total: 0 });
      expect(await docsOf('walrus')).toEqual([]);
      expect(await docsOf('alrus')).toHaveLength(151);
      expect(await docsOf('alrus', other)).toHaveLength(1);
      const [facts] = await engine.indexFor(user).postings('fact', ['later']);
      expect(facts.docs).toHaveLength(50);
      expect((await engine.indexFor(user).head()).epoch).toBe(epoch + 1);
      expect(await check()).toMatchObject(clean);
    });

    it('upkeep goes on with a rebuild that was stopped, and does none twice', async () => {
      const contents = Array.from({ length: 200 }, () => 'walrus');
      await Promise.all(contents.map((content) => writeMemory(engine.forUser(user), { content })));
      await engine.close();
      let indexed = 0;
      const counting: DocumentIndexer = {
        ...laterIndexer,
        memory: (memory) => {
          indexed++;
          return laterIndexer.memory(memory);
        },
      };
      engine = await subject.open(counting);
      const stopping = new AbortController();
      const rebuilding = rebuild(stopping.signal);
      while (indexed === 0) await new Promise((resolve) => setImmediate(resolve));
      expect(await engine.upkeep.rebuildStatus()).toMatchObject({ state: 'running', total: 400 });
      stopping.abort();
      await rebuilding;
      await engine.close();
      expect(indexed).toBeLessThan(200);
      engine = await subject.open(counting);
      await rebuild();
      await rebuilt();
      expect(indexed).toBe(200);
      expect(await check()).toMatchObject(clean);
    });
  });
}
