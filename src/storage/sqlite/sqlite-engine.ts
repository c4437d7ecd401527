import type { StepKey } from '../../domain/jobs/step-key.ts';
import type { DocumentIndexer } from '../../domain/shared/text-indexer.ts';
import { FailureLog } from '../../lib/failure-log.ts';
import type { Encoders } from '../../search-index/ports.ts';
import type { StorageEngine } from '../engine.ts';
import { createSqlEngine } from '../sql/sql-engine.ts';
import { SpaceRegistry } from '../sql/vectors/space-registry.ts';
import { sqliteDriver } from './driver.ts';
import { realStorePath } from './file/store-path.ts';
import { openStore, type SqliteOptions } from './open-store.ts';

interface SqliteEngineOptions extends SqliteOptions {
  readonly indexer: DocumentIndexer;
  /** Absent if no segments are written. */
  readonly isDamagedSegment?: (data: Buffer) => boolean;
  /** Absent if no vectors are made. */
  readonly encoders?: Encoders;
  /** Absent if there are none. */
  readonly steps?: readonly StepKey[];
  readonly failures?: FailureLog;
}

/**
 * Opens the SQLite store.
 * @throws StoreRefusedError, StoreVersionError
 */
export async function openSqliteEngine(options: SqliteEngineOptions): Promise<StorageEngine> {
  const {
    indexer,
    isDamagedSegment = () => false,
    encoders,
    steps = [],
    failures = new FailureLog(),
  } = options;
  const spaces = new SpaceRegistry(encoders);
  const own = { ...options, path: realStorePath(options.path) };
  const store = await openStore(own, { spaces, failures });
  return createSqlEngine(sqliteDriver(store, own), { indexer, isDamagedSegment, spaces, steps, failures });
}
