import { dot } from '../../domain/embedding/similarity.ts';
import type { IndexReader, SegmentChange, SegmentRef, VectorRange, VectorRow } from '../ports.ts';
import { joinSmall } from './read-segments.ts';
import { sealSegment } from './segment-file.ts';
import { decodeVectors, encodeVectors, type VectorBlock } from './vector-segment.ts';

interface Cursor {
  readonly doc: number;
  readonly part: number;
  readonly rev: number;
}

interface Range extends VectorRange {
  readonly limit: number;
}

interface NextVectors {
  readonly vectors: readonly VectorRow[];
  readonly upTo: Cursor;
}

/**
 * The next segment of vectors of the rows in segments.
 * @param rows the last segment of rows
 * @returns undefined if segments are complete
 * @throws UserSegmentError
 */
export async function nextVectors(
  reader: IndexReader,
  rows: SegmentRef,
  present: readonly SegmentRef[],
  {
    space,
    epoch,
    vectorsMax,
  }: { readonly space: number; readonly epoch: number; readonly vectorsMax: number },
): Promise<SegmentChange | undefined> {
  const last = present.at(-1);
  const cursor = last
    ? { doc: last.lastDoc, part: last.lastPart, rev: last.lastRev }
    : { doc: 0, part: 0, rev: rows.lastRev };
  const range: Range = { space, rev: rows.lastRev, doc: rows.lastDoc, limit: vectorsMax };
  const late = last && cursor.rev < range.rev ? await lateVectors(reader, range, cursor) : undefined;
  const { vectors, upTo } = late ?? (await vectorsInOrder(reader, range, cursor));
  if (vectors.length === 0)
    return last && cursor.rev < range.rev
      ? { epoch, space, last, removed: [], extendedTo: range.rev }
      : undefined;
  const { block, removed } = await joinSmall(reader, toBlock(vectors), present, {
    decode: decodeVectors,
    join: joined,
    entriesMax: vectorsMax,
  });
  const segment: SegmentRef = {
    space,
    number: (last?.number ?? 0) + 1,
    lastRev: upTo.rev,
    lastDoc: upTo.doc,
    lastPart: upTo.part,
    whole: 0,
    entries: block.count,
    added: block.count,
  };
  const data = sealSegment(encodeVectors(block));
  return { epoch, space, last, removed, added: { segment, data } };
}

/** Vectors of versions that segments skipped for the lack of them; undefined if there are none. */
async function lateVectors(
  reader: IndexReader,
  range: Range,
  cursor: Cursor,
): Promise<NextVectors | undefined> {
  const { space, rev, limit } = range;
  const { doc, part, rev: after } = cursor;
  const from = { lateRev: after, doc: Number.MAX_SAFE_INTEGER, part: 0 };
  const read = await reader.lateVectorsAfter({ space, rev, doc }, from, limit);
  const end = read.at(-1)?.lateRev;
  if (end === undefined || end === null) return undefined;
  if (read.length < limit) return { vectors: read, upTo: { doc, part, rev } };
  // The read may contain a part of the last change only.
  const vectors = read.filter(({ lateRev }) => lateRev !== end);
  if (vectors.length === 0) return lateVectors(reader, { ...range, limit: 2 * range.limit }, cursor);
  return { vectors, upTo: { doc, part, rev: end - 1 } };
}

async function vectorsInOrder(
  reader: IndexReader,
  range: Range,
  { doc, part }: Cursor,
): Promise<NextVectors> {
  const vectors = await reader.vectorsAfter(range, { doc, part }, range.limit);
  const end = vectors.at(-1) ?? { doc, part };
  return { vectors, upTo: { doc: end.doc, part: end.part, rev: range.rev } };
}

function toBlock(vectors: readonly VectorRow[]): VectorBlock {
  const dimension = vectors[0]?.vector.length ?? 0;
  const numbers = new Int8Array(vectors.length * dimension);
  for (const [i, { vector }] of vectors.entries()) numbers.set(vector, i * dimension);
  return {
    count: vectors.length,
    dimension,
    docs: Float64Array.from(vectors, ({ doc }) => doc),
    numbers,
    squares: Int32Array.from(vectors, ({ vector }) => dot(vector, vector)),
  };
}

function joined(a: VectorBlock, b: VectorBlock): VectorBlock {
  const docs = new Float64Array(a.count + b.count);
  docs.set(a.docs);
  docs.set(b.docs, a.count);
  const numbers = new Int8Array(a.numbers.length + b.numbers.length);
  numbers.set(a.numbers);
  numbers.set(b.numbers, a.numbers.length);
  const squares = new Int32Array(a.count + b.count);
  squares.set(a.squares);
  squares.set(b.squares, a.count);
  return { count: a.count + b.count, dimension: b.dimension, docs, numbers, squares };
}
