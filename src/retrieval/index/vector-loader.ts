import type { IndexReader, VectorRow } from '../ports.ts';
import { VectorCodes } from '../vectors/vector-codes.ts';
import type { UserIndex } from './user-index.ts';

const vectorsPerRead = 2000;
/** Fewer say too little of the mean of those to come. */
const centredFrom = 100;

type Place = Pick<VectorRow, 'rev' | 'doc' | 'part'>;

/** Brings the codes of an index's vectors up to date, once its rows are. */
export class VectorLoader {
  readonly #space: string;
  readonly #readUpTo = new WeakMap<UserIndex, Place>();

  constructor(space: string) {
    this.#space = space;
  }

  async load(reader: IndexReader, index: UserIndex): Promise<void> {
    let after: Place = this.#readUpTo.get(index) ?? { rev: 0, doc: 0, part: 0 };
    for (;;) {
      const read = await reader.vectorsSince(this.#space, after, vectorsPerRead);
      // Those of changes after the rows were read wait until their rows are there.
      const ready = read.filter(({ rev }) => rev <= index.rev);
      add(index, ready);
      after = ready.at(-1) ?? after;
      this.#readUpTo.set(index, after);
      if (ready.length < vectorsPerRead) return;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
}

function add(index: UserIndex, read: readonly VectorRow[]): void {
  if (read.length === 0) return;
  index.vectors ??= new VectorCodes(read[0].vector.length, centreOf(read));
  for (const { doc, vector } of read) {
    const row = index.rowOf(doc);
    if (row >= 0) index.vectors.add(row, vector);
  }
}

/** The mean of unit vectors; zero where there are few. */
function centreOf(read: readonly VectorRow[]): Float32Array {
  const centre = new Float32Array(read[0].vector.length);
  if (read.length < centredFrom) return centre;
  for (const { vector } of read) {
    const length = Math.hypot(...vector) || 1;
    for (let i = 0; i < centre.length; i++) centre[i] += vector[i] / length / read.length;
  }
  return centre;
}
