import type { OutdatedPart } from '../../../domain/memories/memory.ts';
import { chunksOf, groupBy } from '../../../lib/collections.ts';
import { nameKey } from '../../../lib/names.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';

interface PartedVersion {
  readonly doc: number;
  readonly content: string;
  readonly outdated_parts: string | null;
}

const withParts = listQuery<number, PartedVersion>((tables, docs) =>
  tables
    .selectFrom('memory_versions')
    .select(['doc', 'content', 'outdated_parts'])
    .where('doc', 'in', docs)
    .where('outdated_parts', 'is not', null),
);

interface Mention {
  readonly doc: number;
  readonly fact_id: string;
  readonly start_at: number;
  readonly end_at: number;
  readonly object: string;
}

const mentionsIn = listQuery<number, Mention>((tables, docs) =>
  tables
    .selectFrom('fact_mentions')
    .$call(join('facts', 'fact_mentions.fact_id'))
    .select(['fact_mentions.doc', 'fact_mentions.fact_id', 'facts.object'])
    .select(['fact_mentions.start_at', 'fact_mentions.end_at'])
    .where('fact_mentions.doc', 'in', docs),
);

/** Marks the facts that the outdated parts of these versions state, whose mentions are not marked yet. */
export async function markOutdated(db: UserDatabase, docs: readonly number[]): Promise<void> {
  for (const chunk of chunksOf(docs)) {
    const versions = await db.all(withParts(chunk.length), listArguments(chunk));
    if (versions.length === 0) continue;
    const owners = versions.map(({ doc }) => doc);
    const rows = await db.all(mentionsIn(owners.length), listArguments(owners));
    const byDoc = groupBy(rows, ({ doc }) => doc);
    for (const version of versions)
      for (const { doc, fact_id } of outdatedAmong(version, byDoc.get(version.doc) ?? []))
        await db.tables
          .updateTable('fact_mentions')
          .set({ outdated: 1 })
          .where('doc', '=', doc)
          .where('fact_id', '=', fact_id)
          .execute();
  }
}

/**
 * Mentions whose clause has an outdated part: those with a word of it in their
 * object, as a clause may state several facts; all of the clause if none has.
 */
function outdatedAmong({ content, outdated_parts }: PartedVersion, mentions: readonly Mention[]): Mention[] {
  const parts = JSON.parse(outdated_parts ?? '[]') as OutdatedPart[];
  return parts.flatMap(({ start, end }) => {
    const around = mentions.filter((mention) => mention.start_at < end && start < mention.end_at);
    const words = new Set(wordsOf(content.slice(start, end)));
    const stating = around.filter(({ object }) => wordsOf(object).some((word) => words.has(word)));
    return stating.length > 0 ? stating : around;
  });
}

const wordsOf = (text: string) => nameKey(text).match(/[\p{L}\p{N}]+/gu) ?? [];
