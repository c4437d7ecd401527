import { readFileSync } from 'node:fs';
import { parseJson } from '../../lib/json-depth.ts';
import { digestOf } from './digest.ts';
import type { Item, Source } from './item.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The JSON array of `POST /api/memories/export`, at most 1,000 memories: each becomes a new memory
 * with its time of writing, and those of one conversation go to a conversation named after it.
 * @throws Error if the file is not a JSON array
 */
export function exportedSource(path: string): Source {
  const items = readArray(path).map((record, i): Item => {
    const number = i + 1;
    const content = toContent(record);
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

function toContent(record: unknown): Item['content'] {
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
