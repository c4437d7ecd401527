import { loadConfig } from '../config/load.ts';
import { openStorage } from '../container.ts';
import { KeyService } from '../domain/api-keys/key-service.ts';
import type { EmbeddingProgress } from '../domain/embedding/embedding-progress.ts';
import { UserService } from '../domain/users/user-service.ts';
import { systemClock } from '../lib/clock.ts';
import type { Upkeep } from '../storage/upkeep.ts';

export interface Management {
  readonly users: UserService;
  readonly keys: KeyService;
  readonly upkeep: Upkeep;
  readonly embedding: EmbeddingProgress;
}

/** Runs a command on the store, beside a service that may be running on it. */
export async function withStorage<T>(command: (management: Management) => Promise<T>): Promise<T> {
  const storage = await openStorage(loadConfig(), { exclusive: false });
  const keys = new KeyService(storage.keys, systemClock);
  try {
    const users = new UserService(storage.users, systemClock);
    return await command({ users, keys, upkeep: storage.upkeep, embedding: storage.embedding });
  } finally {
    await keys.close();
    await storage.close();
  }
}
