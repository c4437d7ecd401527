import { sql } from 'kysely';
import type { Slice, SlicedWork } from '../../../domain/system/engine-maintenance.ts';
import { chunksOf } from '../../../lib/collections.ts';
import { UserDatabase } from '../core/user-database.ts';
import type { UpkeepDeps } from '../sql-driver.ts';
import { documentsAtOnce } from '../upkeep/rebuild-cursor.ts';
import { nextEpoch, rewriteDocuments } from '../upkeep/rewrite-documents.ts';
import { usersWith } from '../users/users-with.ts';
import { isAsWritten, sumOf } from './vector-checksum.ts';
import { VectorWriter } from './vector-writer.ts';

const rowsPerSlice = 500;

/** Recomputes damaged vectors, and the missing checksums of older ones. */
export class VectorSums implements SlicedWork {
  readonly #deps: UpkeepDeps;
  /** Documents whose vectors are being recomputed, by user. */
  readonly #mending = new Map<number, ReadonlySet<number>>();

  constructor(deps: UpkeepDeps) {
    this.#deps = deps;
  }

  /** Logs damaged vectors that were read, and recomputes them. Does not throw. */
  damaged(userId: number, docs: readonly number[]): void {
    const { failures } = this.#deps;
    const known = this.#mending.get(userId);
    const fresh = [...new Set(docs)].filter((doc) => !known?.has(doc));
    if (fresh.length === 0) return;
    this.#mending.set(userId, new Set([...(known ?? []), ...fresh]));
    failures.failed('memory_vectors', new DamagedVectorsError(userId, fresh));
    this.#mend(userId, fresh).then(
      () => this.#mending.delete(userId),
      (error: unknown) => {
        this.#mending.delete(userId);
        failures.failed('memory_vectors', error);
      },
    );
  }

  async slice(): Promise<Slice> {
    const began = performance.now();
    const { read, writeOf, isDistributed } = this.#deps;
    const without = { table: 'memory_vectors', condition: sql`crc IS NULL`, isDistributed } as const;
    const [userId] = await usersWith(read, { ...without, after: 0, limit: 1 });
    if (userId === undefined) return { more: false, workedMs: 0 };
    const rows = await new UserDatabase(read, userId).tables
      .selectFrom('memory_vectors')
      .select(['doc', 'space', 'part', 'vector'])
      .where('crc', 'is', null)
      .limit(rowsPerSlice)
      .execute();
    await writeOf(userId, async (handle) => {
      const { tables } = new UserDatabase(handle, userId);
      for (const { doc, space, part, vector } of rows)
        await tables
          .updateTable('memory_vectors')
          .set({ crc: sumOf(doc, vector) })
          .where('doc', '=', doc)
          .where('space', '=', space)
          .where('part', '=', part)
          .where('crc', 'is', null)
          .execute();
    });
    return { more: true, workedMs: performance.now() - began };
  }

  /** After a repair, processes read the user's index again, and segments are made from the new vectors. */
  async #mend(userId: number, docs: readonly number[]): Promise<void> {
    const { indexer, spaces, steps, writeOf } = this.#deps;
    for (const chunk of chunksOf(docs, documentsAtOnce))
      await writeOf(userId, async (handle, keywords, isActive) => {
        if (!isActive()) return;
        const db = new UserDatabase(handle, userId);
        await nextEpoch(db);
        const refs = chunk.map((doc) => ({ kind: 'memory', doc }) as const);
        await rewriteDocuments(
          { db, keywords, indexer, vectors: new VectorWriter(db, { spaces, steps }) },
          refs,
        );
      });
  }
}

class DamagedVectorsError extends Error {
  constructor(userId: number, docs: readonly number[]) {
    super(
      `Vectors of ${docs.length} versions of user ${userId} are not what was written (${docs.slice(0, 5).join(', ')}): they are not used, and made again.`,
    );
    this.name = 'DamagedVectorsError';
  }
}

/** Versions of the user with a vector that was changed since it was written. */
export async function damagedVectors(db: UserDatabase): Promise<number[]> {
  const damaged = new Set<number>();
  let after = { doc: 0, space: 0, part: 0 };
  for (;;) {
    const rows = await db.tables
      .selectFrom('memory_vectors')
      .select(['doc', 'space', 'part', 'vector', 'crc'])
      .where(sql<boolean>`(doc, space, part) > (${after.doc}, ${after.space}, ${after.part})`)
      .orderBy('doc')
      .orderBy('space')
      .orderBy('part')
      .limit(rowsPerSlice)
      .execute();
    for (const row of rows) if (!isAsWritten(row)) damaged.add(row.doc);
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsPerSlice) return [...damaged];
    after = last;
  }
}
