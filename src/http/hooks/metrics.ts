import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { SpaceStatus } from '../../domain/embedding/embed-step.ts';
import type { StepStatus, WorkStore } from '../../domain/jobs/work-store.ts';
import type { SystemService } from '../../domain/system/system-service.ts';
import type { LineOutput } from '../../lib/buffered-output.ts';
import { type SearchMethod, searchMethods } from '../../search/request.ts';
import { globalPlugin } from '../global-plugin.ts';

declare module 'fastify' {
  interface FastifyInstance {
    metricsRegistry: Registry;
    /** Records the duration of a search by its method; there are few methods, so the labels are bounded. */
    searchTook(method: SearchMethod, ms: number): void;
  }
}

/** The value of an unreadable gauge: `memoryd_store_up` shows the cause, and the failure is counted there. */
const unknownValue = () => Number.NaN;

const latencyBucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

function storeGauges(registry: Registry, system: SystemService): void {
  const gauge = (name: string, help: string, value: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await value());
      },
    });
  const { probe } = system;
  gauge('memoryd_store_bytes', 'Bytes that the store takes on disk.', () =>
    probe.sizeBytes().catch(unknownValue),
  );
  gauge('memoryd_store_up', '1 when the store responds.', async () =>
    (await system.checkStore()).status === 'up' ? 1 : 0,
  );
  gauge('memoryd_read_only', '1 when the service refuses writes (`--read-only`).', () =>
    probe.isReadOnly ? 1 : 0,
  );
  gauge(
    'memoryd_replay_lag_seconds',
    'Seconds by which the replica is behind its primary; 0 where it is none.',
    async () => (await probe.replayLag().catch(unknownValue)) ?? unknownValue(),
  );
  gauge('memoryd_writes_waiting', 'Writes waiting to be committed.', () => probe.queueDepth());
  gauge(
    'memoryd_index_rebuild_remaining',
    'Records that are still to be indexed again for a newer analyser.',
    () => probe.rebuildStatus().then(({ done, total }) => Math.max(0, total - done), unknownValue),
  );
  gauge(
    'memoryd_index_cache_bytes',
    'Bytes of search indexes in the memory of the process.',
    () => system.indexes.bytes,
  );
  recordsGauge(registry, system);
}

function recordsGauge(registry: Registry, { probe }: SystemService): void {
  new Gauge({
    name: 'memoryd_records',
    help: 'Users, and their memories that are not in the trash.',
    labelNames: ['kind'],
    registers: [registry],
    async collect() {
      // Unknown, like all gauges of an unreachable store.
      const { users, memories } = await probe
        .totals()
        .catch(() => ({ users: unknownValue(), memories: unknownValue() }));
      this.set({ kind: 'users' }, users);
      this.set({ kind: 'memories' }, memories);
    },
  });
}

const spaceStates = ['building', 'serving', 'dropping'] as const;

function embeddingGauges(registry: Registry, { embedding }: SystemService): void {
  const registers = [registry];
  const ofSpaces = (name: string, help: string, countOf: (space: SpaceStatus) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['state'],
      registers,
      async collect() {
        // Unknown, like all gauges of an unreachable store.
        const spaces = await embedding.spaces().catch(() => undefined);
        for (const state of spaceStates) {
          const sum = spaces?.reduce((all, space) => all + (space.state === state ? countOf(space) : 0), 0);
          this.set({ state }, sum ?? Number.NaN);
        }
      },
    });
  ofSpaces('memoryd_embeddings_waiting', 'Versions that wait for the model.', ({ waiting }) => waiting);
  ofSpaces('memoryd_embeddings_failed', 'Versions given up after three tries.', ({ failed }) => failed);
  ofSpaces(
    'memoryd_vector_space_remaining',
    'Versions still to look at while a vector space is built, completed or emptied.',
    ({ done, total }) => Math.max(0, total - done),
  );
  new Counter({
    name: 'memoryd_embeddings_done_total',
    help: 'Versions embedded in the background by this process.',
    registers,
    collect() {
      this.reset();
      this.inc(embedding.embedded);
    },
  });
}

function logCounter(registry: Registry, log: Pick<LineOutput, 'dropped'>): void {
  new Counter({
    name: 'memoryd_log_lines_dropped_total',
    help: 'Log lines that could not be written: the disk is full, or nobody reads them.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(log.dropped);
    },
  });
}

function searchTimer(registry: Registry): (method: SearchMethod, ms: number) => void {
  const seconds = new Histogram({
    name: 'memoryd_search_seconds',
    help: 'Time that GET and POST /api/memories/search took to find, by the method used.',
    labelNames: ['method'],
    buckets: latencyBucketsSeconds,
    registers: [registry],
  });
  const timers = new Map(searchMethods.map((method) => [method, seconds.labels(method)]));
  return (method, ms) => timers.get(method)?.observe(ms / 1000);
}

/**
 * A value for each method of each route: a look-up by labels,
 * or by one string of both, cost more than the counting.
 */
class ByRoute<T> {
  readonly #make: (method: string, route: string) => T;
  readonly #byRoute = new Map<string, Map<string, T>>();
  /** In order of first use. */
  readonly all: T[] = [];

  constructor(make: (method: string, route: string) => T) {
    this.#make = make;
  }

  get(method: string, route: string): T {
    return this.#byRoute.get(route)?.get(method) ?? this.#add(method, route);
  }

  #add(method: string, route: string): T {
    const byMethod = this.#byRoute.get(route) ?? new Map<string, T>();
    this.#byRoute.set(route, byMethod);
    const made = this.#make(method, route);
    byMethod.set(method, made);
    this.all.push(made);
    return made;
  }
}

/** Counts and times requests by route pattern, never by URL: a URL may contain search text. */
export const metrics = globalPlugin<{ system: SystemService; log: Pick<LineOutput, 'dropped'> }>(
  'metrics',
  async (app: FastifyInstance, { system, log }) => {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry, prefix: 'memoryd_' });
    storeGauges(registry, system);
    embeddingGauges(registry, system);
    jobMetrics(registry, system.work);
    webhookGauges(registry, system);
    logCounter(registry, log);
    const seconds = new Histogram({
      name: 'memoryd_http_request_seconds',
      help: 'Time from request to response.',
      labelNames: ['method', 'route'],
      buckets: latencyBucketsSeconds,
      registers: [registry],
    });
    app.decorate('metricsRegistry', registry);
    app.decorate('searchTook', searchTimer(registry));
    const ofRoutes = new ByRoute((method, route) => ({
      method,
      route,
      timer: seconds.labels(method, route),
      /**
       * Counts by status; copied to the registry on a scrape:
       * the registry would look up each label at every request.
       */
      counts: new Map<number, number>(),
    }));
    new Counter({
      name: 'memoryd_http_requests_total',
      help: 'Requests that got a response.',
      labelNames: ['method', 'route', 'status'],
      registers: [registry],
      collect() {
        this.reset();
        for (const { method, route, counts } of ofRoutes.all)
          for (const [status, count] of counts) this.inc({ method, route, status: String(status) }, count);
      },
    });
    app.addHook('onResponse', (request, reply, done) => {
      const { method } = request;
      const { statusCode: status } = reply;
      const route = request.routeOptions.url ?? 'unknown';
      const { timer, counts } = ofRoutes.get(method, route);
      counts.set(status, (counts.get(status) ?? 0) + 1);
      timer.observe(reply.elapsedTime / 1000);
      done();
    });
  },
);

/** Messages of webhooks that did not arrive, and for how long the oldest has waited. */
function webhookGauges(registry: Registry, system: SystemService): void {
  const registers = [registry];
  // Unknown, like all gauges of an unreachable store.
  const read = () => system.probe.webhookBacklog().catch(() => undefined);
  new Gauge({
    name: 'memoryd_webhook_messages',
    help: 'Messages of webhooks that wait to be sent, or were given up.',
    labelNames: ['state'],
    registers,
    async collect() {
      const backlog = await read();
      this.set({ state: 'waiting' }, backlog?.waiting ?? Number.NaN);
      this.set({ state: 'dead' }, backlog?.dead ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'memoryd_webhook_waiting_seconds',
    help: 'Age of the oldest message of a webhook that waits; 0 if none does.',
    registers,
    async collect() {
      const backlog = await read();
      const oldest = backlog && (backlog.oldestAt ?? system.now());
      this.set(oldest === undefined ? Number.NaN : Math.max(0, system.now() - oldest) / 1000);
    },
  });
}

/** Counts of waiting, parked and finished jobs by step. */
function jobMetrics(registry: Registry, work: WorkStore): void {
  const registers = [registry];
  const ofSteps = (name: string, help: string, countOf: (status: StepStatus) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['step'],
      registers,
      async collect() {
        this.reset();
        // No counts if the store is unreachable; `memoryd_store_up` is then 0.
        const steps = await work.status().catch(() => []);
        for (const status of steps) this.set({ step: status.step }, countOf(status));
      },
    });
  ofSteps(
    'memoryd_jobs_waiting',
    'Versions of memories for which a step is to be done.',
    ({ waiting }) => waiting,
  );
  ofSteps(
    'memoryd_jobs_parked',
    'Those given up after three tries, until they are released.',
    ({ parked }) => parked,
  );
  new Counter({
    name: 'memoryd_jobs_total',
    help: 'Versions for which this process did or tried a step, by how it ended.',
    labelNames: ['step', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const { step, outcome, items } of work.outcomes) this.inc({ step, outcome }, items);
    },
  });
}
