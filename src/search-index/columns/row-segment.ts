import { endianness } from 'node:os';
import { effectiveStates, memoryTypes } from '../../domain/memories/memory.ts';
import { Columns, columnNames } from './columns.ts';
import { decodeNumbers, encodeNumbers } from './number-column.ts';
import type { NumberLists } from './number-list-column.ts';

/**
 * Rows of a user's index in a segment, in order of doc. Numbers of
 * conversations, speakers and topics are places in the lists of this block.
 */
export interface RowBlock {
  readonly count: number;
  readonly columns: Columns;
  readonly conversations: readonly string[];
  readonly speakers: readonly string[];
  readonly topicNames: readonly string[];
  readonly topics: NumberLists;
  /** Two numbers for each key, see `parseMetadataKeys`. */
  readonly metadataKeys: NumberLists;
}

/** JSON before the columns. */
interface Head {
  readonly count: number;
  readonly topicNumbers: number;
  readonly keyNumbers: number;
  /** Names of the numbers in these two columns. */
  readonly memoryTypes: readonly string[];
  readonly effectiveStates: readonly string[];
  readonly conversations: readonly string[];
  readonly speakers: readonly string[];
  readonly topicNames: readonly string[];
}

const lengthBytes = 4;

/** This program cannot read the segment: it is rewritten. */
export class SegmentUnreadableError extends Error {
  constructor(reason: string) {
    super(`A segment of the index cannot be read: ${reason}`);
    this.name = 'SegmentUnreadableError';
  }
}

export function encodeRows(block: RowBlock): Buffer {
  const head: Head = {
    count: block.count,
    topicNumbers: block.topics.numbers.length,
    keyNumbers: block.metadataKeys.numbers.length,
    memoryTypes,
    effectiveStates,
    conversations: block.conversations,
    speakers: block.speakers,
    topicNames: block.topicNames,
  };
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32LE(text.length);
  const parts: Buffer[] = [length, text];
  for (const name of columnNames) parts.push(encodeNumbers(block.columns[name].subarray(0, block.count)));
  for (const { counts, numbers } of [block.topics, block.metadataKeys])
    parts.push(encodeNumbers(counts), encodeNumbers(numbers));
  return Buffer.concat(parts);
}

/** @throws SegmentUnreadableError */
export function decodeRows(bytes: Buffer): RowBlock {
  try {
    return decode(bytes);
  } catch (error) {
    if (error instanceof RangeError || error instanceof SyntaxError)
      throw new SegmentUnreadableError(error.message);
    throw error;
  }
}

function decode(bytes: Buffer): RowBlock {
  const textEnd = lengthBytes + bytes.readUInt32LE(0);
  const head = JSON.parse(bytes.toString('utf8', lengthBytes, textEnd)) as Head;
  if (!areEqual(head.memoryTypes, memoryTypes) || !areEqual(head.effectiveStates, effectiveStates))
    throw new SegmentUnreadableError('it knows other types or states of memories');
  const { count } = head;
  const columns = new Columns(count);
  let rest: Buffer = bytes.subarray(textEnd);
  for (const name of columnNames) rest = decodeNumbers(rest, columns[name]);
  const lists = (numberCount: number): NumberLists => {
    const read = { counts: new Int32Array(count), numbers: new Float64Array(numberCount) };
    rest = decodeNumbers(rest, read.counts);
    rest = decodeNumbers(rest, read.numbers);
    return read;
  };
  const { conversations, speakers, topicNames } = head;
  const topics = lists(head.topicNumbers);
  return {
    count,
    columns,
    conversations,
    speakers,
    topicNames,
    topics,
    metadataKeys: lists(head.keyNumbers),
  };
}

function areEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

/** Format of the segments that this process writes and reads; another layout needs another number. */
export const segmentFormat = endianness() === 'LE' ? 2 : -2;
