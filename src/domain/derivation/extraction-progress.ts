import type { Extraction } from './extraction.ts';

const skipped: Extraction = { status: 'skipped', skipReason: 'global_disabled' };
const pending: Extraction = { status: 'pending' };

/** Tells how far derivation from memories is. */
export class ExtractionProgress {
  /** Of what nothing is known: to be derived yet, or, where derivation is switched off, never. */
  readonly #unknown: Extraction;

  constructor(isOn: boolean) {
    this.#unknown = isOn ? pending : skipped;
  }

  /** Of a version of which the store knows this. */
  of(known: Extraction | undefined): Extraction {
    return known ?? this.#unknown;
  }
}
