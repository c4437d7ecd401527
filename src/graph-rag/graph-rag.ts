import type { UserRef } from '../domain/shared/user-ref.ts';
import { type ExplainedQuery, explainQuery } from './explain-query.ts';
import { type AroundRequest, type GraphAround, graphAround } from './graph-around.ts';
import type { GraphOutcome, GraphRequest } from './graph-outcome.ts';
import { queryGraph } from './graph-query.ts';
import { type CommunityAnswer, type CommunityQueryDeps, queryCommunities } from './query-communities.ts';

/** Answers from the graph of a user's memories, as the HTTP layer sees it. */
export interface GraphRag {
  /** @throws 422 for a blank query */
  query(user: UserRef, request: GraphRequest): Promise<GraphOutcome>;
  /** @throws 404 for an unknown query, and after 7 days */
  explain(user: UserRef, queryId: string): Promise<ExplainedQuery>;
  /** The nodes around one memory, entity, topic or fact. @throws 404 */
  around(user: UserRef, request: AroundRequest): Promise<GraphAround>;
  /** @throws 422 for a blank query */
  queryCommunities(
    user: UserRef,
    request: { readonly query: string; readonly limit: number },
  ): Promise<CommunityAnswer[]>;
}

export function createGraphRag(deps: CommunityQueryDeps): GraphRag {
  return {
    query: (user, request) => queryGraph(deps, user, request),
    explain: (user, queryId) => explainQuery(deps, user, queryId),
    around: (user, request) => graphAround(deps, user, request),
    queryCommunities: (user, request) => queryCommunities(deps, user, request),
  };
}
