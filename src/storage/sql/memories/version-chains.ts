import { sql } from 'kysely';
import type { Supersession } from '../../../domain/relationships/relationship-store.ts';
import { listQuery } from '../core/list-query.ts';
import type { UserTables } from '../core/user-tables.ts';

/** Live memories of which a later version in the same chain is live. */
export const outdatedVersions = (tables: UserTables) =>
  tables
    .selectFrom('memories')
    .select('memories.id')
    .where('memories.trashed_at', 'is', null)
    .where('memories.conversation_id', 'not in', tables.hiddenConversations())
    .where('memories.chain_id', 'is not', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('memories as later')
          .select('later.id')
          .whereRef('later.user_id', '=', 'memories.user_id')
          .whereRef('later.chain_id', '=', 'memories.chain_id')
          .whereRef('later.chain_version', '>', 'memories.chain_version')
          .where('later.trashed_at', 'is', null)
          .where('later.conversation_id', 'not in', tables.hiddenConversations()),
      ),
    );

export const outdatedAmong = listQuery<string, { id: string }>((tables, ids) =>
  outdatedVersions(tables).where('memories.id', 'in', ids),
);

const nextIs = {
  outgoing: { pick: sql.raw('max'), side: sql.raw('<') },
  incoming: { pick: sql.raw('min'), side: sql.raw('>') },
} as const;

/** The versions next to these in their chains, one in the trash included: `outgoing` the one before, `incoming` the one after. */
export async function neighboursInChains(
  tables: UserTables,
  ids: readonly string[],
  direction: 'outgoing' | 'incoming',
): Promise<Supersession[]> {
  const { pick, side } = nextIs[direction];
  const rows = await tables
    .selectFrom('memories')
    .innerJoin('memories as next', (join) =>
      join
        .onRef('next.user_id', '=', 'memories.user_id')
        .onRef('next.chain_id', '=', 'memories.chain_id')
        .on(
          'next.chain_version',
          '=',
          sql<number>`(SELECT ${pick}(other.chain_version) FROM memories other
            WHERE other.user_id = memories.user_id AND other.chain_id = memories.chain_id
            AND other.chain_version ${side} memories.chain_version)`,
        ),
    )
    .select(['memories.id as here', 'next.id as there'])
    .where('memories.id', 'in', ids)
    .execute();
  return rows.map(({ here, there }) =>
    direction === 'outgoing' ? { sourceId: here, targetId: there } : { sourceId: there, targetId: here },
  );
}
