import {
  automaticConfidenceMin,
  type ComparedPair,
  type FoundEdge,
  isSameEdge,
  type KnownEdge,
} from './found-edge.ts';

/** What becomes of the edges between a memory and those it was compared with. */
export interface EdgeChanges {
  readonly made: readonly FoundEdge[];
  /** Active ones whose reason, confidence or evidence is another now. */
  readonly renewed: readonly { readonly edge: KnownEdge; readonly found: FoundEdge }[];
  readonly withdrawn: readonly KnownEdge[];
  readonly candidates: readonly FoundEdge[];
}

interface Decided {
  readonly made: FoundEdge[];
  readonly renewed: { readonly edge: KnownEdge; readonly found: FoundEdge }[];
  readonly withdrawn: KnownEdge[];
  readonly candidates: FoundEdge[];
}

/**
 * Compares what was found with the edges there are. An automatic edge that was not found again goes; one that a person
 * deleted does not come back; where a person has related the two memories, what is found is a candidate.
 * @param known edges between the memory and the others, those taken away included
 */
export function reconcileEdges(pairs: readonly ComparedPair[], known: readonly KnownEdge[]): EdgeChanges {
  const decided: Decided = { made: [], renewed: [], withdrawn: [], candidates: [] };
  for (const { otherId, found } of pairs) {
    const between = known.filter(
      ({ sourceMemoryId, targetMemoryId }) => sourceMemoryId === otherId || targetMemoryId === otherId,
    );
    for (const edge of between)
      if (edge.isActive && isAutomatic(edge) && !(found && isSameEdge(edge, found)))
        decided.withdrawn.push(edge);
    if (found) decideFound(decided, found, between);
  }
  return decided;
}

function decideFound(decided: Decided, found: FoundEdge, between: readonly KnownEdge[]): void {
  const same = between.filter((edge) => isSameEdge(edge, found));
  const active = same.find((edge) => edge.isActive);
  if (active) {
    if (isAutomatic(active) && !isAsFound(active, found)) decided.renewed.push({ edge: active, found });
    return;
  }
  if (same.some((edge) => !edge.isWithdrawn)) return;
  const isStated = between.some((edge) => edge.isActive && !isAutomatic(edge));
  if (found.confidence < automaticConfidenceMin || isStated) decided.candidates.push(found);
  else decided.made.push(found);
}

/** Whether derivation made it, and so may take it away. */
const isAutomatic = ({ creationMethod }: KnownEdge) => creationMethod === 'auto-semantic';

const isAsFound = (edge: KnownEdge, found: FoundEdge) =>
  edge.confidence === found.confidence &&
  edge.reason === found.reason &&
  JSON.stringify(edge.evidence) === JSON.stringify(found.evidence);
