import type { Stores } from '../../../domain/shared/stores.ts';
import type { TextIndexer } from '../../../domain/shared/text-indexer.ts';
import type { SqlDriver, SqlEngineDeps } from '../sql-driver.ts';

/** Dependencies of the upkeep of an index. */
export interface UpkeepDeps extends SqlDriver, SqlEngineDeps {
  readonly stores: Stores;
  /** For texts that are read from the store itself. */
  readonly indexer: TextIndexer;
}
