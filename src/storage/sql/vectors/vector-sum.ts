import { crc32 } from 'node:zlib';
import type { VectorRow } from '../../../retrieval/ports.ts';

/** The `crc` of a row: of the bytes of its vector, begun with its document, so that it fits no other row. */
export function sumOf(doc: number, vector: Buffer): number {
  return crc32(vector, doc % 2 ** 32);
}

export interface SummedVector {
  readonly doc: number;
  readonly vector: Buffer;
  readonly crc: number | null;
}

/** False for a row that was changed since. */
export function isAsWritten({ doc, vector, crc }: SummedVector): boolean {
  return crc === null || crc === sumOf(doc, vector);
}

export interface StoredVector extends SummedVector {
  readonly part: number;
  readonly lateRev: number | null;
}

export type ToVectorRows = (stored: readonly StoredVector[]) => VectorRow[];

/**
 * Makes vectors of stored rows. One that was changed since it was written is near to nothing; the number of rows stays, by
 * which readers go on.
 * @param onDamaged told the versions of such vectors
 */
export function vectorRowsOf(onDamaged: (docs: readonly number[]) => void): ToVectorRows {
  return (stored) => {
    const damaged: number[] = [];
    const rows = stored.map((row) => {
      const { doc, part, lateRev, vector } = row;
      const isRight = isAsWritten(row);
      if (!isRight) damaged.push(doc);
      const numbers = new Int8Array(vector.buffer, vector.byteOffset, vector.length);
      return { doc, part, lateRev, vector: isRight ? numbers : new Int8Array(vector.length) };
    });
    if (damaged.length > 0) onDamaged(damaged);
    return rows;
  };
}
