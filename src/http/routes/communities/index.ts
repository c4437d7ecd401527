import type { Route } from '../../route-plugin.ts';
import { detectCommunities } from './detect-communities.ts';
import { getCommunity } from './get-community.ts';
import { listCommunities } from './list-communities.ts';
import { mergeCommunities } from './merge-communities.ts';

export const communityRoutes: readonly Route[] = [
  listCommunities,
  getCommunity,
  mergeCommunities,
  detectCommunities,
];
