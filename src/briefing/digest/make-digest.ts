import type { EntityOfMemory } from '../../domain/entities/entity.ts';
import type { FactOfMemory } from '../../domain/facts/fact.ts';
import { isOutdated } from '../../domain/memories/memory.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { analyzeQuery } from '../../search-index/analysis/index.ts';
import type { BriefingDeps } from '../briefing-deps.ts';
import { loadTokenCounter } from '../text/tokens.ts';
import type { Digest, DigestRequest, DigestSource, KeyEntity, KeyFact } from './digest.ts';
import { findChanges, findSources } from './find-sources.ts';
import { fitDigest, inProse } from './fit-digest.ts';
import { scoreStatements } from './score-statements.ts';

/**
 * A digest of the knowledge about a query: word-for-word extracts of the memories found
 * by a hybrid search, with source numbers. Deterministic for the same store and request.
 */
export async function makeDigest(deps: BriefingDeps, user: UserRef, request: DigestRequest): Promise<Digest> {
  const { signal } = request;
  signal?.throwIfAborted();
  const { sources, considered, branchFailures, isCut } = await findSources(deps, user, request);
  signal?.throwIfAborted();
  const [changes, facts, entities, countTokens] = await Promise.all([
    findChanges(deps.stores, user, sources),
    factsOf(
      deps,
      user,
      sources.filter(({ memory }) => !isOutdated(memory.effectiveState)),
    ),
    entitiesOf(deps, user, sources),
    loadTokenCounter(),
  ]);
  signal?.throwIfAborted();
  const outdated = new Set(sources.filter(isSuperseded).map(({ number }) => number));
  const material = {
    query: request.query,
    sources,
    changes,
    listsIds: request.listsIds,
    statements: await scoreStatements(
      sources.filter(({ number }) => !outdated.has(number)),
      new Set(analyzeQuery(request.query)),
    ),
  };
  const fitted = await fitDigest(material, request.format, { budget: request.tokenBudget, countTokens });
  const worded = request.prose === 'llm' && inProse(deps, user, request, { material, fitted, countTokens });
  return {
    text: fitted.text,
    ...worded,
    sources,
    considered,
    keyFacts: keyFactsOf(facts),
    entities: keyEntitiesOf(entities.values()),
    branchFailures,
    isCut,
  };
}

/** Superseded sources appear among the changes only. A contradicted memory may still be true. */
const isSuperseded = ({ memory }: DigestSource) => memory.effectiveState === 'superseded';

async function factsOf({ stores }: BriefingDeps, user: UserRef, sources: readonly DigestSource[]) {
  const { facts } = stores.forUser(user);
  const byVersion = await facts.listByVersions(sources.map(({ memory }) => memory));
  return [...byVersion.values()].map(({ shown }) => shown);
}

async function entitiesOf({ stores }: BriefingDeps, user: UserRef, sources: readonly DigestSource[]) {
  const { entities } = stores.forUser(user);
  return entities.listByVersions(sources.map(({ memory }) => memory.doc));
}

const factsMax = 20;
const entitiesMax = 30;

/** Facts of the sources, without repetitions by case or spaces: by number of sources, then by confidence. */
function keyFactsOf(bySource: Iterable<readonly FactOfMemory[]>): KeyFact[] {
  const found = new Map<string, KeyFact>();
  for (const facts of bySource) {
    const seen = new Set<string>();
    for (const { subject, predicate, object, confidence } of facts) {
      const key = [subject, predicate, object].map(folded).join('\n');
      if (seen.has(key)) continue;
      seen.add(key);
      const known = found.get(key);
      found.set(key, {
        ...(known ?? { subject, predicate, object }),
        confidence: Math.max(known?.confidence ?? 0, confidence),
        mentions: (known?.mentions ?? 0) + 1,
      });
    }
  }
  return [...found.values()]
    .sort((a, b) => b.mentions - a.mentions || b.confidence - a.confidence)
    .slice(0, factsMax);
}

const folded = (text: string) => text.toLowerCase().replace(/\s+/g, ' ').trim();

/** Entities of the sources: those that most sources mention first, then by name. */
function keyEntitiesOf(bySource: Iterable<readonly EntityOfMemory[]>): KeyEntity[] {
  const found = new Map<string, KeyEntity>();
  for (const entities of bySource)
    for (const { id, name, type } of entities)
      found.set(id, { name, type, mentions: (found.get(id)?.mentions ?? 0) + 1 });
  return [...found.values()]
    .sort((a, b) => b.mentions - a.mentions || (a.name < b.name ? -1 : 1))
    .slice(0, entitiesMax);
}
