import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { parseTime } from '../../domain/shared/time.ts';
import type { Line } from '../../lib/async.ts';
import { parseJson } from '../../lib/json-depth.ts';
import { readLines } from '../transfer/read-file.ts';

/** One item of the file: the body of a memory to create, or the reason why it has none. */
export interface Item {
  /** Its place in the file, from 1. */
  readonly number: number;
  /** Its name in messages, such as "line 17". */
  readonly label: string;
  /** Its share of `Source.size`. */
  readonly size: number;
  /** Digest of number and text: shows later whether the item is unchanged. */
  readonly digest: number;
  readonly content: Statement | { readonly refusal: string };
}

export interface Statement {
  /** Title of the conversation to create or append to; undefined: by the body, or else by the server. */
  readonly conversation: string | undefined;
  /** Items of one group are sent one after another; undefined: in no order. */
  readonly group: string | undefined;
  /** Body of `POST /api/memories`, without the conversation that `conversation` names. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Source {
  /** Sum of the sizes of all items, about. */
  readonly size: number;
  /** From the beginning, each time it is called. */
  items(): AsyncIterable<Item> | Iterable<Item>;
}

const headBytes = 64 * 1024;

/**
 * Opens a file of any layout, recognized by its beginning.
 * @throws Error if it cannot be read
 */
export function openSource(path: string): Source {
  return arrayMark.test(readHead(path)) ? exportedSource(path) : jsonLinesSource(path);
}

/** A line of JSON Lines begins with a brace. */
const arrayMark = /^\ufeff?\s*\[\s*(?:[{\]]|$)/;

function readHead(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const head = Buffer.alloc(headBytes);
      return head.toString('utf8', 0, readSync(file, head, 0, headBytes, 0));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`);
  }
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The JSON array of `POST /api/memories/export`, at most 1,000 memories: each becomes a new memory
 * with its time of writing, and those of one conversation go to a conversation named after it.
 * @throws Error if the file is not a JSON array
 */
function exportedSource(path: string): Source {
  const items = readArray(path).map((record, i): Item => {
    const number = i + 1;
    const content = contentOfRecord(record);
    const digest = digestOf(number, JSON.stringify(record));
    return { number, label: `memory ${number}`, size: 1, digest, content };
  });
  return { size: items.length, items: () => items };
}

function readArray(path: string): readonly unknown[] {
  let list: unknown;
  try {
    list = parseJson(readFileSync(path, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    throw new Error(`${path} is not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(list)) throw new Error(`${path} must be a list of memories`);
  return list;
}

/** Fields that the service sets on a new memory. */
const givenByService: ReadonlySet<string> = new Set([
  'id',
  'version',
  'memoryTypeUserSet',
  'timestamp',
  'updatedAt',
]);

function contentOfRecord(record: unknown): Item['content'] {
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    return { refusal: 'the memory must be a JSON object' };
  const { conversationId, effectiveState = 'current', ...rest } = record as Fields;
  // A new memory would be current, since its relationships are not in the file.
  if (effectiveState === 'superseded' || effectiveState === 'contradicted')
    return { refusal: `the memory is ${effectiveState}, and only memoryd export keeps states` };
  const stated = Object.entries(rest).filter(([name, value]) => value !== null && !givenByService.has(name));
  const body = Object.fromEntries(stated);
  const conversation = typeof conversationId === 'string' ? `Import of ${conversationId}` : undefined;
  return { conversation, group: conversation ?? '', body };
}

const megabyte = 1024 * 1024;
const lineBytesMax = 4 * megabyte;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** JSON Lines of memories, read as a stream. */
function jsonLinesSource(path: string): Source {
  return {
    size: statSync(path).size,
    async *items() {
      for await (const line of readLines(path, lineBytesMax)) {
        const content = contentOfLine(line);
        if (content !== undefined) yield toItem(line, content);
      }
    },
  };
}

function toItem({ number, bytes, length }: Line, content: Item['content']): Item {
  const digest = digestOf(number, bytes ?? String(length));
  return { number, label: `line ${number}`, size: length, digest, content };
}

/** Undefined for an empty line. */
function contentOfLine({ bytes }: Line): Item['content'] | undefined {
  if (bytes === undefined) return { refusal: `the line is longer than ${lineBytesMax / megabyte} MiB` };
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { refusal: 'the line is not UTF-8' };
  }
  return text.trim() === '' ? undefined : parseLine(text);
}

function parseLine(text: string): Item['content'] {
  try {
    const value: unknown = parseJson(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return toStatement(value as Record<string, unknown>);
    return { refusal: 'the line must be a JSON object' };
  } catch (error) {
    return { refusal: `the line is not JSON: ${(error as SyntaxError).message}` };
  }
}

function toStatement(line: Record<string, unknown>): Item['content'] {
  const { conversation = null, sessionStart = null, ...fields } = line;
  const unreadable = sessionStart === null ? undefined : timeRefusal(sessionStart);
  if (unreadable !== undefined) return { refusal: unreadable };
  if (conversation !== null && typeof conversation !== 'string')
    return { refusal: 'conversation must be text' };
  if (conversation !== null && isGiven(fields.conversationId))
    return { refusal: 'conversation and conversationId cannot both be given' };
  const eventTime = fields.eventTime ?? sessionStart;
  return {
    conversation: conversation ?? undefined,
    group: conversation === null ? groupOf(fields) : `title ${conversation}`,
    body: eventTime === null ? fields : { ...fields, eventTime },
  };
}

/**
 * The error for an invalid `sessionStart`: the server's would name `eventTime`, which the line may not have.
 */
function timeRefusal(sessionStart: unknown): string | undefined {
  if (typeof sessionStart !== 'string') return 'sessionStart must be a text';
  try {
    parseTime(sessionStart, 'sessionStart');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Lines for which the server chooses the same conversation. */
function groupOf(fields: Record<string, unknown>): string | undefined {
  if (fields.conversationId === 'NEW') return undefined;
  if (isGiven(fields.conversationId)) return `id ${String(fields.conversationId)}`;
  const session = fields.agentSessionId ?? fields.claudeSessionId;
  return isGiven(session) ? `session ${String(session)}` : '';
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

const digestBytes = 6;
const modulus = 2 ** (8 * digestBytes);

/** 48 bits of SHA-256 over an item's number and text: sums of them stay exact integers. */
export function digestOf(number: number, text: string | Uint8Array): number {
  return createHash('sha256').update(`${number}:`).update(text).digest().readUIntBE(0, digestBytes);
}

/** Digest of several items, in whatever order they are added. */
export function addDigests(a: number, b: number): number {
  return (a + b) % modulus;
}
