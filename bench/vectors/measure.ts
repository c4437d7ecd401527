import { loadBundled } from '../../src/embedding/load-models.ts';
import type { Engine } from '../../test/support/database.ts';
import { ExactVectors, recallOf } from './brute-force.ts';
import { filters, openVectorStore } from './store.ts';
import type { Texts } from './texts.ts';

const first = 20;
const warmUps = 10;

interface MeasuredFilter {
  readonly filter: string;
  /** Share of the exact first 20 of each query that are among the first 20 of the arm. */
  readonly recall: number;
  readonly msPerQuery: number;
  /** Ratio of the time to that of brute force over all vectors in the process. */
  readonly toBruteForce: number;
}

export interface MeasuredEngine {
  readonly engine: Engine;
  readonly loadMs: number;
  readonly longestTurnMs: number;
  readonly indexMiB: number;
  readonly codesMiB: number;
  readonly bruteForceMs: number;
  readonly filters: readonly MeasuredFilter[];
}

/** Recall of the service's semantic arm compared with brute force, on a store of this engine. */
export async function measureEngine(
  engine: Engine,
  { memories, queries }: Texts,
  others = 0,
): Promise<MeasuredEngine> {
  const { bundled } = loadBundled();
  const exact = new ExactVectors(memories.map((text) => bundled.embedNow(text)));
  const store = await openVectorStore(engine, memories, others);
  try {
    const { ms: loadMs, longestTurnMs, index } = await store.loadIndex();
    for (const query of queries.slice(0, warmUps)) await store.search(query, filters[0]);
    const sums = filters.map(() => ({ kept: 0, requested: 0, ms: 0 }));
    let bruteForce = 0;
    for (const query of queries) {
      let started = performance.now();
      const cosines = exact.cosines(bundled.embedNow(query));
      bruteForce += performance.now() - started;
      for (const [f, filter] of filters.entries()) {
        started = performance.now();
        const found = await store.search(query, filter);
        sums[f].ms += performance.now() - started;
        const passes = (i: number) => filter.keeps(i, memories.length);
        const { kept, requested } = recallOf(cosines, passes, found.slice(0, first), first);
        sums[f].kept += kept;
        sums[f].requested += requested;
      }
    }
    return {
      engine,
      loadMs,
      longestTurnMs,
      indexMiB: index.bytes / 2 ** 20,
      codesMiB: (index.vectors?.bytes ?? 0) / 2 ** 20,
      bruteForceMs: bruteForce / queries.length,
      filters: sums.map(({ kept, requested, ms }, f) => ({
        filter: filters[f].name,
        recall: kept / requested,
        msPerQuery: ms / queries.length,
        toBruteForce: ms / bruteForce,
      })),
    };
  } finally {
    await store.close();
  }
}
