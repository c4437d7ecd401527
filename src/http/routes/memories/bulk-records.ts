import { type CreateOutcome, createdAtOnce } from '../../../domain/memories/create-many.ts';
import type { CreateRequest } from '../../../domain/memories/create-memory.ts';
import { AppError, invalidInput } from '../../../domain/shared/errors.ts';
import { assertTexts } from '../../../domain/shared/storable-text.ts';
import { type Line, linesOf } from '../../../lib/async.ts';
import { isTooDeep, jsonDepthRule } from '../../../lib/json.ts';
import { pauseAfter, waitedFor } from '../../../lib/loop-time.ts';
import { ignoredIn } from '../../ignored-fields.ts';
import { recordCheck } from '../../schema-compilers.ts';
import { CreateBody, toCreateRequest } from '../../schemas/create-body.ts';
import { warningsOf } from '../../schemas/memory-body.ts';

/** Lines of one body of JSON Lines, empty ones included. */
export const bulkLinesMax = 10_000;

/** One record of a body: a request, or its refusal. */
export interface BulkRecord {
  /** Index in a list, from 0, or number of the line, from 1. */
  readonly place: number;
  readonly request: CreateRequest | AppError;
  /** Length of the record, for the size of a transaction. */
  readonly units: number;
  /** Equal for equal records. */
  readonly source: () => string | Uint8Array;
  readonly ignored?: readonly string[];
}

export interface BulkCreated {
  readonly status: 200 | 201;
  readonly id: string;
  readonly conversationId: string;
  readonly updated?: true;
  readonly keptEdit?: true;
  readonly warnings?: string[];
  readonly ignored?: string[];
}

export interface BulkRefused {
  readonly status: number;
  readonly code: string;
  readonly error: string;
  readonly details?: unknown;
  readonly retryAfter?: number;
}

const check = recordCheck(CreateBody);

/** @param read the value of the record, or an error that refuses it */
function requestOf(read: () => unknown): Pick<BulkRecord, 'request' | 'ignored'> {
  try {
    const value = read();
    assertTexts(value);
    check(value);
    const { ignored } = ignoredIn({ query: undefined, body: value }, { body: CreateBody }) ?? {};
    return { request: toCreateRequest(value as Parameters<typeof toCreateRequest>[0]), ignored };
  } catch (error) {
    if (error instanceof AppError) return { request: error };
    throw error;
  }
}

const lengthOf = (value: unknown) => {
  const { content } = value as { content?: unknown };
  return typeof content === 'string' ? content.length : 0;
};

export function* recordsOfList(values: readonly unknown[]): Generator<BulkRecord> {
  for (const [place, value] of values.entries())
    yield { place, ...requestOf(() => value), units: lengthOf(value), source: () => JSON.stringify(value) };
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** @throws 422 if the line is no JSON in UTF-8 within the bounds, or one too many */
function parsedLine({ bytes, number }: Line, bytesMax: number): unknown {
  if (number > bulkLinesMax) throw invalidInput('the body', `must have at most ${bulkLinesMax} lines`);
  if (!bytes) throw invalidInput('the line', `must have at most ${bytesMax} bytes`);
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw invalidInput('the line', 'must be UTF-8');
  }
  if (isTooDeep(text)) throw invalidInput('the line', jsonDepthRule);
  try {
    return JSON.parse(text);
  } catch {
    throw invalidInput('the line', 'must be JSON');
  }
}

function* recordsOfLines(lines: readonly Line[], bytesMax: number): Generator<BulkRecord> {
  for (const line of lines) {
    const { number, bytes, length } = line;
    if (bytes && isBlank(bytes)) continue;
    const source = () => bytes ?? String(length);
    yield {
      place: number,
      ...requestOf(() => parsedLine(line, bytesMax)),
      units: bytes?.length ?? 0,
      source,
    };
  }
}

/** Only spaces and line ends, as in the last line of a file, or after CR LF. */
const isBlank = (bytes: Uint8Array) => bytes.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);

/**
 * The records of JSON Lines, in the groups in which they arrive. The first line beyond
 * `bulkLinesMax` is refused, and the rest is not read.
 * @param bytesMax of a line; a longer one is refused alone
 */
export async function* recordsOfStream(
  body: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Iterable<BulkRecord>> {
  const groups = linesOf(body, bytesMax);
  try {
    for (;;) {
      const { value: lines, done } = await waitedFor(groups.next());
      if (done) return;
      yield recordsOfLines(
        lines.filter(({ number }) => number <= bulkLinesMax + 1),
        bytesMax,
      );
      if (lines.some(({ number }) => number > bulkLinesMax)) return;
    }
  } finally {
    await groups.return(undefined);
  }
}

/**
 * Records that are created in one transaction, each group as large as `createdAtOnce` allows.
 * @param isFixed whether a group waits until it is full, so that it is the same in a repetition of the request
 */
export async function* inTransactions(
  arriving: AsyncIterable<Iterable<BulkRecord>> | Iterable<Iterable<BulkRecord>>,
  isFixed: boolean,
): AsyncGenerator<readonly BulkRecord[]> {
  let group: BulkRecord[] = [];
  let units = 0;
  for await (const records of arriving) {
    for (const record of records) {
      await pauseAfter();
      const isFull = group.length === createdAtOnce.memories || units + record.units > createdAtOnce.units;
      if (isFull && group.length > 0) {
        yield group;
        group = [];
        units = 0;
      }
      group.push(record);
      units += record.units;
    }
    if (isFixed || group.length === 0) continue;
    yield group;
    group = [];
    units = 0;
  }
  if (group.length > 0) yield group;
}

export function toRefused({ status, code, message: error, details, retryAfter }: AppError): BulkRefused {
  return {
    status,
    code,
    error,
    ...(details !== undefined && { details }),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

export function toResult({ ignored }: BulkRecord, outcome: CreateOutcome): BulkCreated | BulkRefused {
  if (outcome instanceof AppError) return toRefused(outcome);
  const { memory, isExisting, again } = outcome;
  return {
    status: isExisting ? 200 : 201,
    id: memory.id,
    conversationId: memory.conversationId,
    ...(again === 'updated' && { updated: true }),
    ...(again === 'keptEdit' && { keptEdit: true }),
    ...((!isExisting || again === 'updated') && warningsOf(memory)),
    ...(ignored && { ignored: [...ignored] }),
  };
}
