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
import { addDigests, type Source } from './sources.ts';

const format = 1;
const saveEveryMs = 1000;
/** Minimum pause between saves, as a multiple of the duration of the last save. */
const saveShare = 20;

interface Written {
  readonly format: number;
  readonly user: string;
  readonly identity: string;
  readonly done: readonly ItemRange[];
  readonly conversations: Readonly<Record<string, string>>;
}

interface StateOwner {
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
    // Refused below, like any file that is not a state.
    value = undefined;
  }
  const written = value as Partial<Written> | null | undefined;
  if (written?.format === format && Array.isArray(written.done)) return written as Written;
  throw new Error(`${path} is not the state of an import. Remove it, or name another one by --state.`);
}

/** First and last number of a run of items, and the sum of their digests. */
type ItemRange = readonly [first: number, last: number, digest: number];

/** A set of item numbers that takes as little room as it has gaps. */
export class ItemRanges {
  /** Ascending, never adjacent. */
  private readonly ranges: ItemRange[];

  constructor(ranges: readonly ItemRange[] = []) {
    this.ranges = [...ranges];
  }

  has(number: number): boolean {
    const range = this.ranges[this.indexBefore(number)];
    return range !== undefined && number <= range[1];
  }

  /** A number that is not yet in the set. */
  add(number: number, digest: number): void {
    const at = this.indexBefore(number);
    const before = this.ranges[at];
    const after = this.ranges[at + 1];
    const joinsBefore = before !== undefined && before[1] === number - 1;
    const joinsAfter = after !== undefined && after[0] === number + 1;
    let sum = digest;
    if (joinsBefore) sum = addDigests(sum, before[2]);
    if (joinsAfter) sum = addDigests(sum, after[2]);
    const joined: ItemRange = [joinsBefore ? before[0] : number, joinsAfter ? after[1] : number, sum];
    const from = joinsBefore ? at : at + 1;
    this.ranges.splice(from, Number(joinsBefore) + Number(joinsAfter), joined);
  }

  toArray(): readonly ItemRange[] {
    return this.ranges;
  }

  /** Index of the last range that begins at or before `number`, or -1. */
  private indexBefore(number: number): number {
    let low = 0;
    let high = this.ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const range = this.ranges[middle];
      if (range !== undefined && range[0] <= number) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/**
 * Resuming by item numbers is correct only if the imported items are unchanged.
 * @throws Error naming the first changed item
 */
export async function assertUnchanged(source: Source, done: readonly ItemRange[]): Promise<void> {
  let index = 0;
  let sum = 0;
  for await (const { number, digest } of source.items()) {
    const range = done[index];
    if (range === undefined) return;
    const [first, last, expected] = range;
    if (number < first) continue;
    sum = addDigests(sum, digest);
    if (number < last) continue;
    if (number > last || sum !== expected) break;
    index++;
    sum = 0;
  }
  const range = done[index];
  if (range) throw new Error(`Something between ${range[0]} and ${range[1]} is not what was imported.`);
}
