import { type Memory, orderTime } from '../../domain/memories/memory.ts';
import type { Stores } from '../../domain/shared/stores.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { replacedAmong } from '../../search/matters/replaced-among.ts';
import type { Change, ChangeKind, DigestSource } from './digest.ts';

const kinds: ReadonlySet<string> = new Set(['SUPERSEDES', 'CONTRADICTS', 'RESOLVES']);
const edgesMax = 5000;

interface Changed {
  /** The sources, and the memories that replace or resolve some of them. */
  readonly sources: readonly DigestSource[];
  readonly changes: readonly Change[];
}

interface Edge {
  readonly kind: ChangeKind;
  readonly earlierId: string;
  readonly laterId: string;
}

/**
 * Which sources replace, contradict or resolve others, by relationships, else by their texts. A memory that does so to a source becomes a source too:
 * the earlier one alone would say what does not hold.
 */
export async function withChanges(
  stores: Stores,
  user: UserRef,
  sources: readonly DigestSource[],
): Promise<Changed> {
  const reader = stores.forUser(user);
  const known = new Map(sources.map((source) => [source.memory.id, source]));
  const touching = await reader.relationships.listTouching([...known.keys()].slice(0, 1000), edgesMax);
  const edges = touching.flatMap(({ type, sourceMemoryId, targetMemoryId }): Edge[] =>
    kinds.has(type) && known.has(targetMemoryId)
      ? [{ kind: type as ChangeKind, earlierId: targetMemoryId, laterId: sourceMemoryId }]
      : [],
  );
  const missing = [...new Set(edges.map(({ laterId }) => laterId))].filter((id) => !known.has(id));
  const added = await reader.memories.findMany(missing);
  const all = [...sources];
  for (const memory of added.sort((a, b) => a.seq - b.seq)) {
    const earlier = edges.flatMap(({ laterId, earlierId }) =>
      laterId === memory.id ? (known.get(earlierId) ?? []) : [],
    );
    if (memory.effectiveState === 'current') all.push(successorOf(earlier, memory, all.length + 1));
  }
  const replaced = await replacedAmong(all.map((source) => source.memory));
  const said = [...replaced].map(
    ([earlierId, { id }]): Edge => ({ kind: 'SUPERSEDES', earlierId, laterId: id }),
  );
  const related = new Set(edges.map(({ earlierId }) => earlierId));
  return {
    sources: all,
    changes: changesOf([...edges, ...said.filter(({ earlierId }) => !related.has(earlierId))], all),
  };
}

/** The memory with the score of the best source that it replaces: it is the answer in its place. */
function successorOf(earlier: readonly DigestSource[], memory: Memory, number: number): DigestSource {
  const [best] = [...earlier].sort((a, b) => b.score - a.score);
  return { ...best, number, memory };
}

/** One change for each source that is replaced or resolved: by the last memory that does so. */
function changesOf(edges: readonly Edge[], sources: readonly DigestSource[]): Change[] {
  const byId = new Map(sources.map((source) => [source.memory.id, source]));
  return sources.flatMap((earlier): Change[] => {
    const own = edges
      .filter(({ earlierId }) => earlierId === earlier.memory.id)
      .flatMap(({ kind, laterId }) => {
        const later = byId.get(laterId);
        return later ? [{ kind, later }] : [];
      })
      .sort(
        (a, b) =>
          orderTime(b.later.memory) - orderTime(a.later.memory) || b.later.memory.seq - a.later.memory.seq,
      );
    const chained = laterInChain(earlier, sources);
    const found = chained ? { kind: 'SUPERSEDES' as const, later: chained } : own[0];
    return found ? [{ ...found, earlier }] : [];
  });
}

/** The newest version of a named memory among the sources. */
function laterInChain({ memory }: DigestSource, sources: readonly DigestSource[]): DigestSource | undefined {
  if (memory.chainId === null) return undefined;
  return sources
    .filter(({ memory: other }) => other.chainId === memory.chainId)
    .filter(({ memory: other }) => (other.chainVersion ?? 0) > (memory.chainVersion ?? 0))
    .sort((a, b) => (b.memory.chainVersion ?? 0) - (a.memory.chainVersion ?? 0))[0];
}
