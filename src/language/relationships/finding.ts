import type { SourceSpan } from '../facts/fact.ts';

/** Relationships of a later text to an earlier one that can be derived from the texts. */
export const derivedRelationshipTypes = [
  'DUPLICATES',
  'SUPERSEDES',
  'CONTRADICTS',
  'RESOLVES',
  'REFERENCES',
] as const;
export type DerivedRelationshipType = (typeof derivedRelationshipTypes)[number];

/** A relationship of a later text to an earlier one, with its evidence. */
export interface RelationshipFinding {
  readonly type: DerivedRelationshipType;
  /** 0 to 1; below `automaticRelationshipMin` it is a candidate that a person or an agent must confirm. */
  readonly confidence: number;
  /** In words, for the user. */
  readonly reason: string;
  readonly evidence: { readonly earlier: SourceSpan; readonly later: SourceSpan };
  /** Other parts of the earlier text that the later one replaces. */
  readonly also?: readonly SourceSpan[];
  /** The state of the earlier text stays: it says more than the later one replaces, or one of them says too little. */
  readonly keepsState?: boolean;
}

/**
 * Least confidence of a relationship made without asking: on real chat almost none of these is false (`npm
 * run bench derive`).
 */
export const automaticRelationshipMin = 0.8;
