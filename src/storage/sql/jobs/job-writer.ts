import type { StepKey } from '../../../domain/jobs/step-key.ts';
import { chunksOf } from '../../../lib/collections.ts';
import type { JobsTable } from '../core/derived-tables.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';

type NoRow = never;

const fresh = {
  attempts: 0,
  due_at: 0,
  taken: 0,
  is_older: 0,
  error: null,
  error_code: null,
  failed_at: null,
} as const;

const insertJob = new UserQuery<Pick<JobsTable, 'doc' | 'step' | 'version'>, NoRow>((tables, row) =>
  tables
    .insertInto('jobs', { ...fresh, doc: row.doc, step: row.step, version: row.version })
    .onConflict((conflict) => conflict.columns(['user_id', 'doc', 'step', 'version']).doNothing()),
);

/** Records a job of a step for a version, in the version's own transaction. */
export async function recordWork(db: UserDatabase, { name, version }: StepKey, doc: number): Promise<void> {
  await db.all(insertJob, { doc, step: name, version });
}

/** Records the first steps of a version; `recordNextSteps` records those after them. */
export async function recordFirstSteps(
  db: UserDatabase,
  steps: readonly StepKey[],
  doc: number,
): Promise<void> {
  const first = steps.filter(({ after }) => after === undefined);
  await db.pipeline(first.map((step) => () => recordWork(db, step, doc)));
}

/** Records the first steps of several versions. */
export async function recordFirstStepsOf(
  db: UserDatabase,
  steps: readonly StepKey[],
  docs: readonly number[],
): Promise<void> {
  const first = steps.filter(({ after }) => after === undefined);
  await recordAllWork(db, first, docs, false);
}

/** Records the jobs of the steps that follow a finished one, for these versions. */
export async function recordNextSteps(
  db: UserDatabase,
  steps: readonly StepKey[],
  { name }: StepKey,
  docs: readonly number[],
  isOlder = false,
): Promise<void> {
  const next = steps.filter(({ after }) => after === name);
  await recordAllWork(db, next, docs, isOlder);
}

/** Records jobs for older versions, which come after those of new ones; a waiting job is not repeated. */
export function recordOlderWork(db: UserDatabase, step: StepKey, docs: readonly number[]): Promise<void> {
  return recordAllWork(db, [step], docs, true);
}

async function recordAllWork(
  db: UserDatabase,
  steps: readonly StepKey[],
  docs: readonly number[],
  isOlder: boolean,
): Promise<void> {
  const rows = steps.flatMap(({ name: step, version }) =>
    docs.map((doc) => ({ ...fresh, is_older: isOlder ? 1 : 0, doc, step, version })),
  );
  for (const chunk of chunksOf(rows))
    await db.tables
      .insertAll('jobs', chunk)
      .onConflict((conflict) => conflict.columns(['user_id', 'doc', 'step', 'version']).doNothing())
      .execute();
}
