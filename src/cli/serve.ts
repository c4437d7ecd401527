import { createServer } from 'node:net';
import { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/settings.ts';
import { createServices, openStorage, type Services } from '../container.ts';
import { missingEncoderNote } from '../domain/embedding/embedder.ts';
import { buildApp } from '../http/app.ts';
import { toLoggedFailure } from '../http/log.ts';
import type { RouteApp } from '../http/route-plugin.ts';
import { withinDeadline } from '../lib/async.ts';
import { rootOf } from '../lib/failure-log.ts';
import type { StorageEngine } from '../storage/engine.ts';
import { firstKeyPath, ownUrl } from './client/service.ts';
import { firstStart } from './first-start.ts';
import { print } from './output/print.ts';
import { watchFaults } from './process-faults.ts';

/** `memoryd serve` */
export function serveCommand(): Command {
  return new Command('serve')
    .option(
      '--read-only',
      'answer reads alone, from a replica of PostgreSQL too: nothing is written, derived or sent',
    )
    .action(({ readOnly }: ServeOptions) => serve(loadConfig(), { readOnly }));
}

interface ServeOptions {
  readonly readOnly?: boolean;
}

const keyIgnored =
  'MEMORYD_API_KEY is ignored: it names the first key of an empty store, and is no key of this one, whose keys work as before. `memoryd keys create` makes a key, `memoryd keys revoke` ends one';

/** Below this number of memories, reading the index takes less time than the rest of a request. */
const memoriesWaitedFor = 10_000;

interface Running {
  readonly app: RouteApp;
  readonly services: Services;
  readonly storage: StorageEngine;
}

/** Starts the service and returns when it listens; signals end it. */
export async function serve(config: Config, { readOnly }: ServeOptions = {}): Promise<void> {
  // Checked first: no store is created that could not be served.
  await assertPortFree(config);
  const storage = await openStorage(config, { exclusive: true, readOnly, say: print });
  watchProcess(storage);
  const services = createServices(config, storage);
  try {
    const isKeyKnown = readOnly || (await begin(config, services));
    const app = await buildApp(services, config);
    if (!isKeyKnown) app.log.warn(keyIgnored);
    if (!readOnly) services.jobs.start();
    const running = { app, services, storage };
    const signals = stopOnSignals(running, config);
    await warmUp(running, config);
    if (signals.isStopping) return;
    print(`memoryd listens on ${await listen(app, config)}${readOnly ? ' and only reads' : ''}`);
    const note = missingEncoderNote(services.system.encoder);
    if (note !== undefined) print(note);
  } catch (error) {
    await services.close();
    await storage.close();
    throw error;
  }
}

/** See `firstStart`. */
function begin(config: Config, { users, keys }: Services): Promise<boolean> {
  return firstStart({
    users,
    keys,
    apiKey: config.apiKey,
    keyPath: firstKeyPath(config),
    isTerminal: process.stdout.isTTY,
    print,
    explorerUrl: config.ui ? ownUrl(config) : undefined,
  });
}

/** Exits 1 on a fault that leaves an unknown state; the log is written at the exit. */
function watchProcess({ failures }: StorageEngine): void {
  watchFaults(process, {
    failures,
    end: (error) => {
      // The log may not exist yet, and may not be written any more.
      process.stderr.write(`memoryd: fault: ${JSON.stringify(toLoggedFailure(error))}\n`);
      process.exit(1);
    },
  });
}

/** Begins to warm up, and waits for its end if the first search would take as long. */
async function warmUp({ app, services, storage }: Running, { warmUpTimeoutMs }: Config): Promise<void> {
  if (warmUpTimeoutMs === 0) return;
  const warmed = services.warmUp.start(async (user, query) => {
    const { searchAsAgent } = await import('../http/routes/mcp/exchange.ts');
    await searchAsAgent(services, user, query);
  });
  const ended = warmed.then((warmedUp) => app.log.info({ warmedUp }, 'warmed up'));
  const { memories } = await storage.users.totals();
  if (memories < memoriesWaitedFor) return;
  const { state } = await withinDeadline(ended, warmUpTimeoutMs);
  if (state === 'late') app.log.info({ warmUpTimeoutMs }, 'warming up goes on while requests are served');
}

/** Another process may have taken the port since we looked. */
function listen(app: RouteApp, { host, port }: Config): Promise<string> {
  return app.listen({ host, port }).catch((error: unknown) => {
    throw toListenFailure(error, { host, port });
  });
}

/**
 * The first signal refuses new requests, finishes running ones,
 * closes the store and exits with 0; the second exits at once.
 */
function stopOnSignals(running: Running, config: Config): { readonly isStopping: boolean } {
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
  return {
    get isStopping() {
      return stopping;
    },
  };
}

async function close({ app, services, storage }: Running): Promise<void> {
  await app.close();
  await services.close();
  await storage.close();
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** A message for the operator if the service cannot listen, with a remedy; other failures unchanged. */
export function toListenFailure(error: unknown, { host, port }: Address): unknown {
  const shown: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} of ${host} is taken. Set MEMORYD_PORT to another, or stop what listens there.`,
    EACCES: `Port ${port} may not be opened by this user. Set MEMORYD_PORT to one above 1023.`,
    EADDRNOTAVAIL: `${host} is no address of this machine. Set MEMORYD_HOST to one that is, or to 0.0.0.0 for all.`,
    ENOTFOUND: `${host} is no address of this machine. Set MEMORYD_HOST to one that is, or to 0.0.0.0 for all.`,
  };
  const sentence = shown[(error as NodeJS.ErrnoException).code ?? ''];
  return sentence === undefined ? error : new Error(sentence, { cause: error });
}

/** Listens briefly. @throws if the service could not listen */
export function assertPortFree(address: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => reject(toListenFailure(error, address)));
    probe.listen(address.port, address.host, () => probe.close(() => resolve()));
  });
}
