import { hash } from 'node:crypto';
import {
  anyFile,
  type Fields,
  type ImportRecord,
  type Input,
  type InputFile,
  type Reader,
} from '../reader.ts';
import { chosen } from '../shared/chosen.ts';
import { fieldsIn, fieldsOf, idText, stated, storableText } from '../shared/fields.ts';
import { hasMember, jsonElements } from '../shared/json.ts';
import { LeftOut } from '../shared/left-out.ts';
import { Seen } from '../shared/seen.ts';
import { readTime, topicsFrom } from '../shared/values.ts';
import { hasMemories, recordsOfDatabase } from './mcp-memory-database.ts';

const format = 'mcp-memory-service';
const headBytes = 64 * 1024;
const whole = { externalId: format, title: 'mcp-memory-service' };

/** Exports and databases of mcp-memory-service; only a database has relationships. */
export const mcpMemoryService: Reader = {
  format,
  title: 'mcp-memory-service',
  recognises: (input) => anyFile(input, async (file) => (await kindOf(file)) !== undefined),
  read: (input, { only }) => chosen(readAll(input), only),
};

async function* readAll(input: Input): AsyncGenerator<ImportRecord> {
  const reading: ReadState = {
    leftOut: new LeftOut(),
    seen: new Seen(),
    superseded: new Seen(),
    related: new Seen(),
  };
  for (const file of input.files) {
    const kind = (await kindOf(file)) ?? (input.files.length === 1 ? 'json' : undefined);
    if (kind === 'database') yield* readDatabase(file, reading);
    else if (kind === 'json') yield* readJson(file, reading);
    else reading.leftOut.add('unknown file');
  }
  yield* reading.leftOut.records();
}

async function kindOf(file: InputFile): Promise<'json' | 'database' | undefined> {
  if (!/\.(json|db|sqlite3?)$/i.test(file.path)) return undefined;
  if (await hasMemories(file, 'content_hash')) return 'database';
  const head = await file.head(headBytes);
  const isJson = /^\s*\[/.test(head) || (/^\s*\{/.test(head) && hasMember(head, 'memories', '\\['));
  return isJson && hasMember(head, 'content_hash|exporter_version') ? 'json' : undefined;
}

interface ReadState {
  readonly leftOut: LeftOut;
  /** External ids of memories and conversations. */
  readonly seen: Seen;
  /** Newer and older hash of each pair of which one replaces the other. */
  readonly superseded: Seen;
  /** Pairs of hashes that are related. */
  readonly related: Seen;
}

async function* readJson(file: InputFile, reading: ReadState): AsyncGenerator<ImportRecord> {
  for await (const { at, member = 'memories', number, value, refusal, size } of jsonElements(file)) {
    const isListed = member === 'memories' && number > 0;
    const fields = isListed ? fieldsOf(value) : undefined;
    if (fields) yield* recordsOf(fields, at, reading);
    else if (refusal !== undefined || isListed)
      yield { kind: 'refused', at, reason: refusal ?? 'it is not a memory' };
    yield { kind: 'read', size };
  }
}

async function* readDatabase(file: InputFile, reading: ReadState): AsyncGenerator<ImportRecord> {
  yield* recordsOfDatabase(file, function* (database): Generator<ImportRecord> {
    for (const row of database.rows('memories'))
      yield* recordsOf(row, `${file.path}, memory ${String(row.id ?? row.content_hash)}`, reading);
    for (const row of database.rows('memory_graph')) yield* recordsOfEdge(row, file.path, reading);
  });
  yield { kind: 'read', size: file.size };
}

const idOf = (hash: string) => `${format}:${hash}`;

const types: ReadonlyMap<unknown, string> = new Map([
  ['contradicts', 'CONTRADICTS'],
  ['follows', 'FOLLOWS'],
  ['fixes', 'RESOLVES'],
]);

function* recordsOfEdge(
  { source_hash, target_hash, relationship_type }: Fields,
  path: string,
  { leftOut, seen, superseded, related }: ReadState,
): Generator<ImportRecord> {
  const from = idText(source_hash);
  const to = idText(target_hash);
  if (from === undefined || to === undefined || from === to)
    return leftOut.add('relationship without an end');
  if (!seen.has(idOf(from)) || !seen.has(idOf(to))) return leftOut.add('relationship of a deleted memory');
  const word = storableText(relationship_type)?.trim() ?? 'related';
  // Both say that the newer one counts; together they would name two states of the older one.
  if (word === 'contradicts' && superseded.has(`${idOf(from)} ${idOf(to)}`))
    return leftOut.add('contradiction of a superseded memory');
  // A relation without a direction is there twice.
  if (word === 'related' && related.has(`${to} ${from}`)) return leftOut.add('duplicate');
  related.isNew(`${from} ${to}`);
  const type = types.get(word);
  yield {
    kind: 'relationship',
    at: `${path}, relationship ${from.slice(0, 8)} ${word} ${to.slice(0, 8)}`,
    from: idOf(from),
    to: idOf(to),
    type: type ?? 'REFERENCES',
    ...(type === undefined && { reason: word }),
  };
}

function* recordsOf(fields: Fields, at: string, reading: ReadState): Generator<ImportRecord> {
  const { leftOut, seen, superseded } = reading;
  if (fields.deleted_at !== null && fields.deleted_at !== undefined) return leftOut.add('deleted');
  const content = storableText(fields.content);
  if (content === undefined) return leftOut.add('empty');
  const externalId = idOf(idText(fields.content_hash) ?? hash('sha256', content));
  if (!seen.isNew(externalId)) return leftOut.add('duplicate');
  // Reading a memory there changes its counts of use, which would make a version of it here.
  const { conversation_id, access_count: _, last_accessed_at: __, ...given } = fieldsIn(fields.metadata);
  const thread = idText(conversation_id);
  const conversation =
    thread === undefined ? whole : { externalId: `${format}:conversation:${thread}`, title: thread };
  if (seen.isNew(conversation.externalId)) yield { kind: 'conversation', ...conversation };
  const createdAt = readTime(fields.created_at) ?? readTime(fields.created_at_iso);
  if (createdAt === undefined && storableText(fields.created_at) !== undefined)
    yield { kind: 'noted', at, reason: `its time ${String(fields.created_at)} cannot be read` };
  yield {
    kind: 'memory',
    at,
    conversation: conversation.externalId,
    body: {
      externalId,
      content,
      ...stated({
        createdAt,
        topics: topicsFrom(listIn(fields.tags))?.filter((topic) => topic !== 'untagged'),
        metadata: stated({ ...given, memory_type: storableText(fields.memory_type) }),
      }),
    },
  };
  const newer = idText(fields.superseded_by);
  if (newer === undefined) return;
  superseded.isNew(`${idOf(newer)} ${externalId}`);
  yield { kind: 'relationship', at, from: idOf(newer), to: externalId, type: 'SUPERSEDES' };
}

/** A list, or its JSON in a database of another version; other texts have commas. */
function listIn(tags: unknown): unknown {
  if (typeof tags !== 'string' || !tags.startsWith('[')) return tags;
  try {
    return JSON.parse(tags);
  } catch {
    // A tag may begin with a bracket.
    return tags;
  }
}
