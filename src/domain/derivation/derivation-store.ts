import type { EntityType } from '../entities/entity.ts';
import type { EpochMs } from '../shared/time.ts';
import type { Derived, KnownName, Proposals } from './derived.ts';
import type { RecentVersions, UserOutline } from './user-outline.ts';

/** The result of derivation from a version of a memory. */
export interface DerivedVersion {
  readonly doc: number;
  /** Write time of the version: its statements are known since then. */
  readonly saidAt: EpochMs;
  readonly derived: Derived;
}

/** An LLM's proposals for a version of a memory. */
export interface ProposedVersion {
  readonly doc: number;
  readonly saidAt: EpochMs;
  readonly proposals: Proposals;
}

/** A name of an entity in texts. */
export interface EntityName {
  readonly key: string;
  readonly name: string;
  readonly type: EntityType;
  /** Id of the entity that the name resolves to. */
  readonly canonicalId: string;
}

/** Which derived records a version has; the absent ones need not be read. */
export interface PartsOfVersion {
  /** Progress of derivation; undefined if neither a result nor a waiting step is known. */
  readonly extraction: Extraction | undefined;
  /** Whether the version states facts, or the client gave some with its memory. */
  readonly facts: boolean;
  readonly entities: boolean;
  /** Whether it has derived topics. */
  readonly topics: boolean;
  /** Whether its memory has relationships. */
  readonly relationships: boolean;
}

/** Reads the records derived from one user's memories. */
export interface DerivationReader {
  /** Names that are known in all memories of the user: the newest `limit`. */
  knownNames(limit: number): Promise<KnownName[]>;
  /** By one statement, before texts are read. */
  outline(recentMax: number): Promise<UserOutline>;
  /** Entities with one of these keys, of any type. */
  entitiesNamed(keys: readonly string[]): Promise<EntityName[]>;
  /** The newest `limit` names of a type, ordered from oldest to newest. */
  namesOfType(type: EntityType, limit: number): Promise<EntityName[]>;
  /** Parts by doc of the version. A true part may be in the trash; a false one does not exist. */
  partsOf(docs: readonly number[]): Promise<ReadonlyMap<number, PartsOfVersion>>;
  /** The normalised names that clients of the user gave memories as topics. */
  givenTopics(names: readonly string[]): Promise<ReadonlySet<string>>;
  /** Which of these speakers, as in the keyword index, speak in two or more memories, by versions after a doc. */
  speakingTwice(speakers: readonly string[], after: number): Promise<ReadonlySet<string>>;
  /** The newest `limit` versions. */
  recentVersions(limit: number): Promise<RecentVersions>;
}

export interface DerivationWriter extends DerivationReader {
  /** Queues versions for derivation that are derived and do not mention the entity. */
  deriveAgain(docs: readonly number[], entityId: string): Promise<void>;
  /**
   * Replaces the derived records of versions; proposals of an LLM stay. Entities and facts
   * are matched by their names and keys, so that they keep their ids and corrections by
   * people. Earlier versions that contain a newly certain name are queued for derivation.
   * @param at time of the derivation
   */
  replace(versions: readonly DerivedVersion[], at: EpochMs): Promise<void>;
  /**
   * Replaces the proposals of an LLM for versions. If derivation
   * finds the same record, before or after, the derived one stays.
   */
  propose(versions: readonly ProposedVersion[], at: EpochMs): Promise<void>;
}

export const extractionStatuses = ['pending', 'running', 'completed', 'failed', 'skipped'] as const;
export const extractionSkipReasons = ['global_disabled', 'content_too_short'] as const;

/** Progress of derivation from a version of a memory. */
export interface Extraction {
  /** `failed`: given up after three tries, until it is released. */
  readonly status: (typeof extractionStatuses)[number];
  /** Set if `status` is `skipped`. */
  readonly skipReason?: (typeof extractionSkipReasons)[number];
  /** Set if `status` is `completed`. */
  readonly completedAt?: EpochMs;
}

const skipped: Extraction = { status: 'skipped', skipReason: 'global_disabled' };
const pending: Extraction = { status: 'pending' };

/** Progress of derivation from memories. */
export class ExtractionProgress {
  /** Progress of versions without a record: pending, or skipped if derivation is off. */
  readonly #unknown: Extraction;

  constructor(isOn: boolean) {
    this.#unknown = isOn ? pending : skipped;
  }

  /** Progress of a version, by the store's record of it. */
  of(known: Extraction | undefined): Extraction {
    return known ?? this.#unknown;
  }
}
