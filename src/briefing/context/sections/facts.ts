import type { Fact } from '../../../domain/facts/fact.ts';
import type { UserRef } from '../../../domain/shared/user-ref.ts';
import type { BriefingDeps } from '../../briefing-deps.ts';
import type { ContextFact, ContextMemory, ContextRequest, Gotcha } from '../context.ts';

const foundMax = 40;
const relevantMax = 15;
const gotchasMax = 10;
/** Memories whose facts are considered in addition to the results of a fact search. */
const memoriesMax = 20;
const ofMemoryMax = 3;

export interface ContextFacts {
  readonly relevant: readonly ContextFact[];
  readonly gotchas: readonly Gotcha[];
}

/**
 * Facts found by the words of the task, then those of matching
 * memories; gotchas are facts stated by two memories or more.
 */
export async function findFacts(
  { search, stores }: BriefingDeps,
  user: UserRef,
  { context }: ContextRequest,
  memories: Promise<readonly ContextMemory[]>,
): Promise<ContextFacts> {
  const reader = stores.forUser(user);
  const { facts: found } = await search.facts(user, context, foundMax);
  const versions = (await memories).slice(0, memoriesMax);
  const byVersion = await reader.facts.listByVersions(versions);
  const others = [...byVersion.values()].flatMap(({ shown }) =>
    shown.slice(0, ofMemoryMax).map(({ id }) => id),
  );
  const known = new Set(found.map(({ id }) => id));
  const ids = [...new Set(others)].filter((id) => !known.has(id));
  const read = new Map((await reader.facts.findMany(ids)).map((fact) => [fact.id, fact]));
  const more = ids.flatMap((id) => read.get(id) ?? []);
  const facts = [...found, ...more];
  const repeated = facts.filter(({ sourceMemoryIds }) => sourceMemoryIds.length > 1).slice(0, gotchasMax);
  return {
    relevant: facts
      .filter(({ sourceMemoryIds }) => sourceMemoryIds.length < 2)
      .slice(0, relevantMax)
      .map(toContextFact),
    gotchas: await gotchasOf({ search, stores }, user, repeated),
  };
}

const toContextFact = ({ subject, predicate, object, confidence, sourceMemoryIds }: Fact): ContextFact => ({
  subject,
  predicate,
  object,
  confidence,
  // Stated by hand: the fact has no source memory.
  sourceMemoryId: sourceMemoryIds[0] ?? '',
});

async function gotchasOf(
  { stores }: Pick<BriefingDeps, 'search' | 'stores'>,
  user: UserRef,
  facts: readonly Fact[],
): Promise<Gotcha[]> {
  const ids = [...new Set(facts.flatMap(({ sourceMemoryIds }) => sourceMemoryIds))].slice(0, 1000);
  const memories = await stores.forUser(user).memories.findMany(ids);
  const times = new Map(memories.map(({ id, createdAt }) => [id, createdAt]));
  return facts.map(({ subject, predicate, object, sourceMemoryIds, updatedAt }) => ({
    fact: `${subject} ${predicate} ${object}`,
    sourceMemories: sourceMemoryIds,
    lastSeen: Math.max(...sourceMemoryIds.map((id) => times.get(id) ?? 0)) || updatedAt,
  }));
}
