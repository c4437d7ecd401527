import { nodeKey } from '../domain/graph/explore-graph.ts';
import type { GraphLink } from '../domain/graph/graph-store.ts';
import { isOutdated, type Memory, orderTime } from '../domain/memories/memory.ts';
import type { UserStores } from '../domain/shared/stores.ts';
import type { EpochMs } from '../domain/shared/time.ts';

/** When something holds; null: it has always, or still does. */
export interface Span {
  readonly validFrom: EpochMs | null;
  readonly validTo: EpochMs | null;
}

export const always: Span = { validFrom: null, validTo: null };

/**
 * By id: a memory holds from the time that it states, else that of its event or of writing, to the time that it
 * states, else that of the memory that first replaced it.
 */
export async function spansOfMemories(
  { relationships, memories: reader }: Pick<UserStores, 'relationships' | 'memories'>,
  memories: ReadonlyMap<string, Memory>,
): Promise<ReadonlyMap<string, Span>> {
  const outdated = [...memories.values()].filter(({ effectiveState }) => isOutdated(effectiveState));
  const newer = await relationships.newerOf(
    outdated.map(({ seq }) => seq),
    undefined,
  );
  const firstNewer = new Map([...newer].map(([seq, some]) => [seq, some.at(-1)?.id ?? '']));
  const times = new Map(
    (await reader.findMany([...new Set(firstNewer.values())])).map((memory) => [
      memory.id,
      orderTime(memory),
    ]),
  );
  return new Map(
    [...memories.values()].map((memory) => {
      const validFrom = memory.validFrom ?? orderTime(memory);
      const replacedAt = times.get(firstNewer.get(memory.seq) ?? '');
      // A later text may tell of an earlier time: a span has no negative length.
      const validTo = memory.validTo ?? (replacedAt === undefined ? null : Math.max(validFrom, replacedAt));
      return [memory.id, { validFrom, validTo }];
    }),
  );
}

interface Spans {
  /** In the order of the links. */
  readonly ofLinks: readonly Span[];
  /** Of memories, and of facts that these state, by key. */
  readonly ofNodes: ReadonlyMap<string, Span>;
}

/**
 * A link of a memory to a topic, entity or fact holds as long as the memory; one between memories since the
 * later of them began; one of a fact as long as any memory that states it.
 */
export function spansOfLinks(links: readonly GraphLink[], ofMemories: ReadonlyMap<string, Span>): Spans {
  const ofNodes = new Map<string, Span>();
  for (const [id, span] of ofMemories) ofNodes.set(nodeKey({ kind: 'memory', id }), span);
  for (const { a, b, type } of links) {
    const span = ofMemories.get(a.id);
    if (type === 'STATES' && span) ofNodes.set(nodeKey(b), union(span, ofNodes.get(nodeKey(b)) ?? span));
  }
  const ofLinks = links.map(({ a, b }) => {
    const [one, other] = [ofNodes.get(nodeKey(a)), ofNodes.get(nodeKey(b))];
    if (a.kind !== 'memory' || b.kind !== 'memory') return one ?? always;
    return { validFrom: Math.max(one?.validFrom ?? 0, other?.validFrom ?? 0), validTo: null };
  });
  return { ofLinks, ofNodes };
}

const union = (x: Span, y: Span): Span => ({
  validFrom: x.validFrom === null || y.validFrom === null ? null : Math.min(x.validFrom, y.validFrom),
  validTo: x.validTo === null || y.validTo === null ? null : Math.max(x.validTo, y.validTo),
});
