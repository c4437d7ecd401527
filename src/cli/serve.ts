import type { Config } from '../config/settings.ts';
import { createServices, openStorage } from '../container.ts';
import { HOUR_MS } from '../domain/shared/time.ts';
import { TrashExpiry } from '../domain/trash/trash-expiry.ts';
import { UserService } from '../domain/users/user-service.ts';
import { buildApp } from '../http/app.ts';
import { idempotencyLifetimeMs } from '../http/keyed-act.ts';
import { toLoggedFailure } from '../http/log-options.ts';
import type { RouteApp } from '../http/route-plugin.ts';
import type { AppServices } from '../http/services.ts';
import { type FailureReporter, rootOf } from '../lib/failure-log.ts';
import type { StorageEngine } from '../storage/engine.ts';
import { firstKeyPath } from './first-key.ts';
import { firstStart } from './first-start.ts';
import { assertPortFree, toListenFailure } from './listen-failure.ts';
import { watchFaults } from './process-faults.ts';

const keyIgnored =
  'MEMORYD_API_KEY is ignored: it names the first key of an empty store, and is no key of this one, whose keys work as before. `memoryd keys create` makes a key, `memoryd keys revoke` ends one';

interface Running {
  readonly app: RouteApp;
  readonly services: AppServices;
  readonly storage: StorageEngine;
  readonly expiry: TrashExpiry;
}

/** Starts the service and returns when it listens; signals end it. */
export async function serve(config: Config, print: (line: string) => void): Promise<void> {
  // Before a store is made that nobody could be served from.
  await assertPortFree(config);
  const storage = await openStorage(config, { exclusive: true, onWaiting: print });
  watchProcess(storage);
  const services = createServices(config, storage);
  const expiry = new TrashExpiry(services.trash, storage.failures);
  try {
    const isKeyKnown = await firstStart({
      users: new UserService(storage.users, services.clock),
      keys: services.keys,
      apiKey: config.apiKey,
      keyPath: firstKeyPath(config),
      isTerminal: process.stdout.isTTY,
      print,
    });
    const app = await buildApp(services, config);
    if (!isKeyKnown) app.log.warn(keyIgnored);
    housekeep(services, storage);
    resume(services, storage.failures);
    storage.upkeep.start();
    expiry.start();
    if (storage.name === 'postgres' && storage.vectorIndex === 'codes')
      app.log.warn(
        'pgvector 0.8 or later is not there: vectors are compared by each process, which holds them',
      );
    stopOnSignals({ app, services, storage, expiry }, config);
    print(`memoryd listens on ${await listen(app, config)}`);
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

/** Another process may have taken the port since we looked. */
function listen(app: RouteApp, { host, port }: Config): Promise<string> {
  return app.listen({ host, port }).catch((error: unknown) => {
    throw toListenFailure(error, { host, port });
  });
}

/** Forgets, every hour, stored answers that nobody may ask for any more, and erases, now too, what failed imports left. */
function housekeep({ idempotency, clock }: AppServices, { transfer, failures }: StorageEngine): void {
  const eraseLeft = () =>
    void transfer
      .eraseLeft(clock.now())
      .catch((error: unknown) => failures.failed('import_leftovers', error));
  const prune = () =>
    void idempotency
      .prune(clock.now() - idempotencyLifetimeMs)
      .catch((error: unknown) => failures.failed('idempotency_prune', error));
  setInterval(prune, HOUR_MS).unref();
  setInterval(eraseLeft, HOUR_MS).unref();
  eraseLeft();
}

/** Carries through, beside the requests, the merges of topics and moves of conversations that the last stop interrupted. */
function resume({ users, topicMerges, trash }: AppServices, failures: FailureReporter): void {
  const settled = users.list();
  const merged = settled.then((all) => topicMerges.resume(all));
  void merged.catch((error: unknown) => failures.failed('topic_merge', error));
  const failed = (error: unknown) => failures.failed('conversation_move', error);
  const moved = settled.then(async (all) => {
    for (const user of all) await trash.finishMoves(user).catch(failed);
  });
  void moved.catch(failed);
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
