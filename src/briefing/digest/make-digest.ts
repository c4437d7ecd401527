import type { UserRef } from '../../domain/shared/user-ref.ts';
import { analyzeQuery } from '../../search-index/analysis/index.ts';
import type { BriefingDeps } from '../briefing-deps.ts';
import { loadTokenCounter } from '../text/tokens.ts';
import type { Change, Digest, DigestFormat, DigestMaterial, DigestRequest, DigestSource } from './digest.ts';
import { findSources } from './find-sources.ts';
import { fitDigest, inProse } from './fit-digest.ts';
import { keyEntitiesOf, keyFactsOf } from './key-facts.ts';
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
