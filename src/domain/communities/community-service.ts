import { OneAtATime } from '../../lib/async.ts';
import type { GraphTasks, GraphWorker } from '../graph/graph-tasks.ts';
import { type NamedAssignments, readAssignments } from '../graph/read-assignments.ts';
import { invalidInput, notFound } from '../shared/errors.ts';
import { type Page, type PageRequest, pageLimitMax } from '../shared/page.ts';
import type { Stores } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Write, type WriteDeps, writeAs } from '../shared/write.ts';
import type { Topic } from '../topics/topic.ts';
import type { TrashHandler } from '../trash/trash-handler.ts';
import type { Community, CommunityAlgorithm } from './community.ts';
import { nextCommunities, withoutMerge } from './next-communities.ts';

interface CommunityServiceDeps extends WriteDeps {
  readonly graph: GraphWorker;
}

/** Counts of the input that exceeded the limits of a detection and was left out. */
interface LeftOut {
  readonly topics: number;
  readonly edges: number;
  readonly pairs: number;
  /** Whether older memories were left out. */
  readonly olderMemories: boolean;
}

export interface CommunityDetection {
  /** The largest communities, at most 1,000. */
  readonly communities: readonly Community[];
  readonly communityCount: number;
  readonly algorithm: CommunityAlgorithm;
  readonly leftOut: LeftOut;
}

interface CommunityWithTopics {
  readonly community: Community;
  /** Strongest first, at most 1,000. */
  readonly topics: readonly Topic[];
}

/** Detects and stores communities: groups of topics that tend to be on the same memories. */
export class CommunityService {
  readonly #deps: CommunityServiceDeps;
  readonly #turns = new OneAtATime<number>();

  constructor(deps: CommunityServiceDeps) {
    this.#deps = deps;
  }

  /** Detects the communities of all topics and stores them. Detections of one user run one after another. */
  detect(
    user: UserRef,
    algorithm: CommunityAlgorithm,
    act?: KeyedAct<CommunityDetection>,
  ): Promise<CommunityDetection> {
    return this.#turns.run(user.id, () => this.#detect(user, algorithm, act));
  }

  /** Detects communities if the user has none. */
  async detectFirst(user: UserRef, algorithm: CommunityAlgorithm): Promise<void> {
    await this.#turns.run(user.id, async () => {
      const { count } = await this.#stores(user).communities.list({ limit: 1, offset: 0 });
      if (count === 0) await this.#detect(user, algorithm);
    });
  }

  list(user: UserRef, page: PageRequest): Promise<Page<Community>> {
    return this.#stores(user).communities.list(page);
  }

  /** Finds a community by its id or the id of a community merged into it. @throws 404 */
  async get(user: UserRef, id: string): Promise<CommunityWithTopics> {
    const { communities, topics } = this.#stores(user);
    const community = await communities.find(id);
    if (!community) throw notFound('community');
    const ids = await communities.topicsOf(id);
    return { community, topics: await topics.findMany(ids.slice(0, pageLimitMax)) };
  }

  /** @returns the target @throws 404; 422 if both ids name the same community */
  merge(user: UserRef, source: string, target: string, act?: KeyedAct<Community>): Promise<Community> {
    return writeAs(this.#deps, user, (write) => mergeCommunities(write, source, target), act);
  }

  async #detect(
    user: UserRef,
    algorithm: CommunityAlgorithm,
    act?: KeyedAct<CommunityDetection>,
  ): Promise<CommunityDetection> {
    const read = await readAssignments(this.#stores(user).graph);
    const found = await this.#deps.graph.run('communities', { assignments: read.assignments, algorithm });
    const groups = groupsById(found, read);
    return writeAs(
      this.#deps,
      user,
      async ({ tx, at }) => {
        // SQLite is synchronous: each of these calls yields to other requests while it works.
        const before = await tx.communities.listStored();
        const next = await nextCommunities(before, { algorithm, at, groups });
        await tx.communities.replace(before, next);
        const { items, count } = await tx.communities.list({ limit: pageLimitMax, offset: 0 });
        const leftOut = { ...found.omitted, olderMemories: !read.isWhole };
        return { communities: items, communityCount: count, algorithm, leftOut };
      },
      act,
    );
  }

  #stores(user: UserRef): ReturnType<Stores['forUser']> {
    return this.#deps.stores.forUser(user);
  }
}

function groupsById(
  { groups }: GraphTasks['communities']['result'],
  { topicIds }: NamedAssignments,
): ReadonlyMap<string, number>[] {
  return groups.map(
    ({ topics, strengths }) => new Map(topics.map((topic, i) => [topicIds[topic] ?? '', strengths[i] ?? 0])),
  );
}

/**
 * Merges `source` into `target`: its topics appear there, also
 * after later detections, until the merge is undone from the trash.
 * @throws 404; 422 if both ids name the same community
 */
async function mergeCommunities({ tx, at }: Write, source: string, target: string): Promise<Community> {
  const [from, into] = [await tx.communities.find(source), await tx.communities.find(target)];
  if (!from || !into) throw notFound('community');
  if (from.id === into.id)
    throw invalidInput('targetCommunityId', 'must name another community than sourceCommunityId');
  const before = await tx.communities.listStored();
  const after = before.map((community) => {
    if (community.id === from.id) return { ...community, mergedInto: into.id };
    return community.id === into.id ? { ...community, updatedAt: at } : community;
  });
  await tx.communities.replace(before, after);
  // The title has no names of topics: they would outlive the memories that have them.
  const title = `A community of ${from.topicCount} topics merged into one of ${into.topicCount}`;
  const counts = { communities: 1, topics: from.topicCount };
  await tx.trash.insert({ kind: 'community-merge', recordId: from.id, title, counts }, at);
  const merged = await tx.communities.find(into.id);
  if (!merged) throw notFound('community');
  return merged;
}

/** Merges of communities in the trash: restoring one undoes the merge. */
export const communityMergeTrash: TrashHandler = {
  restore: async ({ tx }, { recordId, counts }) => {
    const before = await tx.communities.listStored();
    await tx.communities.replace(before, withoutMerge(before, recordId));
    return counts;
  },
  // A merge contains nothing of deleted memories.
  eraseStep: async () => false,
};
