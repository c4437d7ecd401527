import type { Artifact } from '../../domain/artifacts/artifact.ts';
import type { Conversation } from '../../domain/conversations/conversation.ts';
import type { Fact, FactOfMemory } from '../../domain/facts/fact.ts';
import type { Memory } from '../../domain/memories/memory.ts';
import type { Relationship, RelationshipType } from '../../domain/relationships/relationship.ts';
import type { UserReaders } from '../../domain/shared/stores.ts';
import { namedByMax } from './file-names.ts';

/** The other end of a relationship: what its id and its file name are made of. */
type LinkTarget = Pick<Memory, 'id' | 'seq' | 'externalId' | 'content'>;

export interface Link {
  readonly type: RelationshipType;
  readonly target: LinkTarget;
  readonly reason: string | null;
}

export type StatedFact = Pick<Fact, 'id' | 'externalId' | 'subject' | 'predicate' | 'object' | 'confidence'>;

/** A record of a user, as an export for people and other programs has it: live, in its newest version. */
export type UserRecord =
  | { readonly kind: 'conversation'; readonly conversation: Conversation }
  | {
      readonly kind: 'memory';
      readonly memory: Memory;
      readonly conversation: Conversation | undefined;
      /** Relationships from it that somebody stated or accepted; others are found again by the store that imports it. */
      readonly links: readonly Link[];
      /** Facts that a client stated, at most 100; others are derived again. */
      readonly facts: readonly StatedFact[];
    }
  | { readonly kind: 'fact'; readonly fact: Fact }
  | { readonly kind: 'artifact'; readonly artifact: Artifact; readonly memory: LinkTarget | undefined };

export type MemoryRecord = Extract<UserRecord, { kind: 'memory' }>;

/** A memory has at most 50,000 characters: these have 5 M. */
const memoriesAtOnce = 100;
const recordsAtOnce = 200;
/** An artifact has at most 200,000 characters. */
const artifactsAtOnce = 20;
/** Relationships from one memory. */
const linksMax = 10_000;

/** Conversations, then memories in the order of writing, facts without a source, artifacts. A page is in memory at a time. */
export async function* recordsOf(readers: UserReaders): AsyncGenerator<UserRecord> {
  yield* conversationsOf(readers);
  yield* memoriesOf(readers);
  yield* factsOf(readers);
  yield* artifactsOf(readers);
}

async function* conversationsOf({ conversations }: UserReaders): AsyncGenerator<UserRecord> {
  for (let after = ''; ; ) {
    const page = await conversations.listAfter(after, recordsAtOnce);
    for (const conversation of page) yield { kind: 'conversation', conversation };
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function* memoriesOf(readers: UserReaders): AsyncGenerator<MemoryRecord> {
  const { memories, conversations, facts } = readers;
  const chains = new Map<string, LinkTarget>();
  for (let after = -1; ; ) {
    const page = await memories.listAfter(after, memoriesAtOnce);
    const last = page.at(-1);
    if (last === undefined) return;
    const ids = [...new Set(page.map(({ conversationId }) => conversationId))];
    const byId = new Map((await conversations.findMany(ids)).map((one) => [one.id, one]));
    const factsByDoc = await facts.listByVersions(page);
    for (const memory of page) {
      const shown = (factsByDoc.get(memory.doc)?.shown ?? []).filter(isStatedFact);
      const stated = shown.length === 0 ? [] : await facts.findMany(shown.map(({ id }) => id));
      yield {
        kind: 'memory',
        memory,
        conversation: byId.get(memory.conversationId),
        links: [...earlierVersion(memory, chains), ...(await linksFrom(memory, readers))],
        facts: stated,
      };
    }
    after = last.seq;
  }
}

/** A version of a named memory supersedes the one before, which is a memory of its own. */
function earlierVersion(memory: Memory, chains: Map<string, LinkTarget>): Link[] {
  const { chainId, id, seq, externalId, content } = memory;
  if (chainId === null) return [];
  const before = chains.get(chainId);
  chains.set(chainId, { id, seq, externalId, content: content.slice(0, namedByMax) });
  return before === undefined ? [] : [{ type: 'SUPERSEDES', target: before, reason: null }];
}

const isStatedFact = ({ basis = null, start }: FactOfMemory) => basis === null && start === undefined;

const isStated = ({ creationMethod, acceptedAt }: Relationship) =>
  creationMethod === 'manual' || acceptedAt !== undefined;

async function linksFrom({ id }: Memory, { relationships, memories }: UserReaders): Promise<Link[]> {
  const stated = (await relationships.listOf(id, 'outgoing', linksMax)).filter(isStated);
  const links: Link[] = [];
  for (let i = 0; i < stated.length; i += recordsAtOnce) {
    const some = stated.slice(i, i + recordsAtOnce);
    const found = await memories.findMany(some.map(({ targetMemoryId }) => targetMemoryId));
    const byId = new Map(found.map((memory) => [memory.id, memory]));
    for (const { targetMemoryId, type, reason } of some) {
      const target = byId.get(targetMemoryId);
      if (target) links.push({ type, target, reason });
    }
  }
  return links;
}

async function* factsOf({ facts }: UserReaders): AsyncGenerator<UserRecord> {
  for (let after = ''; ; ) {
    const page = await facts.listAfter(after, recordsAtOnce);
    for (const fact of page) {
      if (fact.basis === null && fact.sourceMemoryIds.length === 0) yield { kind: 'fact', fact };
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function* artifactsOf({ artifacts, memories }: UserReaders): AsyncGenerator<UserRecord> {
  for (let offset = 0; ; offset += artifactsAtOnce) {
    const { items } = await artifacts.listIds({ offset, limit: artifactsAtOnce });
    if (items.length === 0) return;
    for (const artifact of await artifacts.findMany(items)) {
      if (artifact === undefined) continue;
      const memory = artifact.memoryId === null ? undefined : await memories.find(artifact.memoryId);
      yield { kind: 'artifact', artifact, memory };
    }
  }
}
