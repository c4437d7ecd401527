import type { FactReader } from '../../domain/facts/fact-store.ts';
import type { EpochMs } from '../../domain/shared/time.ts';
import type { SearchHit } from '../request.ts';

/** The hits with the facts of their memories, as they were at `asOf`. */
export async function withFacts(
  facts: Pick<FactReader, 'listByMemories'>,
  hits: readonly SearchHit[],
  asOf: EpochMs | undefined,
): Promise<SearchHit[]> {
  const ids = [...new Set(hits.map(({ memory }) => memory.id))];
  const byMemory = await facts.listByMemories(ids, asOf);
  return hits.map((hit) => ({ ...hit, facts: byMemory.get(hit.memory.id) ?? [] }));
}
