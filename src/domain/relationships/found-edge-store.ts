import type { Memory } from '../memories/memory.ts';
import type { EpochMs } from '../shared/time.ts';
import type { FoundRelationship, KnownRelationship, RelationshipCandidate } from './found-edge.ts';
import type { TextPlace } from './relationship.ts';

/** A version that says something of a subject. */
export interface SubjectMention {
  readonly doc: number;
  /** In lower case. */
  readonly subject: string;
  readonly predicate: string;
  /** Its number among the facts of the user, in the order of derivation. */
  readonly fact: number;
}

export const extractionStatuses = ['pending', 'running', 'completed', 'failed', 'skipped'] as const;
/** How far derivation from a version is; `skipped` where its text gives nothing or not everything, as one in another language. */
export type ExtractionStatus = (typeof extractionStatuses)[number];

/** Reads of one user's memories for comparing them, and of what was found. */
export interface FoundRelationshipReader {
  /** Edges that start or end at a memory, those taken away included; the newest `limit` of each end. */
  knownAround(memoryId: string, limit: number): Promise<KnownRelationship[]>;
  /** Edges that point to these memories, those taken away included; at most 1,000 memories. */
  knownInto(memoryIds: readonly string[]): Promise<KnownRelationship[]>;
  /** Candidates of the open versions of live memories that start or end at a memory, the surest first, at most `limit`. */
  candidatesAround(memoryId: string, limit: number): Promise<RelationshipCandidate[]>;
  /** Open versions of the other ends of a memory's automatic edges and of its candidates, at most `limit` of each. */
  relatedDocs(memoryId: string, limit: number): Promise<number[]>;
  /** Those of these versions that are the open ones of live memories, and could be derived from; at most 1,000. */
  openVersions(docs: readonly number[]): Promise<Memory[]>;
  /** The open version of each of these memories that is live, by id. */
  openDocs(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Undefined where nothing was derived from it and no work for that is recorded. */
  extractionStatusOf(doc: number): Promise<ExtractionStatus | undefined>;
  /** The facts that these versions say, with their subjects; at most 1,000 versions. */
  subjectsOf(docs: readonly number[]): Promise<SubjectMention[]>;
  /** Statements of open versions about a subject, as `subjectsOf` names it, nearest to a fact first: those before it, those after it. */
  mentionsOfSubject(subject: string, fact: number, limit: number): Promise<SubjectMention[][]>;
  /** For each of the identifiers and names of things in a version, the newest `limit` other versions that have it. */
  sharingNames(doc: number, limit: number): Promise<number[]>;
  /** The words at these places, cut to 500 characters, in order; undefined for a version that is no more. */
  textsAt(places: readonly TextPlace[]): Promise<(string | undefined)[]>;
}

export interface FoundRelationshipWriter extends FoundRelationshipReader {
  /** Takes an edge away that was not found again. */
  withdraw(id: string, at: EpochMs): Promise<void>;
  /** Gives a standing edge what was found now. */
  renew(id: string, found: FoundRelationship): Promise<void>;
  /** Takes away what the rules found of candidates of a version, and between its memory and `others`, and writes these. */
  replaceCandidates(
    memory: Pick<Memory, 'id' | 'doc'>,
    others: readonly { readonly id: string; readonly doc: number }[],
    found: readonly FoundRelationship[],
    at: EpochMs,
  ): Promise<void>;
  /** Takes away the candidates that an LLM proposed of a version, and writes those of these that are no candidates of the rules. */
  replaceProposed(doc: number, found: readonly FoundRelationship[], at: EpochMs): Promise<void>;
  /** Takes a candidate away that was made an edge. */
  removeCandidate(found: FoundRelationship): Promise<void>;
}
