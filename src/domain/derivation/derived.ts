import type { EntityType } from '../entities/entity.ts';
import type { EpochMs } from '../shared/time.ts';

/**
 * The source of an entity: its form (`pattern`), a list, the recogniser, a
 * known name of the user, the memory's `topics` or `codeContext` as given by
 * the client (the text may lack such a name), or the LLM if one is configured.
 */
export type FoundBy = 'pattern' | 'list' | 'recogniser' | 'user' | 'topic' | 'context' | 'llm';

/** A name with a type. */
export interface KnownName {
  readonly name: string;
  readonly type: EntityType;
  /** The derived type, if a person corrected it. */
  readonly foundType?: EntityType;
}

/** The entity of the same type that a new name is an alias of. */
export interface AliasTarget {
  readonly key: string;
  /** Id of the resolved entity; `TYPE key` if that name is new as well. */
  readonly canonicalId: string;
  /** False if the rule is uncertain; a person can undo the alias. */
  readonly isSure: boolean;
}

/** An entity in a version of a memory, with the position and spelling of its first mention. */
export interface DerivedEntity extends KnownName {
  /** The name with case and accents folded, for comparison. */
  readonly key: string;
  /** Offset in UTF-16 units of the content; start and end are 0 if the text does not contain the name. */
  readonly start: number;
  readonly end: number;
  /** Number of mentions in the text. */
  readonly mentions: number;
  /** 0 to 1. */
  readonly confidence: number;
  readonly foundBy: FoundBy;
  /** Whether the name is known in all memories of the user from now on. */
  readonly isCertain: boolean;
  /** The entity that a new name is an alias of. */
  readonly alias?: AliasTarget;
  /** Earlier versions of the user, at most 1,000, that contain its words, if the name is newly certain. */
  readonly olderDocs?: readonly number[];
}

/** How a text states a fact; `inferred` facts are proposals of an LLM. */
const factBases = ['direct', 'hedged', 'planned', 'inferred'] as const;
export type FactBasis = (typeof factBases)[number];

/** A fact in a version of a memory. */
export interface DerivedFact {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  /** Terms for the keyword index. */
  readonly terms: readonly string[];
  /** Identifies the same fact in several memories. */
  readonly key: string;
  readonly isNegated: boolean;
  readonly basis: FactBasis;
  /** 0 to 1. */
  readonly confidence: number;
  /** Range of its clause, in UTF-16 units of the content. */
  readonly start: number;
  readonly end: number;
  readonly speaker: string | null;
  /** The time that the sentence states, as written. */
  readonly time: string | null;
  /** Entities of the same version in its subject or object, by index. */
  readonly entities: readonly { readonly index: number; readonly role: 'subject' | 'object' }[];
}

export interface DerivedTopic {
  readonly name: string;
  readonly score: number;
}

/** A relative time in a text ("last Friday"), resolved: `from` inclusive, `to` exclusive. */
export interface DerivedTime {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** The reason why nothing, or not everything, was derived from a version. */
export type SkipReason = 'content_too_short' | 'not_english';

/** All records derived from one version of a memory. */
export interface Derived {
  readonly isEnglish: boolean;
  readonly skipReason: SkipReason | null;
  /** Each name and type once. */
  readonly entities: readonly DerivedEntity[];
  /** Each fact once. */
  readonly facts: readonly DerivedFact[];
  /** Best first; without those that the client gave. */
  readonly topics: readonly DerivedTopic[];
  /** Each once, four at most. */
  readonly times: readonly DerivedTime[];
}

export const vetoKinds = ['entity', 'fact', 'topic'] as const;
export type VetoKind = (typeof vetoKinds)[number];

/** A record that the rules derive from a version and that an LLM found not to be worth keeping. */
export interface Veto {
  readonly kind: VetoKind;
  /** `TYPE key` of an entity, key of a fact, normalised name of a topic. */
  readonly key: string;
}

/** An LLM's additions to the derived records of one version of a memory; the text contains all of them. */
export interface Proposals {
  readonly entities: readonly DerivedEntity[];
  /** Their entity indices count through `entities` and then `derivedEntities`. */
  readonly facts: readonly DerivedFact[];
  /** The derived entities; only facts are linked to them. */
  readonly derivedEntities: readonly DerivedEntity[];
  /** Derived records that are not worth keeping. */
  readonly vetoes: readonly Veto[];
}
