import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Derived, DerivedEntity, DerivedFact } from '../../src/domain/derivation/derived.ts';
import type { Memory } from '../../src/domain/memories/memory.ts';
import type { Pattern } from '../../src/domain/patterns/pattern.ts';
import { relationshipTypes } from '../../src/domain/relationships/relationship.ts';
import type { User } from '../../src/domain/users/user.ts';
import { chunksOf } from '../../src/lib/collections.ts';
import type { AppFixture } from './app-fixture.ts';
import { type Client, client } from './http-client.ts';

/** A user with so much of everything that a loop over all of it takes long. */
export interface BusyUser {
  readonly http: Client;
  readonly user: User;
  /** In the order of writing. */
  readonly memories: readonly Memory[];
}

const [people, tools, topics, conversations] = [300, 50, 600, 100];
const patternCount = 1200;
const evidenceCount = 60;
const start = Date.parse('2025-01-01T00:00:00Z');

/** Written by the stores, not through derivation, which would take minutes. */
export async function makeBusyUser(app: AppFixture, count: number): Promise<BusyUser> {
  const name = `user-${randomUUID()}`;
  const user = await app.storage.users.insert({
    publicId: randomUUID(),
    name,
    email: `${name}@example.test`,
    at: 1,
  });
  const { apiKey } = await app.services.keys.create(user, { label: 'test' });
  const memories = await writeMemories(app, user, count);
  await writeDerived(app, user, memories);
  await writeEdges(app, user, memories);
  await writePatterns(app, user, memories);
  await writeVersions(app, user);
  return { http: client(app.url, apiKey), user, memories };
}

const person = (i: number) => `Person${i % people}`;
const tool = (i: number) => `tool${i % tools}`;

const contentOf = (i: number) =>
  `${person(i)} prefers ${tool(i)} over thing${i % 7}, from now on. Always use redis${i}. Deployed release ${i} because the ` +
  `tests passed; ${person(i + 1)} reviewed it on day ${i % 31}. The cache of service${i % 40} was slow, so ${tool(i + 3)} ` +
  `replaced it, and the cost went down by ${i % 90} percent. Nothing else changed in region ${i % 13}.`;

async function writeMemories(app: AppFixture, user: User, count: number): Promise<Memory[]> {
  const made: Memory[] = [];
  const places: string[] = [];
  for (const some of chunksOf([...Array(count).keys()], 64)) {
    const written = await Promise.all(
      some.map((i) =>
        app.services.memories.create(
          user,
          {
            content: contentOf(i),
            topics: Array.from({ length: 4 }, (_, j) => `topic${(i * 13 + j * 7) % topics}`),
            metadata: { source: `file${i % 200}` },
          },
          {
            conversationId: i < conversations ? 'NEW' : places[i % 3 === 0 ? 0 : i % places.length],
            createdAt: start + i * 3_600_000,
          },
        ),
      ),
    );
    for (const { memory } of written) {
      made.push(memory);
      if (places.length < conversations) places.push(memory.conversationId);
    }
    await nextTurn();
  }
  return made;
}

function entity(name: string, type: DerivedEntity['type']): DerivedEntity {
  const key = name.toLowerCase();
  return {
    name,
    type,
    key,
    start: 0,
    end: 4,
    mentions: 1,
    confidence: 0.8,
    foundBy: 'recogniser',
    isCertain: false,
  };
}

function fact(i: number, subject: string, object: string): DerivedFact {
  const words = { subject, predicate: i % 2 ? 'prefers' : 'uses', object };
  return {
    ...words,
    terms: Object.values(words).map((word) => word.toLowerCase()),
    key: Object.values(words).join('|').toLowerCase(),
    isNegated: false,
    basis: 'direct',
    confidence: 0.8,
    start: 0,
    end: 10,
    speaker: null,
    time: null,
    entities: [{ index: 0, role: 'subject' }],
  };
}

const derivedOf = (i: number): Derived => ({
  isEnglish: true,
  skipReason: null,
  entities: [entity(person(i), 'PERSON'), entity(tool(i), 'TECHNOLOGY'), entity(person(i + 1), 'PERSON')],
  facts: [fact(i, person(i), `${tool(i)} ${i % 9}`), fact(i, person(i), `redis${i}`)],
  topics: [{ name: `area${i % 90}`, score: 0.5 }],
  times: [],
});

async function writeDerived(app: AppFixture, user: User, memories: readonly Memory[]): Promise<void> {
  const own = app.storage.forUser(user);
  for (const some of chunksOf([...memories.entries()], 50))
    await own.transaction((tx) =>
      tx.derivation.replace(
        some.map(([i, { doc, createdAt }]) => ({ doc, saidAt: createdAt, derived: derivedOf(i) })),
        start,
      ),
    );
}

/** Each memory is joined with one before it; one in ten supersedes or contradicts it. */
async function writeEdges(app: AppFixture, user: User, memories: readonly Memory[]): Promise<void> {
  const own = app.storage.forUser(user);
  for (const some of chunksOf([...memories.entries()].slice(1), 100))
    await own.transaction(async (tx) => {
      for (const [i, { id }] of some)
        await tx.relationships.insert({
          id: randomUUID(),
          sourceMemoryId: id,
          targetMemoryId: memories[i % 20 ? Math.floor(i / 2) : i - 1].id,
          type: i % 20 ? (i % 2 ? 'REFERENCES' : 'FOLLOWS') : relationshipTypes[i % 40 ? 0 : 3],
          confidence: 0.7,
          creationMethod: 'auto-semantic',
          reason: null,
          createdAt: start + i,
        });
    });
}

async function writePatterns(app: AppFixture, user: User, memories: readonly Memory[]): Promise<void> {
  const own = app.storage.forUser(user);
  for (const some of chunksOf([...Array(patternCount).keys()], 25))
    await own.transaction(async (tx) => {
      for (const i of some) await tx.patterns.insert(pattern(i, memories[i].id), evidence(i, memories));
    });
}

/** 300 versions of the name `plan`. */
async function writeVersions(app: AppFixture, user: User): Promise<void> {
  await app.services.memories.create(user, { content: contentOf(0), name: 'plan' }, {});
  for (const i of Array(300).keys())
    await app.services.memories.addVersion(user, 'plan', { content: contentOf(i) });
}

const evidence = (i: number, memories: readonly Memory[]) =>
  Array.from({ length: evidenceCount }, (_, j) => memories[(i * 31 + j * 17) % memories.length]).map(
    ({ id, createdAt }) => ({ memoryId: id, at: createdAt }),
  );

const pattern = (i: number, wordedBy: string): Pattern => ({
  id: randomUUID(),
  key: `rule|user||pattern ${i}`,
  type: i % 2 ? 'rule' : 'preference',
  owner: 'user',
  target: `redis${i} in region ${i % 13}`,
  against: null,
  isNegated: false,
  name: `Always use redis${i}`,
  description: contentOf(i),
  context: `topic${i % topics}`,
  confidence: 0.6,
  baseConfidence: 0.6,
  positives: 0,
  negatives: 0,
  feedback: null,
  edited: [],
  isActive: true,
  metadata: null,
  wordedBy,
  firstSeen: start,
  lastSeen: start + i,
  createdAt: start,
  updatedAt: start,
  occurrences: evidenceCount,
  evidence: [],
});
