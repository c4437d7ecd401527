import { factsOfMemoryMax } from '../../domain/facts/fact.ts';
import type { EpochMs } from '../../domain/shared/time.ts';
import type { FactIndexReader } from '../../search-index/ports.ts';
import type { IndexView } from '../../search-index/rows/index-view.ts';
import { isFactSignal } from '../arms/fact-arm.ts';
import type { Signal } from '../arms/signal.ts';
import type { SearchHit } from '../request.ts';

export interface MatchingFactsInput {
  readonly signals: readonly Signal[];
  readonly index: IndexView['index'];
  readonly asOf: EpochMs | undefined;
}

/** The hits of a search for facts with the facts that match, the best first, at most 100 each. */
export async function withMatchingFacts(
  facts: Pick<FactIndexReader, 'byDoc' | 'basesIn'>,
  hits: readonly SearchHit[],
  { signals, index, asOf }: MatchingFactsInput,
): Promise<SearchHit[]> {
  const stated = signals.find(isFactSignal)?.factsOf;
  const docs = hits.map(
    ({ memory }) => stated?.get(index.rowOf(memory.doc))?.slice(0, factsOfMemoryMax) ?? [],
  );
  const found = await facts.byDoc([...new Set(docs.flat())], asOf);
  const bases = await facts.basesIn(hits.map(({ memory }) => memory.doc));
  return hits.map((hit, i) => {
    const said = bases.get(hit.memory.doc);
    const matching = docs[i].flatMap((doc) => found.get(doc) ?? []);
    return { ...hit, facts: matching.map((fact) => ({ ...fact, basis: said?.get(fact.id) ?? null })) };
  });
}
