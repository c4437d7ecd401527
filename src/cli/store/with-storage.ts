import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/settings.ts';
import { KeyService } from '../../domain/api-keys/key-service.ts';
import type { EmbeddingProgress, SpacesToEmbed } from '../../domain/embedding/embed-step.ts';
import type { LocalEncoder } from '../../domain/embedding/embedder.ts';
import type { WorkStore } from '../../domain/jobs/work-store.ts';
import { OAuthGrants } from '../../domain/oauth/oauth-grants.ts';
import type { EngineMaintenance } from '../../domain/system/engine-maintenance.ts';
import { UserService } from '../../domain/users/user-service.ts';
import { systemClock } from '../../lib/clock.ts';
import { type FailureReporter, rootCodeOf } from '../../lib/failure-log.ts';
import { configuredEncoder, openStorage, type StorageOptions } from '../../open-storage.ts';
import type { StorageEngine } from '../../storage/engine.ts';
import type { Transfer } from '../../storage/transfer.ts';
import type { Upkeep } from '../../storage/upkeep.ts';

interface Management {
  readonly users: UserService;
  readonly keys: KeyService;
  readonly grants: OAuthGrants;
  readonly upkeep: Upkeep;
  readonly embedding: EmbeddingProgress;
  readonly transfer: Transfer;
  readonly maintenance: EngineMaintenance;
  readonly work: WorkStore;
  readonly vectorSpaces: SpacesToEmbed;
  readonly failures: FailureReporter;
  /** The encoder in the process; absent if none is configured. */
  readonly encoder?: LocalEncoder;
}

/** Runs a command on the store; a service may be running on it. */
export function withStorage<T>(command: (management: Management) => Promise<T>): Promise<T> {
  return withStorageAs({ exclusive: false }, command);
}

/** Runs a command on the store while no service uses it. @throws if one does */
export function withStorageAlone<T>(command: (management: Management) => Promise<T>): Promise<T> {
  return withStorageAs({ exclusive: true, alone: true }, command);
}

/** Opens the store; failures of its background work are printed to standard error. The caller closes it. */
export async function openAndWatch(config: Config, options: StorageOptions): Promise<StorageEngine> {
  const storage = await openStorage(config, options);
  storage.failures.watch(({ task, error }) => {
    process.stderr.write(`memoryd: ${task} failed (${rootCodeOf(error)})\n`);
  });
  return storage;
}

async function withStorageAs<T>(
  options: StorageOptions,
  command: (management: Management) => Promise<T>,
): Promise<T> {
  const config = loadConfig();
  const storage = await openAndWatch(config, options);
  const keys = new KeyService({ keys: storage.keys, stores: storage, clock: systemClock });
  try {
    const grants = new OAuthGrants({ store: storage.oauth, clock: systemClock });
    const users = new UserService(storage.users, systemClock);
    return await command({ ...storage, users, keys, grants, encoder: configuredEncoder(config) });
  } finally {
    await keys.flush();
    await storage.close();
  }
}
