import type { Memory } from '../memories/memory.ts';
import type { UserWriters } from '../shared/stores.ts';
import type { EpochMs } from '../shared/time.ts';
import type { ProposedRelationships } from './edge-proposer.ts';
import { isDecided } from './found-edge.ts';
import { knownAroundMax } from './write-found-edges.ts';

/**
 * Notes what an LLM proposes as candidates, whatever its confidence. Texts that changed while it was asked are left to the
 * work for the version that changed them; a version that changed otherwise, as in its state, says the same.
 */
export async function writeProposedRelationships(
  tx: UserWriters,
  results: readonly ProposedRelationships[],
  at: EpochMs,
): Promise<void> {
  for (const { memory, proposed } of results) {
    if (!memory) continue;
    const now = await currentOf(tx, [memory, ...proposed.map(({ target }) => target)]);
    const source = now.get(memory.id);
    if (!source) continue;
    const known = await tx.foundRelationships.knownAround(memory.id, knownAroundMax);
    const found = proposed
      .filter(({ target }) => now.has(target.id))
      .map((each) => each.found)
      .filter((edge) => !isDecided(edge, known));
    await tx.foundRelationships.replaceProposed(source.doc, found, at);
  }
}

/** Open versions of the same texts, by id. */
async function currentOf(tx: UserWriters, asked: readonly Memory[]): Promise<Map<string, Memory>> {
  const texts = new Map(asked.map(({ id, content }) => [id, content]));
  const current = await tx.memories.findMany([...texts.keys()]);
  return new Map(
    current.filter(({ id, content }) => texts.get(id) === content).map((memory) => [memory.id, memory]),
  );
}
