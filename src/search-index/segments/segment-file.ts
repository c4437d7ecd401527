import { crc32 } from 'node:zlib';
import { SegmentUnreadableError, segmentFormat } from '../columns/row-segment.ts';

/** Format and checksum. */
const headBytes = 8;

/** The stored form of a segment: its format, the checksum of its content, and the content. */
export function sealSegment(content: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeInt32LE(segmentFormat, 0);
  head.writeUInt32LE(crc32(content), 4);
  return Buffer.concat([head, content]);
}

/** Whether a segment differs from the one written. One of another format is not damaged; it is rewritten. */
export function isDamagedSegment(data: Buffer): boolean {
  if (data.length < headBytes) return true;
  return data.readInt32LE(0) === segmentFormat && !isWhole(data);
}

function isWhole(data: Buffer): boolean {
  return data.readUInt32LE(4) === crc32(data.subarray(headBytes));
}

/** @throws SegmentUnreadableError if it has another format, or differs from the one written */
export function openSegment(data: Buffer): Buffer {
  if (data.length < headBytes) throw new SegmentUnreadableError('it is cut off');
  const format = data.readInt32LE(0);
  if (format !== segmentFormat) throw new SegmentUnreadableError(`it is of format ${format}`);
  if (!isWhole(data))
    throw new SegmentUnreadableError('it is damaged: its checksum is not that of its content');
  return data.subarray(headBytes);
}
