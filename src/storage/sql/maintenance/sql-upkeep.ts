import type { EpochMs } from '../../../domain/shared/time.ts';
import type { RebuildStatus } from '../../../domain/system/store-probe.ts';
import type { CheckReport, OnProgress, Upkeep } from '../../upkeep.ts';
import { AnalyzerRebuild } from '../upkeep/analyzer-rebuild.ts';
import type { VectorUpkeep } from '../vectors/vector-upkeep.ts';
import { checkStore } from './check-store.ts';
import { repairStore } from './repair-store.ts';
import type { UpkeepDeps } from './upkeep-deps.ts';

/** Upkeep of the index, the same on both engines but for what each keeps in order itself. */
export class SqlUpkeep implements Upkeep {
  readonly #deps: UpkeepDeps;
  readonly #rebuild: AnalyzerRebuild;
  readonly #vectors: VectorUpkeep;

  constructor(deps: UpkeepDeps, vectors: VectorUpkeep) {
    this.#deps = deps;
    this.#rebuild = new AnalyzerRebuild(deps);
    this.#vectors = vectors;
  }

  check(onProgress: OnProgress): Promise<CheckReport> {
    const { indexer } = this.#deps;
    return this.#deps.snapshot((snapshot) => checkStore({ snapshot, indexer, onProgress }));
  }

  repair(report: CheckReport, options: { at: EpochMs; onProgress: OnProgress }): Promise<void> {
    return repairStore(this.#deps, report, options);
  }

  rebuildStatus(): Promise<RebuildStatus> {
    return this.#rebuild.status();
  }

  rebuildVectors(onProgress: OnProgress): Promise<void> {
    return this.#vectors.rebuild(onProgress);
  }

  start(): void {
    this.#rebuild.start();
    this.#vectors.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#rebuild.stop(), this.#vectors.stop()]);
  }
}
