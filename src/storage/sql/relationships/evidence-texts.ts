import { sql } from 'kysely';
import type { TextPlace } from '../../../domain/relationships/relationship.ts';
import { chunksOf } from '../../../lib/chunks.ts';
import type { UserDatabase } from '../core/user-database.ts';

/** Edges are found by the first 4,000 UTF-16 units of a text, which are no more characters than that. */
const readMax = 4000;
const shownMax = 500;

/** The words at places in versions of memories, in order; undefined for a version that is no more. */
export async function textsAt(
  { tables }: UserDatabase,
  places: readonly TextPlace[],
): Promise<(string | undefined)[]> {
  const contents = new Map<number, string>();
  for (const chunk of chunksOf([...new Set(places.map(([doc]) => doc))])) {
    const rows = await tables
      .selectFrom('memory_versions')
      .select(['doc', sql<string>`substr(content, 1, ${sql.lit(readMax)})`.as('content')])
      .where('doc', 'in', chunk)
      .execute();
    for (const { doc, content } of rows) contents.set(doc, content);
  }
  return places.map(([doc, start, end]) =>
    contents
      .get(doc)
      ?.slice(start, Math.min(end, start + shownMax))
      .toWellFormed(),
  );
}
