import { randomUUID } from 'node:crypto';
import type { MemoryInput } from '../../src/domain/memories/memory-input.ts';
import { refreshStates } from '../../src/domain/relationships/relationship-service.ts';
import type { User } from '../../src/domain/users/user.ts';
import type { AppServices } from '../../src/http/services.ts';
import { type Random, uniqueWord } from '../support/random.ts';
import { newest, type OracleMemory, type TimeTravelOracle } from './time-travel-oracle.ts';

export const words = Array.from({ length: 8 }, (_, i) => uniqueWord(i + 1));
const topicNames = Array.from({ length: 4 }, (_, i) => uniqueWord(i + 101));
const names = Array.from({ length: 3 }, (_, i) => uniqueWord(i + 201));

export interface HistoryWorld {
  readonly services: AppServices;
  readonly user: User;
  readonly oracle: TimeTravelOracle;
  readonly random: Random;
  readonly now: () => number;
}

type Operation = (world: HistoryWorld) => Promise<void>;

function textOf({ random }: HistoryWorld): string {
  return [...random.sample(words, random.int(1, 3)), uniqueWord(random.int(1000, 900_000))].join(' ');
}

function timesOf({ random, now }: HistoryWorld): Pick<MemoryInput, 'eventTime' | 'validFrom' | 'validTo'> {
  const near = () => now() + random.int(-20, 20) * 1000;
  const validFrom = random.chance(0.2) ? near() : undefined;
  const validTo = random.chance(0.3) ? (validFrom ?? now()) + random.int(1, 20) * 1000 : undefined;
  return { eventTime: random.chance(0.3) ? near() : undefined, validFrom, validTo };
}

function freeName({ oracle, random }: HistoryWorld): string | undefined {
  const taken = new Set(oracle.live.map((memory) => newest(memory).name));
  const free = names.filter((name) => !taken.has(name));
  return free.length > 0 ? random.pick(free) : undefined;
}

const create: Operation = async (world) => {
  const { services, user, oracle, random, now } = world;
  const name = random.chance(0.4) ? freeName(world) : undefined;
  const topics = random.sample(topicNames, random.int(0, 2));
  const input = { content: textOf(world), name, topics, ...timesOf(world) };
  const { memory } = await services.memories.create(user, input, { conversationId: 'NEW' });
  const made = oracle.create(memory, now());
  if (name !== undefined) made.chain = [made];
};

const update: Operation = async (world) => {
  const { services, user, oracle, random, now } = world;
  if (oracle.live.length === 0) return;
  const memory = random.pick(oracle.live);
  const input = { content: textOf(world), topics: random.sample(topicNames, random.int(0, 2)) };
  await services.memories.update(user, memory.id, input);
  oracle.change(memory, input, now());
};

const addVersion: Operation = async ({ services, user, oracle, random, now, ...rest }) => {
  const heads = oracle.live.filter((memory) => newest(memory).name !== null);
  if (heads.length === 0) return;
  const head = random.pick(heads);
  const { name } = newest(head);
  const others = oracle.live.filter((memory) => memory !== head);
  const supersedes = others.length > 0 && random.chance(0.3) ? random.pick(others) : undefined;
  const content = textOf({ services, user, oracle, random, now, ...rest });
  const input = { content, supersedes: supersedes?.id };
  const { memory } = await services.memories.addVersion(user, name ?? '', input);
  const made = oracle.create(memory, now());
  made.chain = head.chain;
  head.chain.push(made);
  oracle.relate(made, head, 'SUPERSEDES', now());
  oracle.change(head, { name: null }, now());
  if (supersedes) oracle.relate(made, supersedes, 'SUPERSEDES', now());
  oracle.finish(now());
};

const remove: Operation = async ({ services, user, oracle, random, now }) => {
  if (oracle.live.length === 0) return;
  const memory = random.pick(oracle.live);
  await services.memories.delete(user, memory.id);
  oracle.trash(memory, now());
};

const relate: Operation = async ({ services, user, oracle, random, now }) => {
  const [a, b] = random.sample(oracle.live, 2);
  if (!a || !b || oracle.edges.some(({ source, target }) => source === b && target === a)) return;
  const type = random.pick(['SUPERSEDES', 'CONTRADICTS', 'DUPLICATES', 'FOLLOWS'] as const);
  // From the later to the earlier, so that nothing supersedes itself in a circle.
  await insertEdge({ services, user, now }, b, a, type);
  oracle.relate(b, a, type, now());
  oracle.finish(now());
};

async function insertEdge(
  { services, user, now }: Pick<HistoryWorld, 'services' | 'user' | 'now'>,
  source: OracleMemory,
  target: OracleMemory,
  type: 'SUPERSEDES' | 'CONTRADICTS' | 'DUPLICATES' | 'FOLLOWS',
): Promise<void> {
  const stores = services.stores.forUser(user);
  await stores.transaction(async (tx) => {
    await tx.relationships.insert({
      id: randomUUID(),
      sourceMemoryId: source.id,
      targetMemoryId: target.id,
      type,
      confidence: 1,
      creationMethod: 'manual',
      reason: null,
      createdAt: now(),
    });
    await refreshStates({ tx, at: now(), indexer: stores.indexer }, [target.id]);
  });
}

export const operations: readonly Operation[] = [
  create,
  create,
  create,
  update,
  update,
  addVersion,
  addVersion,
  remove,
  relate,
  relate,
];
