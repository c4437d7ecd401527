import { statSync } from 'node:fs';
import { parseTime } from '../../domain/shared/time.ts';
import { parseJson } from '../../lib/json-depth.ts';
import { type Line, readLines } from '../transfer/read-lines.ts';
import { digestOf } from './digest.ts';
import type { Item, Source } from './item.ts';

const megabyte = 1024 * 1024;
const lineBytesMax = 4 * megabyte;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** JSON Lines of memories, read as a stream. */
export function jsonLinesSource(path: string): Source {
  return {
    size: statSync(path).size,
    async *items() {
      for await (const line of readLines(path, lineBytesMax)) {
        const content = toContent(line);
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
function toContent({ bytes }: Line): Item['content'] | undefined {
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
