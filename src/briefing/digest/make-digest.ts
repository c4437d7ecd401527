import type { EntityOfMemory } from '../../domain/entities/entity.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { analyzeQuery } from '../../search-index/analysis/index.ts';
import type { BriefingDeps } from '../briefing-deps.ts';
import { loadTokenCounter } from '../text/tokens.ts';
import { folded, isProse, isUsefulFact, namesOf } from '../text/useful-facts.ts';
import type {
  Change,
  Digest,
  DigestFormat,
  DigestMaterial,
  DigestRequest,
  DigestSource,
  KeyEntity,
  KeyFact,
} from './digest.ts';
import { findSources } from './find-sources.ts';
import { fitDigest, inProse } from './fit-digest.ts';
import { mergeStatements } from './merge-statements.ts';
import { progressOf } from './progress.ts';
import { scoreStatements } from './score-statements.ts';

/**
 * A digest of the knowledge about a query: word-for-word extracts of the memories found
 * by a hybrid search, with source numbers. Deterministic for the same store and request.
 */
export async function makeDigest(deps: BriefingDeps, user: UserRef, request: DigestRequest): Promise<Digest> {
  const { signal } = request;
  signal?.throwIfAborted();
  const found = await findSources(deps, user, request);
  signal?.throwIfAborted();
  const { entities } = deps.stores.forUser(user);
  const [byDoc, countTokens] = await Promise.all([
    entities.listByVersions(found.sources.map(({ memory }) => memory.doc)),
    loadTokenCounter(),
  ]);
  const names = new Map(found.sources.map(({ number, memory }) => [number, byDoc.get(memory.doc) ?? []]));
  const material = await materialOf(request, { ...found, names });
  signal?.throwIfAborted();
  const fitted = await fitDigest(material, request.format, { budget: request.tokenBudget, countTokens });
  const worded = request.prose === 'llm' && inProse(deps, user, request, { material, fitted, countTokens });
  const { considered, branchFailures, isCut } = found;
  const text = worded ? worded.text : fitted.text;
  return {
    text,
    tokens: countTokens(text),
    omitted: fitted.omitted,
    ...(worded && { prose: worded.prose }),
    sources: fitted.used,
    considered,
    relevanceFloor: deps.search.relevanceFloor,
    keyFacts: await keyFactsOf(deps, user, fitted.used, { query: request.query, entities: byDoc }),
    entities: keyEntitiesOf(fitted.used.map(({ memory }) => byDoc.get(memory.doc) ?? [])),
    branchFailures,
    isCut,
  };
}

async function materialOf(
  { query, format, listsIds }: DigestRequest,
  { sources, changes, names }: Pick<DigestMaterial, 'sources' | 'changes' | 'names'>,
): Promise<DigestMaterial> {
  const known = format === 'status-report' ? withProgress(sources, changes) : sources;
  const shown = known.filter(appears(format, changes));
  const statements = await scoreStatements(shown, new Set(analyzeQuery(query)));
  return {
    query,
    sources: known,
    changes,
    listsIds,
    names,
    statements: await mergeStatements(statements, sources),
  };
}

/** A problem that a memory resolves is done, and so is that memory. */
function withProgress(sources: readonly DigestSource[], changes: readonly Change[]): DigestSource[] {
  const ends = changes.flatMap(({ kind, earlier, later }) => (kind === 'RESOLVES' ? [earlier, later] : []));
  const done = new Set(ends.map(({ number }) => number));
  return sources.map((source) => ({
    ...source,
    progress: progressOf(source.memory, done.has(source.number)),
  }));
}

/** A longer problem says more than that there was one. */
const problemLengthMax = 320;

/** Outdated texts and solved problems appear in the line of the memory that replaces or solves them. */
function appears(format: DigestFormat, changes: readonly Change[]) {
  const byEarlier = new Map(changes.map((change) => [change.earlier.number, change.kind]));
  return ({ number, memory, progress }: DigestSource): boolean => {
    if (format === 'status-report' && progress === undefined) return false;
    const kind = byEarlier.get(number);
    if (kind === 'RESOLVES') return memory.content.length > problemLengthMax;
    return kind === undefined && memory.effectiveState !== 'superseded';
  };
}

const factsMax = 10;
const entitiesMax = 30;

/**
 * Facts of the sources that hold, worth reading on their own, without repetitions by case or spaces: by number of
 * sources, then by confidence.
 */
async function keyFactsOf(
  { stores }: BriefingDeps,
  user: UserRef,
  sources: readonly DigestSource[],
  about: { readonly query: string; readonly entities: ReadonlyMap<number, readonly EntityOfMemory[]> },
): Promise<KeyFact[]> {
  const current = sources
    .map(({ memory }) => memory)
    .filter(({ effectiveState, content }) => effectiveState === 'current' && isProse(content));
  const byVersion = await stores.forUser(user).facts.listByVersions(current);
  const worth = { queryTerms: new Set(analyzeQuery(about.query)), names: namesOf(about.entities.values()) };
  const found = new Map<string, KeyFact>();
  for (const { shown } of byVersion.values()) {
    const own = new Map(
      shown.map((fact) => [[fact.subject, fact.predicate, fact.object].map(folded).join('\n'), fact]),
    );
    for (const [key, { subject, predicate, object, confidence, basis = null }] of own) {
      if (!isUsefulFact({ subject, predicate, object, basis }, worth)) continue;
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

/** Hosts of addresses in trailers of commits. */
const noName = /noreply|^[\w.-]+@[\w.-]+$/i;

/** Entities of the sources, ordered by the number of sources that mention them, then by name. */
function keyEntitiesOf(bySource: Iterable<readonly EntityOfMemory[]>): KeyEntity[] {
  const found = new Map<string, KeyEntity>();
  for (const entities of bySource)
    for (const { id, name, type } of entities)
      if (!noName.test(name)) found.set(id, { name, type, mentions: (found.get(id)?.mentions ?? 0) + 1 });
  return [...found.values()]
    .sort((a, b) => b.mentions - a.mentions || (a.name < b.name ? -1 : 1))
    .slice(0, entitiesMax);
}
