import { deriveStepKey } from '../../../domain/derivation/deriver.ts';
import type { Extraction } from '../../../domain/derivation/extraction.ts';
import { chunksOf } from '../../../lib/chunks.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { DerivationsTable, JobsTable } from '../core/step-tables.ts';
import type { UserDatabase } from '../core/user-database.ts';

const derived = listQuery<number, Pick<DerivationsTable, 'doc' | 'skip_reason' | 'derived_at'>>(
  (tables, docs) =>
    tables.selectFrom('derivations').select(['doc', 'skip_reason', 'derived_at']).where('doc', 'in', docs),
);

const waiting = listQuery<number, Pick<JobsTable, 'doc' | 'due_at' | 'taken'>>((tables, docs) =>
  tables
    .selectFrom('jobs')
    .select(['doc', 'due_at', 'taken'])
    .where('doc', 'in', docs)
    .where('step', '=', deriveStepKey.name),
);

/** See `DerivationReader.extractions`. What was derived counts while it is derived again. */
export async function extractionsOf(
  db: UserDatabase,
  docs: readonly number[],
): Promise<Map<number, Extraction>> {
  const found = new Map<number, Extraction>();
  for (const chunk of chunksOf(docs)) {
    for (const { doc, due_at, taken } of await db.all(waiting(chunk.length), listArguments(chunk)))
      found.set(doc, { status: due_at === null ? 'failed' : taken === 1 ? 'running' : 'pending' });
    for (const row of await db.all(derived(chunk.length), listArguments(chunk)))
      found.set(
        row.doc,
        row.skip_reason === 'content_too_short'
          ? { status: 'skipped', skipReason: row.skip_reason }
          : { status: 'completed', completedAt: row.derived_at },
      );
  }
  return found;
}
