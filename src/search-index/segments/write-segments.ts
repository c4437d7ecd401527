import type { Slice, SlicedWork } from '../../domain/system/engine-maintenance.ts';
import { segmentFormat } from '../columns/row-segment.ts';
import type { IndexReader, SegmentChange, SegmentRef, SegmentStore, ServingSpaces } from '../ports.ts';
import { nextRows } from './next-rows.ts';
import { nextVectors } from './next-vectors.ts';
import { UserSegmentError, wholeRows } from './read-segments.ts';

export interface SegmentSizes {
  /** Minimum changes outside segments for which one is written: reading fewer takes about 5 ms at most. */
  readonly changesMin: number;
  /** Maximum rows of a segment; smaller segments are merged up to it. Reading one blocks for about 10 ms. */
  readonly rows: number;
  /** Maximum vectors of a segment: 1 MiB for 256 numbers each. */
  readonly vectors: number;
}

const shippedSizes: SegmentSizes = { changesMin: 256, rows: 16_384, vectors: 4096 };

export interface SegmentWriterDeps {
  readonly segments: SegmentStore;
  readonly readerFor: (user: { readonly id: number }) => IndexReader;
  /** Called if segments of a user cannot be read; all of them are rewritten. */
  readonly report: (error: UserSegmentError) => void;
  /** The sizes of production by default; tests use others. */
  readonly sizes?: SegmentSizes;
}

/** Writes segments of users' changes since their last segment, one at a time, between requests. */
export class SegmentWriter implements SlicedWork {
  readonly #deps: SegmentWriterDeps;
  readonly #sizes: SegmentSizes;

  constructor(deps: SegmentWriterDeps) {
    this.#deps = deps;
    this.#sizes = deps.sizes ?? shippedSizes;
  }

  async slice(): Promise<Slice> {
    const id = await this.#deps.segments.behind(this.#sizes.changesMin, segmentsOf);
    if (id === undefined) return { more: false, workedMs: 0 };
    const began = performance.now();
    await this.#writeNext(id).catch(async (error: unknown) => {
      if (!(error instanceof UserSegmentError)) throw error;
      this.#deps.report(error);
      await this.#deps.segments.drop(id);
    });
    return { more: true, workedMs: performance.now() - began };
  }

  async #writeNext(id: number): Promise<void> {
    const { segments, readerFor } = this.#deps;
    const reader = readerFor({ id });
    const head = await reader.head();
    const present = await reader.segments.list(head.epoch);
    const rows = await nextRows(reader, head, ofSpace(present, 0), this.#sizes.rows);
    if (rows === 'again') return segments.drop(id);
    if (rows) return this.#change(id, rows);
    const last = wholeRows(present).at(-1);
    if (!last) return;
    for (const space of vectorSpaces(head)) {
      const options = { space, epoch: head.epoch, vectorsMax: this.#sizes.vectors };
      const vectors = await nextVectors(reader, last, ofSpace(present, space), options);
      if (vectors) return this.#change(id, vectors);
    }
    const spaces = [0, ...vectorSpaces(head)];
    await segments.done(id, { epoch: head.epoch, rev: last.lastRev, of: segmentsOf(head), spaces });
  }

  /** A change that another process preempted is refused; the next slice looks again. */
  async #change(id: number, change: SegmentChange): Promise<void> {
    await this.#deps.segments.change(id, change);
  }
}

function vectorSpaces({ space, second }: ServingSpaces): readonly number[] {
  return [space, second].filter((each) => each !== 0);
}

function ofSpace(segments: readonly SegmentRef[], space: number): readonly SegmentRef[] {
  return segments.filter((segment) => segment.space === space);
}

/** Format and spaces that segments of all users must have; others are rewritten. */
function segmentsOf({ space, second }: ServingSpaces): string {
  return [segmentFormat, space, second].join(' ');
}
