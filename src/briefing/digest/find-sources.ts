import type { Memory } from '../../domain/memories/memory.ts';
import type { Stores } from '../../domain/shared/stores.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { BranchFailure, SearchHit, SearchRequest } from '../../search/request.ts';
import { analyze, analyzeQuery } from '../../search-index/analysis/index.ts';
import { type BriefingDeps, briefingSearch, knownHits } from '../briefing-deps.ts';
import { withChanges } from './changes.ts';
import type { Change, DigestRequest, DigestSource } from './digest.ts';

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
    'open closed todo tasks tickets issues problems bugs blocked blockers pending unresolved resolved done finished left remaining still report',
  ),
);

/**
 * A query without a matter ("what we did", "what happened") lists the memories that pass the filters, if there are any;
 * in a status report also those with an outcome.
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
  return [byQuery, ...withOutcome];
}

async function titlesOf(stores: Stores, user: UserRef, hits: readonly { readonly memory: Memory }[]) {
  const ids = [...new Set(hits.map(({ memory }) => memory.conversationId))];
  const conversations = await stores.forUser(user).conversations.findMany(ids);
  return new Map(conversations.map(({ id, title }) => [id, { id, title }]));
}
