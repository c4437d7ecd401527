import type { NewerMemory } from '../../../domain/relationships/relationship.ts';
import { chunksOf } from '../../../lib/collections.ts';
import { related } from '../core/joins.ts';
import type { UserDatabase } from '../core/user-database.ts';
import type { UserTables } from '../core/user-tables.ts';
import { edgesAsOf, liveEdges } from './live-edges.ts';

/** A live memory and its place in a chain of versions. */
interface ChainMember {
  readonly id: string;
  readonly seq: number;
  readonly chainId: string | null;
  readonly chainVersion: number | null;
}

/** See `RelationshipReader.newerOf`. */
export async function newerOf(
  { tables }: UserDatabase,
  seqs: readonly number[],
  asOf: number | undefined,
): Promise<Map<number, NewerMemory[]>> {
  const newer = new Map<number, Map<number, NewerMemory>>();
  const add = (of: number, { seq, id }: NewerMemory) =>
    newer.set(of, (newer.get(of) ?? new Map<number, NewerMemory>()).set(seq, { seq, id }));
  for (const chunk of chunksOf(seqs)) {
    const known = await membersWith(tables).where('memories.seq', 'in', chunk).execute();
    if (known.length === 0) continue;
    const seqOf = new Map(known.map(({ id, seq }) => [id, seq]));
    const edges = asOf === undefined ? liveEdges(tables) : edgesAsOf(tables, asOf);
    const rows = await edges
      .select(['memory_edges.target_id as of', 'source.seq', 'source.id'])
      .where('memory_edges.type', 'in', ['SUPERSEDES', 'CONTRADICTS'])
      .where('memory_edges.target_id', 'in', [...seqOf.keys()])
      .execute();
    for (const { of, ...source } of rows) add(seqOf.get(of) ?? 0, source);
    const others = [...known, ...(await headsOfChains(tables, known, asOf))];
    for (const one of known) for (const other of others) if (isLater(other, one)) add(one.seq, other);
  }
  return new Map([...newer].map(([seq, found]) => [seq, [...found.values()].sort((a, b) => b.seq - a.seq)]));
}

const isLater = (a: ChainMember, b: ChainMember) =>
  a.chainId !== null && a.chainId === b.chainId && (a.chainVersion ?? 0) > (b.chainVersion ?? 0);

const membersWith = (tables: UserTables) =>
  tables
    .selectFrom('memories')
    .select(['memories.id', 'memories.seq'])
    .select(['memories.chain_id as chainId', 'memories.chain_version as chainVersion'])
    .where(tables.liveMemory());

/** The newest live versions of the chains of these memories, or the newest ones written until `asOf`. */
async function headsOfChains(
  tables: UserTables,
  members: readonly ChainMember[],
  asOf: number | undefined,
): Promise<ChainMember[]> {
  const chains = [...new Set(members.flatMap(({ chainId }) => chainId ?? []))];
  if (chains.length === 0) return [];
  let rows = membersWith(tables).where('memories.chain_id', 'in', chains);
  if (asOf !== undefined)
    rows = rows.where((eb) =>
      eb.exists(
        related(eb, 'memory_versions', 'memories.seq', 'memory_seq')
          .select('memory_versions.doc')
          .where('memory_versions.opened_at', '<=', asOf),
      ),
    );
  const heads = new Map<string | null, ChainMember>();
  for (const member of await rows.orderBy('memories.chain_version').execute())
    heads.set(member.chainId, member);
  return [...heads.values()];
}
