import { LRUCache } from 'lru-cache';
import type { Fields, ImportRecord, Input, InputFile, Reader, ReadOptions } from '../reader.ts';
import { isFields, stated, textOf } from '../shared/fields.ts';
import { jsonLines, type ReadJson } from '../shared/json.ts';
import { fileName, titleFrom } from '../shared/texts.ts';
import { readTime } from '../shared/values.ts';
import { repoOf, rulesRecord } from './project.ts';
import { attachmentsOf, SessionShape, type TalkLine, talkOf } from './session-lines.ts';

const headBytes = 64 * 1024;
const askedMax = 50;
const sessionMark = /"sessionId"\s*:\s*"/;
const lineMark =
  /"(parentUuid|leafUuid)"\s*:|"type"\s*:\s*"(file-history-snapshot|permission-mode|queue-operation)"/;

const isSession = ({ path }: InputFile) =>
  path.endsWith('.jsonl') && !/(^|\/)(subagents\/|agent-[^/]*$|history\.jsonl$)/.test(path);
const isRules = ({ path }: InputFile) => /(^|\/)(CLAUDE(\.local)?\.md|memory\/[^/]+\.md)$/.test(path);

/** Sessions of Claude Code, its rules (`CLAUDE.md`) and memory files: `~/.claude`, a folder in it, or single sessions. */
export const claudeCode: Reader = {
  format: 'claude-code',
  title: 'sessions of Claude Code',
  async recognises({ files }) {
    for (const file of files.filter(isSession).slice(0, askedMax)) {
      const head = await file.head(headBytes);
      if (lineMark.test(head) && (sessionMark.test(head) || head.includes('"snapshot"'))) return true;
    }
    return (
      files.some(isRules) && files.every((file) => isRules(file) || fileName(file.path) === 'settings.json')
    );
  },
  async *read(input, options) {
    // Lines that a resumed session copied belong to the session that had them first.
    const known = new LRUCache<string, string>({ max: linesKnownMax });
    for (const { file, shape } of await sessionsOf(input))
      yield* sessionRecords(file, { shape, known, options });
    for (const file of input.files) yield* otherRecords(file, options);
  },
};

const linesKnownMax = 200_000;

interface Session {
  readonly file: InputFile;
  readonly shape: SessionShape;
}

/** In the order of their first lines; of two that begin alike, the one that ended first is the one that was copied. */
async function sessionsOf({ files }: Input): Promise<readonly Session[]> {
  const sessions: { readonly file: InputFile; readonly first: string; readonly last: string }[] = [];
  for (const file of files.filter(isSession)) {
    const { firstTime: first, lastTime: last } = await shapeOf(file);
    sessions.push({ file, first, last });
  }
  const key = ({ first, last }: { readonly first: string; readonly last: string }) => `${first} ${last}`;
  sessions.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  // Read again when its turn comes: the shapes of all would not be bounded.
  return sessions.map(({ file }) => ({ file, shape: new SessionShape() }));
}

async function shapeOf(file: InputFile, shape = new SessionShape()): Promise<SessionShape> {
  for await (const { value } of jsonLines(file)) if (isFields(value)) shape.add(value);
  return shape;
}

interface ReadState {
  readonly shape: SessionShape;
  /** The session of each line that was read before. */
  readonly known: LRUCache<string, string>;
  readonly options: ReadOptions;
}

async function* sessionRecords(
  file: InputFile,
  { shape, known, options }: ReadState,
): AsyncGenerator<ImportRecord> {
  await shapeOf(file, shape);
  const { sessionId } = shape;
  if (sessionId === undefined) {
    yield { kind: 'leftOut', reason: 'session without talk' };
    return yield { kind: 'read', size: file.size };
  }
  const session = new SessionReader(file, { shape, known, options });
  for await (const read of jsonLines(file)) {
    yield* session.take(read);
    yield { kind: 'read', size: read.size };
  }
  yield* session.end();
}

/** Texts of one message, which stand in a line each. */
interface OpenMessage {
  readonly line: Fields;
  readonly at: string;
  readonly role: TalkLine['role'];
  readonly messageId: string | undefined;
  readonly texts: string[];
}

class SessionReader {
  readonly #file: InputFile;
  readonly #reading: ReadState;
  readonly #chain: ReadonlySet<string>;
  readonly #externalId: string;
  #open: OpenMessage | undefined;
  #title: string | undefined;

  constructor(file: InputFile, reading: ReadState) {
    this.#file = file;
    this.#reading = reading;
    this.#chain = reading.shape.chain();
    this.#externalId = `claude-code:${reading.shape.sessionId}`;
    this.#title = reading.shape.title;
  }

  *take({ at, value, refusal, isCut }: ReadJson): Generator<ImportRecord> {
    if (isCut) return yield { kind: 'leftOut', reason: 'last line, cut off' };
    if (refusal !== undefined) return yield { kind: 'refused', at, reason: refusal };
    if (!isFields(value)) return yield { kind: 'refused', at, reason: 'the line must be a JSON object' };
    if (!this.#isChosen(value)) return yield { kind: 'leftOut', reason: 'not --only' };
    const talk = talkOf(value);
    if ('leftOut' in talk) return yield { kind: 'leftOut', reason: talk.leftOut };
    const uuid = textOf(value.uuid);
    if (uuid === undefined) return yield { kind: 'leftOut', reason: 'line without an id' };
    const messageId = isFields(value.message) ? textOf(value.message.id) : undefined;
    if (!this.#chain.has(uuid) && !this.#chain.has(messageId ?? uuid))
      return yield { kind: 'leftOut', reason: 'other branch' };
    const first = this.#reading.known.get(uuid);
    if (first !== undefined && first !== this.#externalId)
      return yield { kind: 'leftOut', reason: 'copied from another session' };
    this.#reading.known.set(uuid, this.#externalId);
    if (this.#open && messageId !== undefined && this.#open.messageId === messageId)
      return void this.#open.texts.push(talk.text);
    yield* this.end();
    this.#open = { line: value, at, role: talk.role, messageId, texts: [talk.text] };
  }

  /** By the folder of the project, the name of its repository, or the session. */
  #isChosen(line: Fields): boolean {
    const { only } = this.#reading.options;
    if (only.size === 0) return true;
    const names = [
      ...this.#file.path.split('/').slice(0, -1),
      repoOf(line.cwd),
      this.#reading.shape.sessionId,
      line.cwd,
    ];
    return names.some((name) => typeof name === 'string' && only.has(name));
  }

  /** The message that is open has no further lines. */
  *end(): Generator<ImportRecord> {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return;
    const { line, at, role, texts } = open;
    const content = texts.join('\n\n');
    const time = readTime(line.timestamp);
    this.#title ??= titleFrom(content);
    yield {
      kind: 'conversation',
      externalId: this.#externalId,
      title: this.#title,
      createdAt: readTime(this.#reading.shape.firstTime),
      agentSessionId: this.#reading.shape.sessionId,
    };
    yield {
      kind: 'memory',
      at,
      conversation: this.#externalId,
      body: {
        content,
        role,
        externalId: `claude-code:${String(line.uuid)}`,
        ...stated({ createdAt: time, eventTime: time }),
        ...contextOf(line),
      },
    };
  }
}

function contextOf(line: Fields): Fields {
  const repo = repoOf(line.cwd);
  const model = isFields(line.message) ? textOf(line.message.model) : undefined;
  const branch = textOf(line.gitBranch);
  const attachments = attachmentsOf(line);
  return {
    ...(repo !== undefined && { codeContext: { repo } }),
    metadata: {
      ...(branch !== undefined && { branch }),
      ...(model !== undefined && { model }),
      ...(attachments.length > 0 && { attachments }),
    },
  };
}

/** Rules and memory files become named memories; other files are left out. */
async function* otherRecords(file: InputFile, { only }: ReadOptions): AsyncGenerator<ImportRecord> {
  if (isSession(file)) return;
  const folders = file.path.split('/').slice(0, -1);
  if (!isRules(file))
    yield { kind: 'leftOut', reason: /subagents\/|agent-/.test(file.path) ? 'subagent' : 'other file' };
  else if (only.size > 0 && !folders.some((folder) => only.has(folder)))
    yield { kind: 'leftOut', reason: 'not --only' };
  else yield await rulesRecord(file, 'claude-code');
  yield { kind: 'read', size: file.size };
}
