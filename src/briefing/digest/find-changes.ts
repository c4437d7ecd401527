import type { Stores } from '../../domain/shared/stores.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { Change, DigestSource } from './digest.ts';

/** Maximum of relationships read for one source. */
const edgesMax = 20;
const outdatedMax = 50;

/**
 * Superseded and contradicted sources, and the sources that supersede or contradict
 * them. A source superseded by a memory outside the sources is left out of the digest.
 */
export async function findChanges(
  stores: Stores,
  user: UserRef,
  sources: readonly DigestSource[],
): Promise<Change[]> {
  const { relationships } = stores.forUser(user);
  const byId = new Map(sources.map((source) => [source.memory.id, source]));
  const outdated = sources
    .filter(
      ({ memory }) => memory.effectiveState === 'superseded' || memory.effectiveState === 'contradicted',
    )
    .slice(0, outdatedMax);
  const changes = await Promise.all(
    outdated.map(async (earlier): Promise<Change[]> => {
      const edges = await relationships.listOf(earlier.memory.id, 'incoming', edgesMax);
      const later = edges.flatMap(({ type, sourceMemoryId }) => {
        const source = byId.get(sourceMemoryId);
        return source && (type === 'SUPERSEDES' || type === 'CONTRADICTS') ? [{ kind: type, source }] : [];
      });
      const chained = laterInChain(earlier, sources);
      const found = later.at(-1) ?? (chained && { kind: 'SUPERSEDES' as const, source: chained });
      return found ? [{ kind: found.kind, earlier, later: found.source }] : [];
    }),
  );
  return changes.flat();
}

/** The newest version of a named memory among the sources. */
function laterInChain({ memory }: DigestSource, sources: readonly DigestSource[]): DigestSource | undefined {
  if (memory.chainId === null) return undefined;
  return sources
    .filter(({ memory: other }) => other.chainId === memory.chainId)
    .filter(({ memory: other }) => (other.chainVersion ?? 0) > (memory.chainVersion ?? 0))
    .sort((a, b) => (b.memory.chainVersion ?? 0) - (a.memory.chainVersion ?? 0))[0];
}
