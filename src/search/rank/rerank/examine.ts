import type { PieceTable } from '../../../domain/embedding/piece-table.ts';
import type { IndexView } from '../../../search-index/rows/index-view.ts';
import type { TextTraits } from '../../../search-index/rows/text-traits.ts';
import { isSemanticSignal } from '../../arms/semantic-arm.ts';
import { includesRow } from '../../scores/includes-row.ts';
import type { Fused, KnownWords } from '../fuse/fuse.ts';
import type { RankContext } from '../rescorer.ts';
import { type ChosenCandidates, chooseCandidates, rowsRead } from './choose-candidates.ts';
import { featureValues } from './feature-values.ts';
import type { PieceComparer } from './max-sim.ts';
import { nearnessOf } from './nearness.ts';
import { rowsWithoutVectors } from './rows-without-vectors.ts';
import { type SumShares, sumSharesOf } from './sum-shares.ts';
import { traitsOf } from './text-pieces.ts';

type ExamineInput = Omit<RankContext, 'preferences'>;

/** What compares word pieces. */
export interface Pieces {
  readonly table: PieceTable;
  readonly comparer: PieceComparer;
}

/** Candidates with all that the network is given. */
export interface Examined extends ChosenCandidates {
  readonly shares: SumShares;
  /** Of each candidate all features, one candidate after the other. */
  readonly values: Float64Array;
  readonly known: KnownWords;
  readonly isOfEncoder: boolean;
}

/** Undefined where nothing was found or vectors did not rank: then the sum stands. */
export async function examine(
  fused: Fused,
  { plan, view, passes, terms, weights, reader, traits }: ExamineInput,
  { table, comparer }: Pieces,
): Promise<Examined | undefined> {
  const near = fused.signals.find(isSemanticSignal)?.near;
  if (!near || fused.rows.length === 0) return undefined;
  const rows = fused.rows instanceof Int32Array ? fused.rows : Int32Array.from(fused.rows).sort();
  const nearness = nearnessOf(near, view, passes, (row) => includesRow(rows, row));
  const chosen = chooseCandidates(fused, view, nearness);
  const { candidates } = chosen;
  const rowsOfCandidates = candidates.map(({ row }) => row);
  const shares = sumSharesOf(fused, rowsOfCandidates, weights, plan.factors);
  const read = rowsRead(candidates);
  const traitsByRow = await traitsOfRows(read, view, { reader, traits, table });
  const withoutVectors = await rowsWithoutVectors(near, read, view, reader);
  const { values, known } = featureValues({
    plan,
    view,
    terms,
    fused,
    nearness,
    withoutVectors,
    candidates,
    shares,
    traitsOf: (row) => traitsByRow.get(row) ?? unknownText,
    comparer,
    table,
  });
  return { ...chosen, shares, values, known, isOfEncoder: nearness.isOfEncoder };
}

/** One that was erased during the search. */
const unknownText: TextTraits = { pieces: new Uint16Array(), hasNumber: false, names: 0 };

async function traitsOfRows(
  rows: readonly number[],
  { index }: IndexView,
  { reader, traits, table }: Pick<ExamineInput, 'reader' | 'traits'> & Pick<Pieces, 'table'>,
): Promise<Map<number, TextTraits>> {
  const { columns, rev } = index;
  const found = new Map<number, TextTraits>();
  const missing = new Map<number, number>();
  for (const row of rows) {
    const doc = columns.docs[row];
    const known = traits.get(doc);
    if (known) found.set(row, known);
    else missing.set(doc, row);
  }
  if (missing.size === 0) return found;
  for (const { doc, content } of await reader.contentsOf([...missing.keys()])) {
    const row = missing.get(doc);
    if (row === undefined) continue;
    const own = traitsOf(content, table);
    found.set(row, own);
    // A change during the read removed its traits from the cache before these were added: they must not be added.
    if (index.rev === rev) traits.add(doc, own);
  }
  return found;
}
