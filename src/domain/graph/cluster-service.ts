import { OneAtATime } from '../../lib/async.ts';
import type { Stores } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import type { Topic } from '../topics/topic.ts';
import type { GraphWorker } from './graph-tasks.ts';
import { readAssignments } from './read-assignments.ts';

interface NamedCluster {
  /** Most central first, at most 100. */
  readonly topics: readonly Topic[];
  readonly topicCount: number;
  /** Number of memories with at least one of its topics. */
  readonly memoryCount: number;
  /** Mean Jaccard index of its pairs of topics, 0 to 1. */
  readonly cohesion: number;
}

interface Clusters {
  /** The largest clusters, up to 2,000 topics in all. */
  readonly clusters: readonly NamedCluster[];
  readonly clusterCount: number;
}

interface ClusterServiceDeps {
  readonly stores: Stores;
  readonly graph: GraphWorker;
}

export const clusterSizeDefault = 2;
const topicsPerCluster = 100;
const topicsInAll = 2000;

/** Clusters topics by the memories that they share. */
export class ClusterService {
  readonly #deps: ClusterServiceDeps;
  readonly #turns = new OneAtATime<number>();

  constructor(deps: ClusterServiceDeps) {
    this.#deps = deps;
  }

  /** @param sizeMin minimum topics of a cluster, 2 or more */
  cluster(user: UserRef, sizeMin: number): Promise<Clusters> {
    return this.#turns.run(user.id, () => this.#cluster(user, sizeMin));
  }

  async #cluster(user: UserRef, sizeMin: number): Promise<Clusters> {
    const stores = this.#deps.stores.forUser(user);
    const { assignments, topicIds } = await readAssignments(stores.graph);
    const { clusters: found } = await this.#deps.graph.run('clusters', { assignments, sizeMin });
    const clusters: NamedCluster[] = [];
    let left = topicsInAll;
    for (const { topics, memoryCount, cohesion } of found) {
      const ids = topics.slice(0, topicsPerCluster).map((topic) => topicIds[topic] ?? '');
      if (ids.length > left) break;
      left -= ids.length;
      const named = await stores.topics.findMany(ids);
      // A cluster is dropped if fewer than two of its topics still exist.
      if (named.length >= 2)
        clusters.push({ topics: named, topicCount: topics.length, memoryCount, cohesion });
    }
    return { clusters, clusterCount: found.length };
  }
}
