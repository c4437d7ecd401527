import { type ExpressionBuilder, sql } from 'kysely';
import {
  type Community,
  type CommunityAlgorithm,
  type CommunityReader,
  communityName,
  describeCommunity,
  type StoredCommunity,
  type TopicInCommunity,
} from '../../../domain/communities/community.ts';
import type { Page, PageRequest } from '../../../domain/shared/page.ts';
import { chunksOf } from '../../../lib/collections.ts';
import { otherWork } from '../../../lib/loop-time.ts';
import type { CommunitiesTable } from '../core/derived-tables.ts';
import { join, type Reads, related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import { pageOf, type SortColumn } from '../core/page-of.ts';
import { UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserRow, UserTables } from '../core/user-tables.ts';
import { isOnLiveMemory } from '../topics/topic-counts.ts';

/** Topics and rows of one statement: about a millisecond; other requests run in between. */
const namedAtOnce = 100;
const storedAtOnce = 1000;

type RootRow = Omit<CommunitiesTable, 'user_id'>;
type StoredTopic = UserRow<'community_topics'>;
const beforeAll: StoredTopic = { community_id: '', topic_id: '', strength: 0 };

interface ShownTopic {
  readonly id: string;
  readonly name: string;
  readonly normalized_name: string;
  readonly strength: number;
}
/** Topics of current communities, as shown after merges of topics, if a live memory has them. */
const shownTopics = (tables: UserTables) =>
  tables
    .selectFrom('communities')
    .$call(join('community_topics', 'communities.id', 'community_id'))
    .$call(join('topics as member', 'community_topics.topic_id'))
    .$call(join('topics', 'member.canonical_id'))
    .where('communities.is_current', '=', 1)
    .where((eb) => isOnLiveMemory(tables)(eb as unknown as ExpressionBuilder<Reads<'topics'>, 'topics'>));

/** Visible communities: not merged into another, and with a topic of a live memory. */
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

const largestFirst: readonly SortColumn[] = [
  { column: 'communities.size', order: 'desc', part: 'integer' },
  { column: 'communities.created_at', order: 'asc', part: 'integer' },
  { column: 'communities.id', order: 'asc', part: 'text' },
];

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

const partsOf = listQuery<string, { id: string; root_id: string }>((tables, rootIds) =>
  tables
    .selectFrom('communities')
    .where('root_id', 'in', rootIds)
    .where('is_current', '=', 1)
    .orderBy('id')
    .select(['id', 'root_id']),
);

/** The topics of a community after `after`, live or not, so that every page but the last is full. */
const topicsOfPart = new UserQuery(
  (tables, { id, after, limit }: { id: string; after: string; limit: number }) =>
    tables
      .selectFrom('community_topics')
      .$call(join('topics as member', 'community_topics.topic_id'))
      .$call(join('topics', 'member.canonical_id'))
      .where('community_topics.community_id', '=', id)
      .where('community_topics.topic_id', '>', after)
      .orderBy('community_topics.topic_id')
      .limit(limit)
      .select(['community_topics.topic_id as member', 'community_topics.strength'])
      .select(['topics.id', 'topics.name', 'topics.normalized_name'])
      .select((eb) => {
        const isLive = isOnLiveMemory(tables)(eb as unknown as ExpressionBuilder<Reads<'topics'>, 'topics'>);
        return sql<number>`CASE WHEN ${isLive} THEN 1 ELSE 0 END`.as('is_live');
      }),
);

const storedTopics = new UserQuery<{ community: string; topic: string; limit: number }, StoredTopic>(
  (tables, { community, topic, limit }) =>
    tables
      .selectFrom('community_topics')
      .where(sql<boolean>`(community_id, topic_id) > (${community}, ${topic})`)
      .orderBy('community_id')
      .orderBy('topic_id')
      .limit(limit)
      .select(['community_id', 'topic_id', 'strength']),
);

const rootsOfTopics = listQuery<string, TopicInCommunity>((tables, topicIds) =>
  shownTopics(tables)
    .where('topics.id', 'in', topicIds)
    .select(['topics.id as topicId', 'communities.root_id as communityId'])
    .distinct(),
);

export class SqlCommunityReader extends UserRecords implements CommunityReader {
  async list(request: PageRequest): Promise<Page<Community>> {
    const counted = await this.db.first(countOfRoots, {});
    await otherWork();
    const rows = roots(this.db.tables);
    const count = Number(counted?.count ?? 0);
    const page = await pageOf(rows, rows.selectAll('communities'), { by: largestFirst, request, count });
    return { ...page, items: await this.#withTopics(page.items) };
  }

  async find(id: string): Promise<Community | undefined> {
    const [community] = await this.#withTopics(await this.db.all(rootOf, { id }));
    return community;
  }

  async topicsOf(id: string): Promise<string[]> {
    const root = await this.db.first(rootOf, { id });
    if (!root) return [];
    return ((await this.#shownTopics([root.id])).get(root.id) ?? []).map((topic) => topic.id);
  }

  async communitiesOf(topicIds: readonly string[]): Promise<TopicInCommunity[]> {
    if (topicIds.length === 0) return [];
    return this.db.all(rootsOfTopics(topicIds.length), listArguments(topicIds));
  }

  async listStored(): Promise<StoredCommunity[]> {
    const rows = await this.db.tables.selectFrom('communities').selectAll().orderBy('id').execute();
    const topics = new Map(rows.map(({ id }) => [id, new Map<string, number>()]));
    for (let last: StoredTopic | undefined = beforeAll; last; ) {
      const after: StoredTopic = last;
      const some = await this.db.all(storedTopics, {
        community: after.community_id,
        topic: after.topic_id,
        limit: storedAtOnce,
      });
      for (const each of some) topics.get(each.community_id)?.set(each.topic_id, each.strength);
      last = some.length < storedAtOnce ? undefined : some.at(-1);
      await otherWork();
    }
    return rows.map((row) => ({
      id: row.id,
      mergedInto: row.merged_into,
      isCurrent: row.is_current === 1,
      algorithm: row.algorithm as CommunityAlgorithm,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      topics: topics.get(row.id) ?? new Map(),
    }));
  }

  /** By the id of the root: its topics that live memories have, the strongest first. */
  async #shownTopics(rootIds: readonly string[]): Promise<Map<string, ShownTopic[]>> {
    const found = new Map(rootIds.map((id) => [id, new Map<string, ShownTopic>()]));
    for (const ids of chunksOf(rootIds))
      for (const { id, root_id } of await this.db.all(partsOf(ids.length), listArguments(ids)))
        await this.#addTopics(found.get(root_id) ?? new Map(), id);
    return new Map([...found].map(([root, topics]) => [root, [...topics.values()].toSorted(strongestFirst)]));
  }

  async #addTopics(shown: Map<string, ShownTopic>, id: string): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const from: string = after;
      const rows = await this.db.all(topicsOfPart, { id, after: from, limit: namedAtOnce });
      for (const { id: topic, name, normalized_name, strength, is_live } of rows) {
        if (is_live === 0) continue;
        const sum = strength + (shown.get(topic)?.strength ?? 0);
        shown.set(topic, { id: topic, name, normalized_name, strength: sum });
      }
      after = rows.length < namedAtOnce ? undefined : rows.at(-1)?.member;
      await otherWork();
    }
  }

  async #withTopics(rows: readonly RootRow[]): Promise<Community[]> {
    const shown = await this.#shownTopics(rows.map(({ id }) => id));
    return rows.flatMap((row) => {
      const names = (shown.get(row.id) ?? []).map(({ name }) => name);
      return names.length === 0 ? [] : [toCommunity(row, names)];
    });
  }
}

const strongestFirst = (a: ShownTopic, b: ShownTopic) =>
  b.strength - a.strength || (a.normalized_name < b.normalized_name ? -1 : 1);

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
