import {
  anyFile,
  type Fields,
  type ImportRecord,
  type Input,
  type InputFile,
  type Reader,
  type ReadOptions,
} from '../reader.ts';
import { fieldsIn, fieldsOf, firstText, idText, stated, storableText } from '../shared/fields.ts';
import { hasMember, jsonElements, jsonLines, type ReadJson } from '../shared/json.ts';
import { textOrRefusal } from '../shared/json-objects.ts';
import { LeftOut } from '../shared/left-out.ts';
import { Seen } from '../shared/seen.ts';
import { fileName, idOf } from '../shared/texts.ts';
import { readTime, topicsFrom } from '../shared/values.ts';
import { openMemoryElements } from './openmemory.ts';

const headBytes = 64 * 1024;
const noteHeadBytes = 1024;
/** Names of the text in mem0 and in dumps of it. */
const textNames = ['memory', 'content', 'text', 'data'];
const usersNamedMax = 10;

type Layout = 'lists' | 'lines' | 'tables' | 'markdown';

/** mem0: what `get_all` of the library and the pages of the platform return, OpenMemory's zip, and the plugin's Markdown. */
export const mem0: Reader = {
  format: 'mem0',
  title: 'mem0 export',
  recognises: (input) => anyFile(input, async (file) => (await layoutOf(file)) !== undefined),
  read: readExport,
};

async function layoutOf(file: InputFile): Promise<Layout | undefined> {
  const name = fileName(file.path);
  if (!/\.(json|jsonl|ndjson|md|markdown|txt)$/i.test(name)) return undefined;
  // A folder of notes may have many thousands.
  const head = await file.head(/\.json|\.ndjson/i.test(name) ? headBytes : noteHeadBytes);
  if (looksAsExport(head)) return 'markdown';
  if (!/^\s*[[{]/.test(head)) return undefined;
  const isOpenMemory =
    hasMember(head, 'state') && hasMember(head, 'content') && hasMember(head, 'created_at');
  if (isOpenMemory && hasMember(head, 'memories') && hasMember(head, 'apps|app_id')) return 'tables';
  if (isOpenMemory && hasMember(head, 'app') && hasMember(head, 'categories')) return 'lines';
  const isMem0 = hasMember(head, 'memory') && hasMember(head, 'user_id|agent_id|run_id|hash');
  if (!isMem0) return undefined;
  return /\.(jsonl|ndjson)$/i.test(name) ? 'lines' : 'lists';
}

/** Choice and counts of one import. */
interface ReadState {
  readonly only: ReadonlySet<string>;
  readonly leftOut: LeftOut;
  readonly seen: Seen;
  readonly users: Set<string>;
  readonly conversations: Seen;
}

async function* readExport(input: Input, { only }: ReadOptions): AsyncGenerator<ImportRecord> {
  const reading: ReadState = {
    only,
    leftOut: new LeftOut(),
    seen: new Seen(),
    users: new Set(),
    conversations: new Seen(),
  };
  const layouts = await Promise.all(input.files.map(layoutOf));
  const hasTables = layouts.includes('tables');
  for (const [i, file] of input.files.entries()) {
    const layout = layouts[i] ?? (input.files.length === 1 ? 'lists' : undefined);
    if (layout === undefined) reading.leftOut.add('unknown file');
    // The lines of OpenMemory are the memories of its tables again.
    else if (layout !== 'lines' || !hasTables) yield* readFile(file, layout, reading);
  }
  yield* reading.leftOut.records();
  const { users } = reading;
  if (users.size > 1) {
    const names = [...users].slice(0, usersNamedMax).join(', ');
    const rest = users.size > usersNamedMax ? ' and others' : '';
    yield {
      kind: 'noted',
      at: input.name,
      reason: `it has memories of ${users.size} users: ${names}${rest}; --only takes those of one`,
    };
  }
}

async function* readFile(file: InputFile, layout: Layout, reading: ReadState): AsyncGenerator<ImportRecord> {
  if (layout === 'markdown') {
    const read = await textOrRefusal(file);
    if ('refusal' in read) yield { kind: 'refused', at: file.path, reason: read.refusal };
    else
      for (const { at, fields } of markdownBlocks(read.text))
        yield* recordsOf(fields, `${fileName(file.path)}, ${at}`, reading);
    yield { kind: 'read', size: file.size };
  } else if (layout === 'tables') yield* readElements(openMemoryElements(file), reading);
  else yield* readElements(layout === 'lines' ? jsonLines(file) : jsonElements(file), reading);
}

const listNames: ReadonlySet<unknown> = new Set([undefined, 'results', 'memories', 'data', 'items']);

async function* readElements(
  elements: AsyncIterable<ReadJson>,
  reading: ReadState,
): AsyncGenerator<ImportRecord> {
  for await (const { at, member, number, value, refusal, size } of elements) {
    const fields = refusal === undefined ? fieldsOf(value) : undefined;
    const isListed = number > 0 && listNames.has(member);
    if (isListed && fields) yield* recordsOf(fields, at, reading);
    else if (isListed || refusal !== undefined)
      yield { kind: 'refused', at, reason: refusal ?? 'it is not a memory' };
    yield { kind: 'read', size };
  }
}

const roles: ReadonlySet<unknown> = new Set(['user', 'assistant']);

function* recordsOf(fields: Fields, at: string, reading: ReadState): Generator<ImportRecord> {
  const { only, leftOut, seen, users } = reading;
  const content = firstText(fields, textNames);
  const user = idText(fields.user_id);
  if (user !== undefined && users.size < 1000) users.add(user);
  if (only.size > 0 && !only.has(user ?? '')) return leftOut.add('another user');
  if (fields.state === 'deleted' || readTime(fields.deleted_at) !== undefined) return leftOut.add('deleted');
  if (content === undefined) return leftOut.add('empty');
  const scope = scopeOf(fields);
  const id = idText(fields.id) ?? idOf(content, scope.externalId);
  if (!seen.isNew(id)) return leftOut.add('duplicate');
  if (reading.conversations.isNew(scope.externalId)) yield { kind: 'conversation', ...scope };
  const createdAt = readTime(fields.created_at);
  if (createdAt === undefined && storableText(fields.created_at) !== undefined)
    yield { kind: 'noted', at, reason: `its time ${String(fields.created_at)} cannot be read` };
  yield {
    kind: 'memory',
    at,
    conversation: scope.externalId,
    body: {
      externalId: `mem0:${id}`,
      content,
      memoryType: 'semantic',
      ...stated({
        role: roles.has(fields.role) ? fields.role : undefined,
        createdAt,
        validTo: endOf(fields),
        topics: topicsFrom(fields.categories ?? fields.tags),
        metadata: metadataOf(fields),
      }),
    },
  };
  const newer = idText(fields.replaced_by);
  if (newer !== undefined)
    yield { kind: 'relationship', at, from: `mem0:${newer}`, to: `mem0:${id}`, type: 'SUPERSEDES' };
}

/** The conversation of a run, a user, an agent or an app. */
function scopeOf(fields: Fields): { readonly externalId: string; readonly title: string } {
  for (const [name, ...members] of scopes)
    for (const member of members) {
      const value = idText(fields[member]);
      if (value !== undefined)
        return {
          externalId: `mem0:${name}:${value}`,
          title: name === 'run' ? value : `mem0, ${name} ${value}`,
        };
    }
  return { externalId: 'mem0', title: 'mem0' };
}

const scopes = [
  ['run', 'run_id', 'session_id'],
  ['user', 'user_id'],
  ['agent', 'agent_id'],
  ['app', 'app', 'app_id'],
] as const;

const dayLength = 10;
const dayMs = 24 * 60 * 60 * 1000;

/** After the day of `expiration_date`; of an archived memory when it was archived. */
function endOf({ expiration_date, state, archived_at, updated_at }: Fields): string | undefined {
  if (state === 'archived') return readTime(archived_at) ?? readTime(updated_at);
  const end = readTime(expiration_date);
  const isDay = typeof expiration_date === 'string' && expiration_date.trim().length <= dayLength;
  return end !== undefined && isDay ? new Date(Date.parse(end) + dayMs).toISOString() : end;
}

/** Metadata of the memory with its scope; `source` is ours to set. */
function metadataOf(fields: Fields): Fields {
  const { source, ...given } = fieldsIn(fields.metadata);
  return stated({
    ...given,
    mem0Source: source,
    user: idText(fields.user_id),
    agent: idText(fields.agent_id),
    actor: idText(fields.actor_id),
    app: idText(fields.app ?? fields.app_id),
    state: fields.state === 'paused' ? 'paused' : undefined,
    type: storableText(fields.type),
    confidence: storableText(fields.confidence),
    branch: storableText(fields.branch),
    files: storableText(fields.files),
  });
}

const member = /^([a-z_]+):\s*(.*)$/;
/** Lines of the head of one memory. */
const headLinesMax = 60;

/** Whether a file is an export of the plugin of mem0: a head between `---` that begins with an id, then the text. */
function looksAsExport(head: string): boolean {
  return /^\ufeff?\s*---\r?\nid:[^\n]*\n(?:[a-z_]+:[^\n]*\n)*?created_at:/.test(head);
}

/** The memories of such a file; a line `---` within a text is one of the text, unless a head follows. */
function* markdownBlocks(text: string): Generator<{ readonly at: string; readonly fields: Fields }> {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  let head: { readonly fields: Fields; readonly line: number; readonly textFrom: number } | undefined;
  for (let i = 0; i <= lines.length; i++) {
    const next = i < lines.length ? headAt(lines, i) : undefined;
    if (!next && i < lines.length) continue;
    if (head) {
      const content = lines.slice(head.textFrom, i).join('\n').trim();
      yield { at: `line ${head.line}`, fields: { ...head.fields, content } };
    }
    head = next && { ...next, line: i + 1 };
    if (next) i = next.textFrom - 1;
  }
}

function headAt(lines: readonly string[], start: number) {
  if (lines[start].trim() !== '---' || !/^id:/.test(lines[start + 1] ?? '')) return undefined;
  const fields: Record<string, string> = {};
  for (let i = start + 1; i < Math.min(lines.length, start + headLinesMax); i++) {
    if (lines[i].trim() === '---') return { fields, textFrom: i + 1 };
    const [, name, value] = member.exec(lines[i]) ?? [];
    if (name === undefined) return undefined;
    fields[name] = value.trim();
  }
  return undefined;
}
