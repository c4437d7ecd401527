import {
  anyFile,
  type Fields,
  type ImportRecord,
  type Input,
  type InputFile,
  type Reader,
} from '../reader.ts';
import { chosen } from '../shared/chosen.ts';
import { fieldsOf, idText, listOf, slugOf, stated, storableText } from '../shared/fields.ts';
import { hasMember, jsonElements } from '../shared/json.ts';
import { jsonObjects } from '../shared/json-objects.ts';
import { LeftOut } from '../shared/left-out.ts';
import { fileName, idOf, shortHash } from '../shared/texts.ts';
import { readTime } from '../shared/values.ts';
import { readConversation } from './conversation.ts';

const headBytes = 256 * 1024;

/** The kinds of files, by name and by a member that only they have. */
const kinds = [
  { kind: 'conversations', name: /(^|\/)conversations[^/]*\.json$/i, member: 'chat_messages' },
  { kind: 'projects', name: /(^|\/)projects(\/[^/]+)?\.json$/i, member: 'prompt_template' },
  { kind: 'memories', name: /(^|\/)memories(\/[^/]+)?\.json$/i, member: 'conversations_memory' },
] as const;

type Kind = (typeof kinds)[number]['kind'];

/** Files about the account, which are never read, and the list of files. */
const notRead = /^(users|login_history|manifest)\.json$/i;

/** The data export of Claude.ai: one zip of four files, or a manifest with a zip for each category. */
export const claude: Reader = {
  format: 'claude',
  title: 'Claude.ai data export',
  recognises: (input) => anyFile(input, (file) => hasShape(file, input)),
  read: (input, { only }) => chosen(readExport(input), only),
};

async function hasShape(file: InputFile, { files }: Input): Promise<boolean> {
  const kind = kinds.find(({ name }) => name.test(file.path));
  if (!kind && files.length > 1) return false;
  const head = await file.head(headBytes);
  if (!/^\s*[[{]/.test(head) || isOfChatGpt(head)) return false;
  return (kind ? [kind] : kinds).some(({ member }) => hasMember(head, member));
}

/** ChatGPT gives its file the same name; a folder may have exports of both. */
const isOfChatGpt = (head: string) => hasMember(head, 'mapping', '\\{');

async function kindOf(file: InputFile, { files }: Input): Promise<Kind | undefined> {
  const named = kinds.find(({ name }) => name.test(file.path))?.kind;
  if (named !== undefined || files.length > 1) return named;
  const head = await file.head(headBytes);
  return kinds.find(({ member }) => hasMember(head, member))?.kind ?? 'conversations';
}

async function* readExport(input: Input): AsyncGenerator<ImportRecord> {
  const leftOut = new LeftOut();
  const filesOf: Record<Kind, InputFile[]> = { conversations: [], projects: [], memories: [] };
  for (const file of input.files) {
    const kind = await kindOf(file, input);
    if (kind === 'conversations' && isOfChatGpt(await file.head(headBytes))) leftOut.add('file of ChatGPT');
    else if (kind !== undefined) filesOf[kind].push(file);
    else if (!notRead.test(fileName(file.path))) leftOut.add('unknown file');
  }
  const madeAt = new ExportTime(await timeOfManifest(input));
  for (const file of filesOf.conversations) yield* readConversations(file, leftOut, madeAt);
  const projects = new Map<string, string>();
  for (const file of filesOf.projects) yield* readProjects(file, projects, leftOut);
  for (const file of filesOf.memories) {
    const createdAt = madeAt.time ?? file.modifiedAt?.toISOString();
    yield* readMemories(file, { projects, createdAt });
  }
  yield* leftOut.records();
}

/** When an export was made: as its manifest says, else not before the last change of a conversation. */
class ExportTime {
  readonly #stated: string | undefined;
  #newest: string | undefined;

  constructor(stated: string | undefined) {
    this.#stated = stated;
  }

  get time(): string | undefined {
    return this.#stated ?? this.#newest;
  }

  saw(time: string | undefined): void {
    if (time !== undefined && time > (this.#newest ?? '')) this.#newest = time;
  }
}

async function timeOfManifest({ files }: Input): Promise<string | undefined> {
  const manifest = files.find(({ path }) => /(^|\/)manifest\.json$/i.test(path));
  if (!manifest) return undefined;
  for await (const { value } of jsonObjects(manifest)) return readTime(fieldsOf(value)?.created_at);
  return undefined;
}

async function* readConversations(
  file: InputFile,
  leftOut: LeftOut,
  madeAt: ExportTime,
): AsyncGenerator<ImportRecord> {
  for await (const { at, value, refusal, size } of jsonElements(file)) {
    const read = refusal === undefined ? readConversation(value, fileName(file.path)) : undefined;
    if (read) {
      leftOut.addAll(read.leftOut);
      madeAt.saw(read.updatedAt);
      yield* read.records;
    } else
      yield { kind: 'refused', at, reason: refusal ?? 'it is not a conversation: it has no chat_messages' };
    yield { kind: 'read', size };
  }
}

/** The beginning of an id: names of named memories must not change with a title. */
const shortId = (id: string) => (/^[0-9a-f]{8}-/.test(id) ? id.slice(0, 8) : shortHash(id));

/** @param names of projects by id, which are added */
async function* readProjects(
  file: InputFile,
  names: Map<string, string>,
  leftOut: LeftOut,
): AsyncGenerator<ImportRecord> {
  for await (const { at, value, refusal, size } of jsonObjects(file)) {
    const project = fieldsOf(value);
    if (!project) yield { kind: 'refused', at, reason: refusal ?? 'it is not a project' };
    else if (project.is_starter_project === true) leftOut.add('starter project');
    else {
      const name = storableText(project.name)?.trim();
      const id = idText(project.uuid) ?? idOf(name ?? null);
      if (name !== undefined) names.set(id, name);
      yield* recordsOfProject(project, { id, name, at });
    }
    yield { kind: 'read', size };
  }
}

interface Project {
  readonly id: string;
  readonly name: string | undefined;
  readonly at: string;
}

function* recordsOfProject(fields: Fields, { id, name, at }: Project): Generator<ImportRecord> {
  const content = storableText(fields.prompt_template);
  const createdAt = readTime(fields.updated_at) ?? readTime(fields.created_at);
  const metadata = stated({ project: name });
  if (content !== undefined)
    yield {
      kind: 'named',
      at,
      name: `claude-project-${shortId(id)}`,
      body: { content, ...stated({ createdAt, metadata }) },
    };
  for (const [i, value] of listOf(fields.docs).entries()) {
    const doc = fieldsOf(value);
    const text = storableText(doc?.content);
    const place = `${at}, document ${i + 1}`;
    if (!doc || text === undefined) {
      yield { kind: 'leftOut', reason: doc ? 'empty' : 'not a document' };
      continue;
    }
    const filename = storableText(doc.filename)?.trim() ?? 'document';
    yield {
      kind: 'artifact',
      at: place,
      externalId: `claude:${idText(doc.uuid) ?? idOf(id, filename)}`,
      body: { name: filename.slice(0, 200), type: 'file', content: text, ...stated({ metadata }) },
    };
  }
}

interface MemoryContext {
  /** Names of projects by id. */
  readonly projects: ReadonlyMap<string, string>;
  /** When the export was made, for texts without a time of their own: so an older export changes nothing. */
  readonly createdAt: string | undefined;
}

async function* readMemories(file: InputFile, context: MemoryContext): AsyncGenerator<ImportRecord> {
  for await (const { at, value, refusal, size } of jsonObjects(file)) {
    const fields = fieldsOf(value);
    if (fields) yield* recordsOfMemory(fields, context, at);
    else yield { kind: 'refused', at, reason: refusal ?? 'it is not a memory of Claude' };
    yield { kind: 'read', size };
  }
}

/** Claude's own memory: texts that it rewrites freely, so each is a named memory, and another text its next version. */
function* recordsOfMemory(
  fields: Fields,
  { projects, createdAt }: MemoryContext,
  at: string,
): Generator<ImportRecord> {
  const whole = storableText(fields.conversations_memory);
  if (whole !== undefined)
    yield { kind: 'named', at, name: 'claude-memory', body: { content: whole, ...stated({ createdAt }) } };
  for (const [id, value] of Object.entries(fieldsOf(fields.project_memories) ?? {})) {
    const content = storableText(value);
    const metadata = stated({ project: projects.get(id) });
    const name = `claude-memory-${shortId(id)}`;
    if (content !== undefined)
      yield { kind: 'named', at, name, body: { content, ...stated({ createdAt, metadata }) } };
  }
  for (const value of listOf(fields.memory_files)) {
    const { path, content: text, updated_at } = fieldsOf(value) ?? {};
    const content = storableText(text);
    if (content === undefined) continue;
    const name = `claude-memory-${nameOfPath(storableText(path) ?? 'file')}`;
    const own = stated({
      createdAt: readTime(updated_at) ?? createdAt,
      metadata: stated({ path: storableText(path) }),
    });
    yield { kind: 'named', at, name, body: { content, ...own } };
  }
}

const pathNameMax = 40;

/** Paths that differ have names that differ: one with other signs or a long one gets a hash. */
function nameOfPath(path: string): string {
  const name = slugOf(path, pathNameMax);
  if (/^\/?[a-z0-9]+(\.[a-z]+)?$/.test(path) && path.length < pathNameMax) return name;
  const digest = shortHash(path);
  return name === '' ? digest : `${name.slice(0, pathNameMax - 9)}-${digest}`.replace(/--+/g, '-');
}
