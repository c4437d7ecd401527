import { isOutdated, type Memory } from '../../domain/memories/memory.ts';
import type { Stores } from '../../domain/shared/stores.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { Breather } from '../../lib/loop-time.ts';
import {
  type BranchFailure,
  relevanceFloor,
  type SearchHit,
  type SearchOutcome,
} from '../../search/request.ts';
import type { Search } from '../../search/search-port.ts';
import { analyze, analyzeQuery } from '../../search-index/analysis/index.ts';
import { type BriefingDeps, briefingSearch } from '../briefing-deps.ts';
import { withoutRepetitions } from '../text/diversity.ts';
import type { Change, DigestRequest, DigestSource } from './digest.ts';

interface FoundSources {
  readonly sources: readonly DigestSource[];
  readonly considered: number;
  readonly branchFailures: readonly BranchFailure[];
  readonly isCut: boolean;
}

/** Matches read in addition to the number of sources, to replace near-duplicates. */
const spareCandidates = 50;
const termsOfMax = 2000;
/** Relevance of memories chosen by filters alone: the same for all. */
const browsedScore = 1;

/**
 * The sources of a digest: the best matches of a hybrid search, superseded
 * and contradicted memories included, without near-duplicates. Best first.
 */
export async function findSources(
  { search, stores }: BriefingDeps,
  user: UserRef,
  request: DigestRequest,
): Promise<FoundSources> {
  const outcomes = await Promise.all(
    (request.conversationIds ?? [undefined]).map((conversationId) =>
      searchOnce(search, user, request, conversationId),
    ),
  );
  const hits = isKnown(request, outcomes) ? outcomes.flatMap(({ hits: some }) => some) : [];
  const candidates = (await analyzed(hits)).sort((a, b) => b.score - a.score || b.memory.seq - a.memory.seq);
  const chosen = await withoutRepetitions(candidates, request.maxSources);
  const titles = await titlesOf(stores, user, chosen);
  const highest = Math.max(chosen[0]?.score ?? 0, Number.MIN_VALUE);
  return {
    sources: chosen.map(({ memory, score, terms }, i) => ({
      number: i + 1,
      memory,
      relevance: score / highest,
      score: score / highest,
      conversation: titles.get(memory.conversationId),
      terms,
    })),
    considered: outcomes.reduce((sum, { total }) => sum + total, 0),
    branchFailures: outcomes[0]?.branchFailures ?? [],
    isCut: outcomes.some(({ nextOffset }) => nextOffset !== undefined),
  };
}

const isNarrowed = ({ from, topics, conversationIds }: DigestRequest) =>
  from !== undefined || topics !== undefined || conversationIds !== undefined;

/**
 * Whether a memory is about the query. A filter of time, topic or conversation makes
 * every match relevant, whatever its words: "what we did" of the last two days.
 */
function isKnown(request: DigestRequest, outcomes: readonly SearchOutcome[]): boolean {
  if (isNarrowed(request)) return true;
  return outcomes.some(
    ({ bestRelevance, timeRead }) =>
      bestRelevance === null || bestRelevance >= relevanceFloor || timeRead !== undefined,
  );
}

async function analyzed(hits: readonly SearchHit[]) {
  const breather = new Breather();
  const found: { memory: Memory; score: number; terms: ReadonlySet<string> }[] = [];
  for (const { memory, score } of hits) {
    found.push({
      memory,
      score: score ?? browsedScore,
      terms: new Set(analyze(memory.content.slice(0, termsOfMax))),
    });
    const pause = breather.pause();
    if (pause) await pause;
  }
  return found;
}

/**
 * A query without search words ("what we did") lists the memories that pass the filters, if there are any.
 */
function searchOnce(
  search: Search,
  user: UserRef,
  request: DigestRequest,
  conversationId: string | undefined,
): Promise<SearchOutcome> {
  const { query, maxSources, from, topics } = request;
  const filter = { topics, conversationId, createdFrom: from, includeSuperseded: true };
  const byQuery = briefingSearch(query, maxSources + spareCandidates, filter);
  const isBrowsed = isNarrowed(request) && analyzeQuery(query).length === 0;
  return search.search(user, isBrowsed ? { ...byQuery, query: undefined } : byQuery);
}

async function titlesOf(stores: Stores, user: UserRef, hits: readonly { readonly memory: Memory }[]) {
  const ids = [...new Set(hits.map(({ memory }) => memory.conversationId))];
  const conversations = await stores.forUser(user).conversations.findMany(ids);
  return new Map(conversations.map(({ id, title }) => [id, { id, title }]));
}

/** Maximum of relationships read for one source. */
const edgesMax = 20;
const outdatedMax = 50;

/**
 * Superseded and contradicted sources, and the sources that supersede or contradict
 * them. A source superseded by a memory outside the sources is left out of the digest.
 */
export async function findChanges(
  stores: Stores,
  user: UserRef,
  sources: readonly DigestSource[],
): Promise<Change[]> {
  const { relationships } = stores.forUser(user);
  const byId = new Map(sources.map((source) => [source.memory.id, source]));
  const outdated = sources.filter(({ memory }) => isOutdated(memory.effectiveState)).slice(0, outdatedMax);
  const changes = await Promise.all(
    outdated.map(async (earlier): Promise<Change[]> => {
      const edges = await relationships.listOf(earlier.memory.id, 'incoming', edgesMax);
      const later = edges.flatMap(({ type, sourceMemoryId }) => {
        const source = byId.get(sourceMemoryId);
        return source && (type === 'SUPERSEDES' || type === 'CONTRADICTS') ? [{ kind: type, source }] : [];
      });
      const chained = laterInChain(earlier, sources);
      const found = later.at(-1) ?? (chained && { kind: 'SUPERSEDES' as const, source: chained });
      return found ? [{ kind: found.kind, earlier, later: found.source }] : [];
    }),
  );
  return changes.flat();
}

/** The newest version of a named memory among the sources. */
function laterInChain({ memory }: DigestSource, sources: readonly DigestSource[]): DigestSource | undefined {
  if (memory.chainId === null) return undefined;
  return sources
    .filter(({ memory: other }) => other.chainId === memory.chainId)
    .filter(({ memory: other }) => (other.chainVersion ?? 0) > (memory.chainVersion ?? 0))
    .sort((a, b) => (b.memory.chainVersion ?? 0) - (a.memory.chainVersion ?? 0))[0];
}
