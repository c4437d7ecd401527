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

/** A text, and what its client says of it. */
export interface TextToDerive {
  /** Of the version. */
  readonly doc: number;
  readonly content: string;
  /** When it happened, else when it was written. */
  readonly at: EpochMs;
  readonly topics: readonly string[];
  /** Names of its `codeContext`. */
  readonly contextNames: readonly KnownName[];
}

export interface DeriveRequest {
  readonly userId: number;
  /** Of the user's known names; see `DerivationReader.knownNamesMark`. */
  readonly mark: string;
  /** Left out where the thread should have them. */
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
  /** Cosine to the text. */
  readonly closeness: number;
  /** What the keyword index has it by. */
  readonly terms: readonly string[];
}

/** What one text says without looking at others. */
export interface TextDerived {
  readonly isEnglish: boolean;
  readonly skipReason: SkipReason | null;
  readonly entities: readonly (DerivedEntity & { readonly terms: readonly string[] })[];
  readonly facts: readonly DerivedFact[];
  readonly topics: readonly TopicPhrase[];
  readonly times: readonly DerivedTime[];
}

/** Undefined where the names of the user are needed first. */
export type DeriveReply = readonly TextDerived[] | undefined;

/** Whether each of `names` is of the same thing as each of `others`. */
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

/** The places in `texts` of an earlier and a later text. */
export type TextPair = readonly [earlier: number, later: number];

export interface RelateRequest {
  readonly texts: readonly ComparedText[];
  readonly pairs: readonly TextPair[];
}

/** A relation of the later text to the earlier one; places in UTF-16 units. */
export interface PairFinding {
  readonly type: DerivedRelationshipType;
  readonly confidence: number;
  readonly reason: string;
  readonly earlier: readonly [start: number, end: number];
  readonly later: readonly [start: number, end: number];
}

/** One a pair, in order; null where the two have nothing to do with each other. */
export type RelateReply = readonly (PairFinding | null)[];

/** Compares texts, on a thread of its own or on the caller's. Requests and replies are plain data. */
export interface TextComparer {
  relate(request: RelateRequest): Promise<RelateReply>;
  /** The links, files, tickets and numbered documents that each text names, at most 5, in lower case. */
  identifiersOf(texts: readonly ComparedText[]): Promise<readonly (readonly string[])[]>;
}
