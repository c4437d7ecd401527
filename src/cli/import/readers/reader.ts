import type { Fields } from '../statement.ts';

export type { Fields };

/** A file that cannot be read to its end: it is broken, or may not be read. */
export class UnreadableError extends Error {
  /** Without the name of the file. */
  readonly reason: string;

  constructor(path: string, cause: unknown) {
    const reason = (cause as Error).message;
    super(`${path} cannot be read: ${reason}`, { cause });
    this.reason = reason;
  }
}

/** A file of an input, on disk or a member of a zip. Its methods but `head` throw `UnreadableError`. */
export interface InputFile {
  /** Relative to the input, with `/` between its parts, in NFC. */
  readonly path: string;
  /** Bytes, about: of a file `*.gz` those on disk. */
  readonly size: number;
  readonly modifiedAt: Date | undefined;
  /** From the beginning, each time it is called; bounded by the limits of archives. */
  bytes(): AsyncIterable<Uint8Array>;
  /** UTF-8 without its byte order mark. @throws Error if it has more bytes (default 16 MiB) or is not UTF-8 */
  text(bytesMax?: number): Promise<string>;
  /** The first bytes that can be read, as text, for recognising; bytes that are no UTF-8 become U+FFFD. */
  head(bytes: number): Promise<string>;
  /** Path for SQLite. A member of a zip is unpacked to a temporary file, which is removed at the end. */
  diskPath(): Promise<string>;
}

/** A file, several files of one format, a folder, or a zip. */
export interface Input {
  /** For messages, as it was given. */
  readonly name: string;
  /** Without hidden ones, in the order of their paths. Zips among them are opened: `a.zip/member.json`. */
  readonly files: readonly InputFile[];
}

/** A conversation. It is stored once its first memory is. */
export interface ConversationRecord {
  readonly kind: 'conversation';
  readonly externalId: string;
  readonly title: string;
  readonly createdAt?: string;
  readonly agentSessionId?: string;
  readonly summary?: string;
  readonly metadata?: Fields;
  /** It was exported here: stored as it is. */
  readonly isOwn?: true;
}

export interface MemoryRecord {
  readonly kind: 'memory';
  /** Its place in messages, such as `conversations.json, message 3 of "Tomatoes"`. */
  readonly at: string;
  /** `externalId` of a conversation that came before. */
  readonly conversation?: string;
  /** Body of `POST /api/memories`, with `externalId`. */
  readonly body: Fields;
  /** It was exported here: stored as it is, without `metadata.source`. */
  readonly isOwn?: true;
}

/** A memory with a name; another text makes a version. */
export interface NamedRecord {
  readonly kind: 'named';
  readonly at: string;
  readonly name: string;
  /** `content`, `createdAt`, `topics`, `metadata`. */
  readonly body: Fields;
}

/** A fact or artifact. */
export interface PointingRecord {
  readonly kind: 'fact' | 'artifact';
  readonly at: string;
  /** `externalId` of the memory that says or has it; undefined if none does, as for a file of a project. */
  readonly memory?: string;
  readonly externalId: string;
  /** Body of `POST /api/facts` or `POST /api/artifacts`. */
  readonly body: Fields;
}

/** A relationship between two memories, named by their `externalId`. */
export interface RelationshipRecord {
  readonly kind: 'relationship';
  readonly at: string;
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly reason?: string;
}

/** A thread of memories. */
export interface NarrativeRecord {
  readonly kind: 'narrative';
  readonly at: string;
  readonly title: string;
  /** Their `externalId`, in the order of the thread; at least one. */
  readonly memories: readonly string[];
  /** Undefined: those of its memories. */
  readonly topics?: readonly string[];
  readonly state: string;
  /** `externalId` of the memory that resolved it. */
  readonly resolution?: string;
  readonly updatedAt?: string;
}

export type ImportRecord =
  | ConversationRecord
  | MemoryRecord
  | NamedRecord
  | PointingRecord
  | RelationshipRecord
  | NarrativeRecord
  /** `reason` is one of few, fixed words: "system message", "empty", "other branch". */
  | { readonly kind: 'leftOut'; readonly reason: string; readonly count?: number }
  /** A record that cannot be read; the others go on. */
  | { readonly kind: 'refused'; readonly at: string; readonly reason: string }
  /** A part of a record was not understood; the rest is stored: at `notes.csv, line 5`, "the time 04/01/2026 is not ISO 8601". */
  | { readonly kind: 'noted'; readonly at: string; readonly reason: string }
  /** Progress: so many bytes more of the input are done. */
  | { readonly kind: 'read'; readonly size: number };

/** A memory that an earlier import stored. */
export interface StoredMemory {
  readonly externalId?: string;
  readonly metadata: Fields;
}

export interface ReadOptions {
  /** Of `--map text=content`: by the name in the file, the field here. */
  readonly map: ReadonlyMap<string, string>;
  /** Of `--only`: projects, sessions or users of the source; empty: all. */
  readonly only: ReadonlySet<string>;
  readonly since: Date | undefined;
  /**
   * The live memories of an earlier import with this `metadata.source`, for formats whose records can change their ids; absent
   * without a service, as in a dry run.
   */
  readonly stored?: (source: string) => AsyncIterable<StoredMemory>;
}

/** For `recognises` of formats whose files stand each for itself. */
export async function anyFile(
  { files }: Input,
  isOf: (file: InputFile) => Promise<boolean>,
): Promise<boolean> {
  for (const file of files) if (await isOf(file)) return true;
  return false;
}

/** Reads one format. It stands in the table of `index.ts`. */
export interface Reader {
  /** The word of `--as`, and `metadata.source` of its records. */
  readonly format: string;
  /** For people, such as "ChatGPT data export". */
  readonly title: string;
  /** Its records are our own: they get no `metadata.source`. */
  readonly isOwn?: true;
  /** By names and shape; reads only the beginning of files. */
  recognises(input: Input): Promise<boolean>;
  /**
   * Yields conversations before their memories; what points at memories may come in any order. In bounded memory, since
   * an input may be of any size. A record that is broken is yielded as refused, and the others go on.
   */
  read(input: Input, options: ReadOptions): AsyncIterable<ImportRecord>;
}
