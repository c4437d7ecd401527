import type { RelationshipFinding } from './edge.ts';
import type { TextView } from './edge-view.ts';

/** Finds a link, file, ticket or document that both texts name. */
export function findReference(earlier: TextView, later: TextView): RelationshipFinding | undefined {
  for (const [identifier, span] of later.identifiers) {
    const other = earlier.identifiers.get(identifier);
    if (other)
      return {
        type: 'REFERENCES',
        confidence: 0.95,
        reason: `Both name ${span.text}.`,
        evidence: { earlier: other, later: span },
      };
  }
  return undefined;
}
