import type { EntityType } from '../entities/entity-type.ts';
import type { EpochMs } from '../shared/time.ts';
import type { Derived, KnownName } from './derived.ts';
import type { Extraction } from './extraction.ts';
import type { Proposals } from './proposals.ts';

/** What was derived from a version of a memory. */
export interface DerivedVersion {
  readonly doc: number;
  /** When the version was written: what it says is known since then. */
  readonly saidAt: EpochMs;
  readonly derived: Derived;
}

/** What an LLM proposes for a version of a memory. */
export interface ProposedVersion {
  readonly doc: number;
  readonly saidAt: EpochMs;
  readonly proposals: Proposals;
}

/** A name that an entity has in texts. */
export interface EntityName {
  readonly key: string;
  readonly name: string;
  readonly type: EntityType;
  /** Id of the entity that is shown for it. */
  readonly canonicalId: string;
}

/** What there is of a version beyond the version itself: what is not there need not be read. */
export interface PartsOfVersion {
  /** How far derivation from it is; undefined for one that is not known to be derived, or to wait. */
  readonly extraction: Extraction | undefined;
  /** Whether it, or the client for its memory, says facts. */
  readonly facts: boolean;
  readonly entities: boolean;
  /** Whether it has topics that were derived. */
  readonly topics: boolean;
  /** Whether its memory has relationships, to whichever memories. */
  readonly relationships: boolean;
}

/** Reads of what was derived from one user's memories. */
export interface DerivationReader {
  /** Names that are known in all memories of the user, the newest `limit`. */
  knownNames(limit: number): Promise<KnownName[]>;
  /** Changes whenever those do. */
  knownNamesMark(): Promise<string>;
  /** Entities with one of these keys, of any type. */
  entitiesNamed(keys: readonly string[]): Promise<EntityName[]>;
  /** Names of a type, the newest `limit`, oldest first. */
  namesOfType(type: EntityType, limit: number): Promise<EntityName[]>;
  /** By the number of the version. A part that is true may turn out to be in the trash, one that is false is not there. */
  partsOf(docs: readonly number[]): Promise<ReadonlyMap<number, PartsOfVersion>>;
  /** Those of these normalised names that clients of the user gave memories as topics. */
  givenTopics(names: readonly string[]): Promise<ReadonlySet<string>>;
  /** The newest `limit` versions: the one before them, and how many they are. */
  recentVersions(limit: number): Promise<{ readonly after: number; readonly count: number }>;
}

export interface DerivationWriter extends DerivationReader {
  /** Records that those of these versions are derived again that were derived and do not mention the entity. */
  deriveAgain(docs: readonly number[], entityId: string): Promise<void>;
  /**
   * Writes what was derived from versions, in place of what was derived from them before; what an LLM proposed stays. Entities and facts are found again
   * by their names and keys, so that they keep their ids; what a person corrected stays as it is. Earlier versions with a name
   * that is newly certain are recorded to be derived again.
   * @param at when it was derived
   */
  replace(versions: readonly DerivedVersion[], at: EpochMs): Promise<void>;
  /**
   * Writes what an LLM proposes for versions, in place of what it proposed before, next to what was derived or will be: where
   * both find the same, what was derived stands.
   */
  propose(versions: readonly ProposedVersion[], at: EpochMs): Promise<void>;
}
