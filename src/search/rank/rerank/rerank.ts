import type { PieceTable } from '../../../domain/embedding/piece-table.ts';
import type { Fused } from '../fuse/fuse.ts';
import { type ExamineInput, examine, type Pieces } from './examine.ts';
import { PieceComparer } from './max-sim.ts';
import type { RerankModel } from './rerank-model.ts';
import { scoreCandidates } from './score-candidates.ts';

/** By what the vectors of a search are of. */
export interface RerankModels {
  readonly encoder: RerankModel;
  readonly static: RerankModel;
}

/** Puts the best matches of a weighted sum in the order that a small network gives them. */
export interface Reranker {
  readonly pieces: () => Pieces;
  readonly models: RerankModels;
}

/** @param tableOf its files are read when it is first asked for */
export function rerankerOf(tableOf: () => PieceTable, models: RerankModels): Reranker {
  return { models, pieces: lazyPieces(tableOf) };
}

export function lazyPieces(tableOf: () => PieceTable): () => Pieces {
  let pieces: Pieces | undefined;
  return () => {
    if (!pieces) {
      const table = tableOf();
      pieces = { table, comparer: new PieceComparer(table) };
    }
    return pieces;
  };
}

/** The same matches, the best of them in the order of the network; the others follow as they were. */
export async function rerank(
  fused: Fused,
  input: ExamineInput,
  { pieces, models }: Reranker,
): Promise<Fused> {
  const examined = await examine(fused, input, pieces());
  if (!examined) return fused;
  const model = examined.isOfEncoder ? models.encoder : models.static;
  return scoreCandidates(fused, examined, model, input);
}
