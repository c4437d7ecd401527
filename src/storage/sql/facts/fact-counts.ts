import { sql } from 'kysely';
import { type Range, rangesOfFacts } from '../core/ranges.ts';
import type { Count } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import { liveMentions } from './fact-mentions.ts';
import { visibleFacts } from './visible-facts.ts';

type CountIn = UserQuery<Range, { readonly count: number | string }>;

const visibleIn: CountIn = new UserQuery((tables, { after, until }) =>
  visibleFacts(tables)
    .where('facts.doc', '>', after)
    .where('facts.doc', '<=', until)
    .select(sql<number>`count(*)`.as('count')),
);

const saidIn: CountIn = new UserQuery((tables, { after, until }) =>
  tables
    .selectFrom('facts')
    .where('facts.trashed_at', 'is', null)
    .where('facts.doc', '>', after)
    .where('facts.doc', '<=', until)
    .where((eb) => eb.exists(liveMentions(tables, eb).select('fact_mentions.doc')))
    .select(sql<number>`count(*)`.as('count')),
);

const countBy = (name: string, query: CountIn): Count<{ readonly count: number }> => ({
  name,
  of: async (db) => {
    let count = 0;
    for await (const range of rangesOfFacts(db)) count += Number((await db.first(query, range))?.count ?? 0);
    return { count };
  },
});

/** Facts that are shown. */
export const visibleFactCount = countBy('facts', visibleIn);

/** Facts that live memories say, as derivation found. */
export const saidFacts = countBy('said facts', saidIn);
