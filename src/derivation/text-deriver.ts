import type {
  DerivedEntity,
  DerivedFact,
  DerivedTime,
  KnownName,
  SkipReason,
} from '../domain/derivation/derived.ts';
import type { EntityType } from '../domain/entities/entity.ts';
import type { EpochMs } from '../domain/shared/time.ts';
import type { DerivedRelationshipType } from '../language/relationships/finding.ts';

/** A text with the properties that its client gave. */
export interface TextToDerive {
  /** Doc of the version. */
  readonly doc: number;
  readonly content: string;
  /** Time of the event, or of writing if the event has none. */
  readonly at: EpochMs;
  readonly topics: readonly string[];
  /** Names of its `codeContext`. */
  readonly contextNames: readonly KnownName[];
}

export interface DeriveRequest {
  readonly userId: number;
  /** Mark of the user's known names; see `DerivationReader.outline`. */
  readonly mark: string;
  /** Absent if the thread is expected to have them. */
  readonly names?: readonly KnownName[];
  readonly texts: readonly TextToDerive[];
}

/** A phrase that may be a topic of its text: see `TopicCandidate` of `src/language`. */
export interface TopicPhrase {
  readonly phrase: string;
  readonly name: string;
  readonly kind: 'phrase' | 'name' | 'entity';
  readonly words: number;
  readonly count: number;
  readonly othersMin: number;
  /** Cosine to the text. */
  readonly closeness: number;
  /** Its terms in the keyword index. */
  readonly terms: readonly string[];
}

/** Records of one text, derived without other texts. */
export interface TextDerived {
  readonly isEnglish: boolean;
  readonly skipReason: SkipReason | null;
  readonly entities: readonly (DerivedEntity & { readonly terms: readonly string[] })[];
  readonly facts: readonly DerivedFact[];
  readonly topics: readonly TopicPhrase[];
  readonly times: readonly DerivedTime[];
}

/** Undefined if the request must be repeated with the names of the user. */
export type DeriveReply = readonly TextDerived[] | undefined;

/** Asks whether each of `names` names the same thing as each of `others`. */
export interface AliasRequest {
  readonly type: EntityType;
  readonly names: readonly string[];
  readonly others: readonly string[];
}

export type AliasVerdict = 'same' | 'maybe' | 'no';

/** Derives from texts, on a thread of its own or on the caller's. Requests and replies are plain data. */
export interface TextDeriver {
  derive(request: DeriveRequest): Promise<DeriveReply>;
  /** A list of verdicts for each name, in order. */
  judge(request: AliasRequest): Promise<readonly (readonly AliasVerdict[])[]>;
  close(): Promise<void>;
}

/** A version of a memory to be compared. */
export interface ComparedText {
  readonly doc: number;
  readonly content: string;
}

/** Positions in `texts` of an earlier and a later text. */
export type TextPair = readonly [earlier: number, later: number];

export interface RelateRequest {
  readonly texts: readonly ComparedText[];
  readonly pairs: readonly TextPair[];
}

/** A relation of the later text to the earlier one; ranges of evidence are in UTF-16 units. */
export interface PairFinding {
  readonly type: DerivedRelationshipType;
  readonly confidence: number;
  readonly reason: string;
  readonly earlier: readonly [start: number, end: number];
  readonly later: readonly [start: number, end: number];
  /** Other parts of the earlier text that are replaced. */
  readonly also: readonly (readonly [start: number, end: number])[];
  /** See `RelationshipEvidence`. */
  readonly keepsState: boolean;
}

/** One finding per pair, in order; null if the two texts are not related. */
export type RelateReply = readonly (PairFinding | null)[];

/** Compares texts, on a thread of its own or on the caller's. Requests and replies are plain data. */
export interface TextComparer {
  relate(request: RelateRequest): Promise<RelateReply>;
  /** The links, files, tickets and numbered documents that each text names, at most 5, in lower case. */
  identifiersOf(texts: readonly ComparedText[]): Promise<readonly (readonly string[])[]>;
}
