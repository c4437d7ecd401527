import type { EpochMs } from '../shared/time.ts';
import type { CreationMethod, Relationship, RelationshipEvidence, RelationshipType } from './relationship.ts';

/** The confidence from which a relationship that texts show is made without asking; the same as `automaticRelationshipMin`. */
export const automaticConfidenceMin = 0.8;

/** Who found a relationship in texts: the rules, or an LLM. */
export type FinderMethod = Extract<CreationMethod, 'auto-semantic' | 'auto-llm'>;

/** A relationship that the texts of two memories show: the later one is the source, the earlier one the target. */
export interface FoundRelationship {
  readonly sourceMemoryId: string;
  readonly targetMemoryId: string;
  readonly type: RelationshipType;
  /** 0 to 1. */
  readonly confidence: number;
  /** In words, for the user. */
  readonly reason: string;
  readonly evidence: RelationshipEvidence;
}

/** One that is not certain enough to be made, or that a rule forbids: only a person or an agent may make it. */
export interface RelationshipCandidate extends FoundRelationship {
  readonly creationMethod: FinderMethod;
  readonly createdAt: EpochMs;
}

/** An edge there is or was. */
export interface KnownRelationship extends Relationship {
  /** Whether it stands; the ends may be in the trash. */
  readonly isActive: boolean;
  /** Whether derivation itself took it away: one that a person deleted does not come back. */
  readonly isWithdrawn: boolean;
}

/** Whether both are the same relationship of the same two memories. */
export const isSameRelationship = (
  a: Pick<FoundRelationship, 'sourceMemoryId' | 'targetMemoryId' | 'type'>,
  b: Pick<FoundRelationship, 'sourceMemoryId' | 'targetMemoryId' | 'type'>,
) => a.sourceMemoryId === b.sourceMemoryId && a.targetMemoryId === b.targetMemoryId && a.type === b.type;

/** Whether a relationship stands, or a person deleted it: then it is no candidate. */
export const isDecided = (found: FoundRelationship, known: readonly KnownRelationship[]) =>
  known.some((edge) => isSameRelationship(edge, found) && (edge.isActive || !edge.isWithdrawn));

/** What two memories were compared for, and what was found. */
export interface ComparedPair {
  /** The other memory, and the version of it that was compared. */
  readonly otherId: string;
  readonly otherDoc: number;
  readonly found: FoundRelationship | undefined;
}
