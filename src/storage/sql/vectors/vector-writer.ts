import { deriveStepKey } from '../../../domain/derivation/deriver.ts';
import { embedStepKey, embedStepName, type LateVectorWriter } from '../../../domain/embedding/embed-step.ts';
import type { StepKey } from '../../../domain/jobs/step-key.ts';
import type { TextVectors } from '../../../domain/shared/text-indexer.ts';
import { chunksOf, groupBy } from '../../../lib/collections.ts';
import { nextRev } from '../core/change-counter.ts';
import type { MemoryVectorsTable } from '../core/schema.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import { recordNextSteps, recordWork } from '../jobs/job-writer.ts';
import type { SpaceRegistry } from './space-registry.ts';
import { isAsWritten, type SummedVector, sumOf } from './vector-checksum.ts';

type NoRow = never;

const insertVector = new UserQuery<Omit<MemoryVectorsTable, 'user_id'>, NoRow>((tables, row) =>
  tables.insertInto('memory_vectors', {
    doc: row.doc,
    space: row.space,
    part: row.part,
    late_rev: row.late_rev,
    vector: row.vector,
    crc: row.crc,
  }),
);

const vectorsOfVersion = new UserQuery<{ doc: number; space: number }, SummedVector & { part: number }>(
  (tables, { doc, space }) =>
    tables
      .selectFrom('memory_vectors')
      .select(['doc', 'part', 'vector', 'crc'])
      .where('doc', '=', doc)
      .where('space', '=', space)
      .orderBy('part'),
);

/** Writes the vectors of one version in one space. */
async function insertVectors(
  db: UserDatabase,
  { doc, space }: { readonly doc: number; readonly space: number },
  vectors: readonly Int8Array[],
): Promise<void> {
  await db.pipeline(
    vectors.map((vector, part) => () => db.all(insertVector, rowOf({ doc, space, part }, bytesOf(vector)))),
  );
}

function bytesOf({ buffer, byteOffset, length }: Int8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

const rowOf = (place: { doc: number; space: number; part: number }, vector: Buffer) => ({
  ...place,
  late_rev: null,
  vector,
  crc: sumOf(place.doc, vector),
});

interface VersionVectors {
  readonly doc: number;
  readonly computed: readonly TextVectors[];
}

export interface VectorWriterDeps {
  readonly spaces: SpaceRegistry;
  /** Steps that memories go through. */
  readonly steps: readonly StepKey[];
}

/**
 * Writes the vectors of one user's versions in every space
 * that serves or is being built, or a job to make them.
 */
export class VectorWriter implements LateVectorWriter {
  readonly #db: UserDatabase;
  readonly #spaces: SpaceRegistry;
  readonly #steps: readonly StepKey[];

  constructor(db: UserDatabase, { spaces, steps }: VectorWriterDeps) {
    this.#db = db;
    this.#spaces = spaces;
    this.#steps = steps;
  }

  async write(doc: number, computed: readonly TextVectors[]): Promise<void> {
    await this.#db.pipeline(
      this.#spaces.written.map((space) => () => {
        const own = computed.find((each) => each.space === space);
        // Missing for a slow model, or for a space newer than the computed vectors.
        return own
          ? insertVectors(this.#db, { doc, space }, own.vectors)
          : recordWork(this.#db, embedStepKey(space), doc);
      }),
    );
  }

  /** Writes the vectors of several versions, as `write` does. */
  async writeAll(versions: readonly VersionVectors[]): Promise<void> {
    const rows = [];
    for (const { doc, computed } of versions)
      for (const space of this.#spaces.written) {
        const own = computed.find((each) => each.space === space);
        if (!own) await recordWork(this.#db, embedStepKey(space), doc);
        else rows.push(...own.vectors.map((vector, part) => rowOf({ doc, space, part }, bytesOf(vector))));
      }
    for (const chunk of chunksOf(rows)) await this.#db.tables.insertAll('memory_vectors', chunk).execute();
  }

  /** For a version whose text may differ from that of its vectors. */
  async rewrite(doc: number, computed: readonly TextVectors[]): Promise<void> {
    const { tables } = this.#db;
    await tables.deleteFrom('memory_vectors').where('doc', '=', doc).execute();
    await tables.deleteFrom('jobs').where('doc', '=', doc).where('step', '=', embedStepName).execute();
    await this.write(doc, computed);
  }

  /** For a version with the text of the one before: copies its vectors. */
  async copyFrom(before: number, doc: number): Promise<void> {
    for (const space of this.#spaces.written) {
      const known = await this.#db.all(vectorsOfVersion, { doc: before, space });
      if (known.length === 0 || !known.every(isAsWritten)) {
        await recordWork(this.#db, embedStepKey(space), doc);
        continue;
      }
      for (const { part, vector } of known)
        await this.#db.all(insertVector, {
          doc,
          space,
          part,
          late_rev: null,
          vector,
          crc: sumOf(doc, vector),
        });
    }
  }

  async insertLate(space: number, versions: Parameters<LateVectorWriter['insertLate']>[1]): Promise<void> {
    const lateRev = await nextRev(this.#db, { documents: 0, terms: 0 });
    const rows = versions.flatMap(({ doc, vectors }) =>
      vectors.map((numbers, part) => {
        const vector = bytesOf(numbers);
        return { doc, space, part, late_rev: lateRev, vector, crc: sumOf(doc, vector) };
      }),
    );
    for (const chunk of chunksOf(rows)) await this.#db.tables.insertAll('memory_vectors', chunk).execute();
    const isServing = this.#spaces.rows.some(
      ({ id, state, role }) => id === space && state === 'serving' && role === 'main',
    );
    // Without vectors, their neighbours could not be found.
    if (!isServing) return;
    for (const [isOlder, own] of groupBy(versions, (version) => version.isOlder)) {
      const docs = own.map(({ doc }) => doc);
      await recordNextSteps(this.#db, this.#steps, deriveStepKey, docs, isOlder);
    }
  }
}
