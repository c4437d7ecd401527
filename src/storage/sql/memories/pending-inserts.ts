import type { StepKey } from '../../../domain/jobs/step-key.ts';
import type { IndexedMemory } from '../../../domain/shared/text-indexer.ts';
import { recordChanges } from '../core/change-counter.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { recordFirstStepsOf } from '../jobs/job-writer.ts';
import type { KeywordWriter } from '../search-index/keyword-index.ts';
import type { VectorWriter } from '../vectors/vector-writer.ts';

interface Inserted {
  readonly id: string;
  readonly rev: number;
  readonly doc: number;
  readonly indexed: IndexedMemory;
  /** Rows of the memory and its version, if they are not written yet. */
  readonly rows?: { readonly identity: never; readonly version: never };
}

/**
 * Rows that nothing reads before the end of the transaction, of several new memories: themselves and their versions,
 * their entries in the lists of changes and jobs, their documents and vectors. One statement a table writes them, where each alone would be one.
 */
export class PendingInserts {
  readonly #keywords: KeywordWriter;
  readonly #count: number;
  #inserted: Inserted[] = [];
  #docs: number[] | undefined;

  /** @param count of memories, for which numbers are taken */
  constructor(keywords: KeywordWriter, count: number) {
    this.#keywords = keywords;
    this.#count = count;
  }

  async nextDoc(): Promise<number> {
    this.#docs ??= await this.#keywords.someDocs(this.#count);
    return this.#docs.shift() ?? this.#keywords.nextDoc();
  }

  add(inserted: Inserted): void {
    this.#inserted.push(inserted);
  }

  async write(db: UserDatabase, vectors: VectorWriter, steps: readonly StepKey[]): Promise<void> {
    const inserted = this.#inserted;
    this.#inserted = [];
    if (inserted.length === 0) return;
    const rows = inserted.flatMap((one) => one.rows ?? []);
    if (rows.length > 0) {
      await db.tables
        .insertAll(
          'memories',
          rows.map(({ identity }) => identity),
        )
        .execute();
      await db.tables
        .insertAll(
          'memory_versions',
          rows.map(({ version }) => version),
        )
        .execute();
    }
    await recordChanges(
      db,
      inserted.map(({ id, rev }) => ({ rev, kind: 'memory', action: 'created', id })),
    );
    await this.#keywords.addAll(
      'memory',
      inserted.map(({ doc, indexed }) => ({ doc, terms: indexed.document.terms })),
    );
    await vectors.writeAll(inserted.map(({ doc, indexed }) => ({ doc, computed: indexed.vectors })));
    await recordFirstStepsOf(
      db,
      steps,
      inserted.map(({ doc }) => doc),
    );
  }
}
