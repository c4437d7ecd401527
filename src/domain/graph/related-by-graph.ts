import { normaliseTopicName, type Topic, type TopicReader } from '../topics/topic.ts';
import { type ExploredGraph, exploreGraph, nodeKey, type Seed } from './explore-graph.ts';
import type { GraphReader } from './graph-store.ts';
import { type RankedNode, rankGraph } from './rank-graph.ts';

export const relatedHows = [
  'co-occurrence',
  'shared-entity',
  'shared-fact',
  'linked-memories',
  'indirect',
] as const;
/**
 * The shortest connection of two topics: a common memory; memories with
 * a common entity or fact, or with a relationship; or a longer path.
 */
type RelatedHow = (typeof relatedHows)[number];

export interface RelatedTopic {
  readonly topic: Topic;
  readonly how: RelatedHow;
  /** Its PageRank divided by that of the strongest topic, 0 to 1. */
  readonly strength: number;
}

const namedMax = 1000;
/** From the topic to its memories, their entities and facts, other memories, and their topics. */
const depth = 4;

/**
 * Topics near a topic in the graph of memories, topics, entities
 * and facts, by Personalised PageRank; strongest first.
 */
export async function relatedByGraph(
  stores: { readonly graph: GraphReader; readonly topics: TopicReader },
  topicId: string,
  limit: number,
): Promise<RelatedTopic[]> {
  const seed: Seed = { kind: 'topic', id: topicId, weight: 1 };
  const explored = await exploreGraph(stores.graph, [seed], { depth, relationships: true });
  const ranked = (await rankGraph(explored, [seed])).nodes.filter(
    ({ kind, id, score }) => kind === 'topic' && id !== topicId && score > 0,
  );
  const best = (await inOrder(stores.graph, ranked)).slice(0, limit);
  const topics = new Map(
    (await stores.topics.findMany(best.map(({ id }) => id))).map((topic) => [topic.id, topic]),
  );
  const paths = new Paths(explored, seed);
  return best.flatMap(({ id, score }) => {
    const topic = topics.get(id);
    const strength = score / (best[0]?.score ?? score);
    return topic ? [{ topic, strength, how: paths.to(id) }] : [];
  });
}

/** Sorts equal scores by name. Scores are rounded because sums depend on their order. */
async function inOrder(graph: GraphReader, ranked: readonly RankedNode[]): Promise<RankedNode[]> {
  const named = await graph.namesOf(ranked.slice(0, namedMax));
  const names = new Map(named.map(({ id, name }) => [id, normaliseTopicName(name)]));
  const places = ranked.map((node) => ({
    node,
    score: Math.round(node.score * 1e9),
    name: names.get(node.id) ?? '',
  }));
  places.sort((x, y) => y.score - x.score || (x.name < y.name ? -1 : 1));
  return places.map(({ node }) => node);
}

/** Classifies the connections of topics to the seed. */
class Paths {
  readonly #around = new Map<string, Set<string>>();
  readonly #own: ReadonlySet<string>;

  constructor({ links }: ExploredGraph, seed: Seed) {
    for (const { a, b } of links) {
      this.#join(nodeKey(a), nodeKey(b));
      this.#join(nodeKey(b), nodeKey(a));
    }
    this.#own = new Set(this.#next([nodeKey(seed)], 'memory'));
  }

  to(topicId: string): RelatedHow {
    const theirs = this.#next([`topic ${topicId}`], 'memory');
    if (theirs.some((memory) => this.#own.has(memory))) return 'co-occurrence';
    if (this.#meet(theirs, 'entity')) return 'shared-entity';
    if (this.#meet(theirs, 'fact')) return 'shared-fact';
    return this.#next(theirs, 'memory').some((memory) => this.#own.has(memory))
      ? 'linked-memories'
      : 'indirect';
  }

  #meet(theirs: readonly string[], kind: 'entity' | 'fact'): boolean {
    return this.#next(this.#next(theirs, kind), 'memory').some((memory) => this.#own.has(memory));
  }

  #next(from: readonly string[], kind: string): string[] {
    return from.flatMap((key) =>
      [...(this.#around.get(key) ?? [])].filter((next) => next.startsWith(`${kind} `)),
    );
  }

  #join(from: string, to: string): void {
    this.#around.set(from, (this.#around.get(from) ?? new Set()).add(to));
  }
}
