import type { Fact } from '../../domain/facts/fact.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { analyze } from '../../search-index/analysis/index.ts';
import type { BriefingDeps } from '../briefing-deps.ts';
import { isProse, isUsefulFact, namesOf } from '../text/useful-facts.ts';
import type { ContextFact, ContextMemory, ContextRequest, Gotcha } from './context.ts';

const relevantMax = 5;
const gotchasMax = 5;
/** Results of a fact search that are looked through for facts which no memory states. */
const foundMax = 20;

interface ContextFacts {
  readonly relevant: readonly ContextFact[];
  readonly gotchas: readonly Gotcha[];
}

/**
 * Facts of the memories found, and those that a person stated without a memory, if they are worth reading on their
 * own and share a word with the task; gotchas are facts that two memories or more state.
 */
export async function findFacts(
  { search, stores }: BriefingDeps,
  user: UserRef,
  { context }: ContextRequest,
  memories: Promise<readonly ContextMemory[]>,
): Promise<ContextFacts> {
  const reader = stores.forUser(user);
  const { facts: found } = await search.facts(user, { query: context, limit: foundMax });
  const known = (await memories).filter(({ content }) => isProse(content));
  const [byVersion, entities] = await Promise.all([
    reader.facts.listByVersions(known),
    reader.entities.listByVersions(known.map(({ doc }) => doc)),
  ]);
  const ids = [...new Set([...byVersion.values()].flatMap(({ shown }) => shown.map(({ id }) => id)))];
  const read = new Map((await reader.facts.findMany(ids)).map((fact) => [fact.id, fact]));
  const stated = found.filter(({ sourceMemoryIds }) => sourceMemoryIds.length === 0);
  const worth = { queryTerms: new Set(analyze(context)), names: namesOf(entities.values()) };
  const facts = [...stated, ...ids.flatMap((id) => read.get(id) ?? [])].filter((fact) =>
    isUsefulFact(fact, worth),
  );
  const repeated = facts.filter(({ sourceMemoryIds }) => sourceMemoryIds.length > 1);
  return {
    relevant: facts
      .filter(({ sourceMemoryIds }) => sourceMemoryIds.length < 2)
      .slice(0, relevantMax)
      .map(toContextFact),
    gotchas: await gotchasOf({ stores }, user, repeated.slice(0, gotchasMax)),
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
  { stores }: Pick<BriefingDeps, 'stores'>,
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
