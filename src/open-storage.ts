import { sqlitePathOf } from './config/data-folder.ts';
import { maskDatabaseUrl } from './config/load.ts';
import type { Config } from './config/settings.ts';
import {
  type Embedder,
  type LocalEncoder,
  spaceName,
  type VectorSpace,
} from './domain/embedding/embedder.ts';
import type { StepKey } from './domain/jobs/step-key.ts';
import { calibrate } from './embedding/calibrate.ts';
import { bundledModel, type EmbeddingModels, loadBundled, loadModels } from './embedding/load-models.ts';
import { stepKeysOf } from './jobs/steps.ts';
import { createDocumentIndexer } from './search-index/document-indexer.ts';
import type { DocumentEncoder, Encoders } from './search-index/ports.ts';
import { isDamagedSegment } from './search-index/segments/segment-file.ts';
import { createDocumentEncoder } from './search-index/vectors/document-encoder.ts';
import type { StorageEngine } from './storage/engine.ts';

export { backupSqlite, isSqliteFile, restoreSqlite } from './storage/sqlite/file/backup.ts';

/** A service and its database are often started together. */
const serverWaitMs = 30_000;

/** The embedder, as configured unless a test brings its own. */
export interface ModelOptions {
  readonly models?: EmbeddingModels;
}

/** Steps that memories go through, as `jobs/steps.ts` names them unless a test brings its own. */
interface StepOptions extends ModelOptions {
  readonly steps?: readonly StepKey[];
}

export interface StorageOptions extends StepOptions {
  /**
   * Called with a line for the operator: that a database server is awaited, up to 30 s (absent: one that
   * does not respond is a failure at once), or that the store is newer than this program.
   */
  readonly say?: (line: string) => void;
  /** True for the process that serves, false for commands that work while it runs. */
  readonly exclusive: boolean;
  /** True for a process that serves reads alone; on PostgreSQL, a replica too. */
  readonly readOnly?: boolean;
  /** True for a command that replaces the store: no process may serve it at the same time. */
  readonly alone?: boolean;
  /** Makes the store, in a database of PostgreSQL that is empty, with as many parts of each table of users: 2 to 256. */
  readonly partitions?: number;
}

/** The encoder in the process, if one is configured, for the store that it opens. */
export function configuredEncoder(config: Config): LocalEncoder | undefined {
  return loadModels(config)?.encoder;
}

/** Opens the store that the configuration names: the one place that knows the engines. */
export async function openStorage(
  config: Config,
  {
    exclusive,
    readOnly,
    alone,
    partitions,
    say,
    models = loadModels(config),
    steps = stepKeysOf(config),
  }: StorageOptions,
): Promise<StorageEngine> {
  const path = sqlitePathOf(config);
  const writing = {
    indexer: createDocumentIndexer(),
    isDamagedSegment,
    encoders: encodersFor(models),
    steps,
  };
  // The engine that is not used is not loaded.
  if (path !== undefined) {
    if (partitions !== undefined)
      throw new Error('Only a database of PostgreSQL is split: name an empty one in MEMORYD_DATABASE_URL.');
    if (readOnly)
      throw new Error(
        '--read-only serves a PostgreSQL database: an SQLite file belongs to one service, which writes.',
      );
    const { openSqliteEngine } = await import('./storage/sqlite/sqlite-engine.ts');
    return openSqliteEngine({ path, exclusive, replacing: alone, onNewer: say, ...writing });
  }
  const { openPostgresEngine } = await import('./storage/postgres/postgres-engine.ts');
  const use = readOnly ? 'read' : alone ? 'alone' : exclusive ? 'serve' : 'beside';
  const { databaseConnections: connections, databaseStatements: statements } = config;
  return openPostgresEngine({
    url: config.databaseUrl,
    connections,
    statements,
    use,
    partitions,
    wait: serverWait(config, say),
    ...writing,
  });
}

/**
 * Distributes the tables of the store that the configuration names over the nodes of Citus, while no process serves it.
 * @param onTable called with each table
 * @returns the number of tables; 0 if all were distributed before
 */
export async function distributeStorage(
  config: Config,
  { say, onTable }: { say: (line: string) => void; onTable: (table: string) => void },
): Promise<number> {
  if (sqlitePathOf(config) !== undefined)
    throw new Error(
      'Only a database of PostgreSQL is distributed: name one that has the extension Citus in MEMORYD_DATABASE_URL.',
    );
  const { distributeStore } = await import('./storage/postgres/citus/distribute.ts');
  return distributeStore({ url: config.databaseUrl, wait: serverWait(config, say) }, onTable);
}

function serverWait(config: Config, say: StorageOptions['say']) {
  return {
    name: `MEMORYD_DATABASE_URL (${maskDatabaseUrl(config.databaseUrl)})`,
    waitMs: say ? serverWaitMs : 0,
    say: say ?? (() => undefined),
  };
}

/** Encoders of this process; the bundled model is always available, since a store may still use it. */
function encodersFor(models: EmbeddingModels | undefined): Encoders {
  const target = models && encoderOf(models.embedder);
  const second = models?.second && encoderOf(models.second);
  let bundled: DocumentEncoder | undefined;
  const former = new WeakMap<Embedder, DocumentEncoder>();
  const formerOf = (space: VectorSpace, source: string | undefined) => {
    const embedder = models?.former?.of({ space, source });
    if (!embedder) return undefined;
    // Not measured any more: it serves only until the switch, and its server may be gone.
    const encoder = former.get(embedder) ?? createDocumentEncoder(embedder);
    former.set(embedder, encoder);
    return encoder;
  };
  return {
    target,
    second,
    of: (space, source) => {
      const name = spaceName(space);
      if (target && spaceName(target.space) === name) return target;
      if (second && spaceName(second.space) === name) return second;
      if (space.model !== bundledModel) return formerOf(space, source);
      bundled ??= createDocumentEncoder(loadBundled().bundled);
      return spaceName(bundled.space) === name ? bundled : formerOf(space, source);
    },
    retain: (spaces) => models?.former?.retain(spaces),
  };
}

function encoderOf(embedder: Embedder): DocumentEncoder {
  const encoder = createDocumentEncoder(embedder);
  if (embedder.relatedCosine !== undefined) return encoder;
  return { ...encoder, measureRelatedCosine: () => calibrate(embedder) };
}
