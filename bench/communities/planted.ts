import { type CommunityAlgorithm, communityAlgorithms } from '../../src/domain/communities/community.ts';
import { partition } from '../../src/domain/graph/partition.ts';
import {
  associationStrength,
  buildTopicGraph,
  type TopicAssignments,
} from '../../src/domain/graph/topic-graph.ts';
import { seededRandom } from '../../src/lib/random.ts';

/** Memories whose topics come from planted groups: frequencies by Zipf, some topics foreign, some everywhere. */
export interface Planted {
  readonly groups: number;
  readonly topics: number;
  readonly memories: number;
  /** Share of topics from a group that is not the memory's. */
  readonly foreign: number;
  readonly everywhere: number;
}

const settings: readonly Planted[] = [
  { groups: 20, topics: 20, memories: 3000, foreign: 0.1, everywhere: 5 },
  { groups: 20, topics: 20, memories: 3000, foreign: 0.25, everywhere: 5 },
  { groups: 50, topics: 40, memories: 10_000, foreign: 0.15, everywhere: 10 },
  { groups: 10, topics: 15, memories: 400, foreign: 0.15, everywhere: 3 },
  { groups: 100, topics: 100, memories: 50_000, foreign: 0.15, everywhere: 20 },
];
const seeds = [1, 2, 3];

type Weight = (shared: number, a: number, b: number, memories: number) => number;
const weights: Readonly<Record<string, Weight>> = {
  'shrunk cosine (shipped)': associationStrength,
  cosine: (shared, a, b) => shared / Math.sqrt(a * b),
  'raw count': (shared) => shared,
  'association strength': (shared, a, b) => shared / (a * b),
  PPMI: (shared, a, b, memories) => Math.max(0, Math.log((shared * memories) / (a * b))),
};

/** Normalised mutual information with the planted groups, by setting, weight and algorithm. */
export function measurePlanted(): Record<string, string>[] {
  return settings.map((setting) => ({
    'groups x topics, memories, foreign': `${setting.groups} x ${setting.topics}, ${setting.memories}, ${setting.foreign}`,
    ...Object.fromEntries(
      Object.entries(weights).map(([name, weight]) => [
        name,
        communityAlgorithms.map((algorithm) => meanNmi(setting, weight, algorithm).toFixed(3)).join(' / '),
      ]),
    ),
  }));
}

function meanNmi(setting: Planted, weight: Weight, algorithm: CommunityAlgorithm): number {
  const bounds = { topicsMax: 10_000, edgesMax: 200_000, pairsMax: 5_000_000 };
  const found = seeds.map((seed) => {
    const graph = buildTopicGraph(assignmentsOf(setting, seed), bounds);
    const strength = graph.strength.map((_, i) => {
      const [a, b] = [graph.counts[graph.from[i]], graph.counts[graph.to[i]]];
      return weight(graph.shared[i], a, b, setting.memories);
    });
    const labels = partition({ ...graph, strength }, algorithm);
    const planted = [...graph.nodes.keys()].filter((i) => graph.nodes[i] < setting.groups * setting.topics);
    return mutualInformation(
      planted.map((i) => labels[i]),
      planted.map((i) => Math.floor(graph.nodes[i] / setting.topics)),
    );
  });
  return found.reduce((sum, value) => sum + value, 0) / found.length;
}

export function assignmentsOf(setting: Planted, seed: number): TopicAssignments {
  const random = seededRandom(seed);
  const topics: number[] = [];
  const memories: number[] = [];
  const sums: number[] = [];
  for (let i = 0; i < setting.topics; i++) sums.push((sums[i - 1] ?? 0) + 1 / (i + 1));
  const byZipf = () => {
    const at = random() * sums[setting.topics - 1];
    return sums.findIndex((sum) => at < sum);
  };
  const planted = setting.groups * setting.topics;
  for (let memory = 0; memory < setting.memories; memory++) {
    const own = Math.floor(random() * random() * setting.groups);
    const on = new Set<number>();
    for (let left = 2 + Math.floor(random() * 4); left > 0; left--) {
      const group = random() < setting.foreign ? Math.floor(random() * setting.groups) : own;
      on.add(group * setting.topics + byZipf());
    }
    if (random() < 0.3) on.add(planted + Math.floor(random() * setting.everywhere));
    for (const topic of on) {
      topics.push(topic);
      memories.push(memory);
    }
  }
  return {
    topicCount: planted + setting.everywhere,
    topics: Uint32Array.from(topics),
    memories: Uint32Array.from(memories),
  };
}

function mutualInformation(a: readonly number[], b: readonly number[]): number {
  const both = a.map((label, i) => `${label}:${b[i]}`);
  return (2 * (entropy(a) + entropy(b) - entropy(both))) / (entropy(a) + entropy(b));
}

function entropy(labels: readonly (string | number)[]): number {
  const counts = new Map<string | number, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => {
    const share = count / labels.length;
    return sum - share * Math.log(share);
  }, 0);
}
