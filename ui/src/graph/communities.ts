import type { Graph, GraphNode } from './graph-data.ts';

/** A record of `GET /api/topics/communities`. */
export interface Community {
  readonly id: string;
  readonly name: string;
  readonly topicCount: number;
}

/** The answer of `GET /api/topics/communities/{id}`: the strongest topic first. */
export interface WholeCommunity extends Community {
  readonly topics: readonly { readonly id: string; readonly name: string; readonly memoryCount?: number }[];
}

const nodeOf = ({ id, name, topicCount }: Community, distance: number): GraphNode => ({
  kind: 'community',
  id,
  name,
  size: topicCount,
  distance,
  hidden: 0,
});

/** Communities as nodes without edges, the largest in the centre. @param all number of all communities */
export function graphOfCommunities(communities: readonly Community[], all: number): Graph {
  const nodes = communities.map((community, i) => nodeOf(community, Math.min(i, 1)));
  const [centre, ...others] = nodes;
  const hidden = Math.max(0, all - nodes.length);
  return { nodes: centre ? [{ ...centre, hidden }, ...others] : [], edges: [], hiddenEdges: 0 };
}

/** A community in the centre of its topics, of which the strongest `limit` are shown. */
export function graphOfCommunity(community: WholeCommunity, limit: number): Graph {
  const shown = community.topics.slice(0, limit - 1);
  const centre = { ...nodeOf(community, 0), hidden: Math.max(0, community.topicCount - shown.length) };
  const topics = shown.map(
    ({ id, name }): GraphNode => ({ kind: 'topic', id, name, distance: 1, hidden: 0 }),
  );
  const edges = topics.map(({ id }) => ({
    type: 'HAS_TOPIC',
    from: `community:${community.id}`,
    to: `topic:${id}`,
    confidence: 1,
  }));
  return { nodes: [centre, ...topics], edges, hiddenEdges: 0 };
}
