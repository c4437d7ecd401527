import type { Stores } from '../shared/stores.ts';
import type { EpochMs } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';

export const extractionStatuses = ['pending', 'running', 'completed', 'failed', 'skipped'] as const;
export const extractionSkipReasons = ['global_disabled', 'content_too_short'] as const;

/** How far derivation from a version of a memory is. */
export interface Extraction {
  /** `failed`: given up after three tries, until it is released. */
  readonly status: (typeof extractionStatuses)[number];
  /** Set where it was skipped. */
  readonly skipReason?: (typeof extractionSkipReasons)[number];
  /** Set where it is completed. */
  readonly completedAt?: EpochMs;
}

const skipped: Extraction = { status: 'skipped', skipReason: 'global_disabled' };
const pending: Extraction = { status: 'pending' };

/** Tells how far derivation from memories is. */
export class ExtractionProgress {
  readonly #stores: Stores;
  /** Of what nothing is known: to be derived yet, or, where derivation is switched off, never. */
  readonly #unknown: Extraction;

  constructor(stores: Stores, isOn: boolean) {
    this.#stores = stores;
    this.#unknown = isOn ? pending : skipped;
  }

  /** Of each of these versions. */
  async of(user: UserRef, docs: readonly number[]): Promise<(doc: number) => Extraction> {
    const known = await this.#stores.forUser(user).derivation.extractions(docs);
    return (doc) => known.get(doc) ?? this.#unknown;
  }
}
