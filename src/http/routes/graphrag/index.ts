import type { Route } from '../../route-plugin.ts';
import { explainGraphQuery } from './explain-graph-query.ts';
import { queryCommunities } from './query-communities.ts';
import { queryGraph } from './query-graph.ts';

export const graphRagRoutes: readonly Route[] = [queryGraph, explainGraphQuery, queryCommunities];
