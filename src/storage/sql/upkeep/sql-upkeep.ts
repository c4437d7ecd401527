import { sql } from 'kysely';
import { effectiveStates } from '../../../domain/memories/memory.ts';
import { refreshStates } from '../../../domain/relationships/relationship-service.ts';
import type { EpochMs } from '../../../domain/shared/time.ts';
import type { RebuildStatus } from '../../../domain/system/system-service.ts';
import { chunksOf } from '../../../lib/collections.ts';
import { throttled } from '../../../lib/throttle.ts';
import type { CheckReport, OnProgress, Upkeep, UserFaults } from '../../upkeep.ts';
import { UserDatabase } from '../core/user-database.ts';
import { dropSegments } from '../search-index/segment-rows.ts';
import type { UpkeepDeps } from '../sql-driver.ts';
import { setTargetSpaces } from '../vectors/space-table.ts';
import { VectorWriter } from '../vectors/vector-writer.ts';
import type { AnalyzerRebuild } from './analyzer-rebuild.ts';
import { checkStore } from './check-store.ts';
import { documentsAtOnce } from './rebuild-cursor.ts';
import { type IndexWriter, nextEpoch, raiseCounters, rewriteDocuments } from './rewrite-documents.ts';
import { eraseStrayRows } from './wrong-rows.ts';

/** Upkeep of the index, equal for both engines except for their own structures. */
export class SqlUpkeep implements Upkeep {
  readonly #deps: UpkeepDeps;
  readonly #rebuild: AnalyzerRebuild;

  constructor(deps: UpkeepDeps, rebuild: AnalyzerRebuild) {
    this.#deps = deps;
    this.#rebuild = rebuild;
  }

  check(onProgress: OnProgress): Promise<CheckReport> {
    const { readColumns, indexer, isDamagedSegment } = this.#deps;
    return this.#deps.snapshot((snapshot) =>
      checkStore({ snapshot, readColumns, indexer, isDamagedSegment, onProgress }),
    );
  }

  repair(report: CheckReport, options: { at: EpochMs; onProgress: OnProgress }): Promise<void> {
    return repairStore(this.#deps, report, options);
  }

  rebuildStatus(): Promise<RebuildStatus> {
    return this.#rebuild.status();
  }

  async beginVectorRebuild(): Promise<void> {
    const { spaces, write } = this.#deps;
    const { targets } = spaces;
    if (!targets.main) throw new Error('Nothing is embedded: MEMORYD_EMBEDDER is none.');
    await write((db) => setTargetSpaces(db, targets, { at: Date.now(), again: true }));
  }
}

const orphansAtOnce = 500;

interface RepairOptions {
  readonly at: EpochMs;
  readonly onProgress: OnProgress;
}

/** Writing to a damaged database makes matters worse. */
class StoreDamagedError extends Error {
  constructor(first: string) {
    super(`The database itself is damaged (${first}): put a backup in its place. Nothing was changed.`);
    this.name = 'StoreDamagedError';
  }
}

/** Repairs the faults in `report`. @throws StoreDamagedError */
async function repairStore(
  deps: UpkeepDeps,
  report: CheckReport,
  { at, onProgress }: RepairOptions,
): Promise<void> {
  if (report.damage.length > 0) throw new StoreDamagedError(report.damage[0]);
  // First, because on PostgreSQL a document with a record of any user is not an orphan.
  await eraseStrayRows(deps, report.strays);
  if (report.indexDamage.length > 0) await deps.write(deps.resetIndex);
  else await eraseOrphans(deps, report);
  const total = report.faults.reduce((sum, faults) => sum + documentsOf(faults).length, 0);
  let done = 0;
  const onDocuments = (count: number) => {
    done += count;
    onProgress(done, total);
  };
  for (const faults of report.faults) await new UserRepair(deps, faults, onDocuments).run(at);
}

async function eraseOrphans(deps: UpkeepDeps, { orphans }: CheckReport): Promise<void> {
  for (const chunk of chunksOf(orphans, orphansAtOnce))
    await throttled(() =>
      deps.write((db) => deps.eraseOrphans(db, [...new Set(chunk.map(({ doc }) => doc))])),
    );
}

function documentsOf({ missing, wrongWords, wrongColumns, unknownWords, damagedVectors }: UserFaults) {
  const all = [...missing, ...wrongWords, ...wrongColumns, ...unknownWords, ...damagedVectors];
  const byDoc = new Map(all.map((ref) => [ref.doc, ref]));
  return [...byDoc.values()];
}

class UserRepair {
  readonly #deps: UpkeepDeps;
  readonly #faults: UserFaults;
  readonly #onDocuments: (count: number) => void;

  constructor(deps: UpkeepDeps, faults: UserFaults, onDocuments: (count: number) => void) {
    this.#deps = deps;
    this.#faults = faults;
    this.#onDocuments = onDocuments;
  }

  async run(at: EpochMs): Promise<void> {
    await this.#rewriteDocuments();
    await this.#correctCounts();
    await this.#dropUnknownStates();
    await this.#refreshStates(at);
    await this.#dropSegments();
  }

  /** A job writes them again. */
  async #dropSegments(): Promise<void> {
    if (this.#faults.damagedSegments.length === 0) return;
    const { id } = this.#faults.user;
    await throttled(() => this.#deps.writeOf(id, (handle) => dropSegments(new UserDatabase(handle, id))));
  }

  #write(body: (writer: IndexWriter) => Promise<void>): Promise<void> {
    const { indexer, spaces, steps, writeOf } = this.#deps;
    const { id } = this.#faults.user;
    return throttled(() =>
      writeOf(id, async (handle, keywords) => {
        const db = new UserDatabase(handle, id);
        await nextEpoch(db);
        await body({ db, keywords, indexer, vectors: new VectorWriter(db, { spaces, steps }) });
      }),
    );
  }

  async #rewriteDocuments(): Promise<void> {
    for (const chunk of chunksOf(documentsOf(this.#faults), documentsAtOnce)) {
      await this.#write((writer) => rewriteDocuments(writer, chunk));
      this.#onDocuments(chunk.length);
    }
  }

  /** Corrections are added, not set: writes since the check have changed the counts as well. */
  async #correctCounts(): Promise<void> {
    const { counters, memoryCounts } = this.#faults;
    if (counters.documents !== 0 || counters.terms !== 0)
      await this.#write(({ db }) => raiseCounters(db, counters));
    for (const chunk of chunksOf(memoryCounts, documentsAtOnce)) {
      await this.#write(async ({ db }) => {
        for (const { id, by } of chunk) {
          await db.tables
            .updateTable('conversations')
            .set({ memory_count: sql<number>`memory_count + ${by}` })
            .where('id', '=', id)
            .execute();
        }
      });
    }
  }

  /** Replaces unknown states by `current`, also in closed versions: their states have no other source. */
  async #dropUnknownStates(): Promise<void> {
    if (this.#faults.unfitRows === 0) return;
    await this.#write(async ({ db }) => {
      await db.tables
        .updateTable('memory_versions')
        .set({ effective_state: 'current' })
        .where('effective_state', 'not in', effectiveStates)
        .execute();
    });
  }

  /** By the rule that serves edges, so a wrong state becomes a closed version, as if the edge came now. */
  async #refreshStates(at: EpochMs): Promise<void> {
    const { indexer, stores } = this.#deps;
    const own = stores.forUser(this.#faults.user);
    for (const chunk of chunksOf(this.#faults.wrongStates, documentsAtOnce))
      await throttled(() => own.transaction((tx) => refreshStates({ tx, at, indexer }, chunk)));
  }
}
