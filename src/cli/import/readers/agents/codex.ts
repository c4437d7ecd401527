import { textOfContent } from '../../../../domain/conversations/chat-message.ts';
import type { Fields, ImportRecord, InputFile, Reader, ReadOptions } from '../reader.ts';
import { isFields, stated, textOf } from '../shared/fields.ts';
import { jsonLines, type ReadJson } from '../shared/json.ts';
import { idOf, titleFrom } from '../shared/texts.ts';
import { readTime } from '../shared/values.ts';
import { repoOf, rulesRecord } from './project.ts';

const headBytes = 64 * 1024;
const askedMax = 50;
const metaMark = /"type"\s*:\s*"session_meta"|"type"\s*:\s*"response_item"/;

const isSession = ({ path }: InputFile) => /(^|\/)rollout-[^/]*\.jsonl$/.test(path);
const isRules = ({ path }: InputFile) => /(^|\/)AGENTS(\.override)?\.md$/.test(path);

/** User messages that no user wrote, by their beginning. */
const notTyped =
  /^\s*(<(environment_context|user_instructions|permissions instructions|turn_aborted|user_shell_command)>|# AGENTS\.md instructions)/;

/** Sessions of Codex and its rules (`AGENTS.md`): `~/.codex`, its `sessions`, or single ones. */
export const codex: Reader = {
  format: 'codex',
  title: 'sessions of Codex',
  async recognises({ files }) {
    const asked = files.length === 1 ? files : files.filter(isSession).slice(0, askedMax);
    // A single one of before September 2025 has no mark, and would read as memories.
    if (files.length === 1 && isSession(files[0])) return true;
    for (const file of asked) if (metaMark.test(await file.head(headBytes))) return true;
    return false;
  },
  async *read({ files }, options) {
    for (const file of files) {
      if (isSession(file) || (files.length === 1 && !isRules(file))) yield* sessionRecords(file, options);
      else {
        const isPacked = /rollout-[^/]*\.(zst|br|xz)$/.test(file.path);
        if (isPacked)
          yield {
            kind: 'noted',
            at: file.path,
            reason: 'is compressed: unpack it, as `zstd -d` does with .zst, and import it again',
          };
        if (isRules(file)) yield await rulesRecord(file, 'codex');
        else yield { kind: 'leftOut', reason: isPacked ? 'compressed session' : 'other file' };
        yield { kind: 'read', size: file.size };
      }
    }
  },
};

async function* sessionRecords(file: InputFile, options: ReadOptions): AsyncGenerator<ImportRecord> {
  const session = new Session(file, options);
  for await (const read of jsonLines(file)) {
    yield* session.take(read);
    yield { kind: 'read', size: read.size };
  }
}

class Session {
  readonly #only: ReadonlySet<string>;
  /** Of the session; until its first line says it, the name of its file, which has it. */
  #id: string;
  #title: string | undefined;
  #createdAt: string | undefined;
  #cwd: unknown;
  #branch: string | undefined;
  #model: string | undefined;

  constructor({ path }: InputFile, { only }: ReadOptions) {
    this.#only = only;
    this.#id = /([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl$/.exec(path)?.[1] ?? path;
  }

  *take({ at, value, refusal, isCut }: ReadJson): Generator<ImportRecord> {
    if (isCut) return yield { kind: 'leftOut', reason: 'last line, cut off' };
    if (refusal !== undefined) return yield { kind: 'refused', at, reason: refusal };
    if (!isFields(value)) return yield { kind: 'refused', at, reason: 'the line must be a JSON object' };
    const payload = isFields(value.payload) ? value.payload : value;
    if (value.type === 'session_meta') this.#describe(payload);
    else if (value.type === 'turn_context') this.#turn(payload);
    // Older sessions have items without an envelope, and an unnamed first line.
    else if (value.type === undefined && typeof value.id === 'string') this.#describe(value);
    else if (payload.type === 'message' && value.type !== 'event_msg')
      yield* this.#message(payload, value, at);
    else yield { kind: 'leftOut', reason: 'line without talk' };
  }

  #describe({ id, timestamp, cwd, git }: Fields): void {
    this.#id = textOf(id) ?? this.#id;
    this.#createdAt ??= readTime(timestamp);
    this.#cwd = cwd;
    this.#branch = isFields(git) ? textOf(git.branch) : undefined;
  }

  #turn({ model, cwd }: Fields): void {
    this.#model = textOf(model) ?? this.#model;
    this.#cwd = cwd ?? this.#cwd;
  }

  #isChosen(): boolean {
    if (this.#only.size === 0) return true;
    return [this.#id, repoOf(this.#cwd), this.#cwd].some(
      (name) => typeof name === 'string' && this.#only.has(name),
    );
  }

  *#message({ role, content, id }: Fields, line: Fields, at: string): Generator<ImportRecord> {
    if (!this.#isChosen()) return yield { kind: 'leftOut', reason: 'not --only' };
    if (role !== 'user' && role !== 'assistant') return yield { kind: 'leftOut', reason: 'system message' };
    const text = textOfContent(content);
    if (text === '') return yield { kind: 'leftOut', reason: 'empty message' };
    if (role === 'user' && notTyped.test(text))
      return yield { kind: 'leftOut', reason: 'instructions of the tool' };
    const externalId = `codex:${this.#id}`;
    this.#title ??= titleFrom(text);
    const [agentSessionId, createdAt, title] = [this.#id, this.#createdAt, this.#title];
    yield { kind: 'conversation', externalId, title, createdAt, agentSessionId };
    const time = readTime(line.timestamp) ?? this.#createdAt;
    yield {
      kind: 'memory',
      at,
      conversation: externalId,
      body: {
        content: text,
        role,
        externalId: `${externalId}:${textOf(id) ?? idOf(line.timestamp, role, text)}`,
        ...stated({ createdAt: time, eventTime: time }),
        ...this.#context(role),
      },
    };
  }

  #context(role: string): Fields {
    const repo = repoOf(this.#cwd);
    return {
      ...(repo !== undefined && { codeContext: { repo } }),
      metadata: {
        ...(this.#branch !== undefined && { branch: this.#branch }),
        ...(this.#model !== undefined && role === 'assistant' && { model: this.#model }),
      },
    };
  }
}
