import type { SourceSpan } from '../facts/fact.ts';

/** Relations of a later text to an earlier one that texts show. */
export const derivedRelationshipTypes = [
  'DUPLICATES',
  'SUPERSEDES',
  'CONTRADICTS',
  'RESOLVES',
  'REFERENCES',
] as const;
export type DerivedRelationshipType = (typeof derivedRelationshipTypes)[number];

/** A relation of a later text to an earlier one, with what shows it. */
export interface RelationshipFinding {
  readonly type: DerivedRelationshipType;
  /** 0 to 1; below `automaticRelationshipMin` a candidate, which only a person or an agent may confirm. */
  readonly confidence: number;
  /** In words, for the user. */
  readonly reason: string;
  readonly evidence: { readonly earlier: SourceSpan; readonly later: SourceSpan };
}

/** From here on an edge may be made without asking: on real chat practically none of these is false (`npm run bench derive`). */
export const automaticRelationshipMin = 0.8;
