import type { Memory } from '../memories/memory.ts';
import type { EvidenceTexts } from './evidence-texts.ts';
import type { KnownRelationship, RelationshipCandidate } from './found-edge.ts';
import type { Relationship, RelationshipType } from './relationship.ts';
import type { MentionedEntity, SaidFact } from './shared-derivation-store.ts';

/** Statements of two memories about one subject. */
export interface FactPair {
  readonly own: SaidFact;
  readonly other: SaidFact;
}

/** What was found that two memories have to do with each other. */
export interface RelationshipGrounds {
  readonly memory: Memory;
  readonly other: Memory;
  readonly type: RelationshipType;
  /** Edges between the two that stand, each with its evidence. */
  readonly relationships: readonly {
    readonly edge: Relationship;
    readonly evidence: EvidenceTexts | undefined;
  }[];
  readonly candidates: readonly {
    readonly candidate: RelationshipCandidate;
    readonly evidence: EvidenceTexts | undefined;
  }[];
  /** An edge of the type asked about that stood once, the last one. */
  readonly former: KnownRelationship | undefined;
  /** Over other memories; undefined where an edge joins the two, or nothing does. */
  readonly path: readonly Relationship[] | undefined;
  readonly entities: readonly MentionedEntity[];
  readonly facts: readonly SaidFact[];
  readonly factPairs: readonly FactPair[];
  readonly topics: readonly string[];
  readonly isOneConversation: boolean;
  /** Milliseconds by which the other is later; below 0 where it is earlier. */
  readonly laterByMs: number;
}
