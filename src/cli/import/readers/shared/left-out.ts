import type { ImportRecord } from '../reader.ts';

/** Counts records that are left out, by their reason. */
export class LeftOut {
  readonly #counts = new Map<string, number>();

  add(reason: string): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  addAll(reasons: Iterable<string>): void {
    for (const reason of reasons) this.add(reason);
  }

  *records(): Generator<ImportRecord> {
    for (const [reason, count] of this.#counts) yield { kind: 'leftOut', reason, count };
  }
}
