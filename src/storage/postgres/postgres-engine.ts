import type { StepKey } from '../../domain/jobs/step-key.ts';
import type { DocumentIndexer } from '../../domain/shared/text-indexer.ts';
import { FailureLog } from '../../lib/failure-log.ts';
import type { Encoders } from '../../search-index/ports.ts';
import type { StorageEngine } from '../engine.ts';
import { createSqlEngine } from '../sql/sql-engine.ts';
import { SpaceRegistry } from '../sql/vectors/space-registry.ts';
import { postgresDriver } from './driver.ts';
import { openStore, type PostgresOptions } from './open-store.ts';

interface PostgresEngineOptions extends PostgresOptions {
  readonly indexer: DocumentIndexer;
  /** Absent if no segments are written. */
  readonly isDamagedSegment?: (data: Buffer) => boolean;
  /** Absent if no vectors are made. */
  readonly encoders?: Encoders;
  /** Absent if there are none. */
  readonly steps?: readonly StepKey[];
  readonly failures?: FailureLog;
}

/** Opens the PostgreSQL store; any number of processes may work on it at once. */
export async function openPostgresEngine(options: PostgresEngineOptions): Promise<StorageEngine> {
  const {
    indexer,
    isDamagedSegment = () => false,
    encoders,
    steps = [],
    failures = new FailureLog(),
  } = options;
  const spaces = new SpaceRegistry(encoders);
  const store = await openStore(options, { spaces, failures });
  return createSqlEngine(postgresDriver(store, options, { spaces, failures }), {
    indexer,
    isDamagedSegment,
    spaces,
    steps,
    failures,
  });
}
