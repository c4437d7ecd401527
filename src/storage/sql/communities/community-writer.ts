import type { CommunityWriter, StoredCommunity } from '../../../domain/communities/community.ts';
import { chunksOf } from '../../../lib/collections.ts';
import { Breather, otherWork } from '../../../lib/loop-time.ts';
import { related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import type { UserRow } from '../core/user-tables.ts';
import { SqlCommunityReader } from './community-store.ts';

/** Written in a statement: one or two milliseconds; requests go between. */
const rowsAtOnce = 100;
/** Communities, with their topics. */
const removedAtOnce = 10;
const turnMs = 2;

type Row = UserRow<'communities'>;
type TopicRow = UserRow<'community_topics'>;

const removeCommunities = listQuery<string, never>((tables, ids) =>
  tables.deleteFrom('communities').where('id', 'in', ids),
);

const topicsAmong = listQuery((tables, ids: readonly string[]) =>
  tables.selectFrom('topics').select('id').where('id', 'in', ids),
);

export class SqlCommunityWriter extends SqlCommunityReader implements CommunityWriter {
  async replace(before: readonly StoredCommunity[], communities: readonly StoredCommunity[]): Promise<void> {
    const old = new Map(rowsOf(before).map((row) => [row.id, row]));
    const oldTopics = new Map(before.map(({ id, topics }) => [id, topics]));
    const rows = rowsOf(communities);
    const changed = rows.filter((row) => !isEqual(row, old.get(row.id)));
    const isNew = ({ id }: { readonly id: string }) => !old.has(id);
    for (const row of changed.filter((each) => !isNew(each))) await this.#update(row);
    for (const some of chunksOf(changed.filter(isNew)))
      await this.db.tables.insertAll('communities', some).execute();
    const breather = new Breather(turnMs);
    for (const { id, topics } of communities) {
      await this.#changeTopics(id, oldTopics.get(id), topics);
      await breather.pause();
    }
    const kept = new Set(communities.map(({ id }) => id));
    for (const gone of chunksOf(
      [...old.keys()].filter((id) => !kept.has(id)),
      removedAtOnce,
    )) {
      await this.db.all(removeCommunities(gone.length), listArguments(gone));
      await otherWork();
    }
    const added = communities.filter(isNew).flatMap(({ id, topics }) => topicRows(id, topics));
    await this.#insertTopics(added);
  }

  /** Communities that still exist: a topic may have been erased since the detection read it. */
  async #insertTopics(rows: readonly TopicRow[]): Promise<void> {
    for (const some of chunksOf(rows, rowsAtOnce)) {
      const ids = [...new Set(some.map(({ topic_id }) => topic_id))];
      const found = await this.db.all(topicsAmong(ids.length), listArguments(ids));
      const there = new Set(found.map(({ id }) => id));
      const added = some.filter(({ topic_id }) => there.has(topic_id));
      if (added.length > 0) await this.db.tables.insertAll('community_topics', added).execute();
      await otherWork();
    }
  }

  async #update({ id, ...row }: Row): Promise<void> {
    await this.db.tables.updateTable('communities').set(row).where('id', '=', id).execute();
  }

  /** Changes the topics of a community that existed before. */
  async #changeTopics(
    id: string,
    before: ReadonlyMap<string, number> | undefined,
    topics: ReadonlyMap<string, number>,
  ): Promise<void> {
    if (!before) return;
    const stale = [...before].filter(([topic, strength]) => topics.get(topic) !== strength);
    for (const some of chunksOf(
      stale.map(([topic]) => topic),
      rowsAtOnce,
    )) {
      await this.db.tables
        .deleteFrom('community_topics')
        .where('community_id', '=', id)
        .where('topic_id', 'in', some)
        .execute();
      await otherWork();
    }
    const added = new Map([...topics].filter(([topic, strength]) => before.get(topic) !== strength));
    await this.#insertTopics(topicRows(id, added));
  }
}

const topicRows = (id: string, topics: ReadonlyMap<string, number>): TopicRow[] =>
  [...topics].map(([topic, strength]) => ({ community_id: id, topic_id: topic, strength }));

/** The rows of communities, each with its root and the number of topics shown there. */
function rowsOf(communities: readonly StoredCommunity[]): Row[] {
  const byId = new Map(communities.map((community) => [community.id, community]));
  const rootOf = (id: string): string => {
    const into = byId.get(id)?.mergedInto;
    return into && byId.has(into) ? rootOf(into) : id;
  };
  const sizes = new Map<string, number>();
  for (const { id, isCurrent, topics } of communities)
    if (isCurrent) sizes.set(rootOf(id), (sizes.get(rootOf(id)) ?? 0) + topics.size);
  return communities.map((community) => ({
    id: community.id,
    algorithm: community.algorithm,
    merged_into: community.mergedInto,
    root_id: rootOf(community.id),
    is_current: community.isCurrent ? 1 : 0,
    size: sizes.get(community.id) ?? 0,
    created_at: community.createdAt,
    updated_at: community.updatedAt,
  }));
}

function isEqual(row: Row, other: Row | undefined): boolean {
  return other !== undefined && JSON.stringify(row) === JSON.stringify(other);
}

/** Communities that have one of these topics. */
export async function communitiesWith(
  { tables }: UserDatabase,
  topicIds: readonly string[],
): Promise<string[]> {
  const found = new Set<string>();
  for (const some of chunksOf(topicIds)) {
    const rows = tables.selectFrom('community_topics').select('community_id').where('topic_id', 'in', some);
    for (const { community_id } of await rows.execute()) found.add(community_id);
  }
  return [...found];
}

/** Removes communities without topics, except those that a merge names: the merge may be undone. */
export async function removeEmptyCommunities(
  { tables }: UserDatabase,
  ids: readonly string[],
): Promise<void> {
  for (const some of chunksOf(ids)) {
    const empty = await tables
      .selectFrom('communities')
      .select('communities.id')
      .where('communities.id', 'in', some)
      .where('communities.merged_into', 'is', null)
      .where((eb) =>
        eb.not(
          eb.or([
            eb.exists(
              related(eb, 'community_topics', 'communities.id', 'community_id').select(
                'community_topics.topic_id',
              ),
            ),
            eb.exists(
              related(eb, 'communities as part', 'communities.id', 'root_id')
                .whereRef('part.id', '<>', 'communities.id')
                .select('part.id'),
            ),
          ]),
        ),
      )
      .execute();
    for (const { id } of empty) await tables.deleteFrom('communities').where('id', '=', id).execute();
  }
}
