import type { Kysely } from 'kysely';
import { normaliseTopicName, topicWords } from '../../../../domain/topics/topic.ts';
import type { Database } from '../schema.ts';

/**
 * Topics whose names differed in letters that case folding changes in number (`Straße`, `STRASSE`)
 * were two. The names are folded again. If two topics of a user become equal, the second keeps its
 * row, memories and id, and can be merged by its id, since a name has one topic only.
 */
export async function foldTopicNames(tx: Kysely<Database>): Promise<void> {
  const topics = await tx.selectFrom('topics').select(['user_id', 'id', 'name', 'normalized_name']).execute();
  const taken = new Set(topics.map((topic) => keyOf(topic.user_id, topic.normalized_name)));
  for (const { user_id: userId, id, name, normalized_name: before } of topics) {
    const folded = normaliseTopicName(name);
    if (folded === before || taken.has(keyOf(userId, folded))) continue;
    taken.add(keyOf(userId, folded));
    await tx
      .updateTable('topics')
      .set({ normalized_name: folded })
      .where('user_id', '=', userId)
      .where('id', '=', id)
      .execute();
    await tx.deleteFrom('topic_words').where('user_id', '=', userId).where('topic_id', '=', id).execute();
    const words = topicWords(name).map((word) => ({ user_id: userId, word, topic_id: id }));
    if (words.length > 0) await tx.insertInto('topic_words').values(words).execute();
  }
  await foldStatedNames(tx);
}

/** Names of topics that users gave to narratives. */
async function foldStatedNames(tx: Kysely<Database>): Promise<void> {
  const names = await tx
    .selectFrom('narrative_topics')
    .select(['name', 'normalized_name'])
    .distinct()
    .execute();
  for (const { name, normalized_name: before } of names) {
    const folded = normaliseTopicName(name);
    if (folded === before) continue;
    await tx
      .updateTable('narrative_topics')
      .set({ normalized_name: folded })
      .where('name', '=', name)
      .where('normalized_name', '=', before)
      .execute();
  }
}

const keyOf = (userId: number, normalized: string) => `${userId} ${normalized}`;
