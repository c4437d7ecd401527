import { setImmediate as otherWork } from 'node:timers/promises';
import { type ExpressionBuilder, sql } from 'kysely';
import {
  type Community,
  communityName,
  describeCommunity,
  type StoredCommunity,
} from '../../../domain/communities/community.ts';
import type { CommunityReader, TopicInCommunity } from '../../../domain/communities/community-store.ts';
import type { CommunityAlgorithm } from '../../../domain/graph/partition.ts';
import type { Page, PageRequest } from '../../../domain/shared/page.ts';
import { chunksOf } from '../../../lib/chunks.ts';
import { groupBy } from '../../../lib/group-by.ts';
import { join, type Reads, related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { CommunitiesTable } from '../core/step-tables.ts';
import { UserQuery } from '../core/user-query.ts';
import { UserRecords } from '../core/user-records.ts';
import type { UserTables } from '../core/user-tables.ts';
import { isOnLiveMemory } from '../topics/live-topics.ts';

/** With 100 topics each it takes SQLite 5 ms to name these; requests go between. */
const namedAtOnce = 4;

type RootRow = Omit<CommunitiesTable, 'user_id'>;

/** Topics of current communities, as what they mean after merges of topics, where a live memory has them. */
const shownTopics = (tables: UserTables) =>
  tables
    .selectFrom('communities')
    .$call(join('community_topics', 'communities.id', 'community_id'))
    .$call(join('topics as member', 'community_topics.topic_id'))
    .$call(join('topics', 'member.canonical_id'))
    .where('communities.is_current', '=', 1)
    .where((eb) => isOnLiveMemory(tables)(eb as unknown as ExpressionBuilder<Reads<'topics'>, 'topics'>));

/** Communities that are shown: not merged into another, with a topic of a live memory. */
const roots = (tables: UserTables) =>
  tables
    .selectFrom('communities')
    .whereRef('communities.root_id', '=', 'communities.id')
    .where((eb) =>
      eb.exists(
        related(eb, 'communities as part', 'communities.id', 'root_id')
          .$call(join('community_topics', 'part.id', 'community_id'))
          .$call(join('topics as member', 'community_topics.topic_id'))
          .$call(join('topics', 'member.canonical_id'))
          .where('part.is_current', '=', 1)
          .where((inner) =>
            isOnLiveMemory(tables)(inner as unknown as ExpressionBuilder<Reads<'topics'>, 'topics'>),
          )
          .select('topics.id'),
      ),
    );

const page = new UserQuery<PageRequest, RootRow>((tables, { limit, offset }) =>
  roots(tables)
    .selectAll('communities')
    .orderBy('communities.size', 'desc')
    .orderBy('communities.created_at')
    .orderBy('communities.id')
    .limit(limit)
    .offset(offset),
);

const countOfRoots = new UserQuery<Record<never, never>, { count: number }>((tables) =>
  roots(tables).select(sql<number>`count(*)`.as('count')),
);

const rootOf = new UserQuery<{ id: string }, RootRow>((tables, { id }) =>
  tables
    .selectFrom('communities')
    .$call(join('communities as root', 'communities.root_id'))
    .where('communities.id', '=', id)
    .selectAll('root'),
);

interface ShownTopic {
  readonly root_id: string;
  readonly id: string;
  readonly name: string;
}

const topicsOfRoots = listQuery<string, ShownTopic>((tables, ids) =>
  shownTopics(tables)
    .where('communities.root_id', 'in', ids)
    .groupBy(['communities.root_id', 'topics.id', 'topics.name', 'topics.normalized_name'])
    .orderBy(sql`sum(community_topics.strength)`, 'desc')
    .orderBy('topics.normalized_name')
    .select(['communities.root_id', 'topics.id', 'topics.name']),
);

const rootsOfTopics = listQuery<string, TopicInCommunity>((tables, topicIds) =>
  shownTopics(tables)
    .where('topics.id', 'in', topicIds)
    .select(['topics.id as topicId', 'communities.root_id as communityId'])
    .distinct(),
);

export class SqlCommunityReader extends UserRecords implements CommunityReader {
  async list(request: PageRequest): Promise<Page<Community>> {
    const { limit, offset } = request;
    const items = await this.#withTopics(await this.db.all(page, { limit, offset }));
    const { count } = (await this.db.first(countOfRoots, {})) ?? { count: 0 };
    return { items, limit, offset, count: Number(count) };
  }

  async find(id: string): Promise<Community | undefined> {
    const [community] = await this.#withTopics(await this.db.all(rootOf, { id }));
    return community;
  }

  async topicsOf(id: string): Promise<string[]> {
    const root = await this.db.first(rootOf, { id });
    return root ? (await this.#shownTopics([root.id])).map((topic) => topic.id) : [];
  }

  async communitiesOf(topicIds: readonly string[]): Promise<TopicInCommunity[]> {
    if (topicIds.length === 0) return [];
    return this.db.all(rootsOfTopics(topicIds.length), listArguments(topicIds));
  }

  async listStored(): Promise<StoredCommunity[]> {
    const rows = await this.db.tables.selectFrom('communities').selectAll().orderBy('id').execute();
    const topics = await this.db.tables
      .selectFrom('community_topics')
      .select(['community_id', 'topic_id', 'strength'])
      .execute();
    const byCommunity = groupBy(topics, ({ community_id }) => community_id);
    return rows.map((row) => ({
      id: row.id,
      mergedInto: row.merged_into,
      isCurrent: row.is_current === 1,
      algorithm: row.algorithm as CommunityAlgorithm,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      topics: new Map((byCommunity.get(row.id) ?? []).map((topic) => [topic.topic_id, topic.strength])),
    }));
  }

  async #shownTopics(rootIds: readonly string[]): Promise<ShownTopic[]> {
    const shown: ShownTopic[] = [];
    for (const some of chunksOf(rootIds, namedAtOnce)) {
      shown.push(...(await this.db.all(topicsOfRoots(some.length), listArguments(some))));
      await otherWork();
    }
    return shown;
  }

  async #withTopics(rows: readonly RootRow[]): Promise<Community[]> {
    const shown = await this.#shownTopics(rows.map(({ id }) => id));
    const byRoot = groupBy(shown, ({ root_id }) => root_id);
    return rows.flatMap((row) => {
      const names = (byRoot.get(row.id) ?? []).map(({ name }) => name);
      return names.length === 0 ? [] : [toCommunity(row, names)];
    });
  }
}

function toCommunity(row: RootRow, names: readonly string[]): Community {
  return {
    id: row.id,
    name: communityName(names),
    description: describeCommunity(names),
    topicCount: names.length,
    algorithm: row.algorithm as CommunityAlgorithm,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
