import { decodeNumbers, encodeNumbers } from '../columns/number-column.ts';
import { SegmentUnreadableError } from '../columns/row-segment.ts';

/** Vectors of one space in a segment, in the order in which they were read. */
export interface VectorBlock {
  readonly count: number;
  readonly dimension: number;
  /** The version of each vector. */
  readonly docs: Float64Array;
  /** Numbers of all vectors, one after the other. */
  readonly numbers: Int8Array;
  /** Sum of squares of each vector, which takes longer to compute than to read. */
  readonly squares: Int32Array;
}

const headBytes = 8;

export function encodeVectors({ count, dimension, docs, numbers, squares }: VectorBlock): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(count, 0);
  head.writeUInt32LE(dimension, 4);
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  return Buffer.concat([head, encodeNumbers(docs), encodeNumbers(squares), bytes]);
}

/** @throws SegmentUnreadableError */
export function decodeVectors(bytes: Buffer): VectorBlock {
  try {
    const count = bytes.readUInt32LE(0);
    const dimension = bytes.readUInt32LE(4);
    const docs = new Float64Array(count);
    const squares = new Int32Array(count);
    const rest = decodeNumbers(decodeNumbers(bytes.subarray(headBytes), docs), squares);
    if (rest.length !== count * dimension) throw new RangeError('its vectors are cut off');
    return {
      count,
      dimension,
      docs,
      numbers: new Int8Array(rest.buffer, rest.byteOffset, rest.length),
      squares,
    };
  } catch (error) {
    if (error instanceof RangeError) throw new SegmentUnreadableError(error.message);
    throw error;
  }
}
