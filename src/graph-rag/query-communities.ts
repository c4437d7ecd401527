import type { Community } from '../domain/communities/community.ts';
import type { CommunityService } from '../domain/communities/community-service.ts';
import type { Memory } from '../domain/memories/memory.ts';
import { invalidInput } from '../domain/shared/errors.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import { hitsAboveFloor } from '../search/request.ts';
import { extractOf } from './extract.ts';
import { contentSearch, type GraphQueryDeps, relevanceOf } from './graph-query.ts';

export interface CommunityAnswer {
  readonly community: Community;
  /** Sentences of the community's memory that ranks first in the search. */
  readonly answer: string;
  readonly memories: readonly Memory[];
  /** The highest relevance of its memories in the search, 0 to 1. */
  readonly confidence: number;
}

const memoriesMax = 50;
const memoriesPerCommunity = 5;

export interface CommunityQueryDeps extends GraphQueryDeps {
  readonly communities: Pick<CommunityService, 'detectFirst'>;
}

/**
 * The communities of the memories that a search finds above the floor, by the sum of
 * their relevance. A memory of several communities counts for each by its share of
 * the memory's topics. Detects communities first if the user has none, unless the store is only read.
 * @throws 422 for a blank query
 */
export async function queryCommunities(
  deps: CommunityQueryDeps,
  user: UserRef,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<CommunityAnswer[]> {
  if (query.trim() === '') throw invalidInput('query', 'must not be blank');
  if (!deps.isReadOnly) await deps.communities.detectFirst(user, 'louvain');
  const hits = hitsAboveFloor(
    await deps.search.search(user, { ...contentSearch, query, limit: memoriesMax }),
  );
  const stores = deps.stores.forUser(user);
  const shares = await communityShares(
    stores,
    hits.map(({ memory }) => memory.id),
  );
  const found = new Map<string, { sum: number; highest: number; memories: Memory[] }>();
  for (const hit of hits) {
    const { memory } = hit;
    const own = relevanceOf(hit);
    for (const [community, share] of shares.get(memory.id) ?? []) {
      const entry = found.get(community) ?? { sum: 0, highest: 0, memories: [] };
      entry.sum += own * share;
      entry.highest = Math.max(entry.highest, own);
      entry.memories.push(memory);
      found.set(community, entry);
    }
  }
  const best = [...found].sort(([, x], [, y]) => y.sum - x.sum).slice(0, limit);
  const terms = new Set(deps.analyzeQuery(query));
  const answers: CommunityAnswer[] = [];
  for (const [id, { highest, memories }] of best) {
    const community = await stores.communities.find(id);
    const [first] = memories;
    if (!community || !first) continue;
    answers.push({
      community,
      answer: extractOf(first.content, terms, deps.analyzeWithOffsets),
      memories: memories.slice(0, memoriesPerCommunity),
      confidence: highest,
    });
  }
  return answers;
}

/** Shares of each memory's topics by community. */
async function communityShares(
  { graph, communities }: ReturnType<GraphQueryDeps['stores']['forUser']>,
  memoryIds: readonly string[],
): Promise<Map<string, Map<string, number>>> {
  const links = (await graph.linksOfMemories(memoryIds)).filter(({ b }) => b.kind === 'topic');
  const topicIds = [...new Set(links.map(({ b }) => b.id))].slice(0, 1000);
  const communityOf = new Map(
    (await communities.communitiesOf(topicIds)).map(({ topicId, communityId }) => [topicId, communityId]),
  );
  const topicsOf = new Map<string, Set<string>>();
  for (const { a, b } of links) topicsOf.set(a.id, (topicsOf.get(a.id) ?? new Set()).add(b.id));
  return new Map(
    [...topicsOf].map(([memory, topics]) => {
      const shares = new Map<string, number>();
      for (const topic of topics) {
        const community = communityOf.get(topic);
        if (community) shares.set(community, (shares.get(community) ?? 0) + 1 / topics.size);
      }
      return [memory, shares];
    }),
  );
}
