import type { IndexView } from '../../search-index/rows/index-view.ts';
import { inverseDocumentFrequency } from '../scores/bm25.ts';
import type { Evidence, FoundSignal, Scale, SignalSpec } from './signal.ts';

/** A name in the query, and the memories that have it. */
export interface NamedRows {
  /** For an explanation. */
  readonly label: string;
  /** Visible, each once. */
  readonly rows: readonly number[];
  /** 0 to 1. */
  readonly weight: number;
}

/** No scaling: weights are relative to the rarest name, independent of the other results. */
const unscaled: Scale = { perWeight: 1, perScore: 1, best: 1, unit: 1 };

/** Rarity of a name by the number of its memories: 1 for one memory, about 0 for all. */
export function rarity({ index }: IndexView, count: number): number {
  const documents = Math.max(index.documents, count);
  return inverseDocumentFrequency(documents, count) / inverseDocumentFrequency(documents, 1);
}

/** Visible rows of these docs, each once. */
export function visibleRows(view: IndexView, docs: Iterable<number>): number[] {
  const rows = new Set<number>();
  for (const doc of docs) {
    const row = view.index.rowOf(doc);
    if (row >= 0 && view.isVisible(row)) rows.add(row);
  }
  return [...rows];
}

/** Signal of memories scored by the sum of the weights of their names in the query. */
export function derivedSignal(
  spec: SignalSpec,
  { size, arrays }: IndexView,
  named: readonly NamedRows[],
  verb: string,
): FoundSignal {
  const scores = arrays.numbers(size + 1);
  const labels = new Map<number, string[]>();
  for (const { label, rows, weight } of named)
    for (const row of rows) {
      scores[row] += weight;
      const others = labels.get(row);
      if (others) others.push(label);
      else labels.set(row, [label]);
    }
  return {
    spec,
    rows: [...labels.keys()],
    scores,
    scale: () => unscaled,
    measureOf: (row) => (scores[row] > 0 ? scores[row] : null),
    explain: (page) => page.map((row) => evidenceOf(labels.get(row), spec, verb)),
  };
}

function evidenceOf(
  labels: readonly string[] | undefined,
  { name }: SignalSpec,
  verb: string,
): Evidence | undefined {
  if (!labels) return undefined;
  const listed = labels.join(', ');
  return {
    rank: null,
    reasonRank: 4,
    describe: () => ({ reason: `${verb} ${listed}.`, notes: [`${name}: ${listed}`] }),
  };
}
