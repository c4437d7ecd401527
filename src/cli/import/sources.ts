import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parseTime } from '../../domain/shared/time.ts';
import type { Line } from '../../lib/async.ts';
import { parseJson } from '../../lib/json-depth.ts';
import { readLines } from '../transfer/read-file.ts';
import {
  type Fields,
  type RefusedRecord,
  type Statement,
  statementOfElement,
  statementOfLine,
} from './statement.ts';

/** One item of the file: the body of a memory to create, or the reason why it has none. */
export interface Item {
  /** Its name in messages, such as "line 17". */
  readonly label: string;
  /** Its share of `Source.size`. */
  readonly size: number;
  readonly content: Statement | { readonly refusal: string };
}

export interface Source {
  /** Of the file, for messages. */
  readonly name: string;
  /** The layout that was recognised, in words. */
  readonly format: string;
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
export function openSource(
  path: string,
  { name, labelled }: SourceName = { name: path, labelled: '' },
): Source {
  const head = readHead(path);
  if (indentedMark.test(head))
    throw new Error(
      `${name} is of no layout that memoryd knows. It reads JSON Lines of memories, the array of POST /api/memories/export and files of \`memoryd export\`.`,
    );
  const source = arrayMark.test(head) ? exportedSource(path, labelled) : jsonLinesSource(path, labelled);
  return { name, ...source };
}

interface SourceName {
  readonly name: string;
  /** Beginning of the labels of its items: empty, or the name of the file. */
  readonly labelled: string;
}

/** A JSON object over several lines. */
const indentedMark = /^\ufeff?\s*\{\s*(?:[\r\n]|$)/;

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

/**
 * The JSON array of `POST /api/memories/export`, at most 1,000 memories: each becomes a new memory
 * with its time of writing, and those of one conversation go to a conversation named after it.
 * @throws Error if the file is not a JSON array
 */
function exportedSource(path: string, labelled: string): Omit<Source, 'name'> {
  const items = readArray(path).map((record, i): Item => {
    const content = contentOfRecord(record);
    return { label: `${labelled}memory ${i + 1}`, size: 1, content };
  });
  return { format: 'an export of memories', size: items.length, items: () => items };
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

/** Sentences for the rules that a record breaks. */
const sentences = {
  sessionStart: () => 'sessionStart must be a text',
  conversation: () => 'conversation must be text',
  twoConversations: () => 'conversation and conversationId cannot both be given',
  hasState: (state = '') => `the memory is ${state}, and only memoryd export keeps states`,
} as const;

function contentOf(read: Statement | RefusedRecord): Item['content'] {
  return 'rule' in read ? { refusal: sentences[read.rule](read.detail) } : read;
}

function contentOfRecord(record: unknown): Item['content'] {
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    return { refusal: 'the memory must be a JSON object' };
  return contentOf(statementOfElement(record as Fields, { file: '', format: 'jsonl' }));
}

const megabyte = 1024 * 1024;
const lineBytesMax = 4 * megabyte;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** JSON Lines of memories, read as a stream. */
function jsonLinesSource(path: string, labelled: string): Omit<Source, 'name'> {
  return {
    format: 'JSON Lines of memories',
    size: statSync(path).size,
    async *items() {
      for await (const line of readLines(path, lineBytesMax)) {
        const content = contentOfLine(line);
        if (content !== undefined)
          yield { label: `${labelled}line ${line.number}`, size: line.length, content };
      }
    },
  };
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
      return toStatement(value as Fields);
    return { refusal: 'the line must be a JSON object' };
  } catch (error) {
    return { refusal: `the line is not JSON: ${(error as SyntaxError).message}` };
  }
}

function toStatement(line: Fields): Item['content'] {
  const { sessionStart } = line;
  const unreadable = typeof sessionStart === 'string' ? timeRefusal(sessionStart) : undefined;
  return unreadable === undefined
    ? contentOf(statementOfLine(line, { file: '', format: 'jsonl' }))
    : { refusal: unreadable };
}

/** The error for an invalid `sessionStart`: the server's would name `eventTime`, which the line may not have. */
function timeRefusal(sessionStart: string): string | undefined {
  try {
    parseTime(sessionStart, 'sessionStart');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const extensions: ReadonlySet<string> = new Set(['.jsonl', '.ndjson', '.json']);
const filesMax = 10_000;

/**
 * The files of a path: itself, or those below a folder whose names end in `.jsonl`, `.ndjson` or `.json`, in the order of
 * their names. Hidden ones, and links, are left out. @throws Error if a folder has none, or more than 10,000
 */
export function filesOf(path: string): readonly string[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extensions.has(extname(entry.name).toLowerCase()))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(
      (file) =>
        !file
          .slice(path.length)
          .split(/[\\/]/)
          .some((part) => part.startsWith('.')),
    )
    .sort();
  if (files.length === 0) throw new Error(`The folder ${path} has no file *.jsonl, *.ndjson or *.json.`);
  if (files.length > filesMax) throw new Error(`The folder ${path} has more than ${filesMax} files.`);
  return files;
}
