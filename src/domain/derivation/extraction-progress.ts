import type { Stores } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import type { Extraction } from './extraction.ts';

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
