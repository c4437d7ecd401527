import type { SqlBool } from 'kysely';
import { chunksOf } from '../../../lib/collections.ts';
import { join, related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';

/** A version, and which records it had before it is derived: those that it lacks need not be read or removed. */
export interface WrittenBefore {
  readonly doc: number;
  readonly memoryId: string;
  /** Whether it is the newest version of its memory. */
  readonly isCurrent: boolean;
  /** The version before it; null for the first one. */
  readonly before: number | null;
  readonly isDerived: boolean;
  readonly hasFacts: boolean;
  readonly hasVetoes: boolean;
}

interface Row {
  readonly doc: number;
  readonly memoryId: string;
  readonly current: number;
  readonly before: number | null;
  readonly isDerived: SqlBool;
  readonly hasFacts: SqlBool;
  readonly hasVetoes: SqlBool;
}

const versions = listQuery<number, Row>((tables, docs) =>
  tables
    .selectFrom('memory_versions')
    .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
    .where('memory_versions.doc', 'in', docs)
    .select((eb) => [
      'memory_versions.doc',
      'memories.id as memoryId',
      'memories.doc as current',
      related(eb, 'memory_versions as earlier', 'memory_versions.memory_seq', 'memory_seq')
        .whereRef('earlier.doc', '<', 'memory_versions.doc')
        .select((earlier) => earlier.fn.max<number>('earlier.doc').as('doc'))
        .as('before'),
      eb
        .exists(related(eb, 'derivations', 'memory_versions.doc', 'doc').select('derivations.doc'))
        .as('isDerived'),
      eb
        .exists(related(eb, 'fact_mentions', 'memory_versions.doc', 'doc').select('fact_mentions.doc'))
        .as('hasFacts'),
      eb.exists(related(eb, 'vetoes', 'memory_versions.doc', 'doc').select('vetoes.doc')).as('hasVetoes'),
    ]),
);

/** By one statement for up to 1,000 versions; without those that were erased. */
export async function writtenBefore(db: UserDatabase, docs: readonly number[]): Promise<WrittenBefore[]> {
  const found: WrittenBefore[] = [];
  for (const chunk of chunksOf(docs))
    for (const row of await db.all(versions(chunk.length), listArguments(chunk)))
      found.push({
        doc: row.doc,
        memoryId: row.memoryId,
        isCurrent: row.current === row.doc,
        before: row.before === null ? null : Number(row.before),
        // Truth values are numbers in SQLite.
        isDerived: Boolean(row.isDerived),
        hasFacts: Boolean(row.hasFacts),
        hasVetoes: Boolean(row.hasVetoes),
      });
  return found;
}
