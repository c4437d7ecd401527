import type { EpochMs } from '../domain/shared/time.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import type { RebuildStatus } from '../domain/system/store-probe.ts';
import type { DocumentKind } from '../retrieval/ports.ts';

export interface DocumentRef {
  readonly kind: DocumentKind;
  readonly doc: number;
}

/** What of one user's index does not follow from the records; all empty or 0 where all is well. */
export interface UserFaults {
  readonly user: UserRef;
  /** Records that the keyword index does not hold. */
  readonly missing: readonly DocumentRef[];
  /** Documents that hold other words than their record. */
  readonly wrongWords: readonly DocumentRef[];
  /** Records with words that the user's vocabulary lacks; one for each word. Words beyond the records do no harm. */
  readonly unknownWords: readonly DocumentRef[];
  /** Records whose number of terms, traits or speaker are not those of their text. */
  readonly wrongColumns: readonly DocumentRef[];
  /** What the user's counters of live memories and of terms in them lack; negative where they are too high. */
  readonly counters: { readonly documents: number; readonly terms: number };
  /** Live conversations whose count of memories is wrong, and by how much it must rise. */
  readonly memoryCounts: readonly { readonly id: string; readonly by: number }[];
  /** Live memories whose effective state is not the one that the live edges to them call for. */
  readonly wrongStates: readonly string[];
  /** Segments of the index that are not what was written, as `space/number`; searches read rows in their place. */
  readonly damagedSegments: readonly string[];
  /** Versions with a vector that was changed since it was written. */
  readonly damagedVectors: readonly DocumentRef[];
  /** Rows that an import of the user's export would refuse: the first 100, each with table, key, column and rule. */
  readonly unfit: readonly string[];
  /** How many there are in all. */
  readonly unfitRows: number;
}

export interface StrayRows {
  readonly table: string;
  readonly userId: number;
  readonly rows: number;
}

/** The index compared with the records, as of one moment. */
export interface CheckReport {
  readonly users: number;
  readonly versions: number;
  readonly conversations: number;
  readonly facts: number;
  /** Damage of the database itself, in the engine's words: only a backup helps. */
  readonly damage: readonly string[];
  /** Damage inside the keyword index, in the engine's words: it must be rewritten as a whole. */
  readonly indexDamage: readonly string[];
  /** Documents that belong to no record of the user under whom they are found; user 0 where they hold no word. */
  readonly orphans: readonly { readonly userId: number; readonly doc: number }[];
  /** Rows of users who are no more, by table. */
  readonly strays: readonly StrayRows[];
  /** Names of users whose removal did not finish; only removing them again helps. */
  readonly unfinishedRemovals: readonly string[];
  /** Of users with faults only. */
  readonly faults: readonly UserFaults[];
}

/** Called now and then with how many of how many records are done. */
export type OnProgress = (done: number, total: number) => void;

/** Keeps the search index true to the records. */
export interface Upkeep {
  /** Changes nothing; reads as of one moment, so a service may write at the same time. */
  check(onProgress: OnProgress): Promise<CheckReport>;
  /**
   * Mends what `report` names, in short transactions next to a running service. Each computes what it writes from the records, so
   * a report may be old.
   * @throws where the database itself is damaged
   */
  repair(report: CheckReport, options: { at: EpochMs; onProgress: OnProgress }): Promise<void>;
  rebuildStatus(): Promise<RebuildStatus>;
  /**
   * Begins a space of its own for vectors of all memories, which jobs fill and switch to; goes on with one that was
   * begun. @throws where the configuration asks for no vectors
   */
  beginVectorRebuild(): Promise<void>;
}
