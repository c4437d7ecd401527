import { randomUUID } from 'node:crypto';
import { type ExploredGraph, exploreGraph, nodeKey } from '../domain/graph/explore-graph.ts';
import type { ConceptName, GraphLink, GraphNode } from '../domain/graph/graph-store.ts';
import { type RankedGraph, rankGraph } from '../domain/graph/rank-graph.ts';
import { isOutdated, type Memory } from '../domain/memories/memory.ts';
import { invalidInput } from '../domain/shared/errors.ts';
import type { Stores } from '../domain/shared/stores.ts';
import type { EpochMs } from '../domain/shared/time.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import type { Clock } from '../lib/clock.ts';
import { pauseAfter } from '../lib/loop-time.ts';
import { newerFirst, replacedAmong } from '../search/matters/replaced-among.ts';
import { hitsAboveFloor, type SearchHit, type SearchOutcome, searchDefaults } from '../search/request.ts';
import type { Search } from '../search/search-port.ts';
import { previewOf } from '../search/shape/preview.ts';
import type { AnalyzeQuery, AnalyzeWithOffsets, IndexReader } from '../search-index/ports.ts';
import { extractOf } from './extract.ts';
import { type GraphHit, type GraphOutcome, type GraphRequest, traceOf } from './graph-outcome.ts';
import { type QuerySeed, seedsOf } from './graph-seeds.ts';
import { RelatedMemories, type RelatedWithoutText } from './related-memories.ts';

export interface GraphQueryDeps {
  readonly stores: Stores;
  readonly search: Pick<Search, 'search'>;
  readonly readerFor: (user: UserRef) => IndexReader;
  readonly analyzeQuery: AnalyzeQuery;
  readonly analyzeWithOffsets: AnalyzeWithOffsets;
  readonly clock: Clock;
  /** Whether nothing may be stored with an answer. */
  readonly isReadOnly: boolean;
}

/** Minimum number of memories that the search returns as seeds; more if the request asks for more. */
const seedsMin = 20;

/** Searches memories only: the graph connects facts to them. */
export const contentSearch = { ...searchDefaults, mode: 'content' } as const;

interface Walked {
  readonly outcome: SearchOutcome;
  /** Of the memories that the search found, by id. */
  readonly relevance: ReadonlyMap<string, number>;
  readonly seeds: readonly QuerySeed[];
  readonly explored: ExploredGraph;
  readonly ranked: RankedGraph;
}

/**
 * Answers a query from the user's graph, like HippoRAG 2 (Gutierrez et al. 2025, "From RAG
 * to Memory"): a search and the names in the query provide the seeds, and Personalised
 * PageRank ranks the memories around them. No results if no memory of the search reaches
 * the floor of relevance. A trace is stored under the id of the query, unless the store is only read.
 * @throws 422 for a blank query
 */
export async function queryGraph(
  deps: GraphQueryDeps,
  user: UserRef,
  request: GraphRequest,
): Promise<GraphOutcome> {
  if (request.query.trim() === '') throw invalidInput('query', 'must not be blank');
  const at = deps.clock.now();
  const walked = await rankAround(deps, user, request);
  await pauseAfter();
  const memories = await memoriesOf(deps, user, walked, { limit: request.limit, at });
  await pauseAfter();
  const hits = await shapeHits(deps, user, { request, walked, memories });
  await pauseAfter();
  const queryId = randomUUID();
  const { method, relevanceFloor, branchFailures } = walked.outcome;
  const trace = traceOf({ request, method, ...walked, memories });
  if (!deps.isReadOnly)
    await deps.stores
      .forUser(user)
      .transaction((tx) => tx.traces.insert({ id: queryId, createdAt: at, trace: JSON.stringify(trace) }));
  return { queryId, request, at, hits, method, relevanceFloor, branchFailures };
}

async function rankAround(deps: GraphQueryDeps, user: UserRef, request: GraphRequest): Promise<Walked> {
  const { query, limit, maxDepth: depth, includeRelationships: relationships } = request;
  const outcome = await deps.search.search(user, {
    ...contentSearch,
    query,
    limit: Math.max(seedsMin, limit),
  });
  const known = hitsAboveFloor(outcome);
  const seeds = known.length === 0 ? [] : await seedsOf(deps.readerFor(user), query, known);
  const explored = await exploreGraph(deps.stores.forUser(user).graph, seeds, { depth, relationships });
  await pauseAfter();
  const relevance = new Map(outcome.hits.map((hit) => [hit.memory.id, relevanceOf(hit)]));
  return { outcome, relevance, seeds, explored, ranked: await rankGraph(explored, seeds) };
}

/** Bonus of the memory that the walk ranks first, as a share of the highest relevance. */
const linkedShare = 0.5;

interface RankedMemory {
  readonly memory: Memory;
  readonly score: number;
  readonly newer?: string;
}

/**
 * The best current memories, in order; reads some more, because some are superseded. The score is
 * the relevance in the search; of a pair on the same matter the newer comes first. The graph walk adds a part of the difference to 1, so that a memory can be found by its links alone.
 */
async function memoriesOf(
  { stores }: GraphQueryDeps,
  user: UserRef,
  { relevance, ranked: { nodes } }: Walked,
  { limit, at }: { readonly limit: number; readonly at: EpochMs },
): Promise<RankedMemory[]> {
  const best = nodes.filter(({ kind, score }) => kind === 'memory' && score > 0).slice(0, 2 * limit);
  const found = await stores.forUser(user).memories.findMany(best.map(({ id }) => id));
  const byId = new Map(found.filter((memory) => holdsNow(memory, at)).map((memory) => [memory.id, memory]));
  const perScore = (linkedShare * Math.max(0, ...relevance.values())) / (best[0]?.score ?? 1);
  const scored = best.flatMap(({ id, score }) => {
    const memory = byId.get(id);
    const own = relevance.get(id) ?? 0;
    return memory ? [{ memory, score: own + (1 - own) * perScore * score }] : [];
  });
  scored.sort((a, b) => b.score - a.score);
  const replaced = await replacedAmong(scored.map((each) => each.memory));
  const newerOf = ({ memory }: (typeof scored)[number]) => [
    ...(memory.outdatedParts ?? []).map(({ by }) => by),
    ...(replaced.has(memory.id) ? [replaced.get(memory.id)?.id ?? ''] : []),
  ];
  const inOrder = newerFirst(
    scored,
    (each) => each.memory.id,
    newerOf,
    (each, { score }) => ({ ...each, score }),
  );
  return inOrder.slice(0, limit).map((each) => ({ ...each, newer: newerOf(each)[0] }));
}

function holdsNow({ effectiveState, validFrom, validTo }: Memory, at: EpochMs): boolean {
  if (isOutdated(effectiveState)) return false;
  return (validFrom ?? at) <= at && at < (validTo ?? at + 1);
}

interface ToShape {
  readonly request: GraphRequest;
  readonly walked: Walked;
  readonly memories: readonly RankedMemory[];
}

async function shapeHits(
  deps: GraphQueryDeps,
  user: UserRef,
  { request, walked, memories }: ToShape,
): Promise<GraphHit[]> {
  const stores = deps.stores.forUser(user);
  const own = await stores.graph.linksOfMemories(memories.map(({ memory }) => memory.id));
  const named = await stores.graph.namesOf(conceptsOf(own));
  const names = new Map(named.map((name) => [nodeKey(name), name]));
  const { links, totals } = walked.explored;
  await pauseAfter();
  const related = request.includeRelationships
    ? new RelatedMemories({ links: distinct([...own, ...links]), totals }, names)
    : undefined;
  const relatedOf = new Map<string, readonly RelatedWithoutText[]>();
  for (const { memory } of memories) {
    relatedOf.set(memory.id, related?.of(memory.id) ?? []);
    await pauseAfter();
  }
  const previews = await previewsOf(deps, user, [...relatedOf.values()].flat());
  const terms = new Set(deps.analyzeQuery(request.query));
  const conceptsBy = conceptsByMemory(own, names);
  const hits: GraphHit[] = [];
  for (const { memory, score, newer } of memories) {
    await pauseAfter();
    const answer = extractOf(memory.content, terms, deps.analyzeWithOffsets);
    const concepts = conceptsBy.get(memory.id) ?? [];
    hits.push({
      memory,
      score,
      newer,
      topics: concepts.filter(({ kind }) => kind === 'topic'),
      entities: concepts.filter(({ kind }) => kind === 'entity'),
      relatedMemories: (relatedOf.get(memory.id) ?? []).flatMap((other) => {
        const preview = previews.get(other.id);
        return preview === undefined ? [] : [{ ...other, preview }];
      }),
      answer,
      confidence: walked.relevance.get(memory.id) ?? 0,
    });
  }
  return hits;
}

/** 1 for a query that is only a time: all of its matches are right. */
export const relevanceOf = ({ relevance }: Pick<SearchHit, 'relevance'>) => relevance ?? 1;

function conceptsOf(links: readonly GraphLink[]): GraphNode[] {
  const concepts = links.map(({ b }) => b).filter(({ kind }) => kind !== 'memory');
  return [...new Map(concepts.map((node) => [nodeKey(node), node])).values()];
}

function conceptsByMemory(
  links: readonly GraphLink[],
  names: ReadonlyMap<string, ConceptName>,
): Map<string, ConceptName[]> {
  const byMemory = new Map<string, Map<string, ConceptName>>();
  for (const { a, b } of links) {
    const name = names.get(nodeKey(b));
    if (name) byMemory.set(a.id, (byMemory.get(a.id) ?? new Map()).set(nodeKey(b), name));
  }
  return new Map([...byMemory].map(([id, concepts]) => [id, [...concepts.values()]]));
}

function distinct(links: readonly GraphLink[]): GraphLink[] {
  return [
    ...new Map(links.map((link) => [`${nodeKey(link.a)} ${nodeKey(link.b)} ${link.type}`, link])).values(),
  ];
}

async function previewsOf(
  { stores }: GraphQueryDeps,
  user: UserRef,
  related: readonly RelatedWithoutText[],
): Promise<Map<string, string>> {
  const ids = [...new Set(related.map(({ id }) => id))];
  const found = ids.length === 0 ? [] : await stores.forUser(user).memories.findMany(ids);
  return new Map(found.map(({ id, content }) => [id, previewOf(content)]));
}
