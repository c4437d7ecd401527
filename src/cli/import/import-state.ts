import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { parseJson } from '../../lib/json-depth.ts';
import { type ItemRange, ItemRanges } from './item-ranges.ts';

const format = 1;
const saveEveryMs = 1000;
/** Saving takes at most one part of so many of the time. */
const saveShare = 20;

interface Written {
  readonly format: number;
  readonly user: string;
  readonly identity: string;
  readonly done: readonly ItemRange[];
  readonly conversations: Readonly<Record<string, string>>;
}

export interface StateOwner {
  /** Public id of the user whom the memories go to. */
  readonly user: string;
  /** Distinguishes this file from others; the identity in an existing state wins. */
  readonly identity: string;
}

/** The imported items of a file, saved in a small file so that a later run resumes there. */
export class ImportState {
  readonly done: ItemRanges;
  readonly identity: string;
  /** Whether an earlier run left a state. */
  readonly resumed: boolean;
  private readonly path: string;
  private readonly user: string;
  /** Conversation ids by title. */
  private readonly conversations: Map<string, string>;
  private nextSaveAt = 0;

  /** @throws Error if the state is unreadable, or of another user */
  constructor(path: string, { user, identity }: StateOwner) {
    const written = readState(path);
    if (written && written.user !== user)
      throw new Error(
        `${path} is of an import for another user (${written.user}). Name another one by --state.`,
      );
    this.path = path;
    this.user = user;
    this.identity = written?.identity ?? identity;
    this.resumed = written !== undefined;
    this.done = new ItemRanges(written?.done);
    this.conversations = new Map(Object.entries(written?.conversations ?? {}));
  }

  conversationOf(title: string): string | undefined {
    return this.conversations.get(title);
  }

  addConversation(title: string, id: string): void {
    this.conversations.set(title, id);
  }

  /** Saves when the last time was long enough ago. */
  saveNowAndThen(): void {
    if (performance.now() >= this.nextSaveAt) this.save();
  }

  /** Replaces the file as a whole: readers find the old or the new state. */
  save(): void {
    const began = performance.now();
    const written: Written = {
      format,
      user: this.user,
      identity: this.identity,
      done: this.done.toArray(),
      conversations: Object.fromEntries(this.conversations),
    };
    const temporary = `${this.path}.tmp`;
    const file = openSync(temporary, 'w', 0o600);
    try {
      writeSync(file, `${JSON.stringify(written)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, this.path);
    const ended = performance.now();
    this.nextSaveAt = ended + Math.max(saveEveryMs, saveShare * (ended - began));
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

function readState(path: string): Written | undefined {
  if (!existsSync(path)) return undefined;
  let value: unknown;
  try {
    value = parseJson(readFileSync(path, 'utf8'));
  } catch {
    // Refused below, as other files that are no state are.
    value = undefined;
  }
  const written = value as Partial<Written> | null | undefined;
  if (written?.format === format && Array.isArray(written.done)) return written as Written;
  throw new Error(`${path} is not the state of an import. Remove it, or name another one by --state.`);
}
