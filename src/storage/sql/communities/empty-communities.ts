import { chunksOf } from '../../../lib/chunks.ts';
import { related } from '../core/joins.ts';
import type { UserDatabase } from '../core/user-database.ts';

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

/** Removes those of these communities that have no topic any more, but for those that a merge names, which may be undone. */
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
