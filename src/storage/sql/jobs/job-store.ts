import { expressionBuilder } from 'kysely';
import type { Job, JobQuery, JobReader, JobState, JobWriter } from '../../../domain/jobs/job.ts';
import type { Page } from '../../../domain/shared/page.ts';
import type { JobsTable } from '../core/derived-tables.ts';
import { join } from '../core/joins.ts';
import { pageOf } from '../core/page-of.ts';
import { UserRecords } from '../core/user-database.ts';
import type { UserTables } from '../core/user-tables.ts';

const columns = [
  'jobs.doc',
  'jobs.step',
  'jobs.version',
  'jobs.attempts',
  'jobs.due_at',
  'jobs.taken',
  'jobs.error_code',
  'jobs.failed_at',
  'memories.id as memory_id',
  'memories.conversation_id',
  'memory_versions.updated_at',
] as const;

type JobRow = Pick<
  JobsTable,
  'doc' | 'step' | 'version' | 'attempts' | 'due_at' | 'taken' | 'error_code' | 'failed_at'
> & { readonly memory_id: string; readonly conversation_id: string; readonly updated_at: number };

type JobKey = Pick<JobsTable, 'step' | 'version' | 'doc'>;

export const jobIdOf = ({ step, version, doc }: JobKey) => `${step}~${version}~${doc}`;

const idForm = /^([a-z-]{1,50})~(\d{1,15})~(\d{1,15})$/;

/** Undefined for a text that is no id of a job. */
function keyOf(id: string): JobKey | undefined {
  const [, step, version, doc] = idForm.exec(id) ?? [];
  return step === undefined ? undefined : { step, version: Number(version), doc: Number(doc) };
}

function toJob(row: JobRow): Job {
  const waits = row.taken === 1 ? 'running' : 'waiting';
  return {
    id: jobIdOf(row),
    step: row.step,
    state: row.due_at === null ? 'failed' : waits,
    memoryId: row.memory_id,
    conversationId: row.conversation_id,
    attempts: row.attempts,
    lastError: row.error_code ?? undefined,
    failedAt: row.failed_at ?? undefined,
    since: row.updated_at,
  };
}

const ofState: Readonly<Record<JobState, () => ReturnType<typeof isParked>>> = {
  failed: () => isParked('is'),
  waiting: () => isTaken(0),
  running: () => isTaken(1),
};

function isParked(is: 'is' | 'is not') {
  return expressionBuilder<{ jobs: JobsTable }, 'jobs'>()('jobs.due_at', is, null);
}

function isTaken(taken: 0 | 1) {
  const job = expressionBuilder<{ jobs: JobsTable }, 'jobs'>();
  return job.and([isParked('is not'), job('jobs.taken', '=', taken)]);
}

const jobsWithMemory = (tables: UserTables) =>
  tables
    .selectFrom('jobs')
    .$call(join('memory_versions', 'jobs.doc', 'doc'))
    .$call(join('memories', 'memory_versions.memory_seq', 'seq'));

export class SqlJobReader extends UserRecords implements JobReader {
  async list({ state, step, ...request }: JobQuery): Promise<Page<Job>> {
    let rows = jobsWithMemory(this.db.tables);
    if (state !== undefined) rows = rows.where(ofState[state]());
    if (step !== undefined) rows = rows.where('jobs.step', '=', step);
    const by = [
      { column: 'jobs.doc', order: 'desc', part: 'integer' },
      { column: 'jobs.step', order: 'asc', part: 'text' },
      { column: 'jobs.version', order: 'asc', part: 'integer' },
    ] as const;
    const page = await pageOf(rows, rows.select(columns), { by, request });
    return { ...page, items: page.items.map(toJob) };
  }

  async find(id: string): Promise<Job | undefined> {
    const key = keyOf(id);
    if (!key) return undefined;
    const row = await jobsWithMemory(this.db.tables)
      .select(columns)
      .where('jobs.doc', '=', key.doc)
      .where('jobs.step', '=', key.step)
      .where('jobs.version', '=', key.version)
      .executeTakeFirst();
    return row && toJob(row);
  }
}

export class SqlJobWriter extends SqlJobReader implements JobWriter {
  async release(id: string): Promise<void> {
    const key = keyOf(id);
    if (!key) return;
    await this.db.tables
      .updateTable('jobs')
      .set({ due_at: 0, attempts: 0 })
      .where('doc', '=', key.doc)
      .where('step', '=', key.step)
      .where('version', '=', key.version)
      .where('taken', '=', 0)
      .execute();
  }
}
