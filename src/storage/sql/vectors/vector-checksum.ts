import { crc32 } from 'node:zlib';
import type { VectorRow } from '../../../search-index/ports.ts';

/** The `crc` of a row: the checksum of its vector, seeded with its document, so that it fits no other row. */
export function sumOf(doc: number, vector: Buffer): number {
  return crc32(vector, doc % 2 ** 32);
}

export interface SummedVector {
  readonly doc: number;
  readonly vector: Buffer;
  readonly crc: number | null;
}

/** False for a row that was changed since it was written. */
export function isAsWritten({ doc, vector, crc }: SummedVector): boolean {
  return crc === null || crc === sumOf(doc, vector);
}

export interface StoredVector extends SummedVector {
  readonly part: number;
  readonly lateRev: number | null;
}

export type ToVectorRows = (stored: readonly StoredVector[]) => VectorRow[];

/**
 * Converts stored rows to vectors. A damaged one becomes a vector that is similar to
 * nothing, so that the number of rows, by which readers continue, stays the same.
 * @param onDamaged gets the versions of damaged vectors
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
