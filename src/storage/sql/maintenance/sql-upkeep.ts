import type { EpochMs } from '../../../domain/shared/time.ts';
import type { RebuildStatus } from '../../../domain/system/store-probe.ts';
import type { CheckReport, OnProgress, Upkeep } from '../../upkeep.ts';
import type { AnalyzerRebuild } from '../upkeep/analyzer-rebuild.ts';
import { setTargetSpaces } from '../vectors/change-spaces.ts';
import { checkStore } from './check-store.ts';
import { repairStore } from './repair-store.ts';
import type { UpkeepDeps } from './upkeep-deps.ts';

/** Upkeep of the index, the same on both engines but for what each keeps in order itself. */
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
