import { sql } from 'kysely';
import { chunksOf } from '../../../lib/chunks.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';

interface DerivedRow {
  readonly doc: number;
  readonly name: string;
}

const derivedTopics = listQuery<number, DerivedRow>((tables, docs) =>
  tables
    .selectFrom('derived_topics')
    .$call(join('topics', 'derived_topics.topic_id'))
    .$call(join('topics as meant', 'topics.canonical_id'))
    .where('derived_topics.doc', 'in', docs)
    .groupBy(['derived_topics.doc', 'meant.name', 'meant.normalized_name'])
    .select(['derived_topics.doc', 'meant.name'])
    .orderBy(sql`max(derived_topics.score)`, 'desc')
    .orderBy('meant.normalized_name'),
);

/** See `TopicReader.listDerived`. */
export async function derivedTopicsOf(
  db: UserDatabase,
  docs: readonly number[],
): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>();
  for (const chunk of chunksOf(docs)) {
    for (const { doc, name } of await db.all(derivedTopics(chunk.length), listArguments(chunk))) {
      const names = found.get(doc);
      if (names) names.push(name);
      else found.set(doc, [name]);
    }
  }
  return found;
}
