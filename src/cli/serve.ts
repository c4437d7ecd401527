import type { Config } from '../config/settings.ts';
import { createServices, openStorage } from '../container.ts';
import { HOUR_MS } from '../domain/shared/time.ts';
import { TrashExpiry } from '../domain/trash/trash-expiry.ts';
import { UserService } from '../domain/users/user-service.ts';
import { buildApp } from '../http/app.ts';
import { toLoggedFailure } from '../http/log-options.ts';
import { idempotencyLifetimeMs } from '../http/plugins/idempotency-keys.ts';
import type { RouteApp } from '../http/route-plugin.ts';
import type { AppServices } from '../http/services.ts';
import { type FailureReporter, rootOf } from '../lib/failure-log.ts';
import type { StorageEngine } from '../storage/engine.ts';
import { firstKeyPath } from './first-key.ts';
import { firstStart } from './first-start.ts';
import { watchFaults } from './process-faults.ts';

interface Running {
  readonly app: RouteApp;
  readonly services: AppServices;
  readonly storage: StorageEngine;
  readonly expiry: TrashExpiry;
}

/** Starts the service and returns when it listens; signals end it. */
export async function serve(config: Config, print: (line: string) => void): Promise<void> {
  const storage = await openStorage(config, { exclusive: true, onWaiting: print });
  watchProcess(storage);
  const services = createServices(config, storage);
  const expiry = new TrashExpiry(services.trash, storage.failures);
  try {
    await firstStart({
      users: new UserService(storage.users, services.clock),
      keys: services.keys,
      apiKey: config.apiKey,
      keyPath: firstKeyPath(config),
      print,
    });
    const app = await buildApp(services, config);
    housekeep(services, storage.failures);
    resume(services, storage.failures);
    storage.upkeep.start();
    expiry.start();
    if (storage.name === 'postgres' && storage.vectorIndex === 'codes')
      app.log.warn(
        'pgvector 0.8 or later is not there: vectors are compared by each process, which holds them',
      );
    stopOnSignals({ app, services, storage, expiry }, config);
    print(`memoryd listens on ${await app.listen({ host: config.host, port: config.port })}`);
  } catch (error) {
    await expiry.stop();
    await services.keys.close();
    await storage.close();
    throw error;
  }
}

/** Exits 1 on a fault after which nobody knows what state the process is in; its log is written when it exits. */
function watchProcess({ failures }: StorageEngine): void {
  watchFaults(process, {
    failures,
    end: (error) => {
      // The log may not be there yet, and is no place that is sure to be written now.
      process.stderr.write(`memoryd: fault: ${JSON.stringify(toLoggedFailure(error))}\n`);
      process.exit(1);
    },
  });
}

/** Forgets, every hour, stored answers that nobody may ask for any more. */
function housekeep({ idempotency, clock }: AppServices, failures: FailureReporter): void {
  const failed = (error: unknown) => failures.failed('idempotency_prune', error);
  const prune = () => void idempotency.prune(clock.now() - idempotencyLifetimeMs).catch(failed);
  setInterval(prune, HOUR_MS).unref();
}

/** Carries through, beside the requests, the merges of topics that the last stop interrupted. */
function resume({ users, topicMerges }: AppServices, failures: FailureReporter): void {
  const resumed = users.list().then((all) => topicMerges.resume(all));
  void resumed.catch((error: unknown) => failures.failed('topic_merge', error));
}

/** On the first signal: no new requests, those in flight finish, the store closes, exit 0. A second one ends at once. */
function stopOnSignals(running: Running, config: Config): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    running.app.log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), config.shutdownTimeoutMs).unref();
    close(running).then(
      () => process.exit(0),
      (error: unknown) => {
        running.app.log.error({ failure: toLoggedFailure(rootOf(error)) }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
}

async function close({ app, services, storage, expiry }: Running): Promise<void> {
  await app.close();
  await expiry.stop();
  await services.keys.close();
  await storage.close();
}
