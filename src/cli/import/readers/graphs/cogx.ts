import type { Fields, ImportRecord, Input, InputFile, Reader } from '../reader.ts';
import { fieldsOf, firstText, idText, listOf, stated } from '../shared/fields.ts';
import { jsonLines, type ReadJson } from '../shared/json.ts';
import { LeftOut } from '../shared/left-out.ts';
import { Seen } from '../shared/seen.ts';
import { idOf, nameFrom, titleFrom } from '../shared/texts.ts';
import { topicsFrom } from '../shared/values.ts';
import { factOf, holdsNow, notedTimes, statementRecords, timeOf } from './statement-records.ts';
import { tarMember } from './tar.ts';

/** Files of an archive, by the kind of their records. */
const files = {
  document: 'documents.jsonl',
  episode: 'episodes.jsonl',
  entity: 'entities.jsonl',
  fact: 'facts.jsonl',
  memory: 'memories.jsonl',
  memory_block: 'memory_blocks.jsonl',
  raw_node: 'nodes.jsonl',
} as const;
type Kind = keyof typeof files;

/** The major version of COGX that is read here. */
const majorRead = 0;

/** Archives of `cognee.export()`: a folder, a zip or a `.tar.gz` of a file of JSON Lines a kind. */
export const cogx: Reader = {
  format: 'cogx',
  title: "archive of Cognee's COGX",
  async recognises(input) {
    for (const file of input.files)
      if (fileName(file) === 'manifest.json' && /"cogx_version"\s*:/.test(await file.head(4096))) return true;
    return input.files.some(isPacked);
  },
  async *read(input, { only }) {
    const parts = partsOf(input);
    const wrong = await versionFault(parts);
    if (wrong !== undefined) return yield { kind: 'refused', at: input.name, reason: wrong };
    const reading: ReadState = { names: new Map(), seen: new Seen(), leftOut: new LeftOut(), only };
    for (const part of parts) await readNames(part, reading);
    for (const part of parts)
      for (const kind of Object.keys(files) as Kind[]) yield* readKind(part, kind, reading);
    for (const { size } of input.files) yield { kind: 'read', size };
    yield* reading.leftOut.records();
  },
};

const fileName = ({ path }: InputFile) => path.slice(path.lastIndexOf('/') + 1);
const isPacked = ({ path }: InputFile) => /\.cogx\.(?:tar\.gz|tgz)$/i.test(path);

/** A folder, or a packed archive: gives its files by their names. */
type Part = (name: string) => InputFile | undefined;

function partsOf({ files: all }: Input): readonly Part[] {
  const packed = all.filter((file) => isPacked(file) || /\.(?:tar\.gz|tgz)$/i.test(file.path));
  const folders = new Set(
    all
      .filter((file) => fileName(file) === 'manifest.json')
      .map(({ path }) => path.slice(0, -'manifest.json'.length)),
  );
  return [
    ...[...folders].map(
      (folder): Part =>
        (name) =>
          all.find(({ path }) => path === `${folder}${name}`),
    ),
    ...packed.map(
      (archive): Part =>
        (name) =>
          memberOf(archive, name),
    ),
  ];
}

function memberOf(archive: InputFile, name: string): InputFile {
  const bytes = () => tarMember(archive, name);
  const text = async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes()) chunks.push(chunk);
    return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, 1024 * 1024));
  };
  return {
    ...archive,
    path: `${archive.path}/${name}`,
    size: 0,
    modifiedAt: undefined,
    bytes,
    text,
    head: text,
    diskPath: () => archive.diskPath(),
  };
}

async function versionFault(parts: readonly Part[]): Promise<string | undefined> {
  if (parts.length === 0) return 'it has no manifest.json';
  for (const part of parts) {
    const manifest = (await part('manifest.json')?.head(64 * 1024)) ?? '';
    const version = /"cogx_version"\s*:\s*"([^"]*)"/.exec(manifest)?.[1];
    if (version === undefined) return 'its manifest.json names no cogx_version';
    if (Number(version.split('.')[0]) > majorRead) return `its version of COGX, ${version}, is newer than 0`;
  }
  return undefined;
}

interface ReadState {
  /** Of entities, by their ids. */
  readonly names: Map<string, string>;
  readonly seen: Seen;
  readonly leftOut: LeftOut;
  readonly only: ReadonlySet<string>;
}

async function* linesOf(part: Part, kind: Kind): AsyncGenerator<ReadJson> {
  const file = part(files[kind]);
  if (file !== undefined) yield* jsonLines(file);
}

async function readNames(part: Part, { names }: ReadState): Promise<void> {
  for await (const { value } of linesOf(part, 'entity')) {
    const fields = fieldsOf(value);
    const [id, name] = [idText(fields?.external_id), fields && firstText(fields, ['name'])];
    if (id !== undefined && name !== undefined) names.set(id, name.trim());
  }
}

async function* readKind(part: Part, kind: Kind, reading: ReadState): AsyncGenerator<ImportRecord> {
  for await (const { at, value, refusal } of linesOf(part, kind)) {
    const fields = fieldsOf(value);
    if (fields === undefined) yield { kind: 'refused', at, reason: refusal ?? 'it is not an object' };
    else if (isChosen(fields, reading.only)) yield* recordsOf[kind]({ fields, at }, reading);
    else reading.leftOut.add('not chosen by --only');
  }
}

const scopeOf = (fields: Fields) => stated(fieldsOf(fields.scope) ?? {});
const isChosen = (fields: Fields, only: ReadonlySet<string>) =>
  only.size === 0 || Object.values(scopeOf(fields)).some((scope) => only.has(String(scope)));

interface Line {
  readonly fields: Fields;
  readonly at: string;
}

function systemOf(fields: Fields): string {
  const system = firstText(fields, ['external_system'])?.trim().toLowerCase() ?? 'unknown';
  if (system === 'zep') return 'graphiti';
  return system === 'unknown' ? 'cognee' : system;
}

/** The id that the record had in its own tool: our reader of that tool knows it by the same. */
const externalIdOf = (fields: Fields, ...content: readonly unknown[]) =>
  `${systemOf(fields)}:${idText(fields.external_id) ?? idOf(...content)}`;

function* conversationOf(fields: Fields, { seen }: ReadState): Generator<ImportRecord, string> {
  const { session_id: session, run_id: run, agent_id: agent, user_id: user } = scopeOf(fields);
  const scope = idText(session ?? run ?? agent ?? user);
  const externalId = `${systemOf(fields)}:group:${scope ?? ''}`;
  if (seen.isNew(externalId))
    yield {
      kind: 'conversation',
      externalId,
      title: scope ?? firstText(fields, ['external_system']) ?? 'Cognee',
    };
  return externalId;
}

const metadataOf = (fields: Fields, more: Fields = {}) =>
  stated({ ...fieldsOf(fields.metadata), system: fields.external_system, ...scopeOf(fields), ...more });

function* textRecords(
  { fields, at }: Line,
  {
    text,
    ...more
  }: { readonly text: string | undefined; readonly topics?: readonly string[]; readonly metadata?: Fields },
  reading: ReadState,
): Generator<ImportRecord> {
  if (text === undefined) return reading.leftOut.add('empty');
  const externalId = externalIdOf(fields, text);
  if (!reading.seen.isNew(externalId)) return reading.leftOut.add('twice in the archive');
  yield* notedTimes(at, [fields.created_at]);
  const conversation = yield* conversationOf(fields, reading);
  const metadata = metadataOf(fields, more.metadata);
  const body = {
    content: text,
    externalId,
    topics: more.topics,
    createdAt: timeOf(fields.created_at),
    metadata,
  };
  yield { kind: 'memory', at, conversation, body: stated(body) };
}

type ToRecords = (line: Line, reading: ReadState) => Iterable<ImportRecord>;

/** For records that are only counted. */
const leaveOut =
  (reasonOf: (line: Line) => string | undefined): ToRecords =>
  (line, { leftOut }) => {
    const reason = reasonOf(line);
    if (reason !== undefined) leftOut.add(reason);
    return [];
  };

const recordsOf: Readonly<Record<Kind, ToRecords>> = {
  document: (line, reading) => {
    const { title, mime_type: type } = line.fields;
    return textRecords(
      line,
      { text: firstText(line.fields, ['content']), metadata: { title, type } },
      reading,
    );
  },
  memory: (line, reading) => {
    const topics = topicsFrom(line.fields.categories);
    return textRecords(line, { text: firstText(line.fields, ['content']), topics }, reading);
  },
  episode: episodeRecords,
  entity: leaveOut(({ fields }) => (firstText(fields, ['description']) ? 'summary of an entity' : undefined)),
  fact: factRecords,
  *memory_block({ fields, at }, { leftOut }) {
    const [label, value] = [firstText(fields, ['label']), firstText(fields, ['value'])];
    if (value === undefined || label === undefined) return leftOut.add('empty');
    const agent = idText(scopeOf(fields).agent_id);
    const name = nameFrom(systemOf(fields), ...(agent ? [agent] : []), label);
    const body = stated({
      content: value,
      createdAt: timeOf(fields.created_at),
      metadata: metadataOf(fields, { label }),
    });
    yield { kind: 'named', at, name, body };
  },
  raw_node: leaveOut(() => 'node of the graph'),
};

const roles: Readonly<Record<string, string>> = {
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
};
const leftOutRoles: ReadonlySet<string> = new Set(['system', 'developer', 'tool', 'function']);

/** An episode of one turn has the id of that; those of several are told apart by their order. */
function* episodeRecords({ fields, at }: Line, reading: ReadState): Generator<ImportRecord> {
  const { seen, leftOut } = reading;
  const turns = listOf(fields.turns).map((turn) => fieldsOf(turn) ?? {});
  const externalId = externalIdOf(fields, turns);
  if (!seen.isNew(externalId)) return leftOut.add('twice in the archive');
  const conversation = yield* conversationOfEpisode(fields, turns, reading);
  for (const [i, turn] of turns.entries()) {
    const text = firstText(turn, ['content']);
    const role = firstText(turn, ['role'])?.toLowerCase() ?? '';
    if (text === undefined) leftOut.add('empty');
    else if (leftOutRoles.has(role)) leftOut.add(`${role} message`);
    else {
      yield* notedTimes(at, [turn.occurred_at, fields.created_at]);
      const occurred = timeOf(turn.occurred_at);
      const body = {
        content: text,
        externalId: turns.length === 1 ? externalId : `${externalId}:${i + 1}`,
        role: roles[role],
        createdAt: timeOf(fields.created_at) ?? occurred,
        eventTime: occurred ?? timeOf(fields.created_at),
        metadata: metadataOf(fields, { title: fields.title }),
      };
      yield {
        kind: 'memory',
        at,
        conversation,
        body: stated(turns.length > 1 ? { ...body, createdAt: occurred ?? body.createdAt } : body),
      };
    }
  }
}

/** Several turns are a conversation of their own; single ones belong to that of their scope. */
function* conversationOfEpisode(
  fields: Fields,
  turns: readonly Fields[],
  reading: ReadState,
): Generator<ImportRecord, string> {
  if (turns.length < 2) return yield* conversationOf(fields, reading);
  const externalId = externalIdOf(fields, turns);
  const title = firstText(fields, ['title']) ?? titleFrom(firstText(turns[0], ['content']) ?? externalId);
  yield { kind: 'conversation', externalId, title, createdAt: timeOf(fields.created_at) };
  return externalId;
}

/** Facts name entities by their ids, or as they are called. */
function* factRecords({ fields, at }: Line, reading: ReadState): Generator<ImportRecord> {
  const { names, seen, leftOut } = reading;
  const nameOf = (ref: unknown) => {
    const id = idText(ref);
    return id === undefined || /^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(id)
      ? names.get(id ?? '')
      : (names.get(id) ?? id);
  };
  const words = {
    subject: nameOf(fields.subject_ref),
    predicate: firstText(fields, ['predicate'])?.trim(),
    object: nameOf(fields.object_ref),
  };
  const text = firstText(fields, ['fact_text'])?.trim();
  const externalId = externalIdOf(fields, words, text ?? null);
  if (!seen.isNew(externalId)) return leftOut.add('twice in the archive');
  const { created_at: createdAt, valid_at: validAt, invalid_at: invalidAt } = fields;
  if (text !== undefined) {
    const conversation = yield* conversationOf(fields, reading);
    const metadata = metadataOf(fields, { relation: words.predicate, episodes: listOf(fields.provenance) });
    return yield* statementRecords({
      ...words,
      at,
      externalId,
      conversation,
      text,
      createdAt,
      validAt,
      invalidAt,
      metadata,
    });
  }
  const fact = factOf(words);
  if (fact && holdsNow(timeOf(validAt), timeOf(invalidAt)))
    yield { kind: 'fact', at, externalId, body: fact };
  else leftOut.add(fact ? 'fact that has ended, without a sentence' : 'fact without names');
}
