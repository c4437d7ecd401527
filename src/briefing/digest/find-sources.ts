import { type Memory, orderTime } from '../../domain/memories/memory.ts';
import type { Stores } from '../../domain/shared/stores.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { replacedAmong } from '../../search/matters/replaced-among.ts';
import type { BranchFailure, SearchHit, SearchRequest } from '../../search/request.ts';
import { analyze, analyzeQuery } from '../../search-index/analysis/index.ts';
import { type BriefingDeps, briefingSearch, knownHits } from '../briefing-deps.ts';
import type { Change, ChangeKind, DigestRequest, DigestSource } from './digest.ts';

interface FoundSources {
  readonly sources: readonly DigestSource[];
  readonly changes: readonly Change[];
  readonly considered: number;
  readonly branchFailures: readonly BranchFailure[];
  readonly isCut: boolean;
}

/** Score and relevance of memories chosen by filters or a time alone: the same for all. */
const browsed = 1;

/**
 * The sources of a digest, best first: the matches of a hybrid search that are about the query, superseded and
 * contradicted memories included, then the memories that replace some of them and were not found.
 */
export async function findSources(
  { search, stores }: BriefingDeps,
  user: UserRef,
  request: DigestRequest,
): Promise<FoundSources> {
  const outcomes = await Promise.all(
    (request.conversationIds ?? [undefined]).flatMap((conversationId) =>
      searchesOf(request, conversationId).map((one) => search.search(user, one)),
    ),
  );
  const all = outcomes
    .flatMap((outcome) => (isNarrowed(request) ? outcome.hits : knownHits(outcome)))
    .sort((a, b) => scoreOf(b) - scoreOf(a) || b.memory.seq - a.memory.seq);
  const seen = new Set<string>();
  const unique = all.filter(({ memory: { id } }) => !seen.has(id) && seen.add(id));
  const hits = unique.slice(0, request.maxSources);
  const highest = Math.max(hits[0] ? scoreOf(hits[0]) : 0, Number.MIN_VALUE);
  const found = hits.map((hit, i) => ({
    number: i + 1,
    memory: shownPart(hit),
    passages: hit.passages,
    relevance: hit.relevance ?? browsed,
    score: scoreOf(hit) / highest,
    conversation: undefined,
  }));
  const { sources, changes } = await withChanges(stores, user, found);
  const titles = await titlesOf(stores, user, sources);
  return {
    sources: sources.map((source) => ({ ...source, conversation: titles.get(source.memory.conversationId) })),
    changes,
    considered: outcomes.reduce((sum, { total }) => sum + total, 0) - (all.length - unique.length),
    branchFailures: outcomes[0]?.branchFailures ?? [],
    isCut: outcomes.some(({ nextOffset }) => nextOffset !== undefined),
  };
}

const headingLine = /^#{2,6}\s.*$/gm;

/** A long text says in a digest what its passages say, under their headings. */
function shownPart({ memory, passages }: SearchHit): Memory {
  const parts = passages?.toSorted((a, b) => a.start - b.start);
  if (!parts) return memory;
  const content = parts.map(({ start, end }) => memory.content.slice(start, end)).join('\n\n');
  return { ...memory, content: content.replace(headingLine, '') };
}

const scoreOf = ({ score }: SearchHit) => score ?? browsed;

/**
 * A filter of time, topic or conversation makes every match
 * relevant, whatever its words: "what we did" of the last two days.
 */
const isNarrowed = ({ from, topics, conversationIds }: DigestRequest) =>
  from !== undefined || topics !== undefined || conversationIds !== undefined;

/** Terms of words that name no matter: "what happened", "status update". */
const generic = new Set(
  analyze(
    'happened changed news status updates progress work summary overview everything recently lately latest',
  ),
);
/** Of a status report: "still open", "open tasks". */
const genericOfStatus = new Set(
  analyze(
    'open closed todo tasks tickets issues items points ends loose problems bugs blocked blockers pending unresolved resolved done finished left remaining still report',
  ),
);

/**
 * A query without a matter ("what we did", "what happened") lists the memories that pass the filters, if there are any;
 * in a status report also those with an outcome, and those that say TODO.
 */
function searchesOf(
  { query, maxSources, from, topics, format }: DigestRequest,
  conversationId: string | undefined,
): SearchRequest[] {
  const filter = { topics, conversationId, createdFrom: from, includeSuperseded: true };
  const byQuery = briefingSearch(query, maxSources, filter);
  const terms = analyzeQuery(query);
  const isStatus = format === 'status-report';
  if (!terms.every((term) => generic.has(term) || (isStatus && genericOfStatus.has(term)))) return [byQuery];
  const isFiltered = from !== undefined || topics !== undefined || conversationId !== undefined;
  if (isFiltered) return [{ ...byQuery, query: undefined }];
  if (!isStatus) return [byQuery];
  const withOutcome = (['unresolved', 'resolved'] as const).map((outcome) => ({
    ...briefingSearch('', maxSources, { outcome }),
    query: undefined,
  }));
  return [byQuery, ...withOutcome, briefingSearch('todo', maxSources, filter)];
}

async function titlesOf(stores: Stores, user: UserRef, hits: readonly { readonly memory: Memory }[]) {
  const ids = [...new Set(hits.map(({ memory }) => memory.conversationId))];
  const conversations = await stores.forUser(user).conversations.findMany(ids);
  return new Map(conversations.map(({ id, title }) => [id, { id, title }]));
}

const kinds: ReadonlySet<string> = new Set(['SUPERSEDES', 'CONTRADICTS', 'RESOLVES']);
const edgesMax = 5000;

interface Changed {
  /** The sources, and the memories that replace or resolve some of them. */
  readonly sources: readonly DigestSource[];
  readonly changes: readonly Change[];
}

interface Edge {
  readonly kind: ChangeKind;
  readonly earlierId: string;
  readonly laterId: string;
}

/**
 * Which sources replace, contradict or resolve others, by relationships, else by their texts. A memory that does so to a source becomes a source too:
 * the earlier one alone would say what does not hold.
 */
async function withChanges(
  stores: Stores,
  user: UserRef,
  sources: readonly DigestSource[],
): Promise<Changed> {
  const reader = stores.forUser(user);
  const known = new Map(sources.map((source) => [source.memory.id, source]));
  const touching = await reader.relationships.listTouching([...known.keys()].slice(0, 1000), edgesMax);
  const edges = touching.flatMap(({ type, sourceMemoryId, targetMemoryId }): Edge[] =>
    kinds.has(type) && known.has(targetMemoryId)
      ? [{ kind: type as ChangeKind, earlierId: targetMemoryId, laterId: sourceMemoryId }]
      : [],
  );
  const missing = [...new Set(edges.map(({ laterId }) => laterId))].filter((id) => !known.has(id));
  const added = await reader.memories.findMany(missing);
  const all = [...sources];
  for (const memory of added.sort((a, b) => a.seq - b.seq)) {
    const earlier = edges.flatMap(({ laterId, earlierId }) =>
      laterId === memory.id ? (known.get(earlierId) ?? []) : [],
    );
    if (memory.effectiveState === 'current') all.push(successorOf(earlier, memory, all.length + 1));
  }
  const replaced = await replacedAmong(all.map((source) => source.memory));
  const said = [...replaced].map(
    ([earlierId, { id }]): Edge => ({ kind: 'SUPERSEDES', earlierId, laterId: id }),
  );
  const related = new Set(edges.map(({ earlierId }) => earlierId));
  return {
    sources: all,
    changes: changesOf([...edges, ...said.filter(({ earlierId }) => !related.has(earlierId))], all),
  };
}

/** The memory with the score of the best source that it replaces: it is the answer in its place. */
function successorOf(earlier: readonly DigestSource[], memory: Memory, number: number): DigestSource {
  const [best] = [...earlier].sort((a, b) => b.score - a.score);
  return { ...best, number, memory };
}

/** One change for each source that is replaced or resolved: by the last memory that does so. */
function changesOf(edges: readonly Edge[], sources: readonly DigestSource[]): Change[] {
  const byId = new Map(sources.map((source) => [source.memory.id, source]));
  return sources.flatMap((earlier): Change[] => {
    const own = edges
      .filter(({ earlierId }) => earlierId === earlier.memory.id)
      .flatMap(({ kind, laterId }) => {
        const later = byId.get(laterId);
        return later ? [{ kind, later }] : [];
      })
      .sort(
        (a, b) =>
          orderTime(b.later.memory) - orderTime(a.later.memory) || b.later.memory.seq - a.later.memory.seq,
      );
    const chained = laterInChain(earlier, sources);
    const found = chained ? { kind: 'SUPERSEDES' as const, later: chained } : own[0];
    return found ? [{ ...found, earlier }] : [];
  });
}

/** The newest version of a named memory among the sources. */
function laterInChain({ memory }: DigestSource, sources: readonly DigestSource[]): DigestSource | undefined {
  if (memory.chainId === null) return undefined;
  return sources
    .filter(({ memory: other }) => other.chainId === memory.chainId)
    .filter(({ memory: other }) => (other.chainVersion ?? 0) > (memory.chainVersion ?? 0))
    .sort((a, b) => (b.memory.chainVersion ?? 0) - (a.memory.chainVersion ?? 0))[0];
}
