import type { PieceTable } from '../../../domain/embedding/piece-table.ts';
import type { Rescorer } from '../rescorer.ts';
import { examine, type Pieces } from './examine.ts';
import { PieceComparer } from './max-sim.ts';
import type { RerankModel } from './rerank-model.ts';
import { scoreCandidates } from './score-candidates.ts';

/** Models by the kind of the vectors of a search. */
export interface RerankModels {
  readonly encoder: RerankModel;
  readonly static: RerankModel;
}

/**
 * Reorders the best matches of a weighted sum by a small network; the others follow in their order.
 * @param tableOf reads its files at the first call
 */
export function networkRescorer(tableOf: () => PieceTable, models: RerankModels): Rescorer {
  const pieces = lazyPieces(tableOf);
  return {
    name: 'network',
    // It was trained on memories in conversations.
    applies: ({ method, mode, context, isTimeAlone }) =>
      method === 'hybrid' && context && mode !== 'facts' && !isTimeAlone,
    rescore: async (sum, search) => {
      const examined = await examine(sum, search, pieces());
      if (!examined) return sum;
      const model = examined.isOfEncoder ? models.encoder : models.static;
      return scoreCandidates(sum, examined, model, search);
    },
  };
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
