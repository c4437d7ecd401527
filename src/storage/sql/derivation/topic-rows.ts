import { randomUUID } from 'node:crypto';
import type { DerivedVersion } from '../../../domain/derivation/derivation-store.ts';
import type { EpochMs } from '../../../domain/shared/time.ts';
import { normaliseTopicName, topicWords } from '../../../domain/topics/topic.ts';
import { chunksOf } from '../../../lib/chunks.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';

const byNames = listQuery<string, { id: string; normalized_name: string }>((tables, names) =>
  tables.selectFrom('topics').select(['id', 'normalized_name']).where('normalized_name', 'in', names),
);

/**
 * Writes the derived topics of versions. If the user has
 * a topic of this name, from a client or not, it is used.
 */
export async function writeTopics(
  db: UserDatabase,
  versions: readonly DerivedVersion[],
  at: EpochMs,
): Promise<void> {
  const names = new Map<string, string>();
  for (const { derived } of versions)
    for (const { name } of derived.topics) {
      const key = normaliseTopicName(name);
      if (!names.has(key)) names.set(key, name);
    }
  if (names.size === 0) return;
  const ids = await topicIds(db, names, at);
  const rows = new Map(
    versions.flatMap(({ doc, derived }) =>
      derived.topics.flatMap(({ name, score }) => {
        const id = ids.get(normaliseTopicName(name));
        return id === undefined ? [] : [[`${id} ${doc}`, { topic_id: id, doc, score }] as const];
      }),
    ),
  );
  for (const chunk of chunksOf([...rows.values()]))
    await db.tables.insertAll('derived_topics', chunk).execute();
}

/** Ids of topics by normalised name; inserts those that are missing. */
async function topicIds(
  db: UserDatabase,
  names: ReadonlyMap<string, string>,
  at: EpochMs,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const chunk of chunksOf([...names.keys()]))
    for (const { id, normalized_name } of await db.all(byNames(chunk.length), listArguments(chunk)))
      ids.set(normalized_name, id);
  const fresh = [...names].filter(([normalized]) => !ids.has(normalized));
  const rows = fresh.map(([normalized, name]) => {
    const id = randomUUID();
    ids.set(normalized, id);
    return { id, name, normalized_name: normalized, canonical_id: id, created_at: at, updated_at: at };
  });
  const words = rows.flatMap(({ id, name }) => topicWords(name).map((word) => ({ word, topic_id: id })));
  for (const chunk of chunksOf(rows)) await db.tables.insertAll('topics', chunk).execute();
  for (const chunk of chunksOf(words)) await db.tables.insertAll('topic_words', chunk).execute();
  return ids;
}
