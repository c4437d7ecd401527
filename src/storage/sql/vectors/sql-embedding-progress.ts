import { type Kysely, sql } from 'kysely';
import {
  type EmbeddingProgress,
  type EmbeddingStatus,
  embedStepKey,
  embedStepName,
  type SpaceStatus,
} from '../../../domain/embedding/embed-step.ts';
import type { VectorSpace } from '../../../domain/embedding/embedder.ts';
import type { WorkStore } from '../../../domain/jobs/work-store.ts';
import type { UserRef } from '../../../domain/shared/user-ref.ts';
import type { DocumentEncoder } from '../../../search-index/ports.ts';
import type { Database } from '../core/schema.ts';
import { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import { countWork } from '../jobs/job-table.ts';
import type { WorkSignals } from '../jobs/work-signals.ts';
import type { SpaceRegistry } from './space-registry.ts';
import { isSpace, readSpaces, type SpaceRow } from './space-table.ts';

const newestOf = new UserQuery<Record<string, never>, { doc: number }>((tables) =>
  tables.selectFrom('memory_versions').select('doc').orderBy('doc', 'desc').limit(1),
);

/** Untried jobs of versions up to `upTo`; `+ 0` keeps the engines from reading all jobs of the user by doc. */
const waitingOf = new UserQuery<{ space: number; upTo: number }, { doc: number }>((tables, { space, upTo }) =>
  tables
    .selectFrom('jobs')
    .select('doc')
    .where('step', '=', embedStepName)
    .where('version', '=', space)
    .where('due_at', 'is not', null)
    .where('attempts', '=', 0)
    .where(sql<boolean>`doc + 0 <= ${upTo}`)
    .limit(1),
);

interface EmbeddingProgressDeps {
  readonly spaces: SpaceRegistry;
  readonly signals: WorkSignals;
  readonly work: Pick<WorkStore, 'isAvailable' | 'outcomes'>;
  readonly read: Kysely<Database>;
}

function isOf(target: DocumentEncoder | undefined, space: VectorSpace): boolean {
  return target !== undefined && isSpace({ space }, target.space);
}

export class SqlEmbeddingProgress implements EmbeddingProgress {
  readonly #deps: EmbeddingProgressDeps;

  constructor(deps: EmbeddingProgressDeps) {
    this.#deps = deps;
  }

  get embedded(): number {
    const { outcomes } = this.#deps.work;
    return outcomes.find(({ step, outcome }) => step === embedStepName && outcome === 'done')?.items ?? 0;
  }

  longestInput(): number | undefined {
    const serving = this.#serving();
    return serving && this.#deps.spaces.encoderOf(serving)?.longestInput;
  }

  async statusOf(user: UserRef, docs: readonly number[]): Promise<Map<number, EmbeddingStatus>> {
    const serving = this.#serving();
    const all = (status: EmbeddingStatus) => new Map(docs.map((doc) => [doc, status]));
    if (!serving) return all(this.#deps.spaces.written.length > 0 ? 'queued' : 'skipped');
    const statuses = all('completed');
    if (this.#isImmediate(serving) || docs.length === 0) return statuses;
    const rows = await new UserDatabase(this.#deps.read, user.id).tables
      .selectFrom('jobs')
      .select(['doc', 'due_at', 'taken'])
      .where('doc', 'in', docs)
      .where('step', '=', embedStepName)
      .where('version', '=', serving.id)
      .execute();
    for (const { doc, due_at, taken } of rows) {
      if (due_at === null) statuses.set(doc, 'failed');
      else statuses.set(doc, taken === 1 ? 'running' : 'queued');
    }
    return statuses;
  }

  async waitUntilEmbedded(user: UserRef, ms: number): Promise<void> {
    const serving = this.#serving();
    if (!serving || this.#isImmediate(serving)) return;
    const { read, signals, work } = this.#deps;
    const db = new UserDatabase(read, user.id);
    const until = performance.now() + ms;
    const waits = async (upTo: number) =>
      work.isAvailable(embedStepKey(serving.id)) &&
      (await db.first(waitingOf, { space: serving.id, upTo })) !== undefined;
    if (!(await waits(Number.MAX_SAFE_INTEGER))) return;
    // Later writes are not waited for: a user who keeps writing would make a search wait the whole time.
    const newest = await db.first(newestOf, {});
    for (;;) {
      const left = Math.floor(until - performance.now());
      if (left <= 0) return;
      const next = signals.nextDone(user.id, left);
      if (!newest || !(await waits(newest.doc))) return;
      await next;
    }
  }

  async spaces(user?: UserRef): Promise<SpaceStatus[]> {
    const { read, spaces } = this.#deps;
    const rows = await readSpaces(read);
    return Promise.all(
      rows.map(async ({ id, space, state, role, cursor }) => ({
        ...space,
        state,
        role,
        isTarget: isOf(spaces.targets[role], space),
        done: cursor?.done ?? 0,
        total: cursor?.total ?? 0,
        ...(await countWork(read, embedStepKey(id), user?.id)),
      })),
    );
  }

  #serving(): SpaceRow | undefined {
    return this.#deps.spaces.rows.find(({ state, role }) => state === 'serving' && role === 'main');
  }

  #isImmediate(row: SpaceRow): boolean {
    return this.#deps.spaces.encoderOf(row)?.encodeNow !== undefined;
  }
}
