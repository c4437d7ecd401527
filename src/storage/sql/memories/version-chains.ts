import type { Supersession } from '../../../domain/relationships/relationship.ts';
import { join, related } from '../core/joins.ts';
import { listQuery } from '../core/list-query.ts';
import type { UserTables } from '../core/user-tables.ts';

/** Live memories with a later live version in the same chain. */
export const outdatedVersions = (tables: UserTables) =>
  tables
    .selectFrom('memories')
    .select('memories.id')
    .where(tables.liveMemory())
    .where('memories.chain_id', 'is not', null)
    .where((eb) =>
      eb.exists(
        related(eb, 'memories as later', 'memories.chain_id', 'chain_id')
          .select('later.id')
          .whereRef('later.chain_version', '>', 'memories.chain_version')
          .where(tables.liveMemory('later')),
      ),
    );

export const outdatedAmong = listQuery<string, { id: string }>((tables, ids) =>
  outdatedVersions(tables).where('memories.id', 'in', ids),
);

const nextIs = {
  outgoing: { pick: 'max', side: '<' },
  incoming: { pick: 'min', side: '>' },
} as const;

/**
 * Neighbours in version chains, also in the trash: `outgoing` the previous version, `incoming` the next one.
 */
export async function neighboursInChains(
  tables: UserTables,
  ids: readonly string[],
  direction: 'outgoing' | 'incoming',
): Promise<Supersession[]> {
  const { pick, side } = nextIs[direction];
  const rows = await tables
    .selectFrom('memories')
    .$call(join('memories as next', 'memories.chain_id', 'chain_id'))
    .where('next.chain_version', '=', (eb) =>
      related(eb, 'memories as other', 'memories.chain_id', 'chain_id')
        .select(({ fn }) => fn[pick]('other.chain_version').as('version'))
        .whereRef('other.chain_version', side, 'memories.chain_version'),
    )
    .select(['memories.id as here', 'next.id as there'])
    .where('memories.id', 'in', ids)
    .execute();
  return rows.map(({ here, there }) =>
    direction === 'outgoing' ? { sourceId: here, targetId: there } : { sourceId: there, targetId: here },
  );
}
