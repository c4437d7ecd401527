import SqliteConnection from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { otherWork, pauseAfter } from '../../../lib/loop-time.ts';
import type { Database } from './schema.ts';
import { UserDatabase } from './user-database.ts';
import { executeDirectly, UserQuery } from './user-query.ts';

const find = new UserQuery<{ seq: number }, object>((tables, { seq }) =>
  tables.selectFrom('memories').select('seq').where('seq', '=', seq),
);
const db = new Kysely<Database>({
  dialect: new SqliteDialect({ database: new SqliteConnection(':memory:') }),
});
const user = new UserDatabase(db, 1);
const sent: unknown[] = [];

beforeEach(() => void sent.splice(0));
afterAll(() => db.destroy());

/** Work that has paused once begins a new turn by its next pause, in which a statement after it need not pause. */
async function longTurn(): Promise<void> {
  await otherWork();
  pauseAfter();
  const began = performance.now();
  while (performance.now() - began < 20);
}

it('a pipeline runs its acts one after another where statements are answered synchronously, however long the turn has taken', async () => {
  executeDirectly(db, (_, [, seq]) => {
    sent.push(seq);
    return [];
  });
  await longTurn();
  await user.pipeline([1, 2, 3].map((seq) => () => user.all(find, { seq })));
  expect(sent).toEqual([1, 2, 3]);
});

it('a pipeline of a pipelined transaction sends all in order, and all have ended before the error of one is thrown', async () => {
  const ended: unknown[] = [];
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const execute = async <R>(_: string, [, seq]: readonly unknown[]): Promise<R[]> => {
    sent.push(seq);
    await answered;
    ended.push(seq);
    if (seq === 2) throw new Error('the second failed');
    return [];
  };
  executeDirectly(db, execute, { isPipelined: true });
  await longTurn();
  const acting = user.pipeline([1, 2, 3].map((seq) => () => user.all(find, { seq })));
  expect(sent).toEqual([1, 2, 3]);
  expect(ended).toEqual([]);
  answer();
  await expect(acting).rejects.toThrow('the second failed');
  expect(ended).toEqual([1, 2, 3]);
});
