import { sql } from 'kysely';
import {
  type Feedback,
  type FeedbackAction,
  type FeedbackEntry,
  type FeedbackFilter,
  type FeedbackReader,
  type FeedbackTally,
  type FeedbackWriter,
  feedbackKeptMax,
} from '../../../domain/feedback/feedback.ts';
import { nextRev } from '../core/change-counter.ts';
import { join } from '../core/joins.ts';
import { insertion } from '../core/record-columns.ts';
import { UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';

const lastNumber = new UserQuery((tables) =>
  tables.selectFrom('search_feedback').select('number').orderBy('number', 'desc').limit(1),
);

const insert = insertion('search_feedback', [
  'number',
  'memory_id',
  'action',
  'query',
  'search_method',
  'search_session_id',
  'position',
  'created_at',
]);

const deleteUpTo = new UserQuery<{ number: number }, never>((tables, { number }) =>
  tables.deleteFrom('search_feedback').where('number', '<=', number),
);

const after = new UserQuery<{ number: number; limit: number }, FeedbackEntry>((tables, { number, limit }) =>
  tables
    .selectFrom('search_feedback')
    .$call(join('memories', 'search_feedback.memory_id'))
    .select([
      'search_feedback.number',
      'memories.seq',
      'search_feedback.action',
      'search_feedback.created_at as at',
    ])
    .where('search_feedback.number', '>', number)
    .orderBy('search_feedback.number')
    .limit(limit),
);

const numberOf = (value: unknown) => Number(value ?? 0);

export class SqlFeedbackReader extends UserRecords implements FeedbackReader {
  after(number: number): Promise<FeedbackEntry[]> {
    return this.db.all(after, { number, limit: feedbackKeptMax });
  }

  async tally({ createdFrom, createdTo, topicId }: FeedbackFilter): Promise<FeedbackTally[]> {
    let rows = this.db.tables
      .selectFrom('search_feedback')
      .$call(join('memories', 'search_feedback.memory_id'))
      .where(this.db.tables.liveMemory());
    if (createdFrom !== undefined) rows = rows.where('memories.created_at', '>=', createdFrom);
    if (createdTo !== undefined) rows = rows.where('memories.created_at', '<=', createdTo);
    if (topicId !== undefined) {
      const carriers = this.db.tables
        .selectFrom('memory_topics')
        .select('memory_id')
        .where('topic_id', '=', topicId);
      rows = rows.where('memories.id', 'in', carriers);
    }
    const found = await rows
      .select(['search_feedback.search_method', 'search_feedback.action'])
      .select([
        sql<number>`count(*)`.as('count'),
        sql<number>`count(position)`.as('placed'),
        sql<number>`sum(position)`.as('positions'),
      ])
      .groupBy(['search_feedback.search_method', 'search_feedback.action'])
      .orderBy('search_feedback.search_method')
      .orderBy('search_feedback.action')
      .execute();
    return found.map((row) => ({
      searchMethod: row.search_method,
      action: row.action as FeedbackAction,
      count: numberOf(row.count),
      placed: numberOf(row.placed),
      positions: numberOf(row.positions),
    }));
  }
}

export class SqlFeedbackWriter extends SqlFeedbackReader implements FeedbackWriter {
  async add(feedback: Feedback, at: number): Promise<void> {
    // Locks the user's row: two at once would take the same number.
    await nextRev(this.db, { documents: 0, terms: 0 });
    const number = ((await this.db.first(lastNumber, {}))?.number ?? 0) + 1;
    const { memoryId, action, query, searchMethod, searchSessionId, position } = feedback;
    const values = [number, memoryId, action, query, searchMethod, searchSessionId, position, at];
    await this.db.all(insert, values);
    if (number > feedbackKeptMax) await this.db.all(deleteUpTo, { number: number - feedbackKeptMax });
  }
}
