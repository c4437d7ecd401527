import type { EpochMs } from '../domain/shared/time.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import type { RebuildStatus } from '../domain/system/system-service.ts';
import type { DocumentKind } from '../search-index/ports.ts';

export interface DocumentRef {
  readonly kind: DocumentKind;
  readonly doc: number;
}

/** Deviations of one user's index from the records; all empty or 0 if there are none. */
export interface UserFaults {
  readonly user: UserRef;
  /** Records missing in the keyword index. */
  readonly missing: readonly DocumentRef[];
  /** Documents with other words than their record. */
  readonly wrongWords: readonly DocumentRef[];
  /**
   * Records with words missing in the user's vocabulary, one for each word. Superfluous words are harmless.
   */
  readonly unknownWords: readonly DocumentRef[];
  /** Records whose number of terms, traits or speaker differ from those of their text. */
  readonly wrongColumns: readonly DocumentRef[];
  /**
   * Corrections of the user's counters of live memories and of their terms; negative if they are too high.
   */
  readonly counters: { readonly documents: number; readonly terms: number };
  /** Live conversations with a wrong count of memories, and its correction. */
  readonly memoryCounts: readonly { readonly id: string; readonly by: number }[];
  /** Live memories whose effective state differs from the one that the live edges to them require. */
  readonly wrongStates: readonly string[];
  /** Damaged segments of the index, as `space/number`; searches read rows instead. */
  readonly damagedSegments: readonly string[];
  /** Versions with a vector that was changed since it was written. */
  readonly damagedVectors: readonly DocumentRef[];
  /** Rows that an import of the user's export would refuse: the first 100, each with table, key, column and rule. */
  readonly unfit: readonly string[];
  /** Number of all of them. */
  readonly unfitRows: number;
}

export interface StrayRows {
  readonly table: string;
  readonly userId: number;
  readonly rows: number;
}

/** Comparison of the index with the records, in one state of the store. */
export interface CheckReport {
  readonly users: number;
  readonly versions: number;
  readonly conversations: number;
  readonly facts: number;
  /** Damage of the database itself, in the engine's words: repair needs a backup. */
  readonly damage: readonly string[];
  /** Damage inside the keyword index, in the engine's words: it must be rewritten as a whole. */
  readonly indexDamage: readonly string[];
  /** Documents without a record of the user under whom they are found; user 0 if they contain no word. */
  readonly orphans: readonly { readonly userId: number; readonly doc: number }[];
  /** Rows of users who no longer exist, by table. */
  readonly strays: readonly StrayRows[];
  /** Names of users whose removal did not finish; only removing them again helps. */
  readonly unfinishedRemovals: readonly string[];
  /** Users with faults. */
  readonly faults: readonly UserFaults[];
}

/** Called from time to time with the number of records done, and of all. */
export type OnProgress = (done: number, total: number) => void;

/** Keeps the search index true to the records. */
export interface Upkeep {
  /** Changes nothing; reads one state of the store, so a service may write at the same time. */
  check(onProgress: OnProgress): Promise<CheckReport>;
  /**
   * Repairs the faults in `report`, in short transactions next to a running
   * service. Each computes its rows from the records, so the report may be old.
   * @throws if the database itself is damaged
   */
  repair(report: CheckReport, options: { at: EpochMs; onProgress: OnProgress }): Promise<void>;
  rebuildStatus(): Promise<RebuildStatus>;
  /**
   * Begins a new space for vectors of all memories, which jobs fill and switch to,
   * or continues one that was begun. @throws if the configuration has no vectors
   */
  beginVectorRebuild(): Promise<void>;
}
