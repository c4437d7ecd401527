import type { EntityType } from '../entities/entity-type.ts';
import type { EpochMs } from '../shared/time.ts';

/**
 * What found an entity: its form, a list, the recogniser, a name that the user has used before, or what the client gave with
 * the memory (`topics`, `codeContext`): such a name need not stand in the text; or the LLM, where one is configured.
 */
export type FoundBy = 'pattern' | 'list' | 'recogniser' | 'user' | 'topic' | 'context' | 'llm';

/** A name with a type. */
export interface KnownName {
  readonly name: string;
  readonly type: EntityType;
  /** What derivation took it for, where a person gave it another type. */
  readonly foundType?: EntityType;
}

/** The entity of the same type that a new name is another name of. */
export interface AliasTarget {
  readonly key: string;
  /** Of the entity that is shown; of a name that is new as well, `TYPE key`. */
  readonly canonicalId: string;
  /** Otherwise a rule that is not certain says so, and a person may undo it. */
  readonly isSure: boolean;
}

/** An entity in a version of a memory: place and spelling of its first mention. */
export interface DerivedEntity extends KnownName {
  /** What its name is compared by: case and accents folded. */
  readonly key: string;
  /** In UTF-16 units of the content; both 0 where it does not stand in the text. */
  readonly start: number;
  readonly end: number;
  /** How often the text has it. */
  readonly mentions: number;
  /** 0 to 1. */
  readonly confidence: number;
  readonly foundBy: FoundBy;
  /** Whether the name is from now on known in all memories of the user. */
  readonly isCertain: boolean;
  /** What it is another name of, where it is new to the user. */
  readonly alias?: AliasTarget;
  /** Versions of the user, at most 1,000, that have its words: where the name is newly certain. */
  readonly olderDocs?: readonly number[];
}

/** `inferred`: an LLM proposed it. */
export const factBases = ['direct', 'hedged', 'planned', 'inferred'] as const;
export type FactBasis = (typeof factBases)[number];

/** A fact in a version of a memory. */
export interface DerivedFact {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  /** What the keyword index has it by. */
  readonly terms: readonly string[];
  /** What the same fact of several memories is one by. */
  readonly key: string;
  readonly isNegated: boolean;
  readonly basis: FactBasis;
  /** 0 to 1. */
  readonly confidence: number;
  /** The clause that says it, in UTF-16 units of the content. */
  readonly start: number;
  readonly end: number;
  readonly speaker: string | null;
  /** The time that the sentence states, as written. */
  readonly time: string | null;
  /** Entities of the same version that stand in its subject or object: their places in the list. */
  readonly entities: readonly { readonly index: number; readonly role: 'subject' | 'object' }[];
}

export interface DerivedTopic {
  readonly name: string;
  readonly score: number;
}

/** A time that a text names by counting from when it happened ("last Friday"): `from` inclusive, `to` exclusive. */
export interface DerivedTime {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** Why nothing, or not everything, was derived from a version. */
export type SkipReason = 'content_too_short' | 'not_english';

/** All that is derived from one version of a memory. */
export interface Derived {
  readonly isEnglish: boolean;
  readonly skipReason: SkipReason | null;
  /** Each name and type once. */
  readonly entities: readonly DerivedEntity[];
  /** Each fact once. */
  readonly facts: readonly DerivedFact[];
  /** The best first; none that the client gave. */
  readonly topics: readonly DerivedTopic[];
  /** Each once, four at most. */
  readonly times: readonly DerivedTime[];
}
