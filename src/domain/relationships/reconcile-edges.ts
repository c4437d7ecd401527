import {
  automaticConfidenceMin,
  type ComparedPair,
  type FoundRelationship,
  isSameRelationship,
  type KnownRelationship,
} from './found-edge.ts';

/** What becomes of the edges between a memory and those it was compared with. */
export interface RelationshipChanges {
  readonly made: readonly FoundRelationship[];
  /** Active ones whose reason, confidence or evidence is another now. */
  readonly renewed: readonly { readonly edge: KnownRelationship; readonly found: FoundRelationship }[];
  readonly withdrawn: readonly KnownRelationship[];
  readonly candidates: readonly FoundRelationship[];
}

interface Decided {
  readonly made: FoundRelationship[];
  readonly renewed: { readonly edge: KnownRelationship; readonly found: FoundRelationship }[];
  readonly withdrawn: KnownRelationship[];
  readonly candidates: FoundRelationship[];
}

/**
 * Compares what was found with the edges there are. An automatic edge that was not found again goes; one that a person
 * deleted does not come back; where a person has related the two memories, what is found is a candidate.
 * @param known edges between the memory and the others, those taken away included
 */
export function reconcileRelationships(
  pairs: readonly ComparedPair[],
  known: readonly KnownRelationship[],
): RelationshipChanges {
  const decided: Decided = { made: [], renewed: [], withdrawn: [], candidates: [] };
  for (const { otherId, found } of pairs) {
    const between = known.filter(
      ({ sourceMemoryId, targetMemoryId }) => sourceMemoryId === otherId || targetMemoryId === otherId,
    );
    for (const edge of between)
      if (edge.isActive && isAutomatic(edge) && !(found && isSameRelationship(edge, found)))
        decided.withdrawn.push(edge);
    if (found) decideFound(decided, found, between);
  }
  return decided;
}

function decideFound(
  decided: Decided,
  found: FoundRelationship,
  between: readonly KnownRelationship[],
): void {
  const same = between.filter((edge) => isSameRelationship(edge, found));
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
const isAutomatic = ({ creationMethod }: KnownRelationship) => creationMethod === 'auto-semantic';

const isAsFound = (edge: KnownRelationship, found: FoundRelationship) =>
  edge.confidence === found.confidence &&
  edge.reason === found.reason &&
  JSON.stringify(edge.evidence) === JSON.stringify(found.evidence);
