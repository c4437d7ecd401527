import type { Clock } from '../../lib/clock.ts';
import type { FailureLog } from '../../lib/failure-log.ts';
import { SlowResults } from '../../lib/slow-results.ts';
import type { LlmServer } from '../derivation/llm-server.ts';
import type { EmbeddingProgress } from '../embedding/embed-step.ts';
import type { EmbedderServer, LocalEncoder } from '../embedding/embedder.ts';
import type { WorkStore } from '../jobs/work-store.ts';
import { AppError } from '../shared/errors.ts';
import type { Stores } from '../shared/stores.ts';
import { type EpochMs, toIso } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';
import type { StoreTotals } from '../users/user.ts';
import type { WebhookBacklog } from '../webhooks/webhook.ts';

const pingTimeoutMs = 2000;
/** Maximum users with cached slow counts. */
const countedUsersMax = 1000;

interface CheckResult {
  readonly status: 'up' | 'down';
  /** Milliseconds. */
  readonly responseTime: number;
  /** Reason why it is down, if it may be public. */
  readonly detail?: string;
  /** True if the service refuses writes; absent otherwise. */
  readonly readOnly?: true;
  /** Seconds by which the replica is behind. */
  readonly replayLag?: number;
}

export interface SystemDeps {
  readonly version: string;
  readonly probe: StoreProbe;
  readonly indexes: IndexProbe;
  readonly stores: Stores;
  readonly embedding: EmbeddingProgress;
  readonly work: WorkStore;
  /** The embedding server; undefined if none is configured. */
  readonly embedder?: EmbedderServer;
  /** The encoder in the process; undefined if none is configured. */
  readonly encoder?: LocalEncoder;
  /** The LLM that proposes; undefined if none is configured. */
  readonly llm?: LlmServer;
  readonly clock: Clock;
  readonly failures: FailureLog;
  readonly flags: Readonly<Record<string, boolean | number | string>>;
}

function deadline(ms: number): Promise<never> {
  return new Promise((_, reject) =>
    setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms).unref(),
  );
}

/** Health of the service, totals of its contents, and feature flags. */
export class SystemService {
  readonly #deps: SystemDeps;
  readonly #startedAt: EpochMs;
  /** Counting a user's 100,000 topics took 1.5 s, and clients ask every second how far derivation is. */
  readonly #topicCounts = new SlowResults<number, number>(countedUsersMax);

  constructor(deps: SystemDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock.now();
  }

  get version(): string {
    return this.#deps.version;
  }

  get probe(): StoreProbe {
    return this.#deps.probe;
  }

  get embedding(): EmbeddingProgress {
    return this.#deps.embedding;
  }

  get work(): WorkStore {
    return this.#deps.work;
  }

  get embedder(): EmbedderServer | undefined {
    return this.#deps.embedder;
  }

  get encoder(): LocalEncoder | undefined {
    return this.#deps.encoder;
  }

  get llm(): LlmServer | undefined {
    return this.#deps.llm;
  }

  /**
   * Check of the server or the encoder that embeds; undefined if there is none. A `missing`
   * encoder is down: it was configured, and searches find less with the static model alone.
   */
  checkEmbedder(): CheckResult | undefined {
    const { embedder, encoder } = this.#deps;
    const health = embedder?.health ?? (encoder && { ...encoder.health, responseTime: 0 });
    if (!health) return undefined;
    const { state, reason, responseTime = 0 } = health;
    const isDown = state === 'failing' || state === 'open' || state === 'missing';
    return { status: isDown ? 'down' : 'up', responseTime, ...(reason !== undefined && { detail: reason }) };
  }

  get indexes(): IndexProbe {
    return this.#deps.indexes;
  }

  /** Failures of background work. */
  get failures(): FailureLog {
    return this.#deps.failures;
  }

  now(): EpochMs {
    return this.#deps.clock.now();
  }

  uptimeSeconds(): number {
    return Math.floor((this.now() - this.#startedAt) / 1000);
  }

  /** Whether the store responds within 2 s. */
  async checkStore(): Promise<CheckResult> {
    const { clock, probe } = this.#deps;
    const began = clock.now();
    try {
      await Promise.race([probe.ping(), deadline(pingTimeoutMs)]);
      const responseTime = clock.now() - began;
      if (!probe.isReadOnly) return { status: 'up', responseTime };
      const replayLag = await Promise.race([probe.replayLag(), deadline(pingTimeoutMs)]);
      return { status: 'up', responseTime, readOnly: true, ...(replayLag !== undefined && { replayLag }) };
    } catch (error) {
      this.#deps.failures.failed('store_probe', error);
      const detail = error instanceof AppError ? { detail: error.message } : {};
      return { status: 'down', responseTime: clock.now() - began, ...detail };
    }
  }

  /**
   * Totals of the user's records. Sizes and queues of the whole service are
   * in its metrics only: here they would show a user the activity of others.
   */
  async contextStatus(user: UserRef) {
    const { probe, stores, embedding, embedder, encoder, work, llm } = this.#deps;
    const own = stores.forUser(user);
    const backlog = await own.webhooks.backlog();
    return {
      memories: await own.memories.count(),
      conversations: await own.conversations.count(),
      topics: await this.#topicCounts.of(user.id, () => own.topics.count()),
      database: { engine: probe.engine },
      searchIndex: { rebuild: await probe.rebuildStatus() },
      embedding: {
        spaces: await embedding.spaces(user),
        server: serverStatus(embedder),
        encoder: encoderStatus(encoder),
      },
      ...(llm && { llm: llmStatus(llm) }),
      jobs: await work.status(user),
      webhooks: { waiting: backlog.waiting, dead: backlog.dead, ...since(backlog.oldestAt) },
      background: this.#deps.failures.counts.map(({ task, failures, lastFailedAt }) => ({
        task,
        failures,
        lastFailedAt: toIso(lastFailedAt),
      })),
      generatedAt: toIso(this.#deps.clock.now()),
    };
  }

  flags(): Readonly<Record<string, boolean | number | string>> {
    return this.#deps.flags;
  }

  /** An unknown flag is off. */
  isEnabled(flagName: string): boolean {
    const { flags } = this.#deps;
    return Object.hasOwn(flags, flagName) && flags[flagName] !== false;
  }
}

const since = (at: EpochMs | null) => (at === null ? {} : { waitingSince: toIso(at) });

function serverStatus(embedder: EmbedderServer | undefined) {
  if (!embedder) return undefined;
  const { state, reason } = embedder.health;
  return { model: embedder.model, state, ...(reason !== undefined && { reason }) };
}

function encoderStatus(encoder: LocalEncoder | undefined) {
  if (!encoder) return undefined;
  const { state, reason } = encoder.health;
  return { model: encoder.model, state, ...(reason !== undefined && { reason }) };
}

function llmStatus({ model, state: { state, reason } }: LlmServer) {
  return { model, state, ...(reason !== undefined && { reason }) };
}

/** Progress of rewriting the keyword index with this program's own analyser. */
export interface RebuildStatus {
  /** `retrying`: the last step in this process failed and will be repeated. */
  readonly state: 'idle' | 'running' | 'retrying';
  /** Records rewritten, and records still to be rewritten; both 0 when idle. */
  readonly done: number;
  readonly total: number;
}

/** Figures of the store for monitoring. */
export interface StoreProbe {
  readonly engine: string;
  /** Rejects if the store cannot be read. */
  ping(): Promise<void>;
  sizeBytes(): Promise<number>;
  readonly isReadOnly: boolean;
  /** See `StorageEngine`. */
  replayLag(): Promise<number | undefined>;
  /** Number of writes waiting for their commit. */
  queueDepth(): number;
  rebuildStatus(): Promise<RebuildStatus>;
  /** Numbers of users and memories of the whole store. */
  totals(): Promise<StoreTotals>;
  /** Messages of webhooks of the whole store. */
  webhookBacklog(): Promise<WebhookBacklog>;
}

/** Sizes of the search indexes in the memory of the process. */
export interface IndexProbe {
  readonly users: number;
  readonly bytes: number;
}
