import type { EpochMs } from '../shared/time.ts';
import type { CreationMethod, EdgeEvidence, Relationship, RelationshipType } from './relationship.ts';

/** The confidence from which a relationship that texts show is made without asking; the same as `automaticEdgeMin`. */
export const automaticConfidenceMin = 0.8;

/** Who found a relationship in texts: the rules, or an LLM. */
export type FinderMethod = Extract<CreationMethod, 'auto-semantic' | 'auto-llm'>;

/** A relationship that the texts of two memories show: the later one is the source, the earlier one the target. */
export interface FoundEdge {
  readonly sourceMemoryId: string;
  readonly targetMemoryId: string;
  readonly type: RelationshipType;
  /** 0 to 1. */
  readonly confidence: number;
  /** In words, for the user. */
  readonly reason: string;
  readonly evidence: EdgeEvidence;
}

/** One that is not certain enough to be made, or that a rule forbids: only a person or an agent may make it. */
export interface EdgeCandidate extends FoundEdge {
  readonly creationMethod: FinderMethod;
  readonly createdAt: EpochMs;
}

/** An edge there is or was. */
export interface KnownEdge extends Relationship {
  /** Whether it stands; the ends may be in the trash. */
  readonly isActive: boolean;
  /** Whether derivation itself took it away: one that a person deleted does not come back. */
  readonly isWithdrawn: boolean;
}

/** Whether both are the same relationship of the same two memories. */
export const isSameEdge = (
  a: Pick<FoundEdge, 'sourceMemoryId' | 'targetMemoryId' | 'type'>,
  b: Pick<FoundEdge, 'sourceMemoryId' | 'targetMemoryId' | 'type'>,
) => a.sourceMemoryId === b.sourceMemoryId && a.targetMemoryId === b.targetMemoryId && a.type === b.type;

/** Whether a relationship stands, or a person deleted it: then it is no candidate. */
export const isDecided = (found: FoundEdge, known: readonly KnownEdge[]) =>
  known.some((edge) => isSameEdge(edge, found) && (edge.isActive || !edge.isWithdrawn));

/** What two memories were compared for, and what was found. */
export interface ComparedPair {
  /** The other memory, and the version of it that was compared. */
  readonly otherId: string;
  readonly otherDoc: number;
  readonly found: FoundEdge | undefined;
}
