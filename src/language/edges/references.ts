import type { RelationshipFinding } from './edge.ts';
import type { TextView } from './edge-view.ts';

/** Both name the same link, file, ticket or document. */
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
