import type { Extraction } from './extraction.ts';

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
