import type { Memory } from '../memories/memory.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';
import type {
  CreationMethod,
  Relationship,
  RelationshipEvidence,
  RelationshipType,
  TextPlace,
} from './relationship.ts';

/**
 * Minimum confidence to create a found relationship unasked;
 * equals `automaticRelationshipMin` of `src/language`.
 */
export const automaticConfidenceMin = 0.8;

/** The finder of a relationship: the rules, or an LLM. */
export type FinderMethod = Extract<CreationMethod, 'auto-semantic' | 'auto-llm'>;

/** A relationship found in the texts of two memories: from the later to the earlier one. */
export interface FoundRelationship {
  readonly sourceMemoryId: string;
  readonly targetMemoryId: string;
  readonly type: RelationshipType;
  /** 0 to 1. */
  readonly confidence: number;
  /** For the user. */
  readonly reason: string;
  readonly evidence: RelationshipEvidence;
}

/** Not certain enough to be made, or forbidden by a rule: only a person or an agent may make it. */
export interface RelationshipCandidate extends FoundRelationship {
  readonly creationMethod: FinderMethod;
  readonly createdAt: EpochMs;
}

/** A relationship that exists or existed. */
export interface KnownRelationship extends Relationship {
  /** Not removed; its ends may be in the trash. */
  readonly isActive: boolean;
  /** Removed by derivation, which may create it again; a relationship deleted by a person stays deleted. */
  readonly isWithdrawn: boolean;
}

/** A relationship that acts, or a candidate without a decision. */
export type ReviewedRelationship = (Relationship | RelationshipCandidate) & {
  readonly state: 'active' | 'candidate';
};

/** Which relationships to list for a review. */
export interface ReviewQuery extends PageRequest {
  readonly state: 'active' | 'candidate';
  readonly type?: RelationshipType;
  /** 0 to 1. */
  readonly minConfidence?: number;
  /** Candidates only; see `reasonKindOf`. */
  readonly reasonKind?: string;
  /** Only found ones that were not accepted; all candidates are. */
  readonly isUndecided: boolean;
}

/** Undecided candidates that were found for the same kind of reason. */
export interface ReasonGroup {
  readonly reasonKind: string;
  readonly type: RelationshipType;
  readonly count: number;
}

/**
 * A reason without its quotes and lists, the same for all findings of one rule:
 * `"40 minutes" is replaced by "9 minutes".` becomes `… is replaced by …`.
 */
export function reasonKindOf(reason: string): string {
  const words = reason
    .replace(/: .*$/s, ' …')
    .replace(/"[^"]*"/g, '…')
    .replace(/\d[\d.]*/g, '…')
    .replace(/^(It says of|Both name) .*$/s, '$1 …');
  return words.replace(/[.\s]+$/, '').slice(0, reasonKindMax);
}
const reasonKindMax = 120;

/** Key of a relationship: two memories have at most one of a type and direction. */
export type RelationshipEnds = Pick<FoundRelationship, 'sourceMemoryId' | 'targetMemoryId' | 'type'>;

export const isSameRelationship = (a: RelationshipEnds, b: RelationshipEnds) =>
  a.sourceMemoryId === b.sourceMemoryId && a.targetMemoryId === b.targetMemoryId && a.type === b.type;

/** Whether the relationship exists or a person deleted it: then it is not a candidate. */
export const isDecided = (found: FoundRelationship, known: readonly KnownRelationship[]) =>
  known.some((one) => isSameRelationship(one, found) && (one.isActive || !one.isWithdrawn));

/** The result of comparing a memory with another. */
export interface ComparedPair {
  /** The other memory, and its compared version. */
  readonly otherId: string;
  readonly otherDoc: number;
  readonly found: FoundRelationship | undefined;
}

/** The evidence of a relationship in words, at most 500 characters each. */
export interface EvidenceTexts {
  /** From the target. */
  readonly earlier: string;
  /** From the source. */
  readonly later: string;
}

/** The evidence of each relationship, read from the compared versions; undefined without evidence. */
export async function evidenceTextsOf(
  reader: Pick<FoundRelationshipReader, 'textsAt'>,
  shown: readonly { readonly evidence?: RelationshipEvidence }[],
): Promise<(EvidenceTexts | undefined)[]> {
  const places = shown.flatMap(({ evidence }) => (evidence ? [evidence.earlier, evidence.later] : []));
  const texts = places.length === 0 ? [] : await reader.textsAt(places);
  let at = 0;
  return shown.map(({ evidence }) => {
    if (!evidence) return undefined;
    const [earlier, later] = texts.slice(at, at + 2);
    at += 2;
    return earlier === undefined || later === undefined ? undefined : { earlier, later };
  });
}

/** A version that states a fact about a subject. */
export interface SubjectMention {
  readonly doc: number;
  /** In lower case. */
  readonly subject: string;
  readonly predicate: string;
  /** Number of the fact, in the order of derivation. */
  readonly fact: number;
}

export const extractionStatuses = ['pending', 'running', 'completed', 'failed', 'skipped'] as const;
/**
 * Progress of derivation from a version; `skipped` if its
 * text cannot be read completely, as in another language.
 */
export type ExtractionStatus = (typeof extractionStatuses)[number];

/** Which records a version has; the absent ones need not be read. */
export interface VersionOutline {
  /** Whether its memory has a relationship or a candidate, removed ones included. */
  readonly isRelated: boolean;
  readonly hasFacts: boolean;
  /** Whether it names a file, a project or the like: see `sharingNames`. */
  readonly hasThings: boolean;
}

/** One user's memories, read in order to compare them, and the relationships found. */
export interface FoundRelationshipReader {
  /** Relationships that start or end at a memory, removed ones included; the newest `limit` of each end. */
  knownAround(memoryId: string, limit: number): Promise<KnownRelationship[]>;
  /** Relationships that point to these memories (at most 1,000), removed ones included. */
  knownInto(memoryIds: readonly string[]): Promise<KnownRelationship[]>;
  /**
   * Candidates from or to a memory, of open versions of
   * live memories, by falling confidence, at most `limit`.
   */
  candidatesAround(memoryId: string, limit: number): Promise<RelationshipCandidate[]>;
  /** The surest first; decided candidates are left out. */
  review(query: ReviewQuery): Promise<Page<ReviewedRelationship>>;
  /** The undecided candidates of a confidence, by reason, the largest group first; at most 100 groups. */
  reasonGroups(minConfidence: number): Promise<ReasonGroup[]>;
  /** The candidate with these ends and this type, decided or not. */
  candidate(ends: RelationshipEnds): Promise<RelationshipCandidate | undefined>;
  /** Relationships with these ends and this type, removed ones included, the last made first; at most 1,000. */
  knownWith(ends: RelationshipEnds): Promise<KnownRelationship[]>;
  /** A relationship between live memories by its id, also a removed one. */
  knownById(id: string): Promise<KnownRelationship | undefined>;
  /** Those of these versions that are open, derivable and of live memories, with the records each has. */
  outlines(docs: readonly number[]): Promise<ReadonlyMap<number, VersionOutline>>;
  /**
   * Open versions of memories with an automatic relationship
   * or candidate to this one, at most `limit` of each.
   */
  relatedDocs(memoryId: string, limit: number): Promise<number[]>;
  /** The versions, of at most 1,000, that are open, derivable and of live memories. */
  openVersions(docs: readonly number[]): Promise<Memory[]>;
  /** `doc` of the open version of each live one of these memories, by id. */
  openDocs(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Undefined if nothing was derived from the version and no work for it is recorded. */
  extractionStatusOf(doc: number): Promise<ExtractionStatus | undefined>;
  /** Facts of these versions (at most 1,000), with their subjects. */
  subjectsOf(docs: readonly number[]): Promise<SubjectMention[]>;
  /**
   * Facts of open versions about a subject (see `subjectsOf`):
   * those before a fact and those after, nearest first.
   */
  mentionsOfSubject(subject: string, fact: number, limit: number): Promise<SubjectMention[][]>;
  /** By version: the newest `limit` others with each of its identifiers and names of things. */
  sharingNames(docs: readonly number[], limit: number): Promise<ReadonlyMap<number, readonly number[]>>;
  /** The words at these places, in order, cut to 500 characters; undefined if the version was erased. */
  textsAt(places: readonly TextPlace[]): Promise<(string | undefined)[]>;
}

export interface FoundRelationshipWriter extends FoundRelationshipReader {
  /** Removes a relationship that was not found again. */
  withdraw(id: string, at: EpochMs): Promise<void>;
  /** Records when a person accepted a relationship; undefined takes it back. */
  setAccepted(id: string, at: EpochMs | undefined): Promise<void>;
  /** Takes back that a person removed it: derivation may find it again. */
  allowAgain(id: string): Promise<void>;
  /** Updates an active relationship to the new finding. */
  renew(id: string, found: FoundRelationship): Promise<void>;
  /** Replaces the candidates that rules found for a version, and those between its memory and `others`. */
  replaceCandidates(
    memory: Pick<Memory, 'id' | 'doc'>,
    others: readonly { readonly id: string; readonly doc: number }[],
    found: readonly FoundRelationship[],
    at: EpochMs,
  ): Promise<void>;
  /** Replaces the LLM's candidates for a version, except those that the rules have found already. */
  replaceProposed(doc: number, found: readonly FoundRelationship[], at: EpochMs): Promise<void>;
  /** Removes a candidate that became a relationship. */
  removeCandidate(found: FoundRelationship): Promise<void>;
}
