import { otherWork } from '../../lib/loop-time.ts';
import type { IndexReader, SegmentRef, VectorRange, VectorRow } from '../ports.ts';
import type { SpaceVectors, UserIndex, VectorsUpTo } from '../rows/user-index.ts';
import { withRoom } from '../vectors/vector-codes.ts';
import { contentOf } from './read-segments.ts';
import { decodeVectors, type VectorBlock } from './vector-segment.ts';

const vectorsPerRead = 2000;

/** Brings the vectors of an index up to date with its rows, after the rows are. */
export async function loadVectors(reader: IndexReader, index: UserIndex): Promise<void> {
  await loadSpace(reader, index, index);
  if (index.second) await loadSpace(reader, index, index.second);
}

/** Removes all vectors of an index. */
export function forgetVectors(index: UserIndex): void {
  for (const of of [index, index.second]) if (of) forgetSpace(of);
}

function forgetSpace(of: SpaceVectors): void {
  of.vectors = undefined;
  of.vectorsUpTo = undefined;
  of.embedded.clear();
}

/**
 * Loads the vectors of segments into an index without vectors.
 * @returns false if a segment no longer exists: the index is useless then
 * @throws UserSegmentError
 */
export async function loadVectorSegments(
  reader: IndexReader,
  index: UserIndex,
  segments: readonly SegmentRef[],
): Promise<boolean> {
  for (const of of [index, index.second]) {
    if (!of || of.space === 0) continue;
    const ofSpace = segments.filter(({ space }) => space === of.space);
    const count = ofSpace.reduce((sum, { entries }) => sum + entries, 0);
    for (const segment of ofSpace) {
      // Has rows added after the segments were listed; they are read with later ones.
      if (index.rowOf(segment.lastDoc) < 0 || segment.lastRev > index.rev) break;
      const block = await contentOf(reader, segment, decodeVectors);
      if (!block) return false;
      addBlock(index, of, block, count);
      const { lastDoc: doc, lastPart: part, lastRev: rev } = segment;
      of.vectorsUpTo = { doc, part, rev };
      await otherWork();
    }
  }
  return true;
}

/** @param total vectors of the space in all segments */
function addBlock(index: UserIndex, of: SpaceVectors, block: VectorBlock, total: number): void {
  const { count, dimension, docs, numbers, squares } = block;
  of.vectors = withRoom(of.vectors, dimension, count);
  of.vectors.reserve(total);
  const rows = rowsOfDocs(index, docs);
  of.vectors.addAll({ rows, numbers, squares });
  for (const row of rows) if (row >= 0) of.embedded.add(row);
}

/**
 * The row of each doc, or -1. Docs mostly rise like rows:
 * then it is the row of the previous doc, or the next one.
 */
function rowsOfDocs(index: UserIndex, docs: Float64Array): Int32Array {
  const { size } = index;
  const known = index.columns.docs;
  const rows = new Int32Array(docs.length);
  let row = -1;
  for (const [i, doc] of docs.entries()) {
    if (row + 1 < size && known[row + 1] === doc) row++;
    else if (row < 0 || known[row] !== doc) row = index.rowOf(doc);
    rows[i] = row;
  }
  return rows;
}

async function loadSpace(reader: IndexReader, index: UserIndex, of: SpaceVectors): Promise<void> {
  if (of.space === 0 || index.size === 0) return;
  const { rev } = index;
  const before = of.vectorsUpTo ?? { doc: 0, part: 0, rev };
  await addLate(reader, index, of, before);
  const range: VectorRange = { space: of.space, rev, doc: index.columns.docs[index.size - 1] };
  let { doc, part } = before;
  await readAll(index, of, async (limit) => {
    const read = await reader.vectorsAfter(range, { doc, part }, limit);
    ({ doc, part } = read.at(-1) ?? { doc, part });
    return read;
  });
  of.vectorsUpTo = { doc, part, rev };
}

/** Adds vectors of versions that were skipped because they had none. */
async function addLate(
  reader: IndexReader,
  index: UserIndex,
  of: SpaceVectors,
  before: VectorsUpTo,
): Promise<void> {
  if (before.doc === 0 || before.rev === index.rev) return;
  const range: VectorRange = { space: of.space, rev: index.rev, doc: before.doc };
  let after = { lateRev: before.rev, doc: Number.MAX_SAFE_INTEGER, part: 0 };
  await readAll(index, of, async (limit) => {
    const read = await reader.lateVectorsAfter(range, after, limit);
    const last = read.at(-1);
    if (last) after = { lateRev: last.lateRev ?? 0, doc: last.doc, part: last.part };
    return read;
  });
}

async function readAll(
  index: UserIndex,
  of: SpaceVectors,
  next: (limit: number) => Promise<VectorRow[]>,
): Promise<void> {
  for (;;) {
    const read = await next(vectorsPerRead);
    add(index, of, read);
    if (read.length < vectorsPerRead) return;
    await otherWork();
  }
}

function add(index: UserIndex, of: SpaceVectors, read: readonly VectorRow[]): void {
  if (read.length === 0) return;
  of.vectors = withRoom(of.vectors, read[0].vector.length, read.length);
  for (const { doc, vector } of read) {
    const row = index.rowOf(doc);
    if (row < 0) continue;
    of.vectors.add(row, vector);
    of.embedded.add(row);
  }
}
