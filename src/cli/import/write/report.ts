import type { Fields } from '../readers/reader.ts';

const outcomes = [
  'stored',
  'changed',
  'unchanged',
  'editedHere',
  'deletedHere',
  'removed',
  'refused',
] as const;
/** A memory that changed in the source and was edited here since keeps the edit. */
const outcomeNames: Readonly<Partial<Record<Outcome, string>>> = {
  editedHere: 'edited here',
  deletedHere: 'deleted here',
};

/** The end of one record. */
export type Outcome = (typeof outcomes)[number];

/** The result of storing a record. */
export interface Stored {
  readonly outcome: Outcome;
  /** Of the record here. */
  readonly id?: string;
  /** Of a refusal. */
  readonly reason?: string;
  /** Fields that the service does not know. */
  readonly ignored?: readonly string[];
}

const kinds = [
  'conversations',
  'memories',
  'named',
  'facts',
  'artifacts',
  'relationships',
  'narratives',
] as const;

export type Kind = (typeof kinds)[number];

const kindNames: Readonly<Record<Kind, string>> = {
  conversations: 'conversations',
  memories: 'memories',
  named: 'named memories',
  facts: 'facts',
  artifacts: 'artifacts',
  relationships: 'relationships',
  narratives: 'narratives',
};

type KindCounts = Record<Outcome, number>;

interface Place {
  readonly at: string;
  readonly reason: string;
}

/** Places that a report lists, of each kind. */
const placesMax = 1000;
/** Names are unbounded if they are data; only the first are counted separately. */
const namesMax = 1000;
const shownMax = 20;

/** Counts by names, of which there may be too many. */
class NameCounts {
  readonly counts = new Map<string, number>();

  add(name: string, count = 1): void {
    const counted = this.counts.size < namesMax || this.counts.has(name) ? name : 'others';
    this.counts.set(counted, (this.counts.get(counted) ?? 0) + count);
  }

  /** The most frequent first. */
  describe(): string {
    const all = [...this.counts].sort(([, a], [, b]) => b - a).map(([name, count]) => `${name} (${count})`);
    return (all.length > shownMax ? [...all.slice(0, shownMax), '…'] : all).join(', ');
  }
}

/** Counts of an import, or of its preview. */
export class Report {
  readonly #kinds = new Map<Kind, KindCounts>();
  readonly #leftOut = new NameCounts();
  /** Fields of stored memories that the service does not know. */
  readonly ignored = new NameCounts();
  readonly #refusals: Place[] = [];
  readonly #notes: Place[] = [];
  #noted = 0;
  #unread = 0;
  #firstTime: string | undefined;
  #lastTime: string | undefined;

  add(kind: Kind, outcome: Outcome): void {
    this.#countsOf(kind)[outcome]++;
  }

  /** @param kind undefined for a record that could not be read */
  refuse(kind: Kind | undefined, at: string, reason: string): void {
    if (kind === undefined) this.#unread++;
    else this.add(kind, 'refused');
    if (this.#refusals.length < placesMax) this.#refusals.push({ at, reason });
  }

  leaveOut(reason: string, count = 1): void {
    this.#leftOut.add(reason, count);
  }

  note(at: string, reason: string): void {
    this.#noted++;
    if (this.#notes.length < placesMax) this.#notes.push({ at, reason });
  }

  #sawTime(time: unknown): void {
    if (typeof time !== 'string') return;
    if (this.#firstTime === undefined || time < this.#firstTime) this.#firstTime = time;
    if (this.#lastTime === undefined || time > this.#lastTime) this.#lastTime = time;
  }

  /** Whether a memory is older than `--since`; it is counted as left out then. */
  isBefore({ eventTime, createdAt }: Fields, since: Date | undefined): boolean {
    const time = eventTime ?? createdAt;
    if (since !== undefined && typeof time === 'string' && Date.parse(time) < since.getTime()) {
      this.leaveOut('before --since');
      return true;
    }
    this.#sawTime(time);
    return false;
  }

  #countsOf(kind: Kind): KindCounts {
    let counts = this.#kinds.get(kind);
    if (!counts) {
      counts = { stored: 0, changed: 0, unchanged: 0, editedHere: 0, deletedHere: 0, removed: 0, refused: 0 };
      this.#kinds.set(kind, counts);
    }
    return counts;
  }

  /** Of memories, named ones included. */
  #memories(outcome: Outcome): number {
    return this.#countsOf('memories')[outcome] + this.#countsOf('named')[outcome];
  }

  get stored(): number {
    let sum = 0;
    for (const counts of this.#kinds.values()) sum += counts.stored + counts.changed;
    return sum;
  }

  /** Records of all kinds, and those that could not be read. */
  get refused(): number {
    let sum = this.#unread;
    for (const counts of this.#kinds.values()) sum += counts.refused;
    return sum;
  }

  /** In one line: memories and refusals. */
  describe(): string {
    const rare = (['changed', 'editedHere', 'deletedHere'] as const).filter(
      (outcome) => this.#memories(outcome) > 0,
    );
    const more = rare.map((outcome) => `, ${outcomeNames[outcome] ?? outcome} ${this.#memories(outcome)}`);
    return `imported ${this.#memories('stored')}, refused ${this.refused}, skipped ${this.#memories('unchanged')}${more.join('')}`;
  }

  /** Further lines: other kinds, left out records, first and last time. */
  details(): string[] {
    const lines = kinds
      .filter((kind) => kind !== 'memories')
      .map((kind) => [kindNames[kind], this.#countsOf(kind)] as const)
      .map(([name, counts]) => {
        const parts = outcomes
          .filter((outcome) => counts[outcome] > 0)
          .map((outcome) => `${outcomeNames[outcome] ?? outcome} ${counts[outcome]}`);
        return parts.length === 0 ? '' : `${name}: ${parts.join(', ')}`;
      });
    if (this.#leftOut.counts.size > 0) lines.push(`left out: ${this.#leftOut.describe()}`);
    if (this.#firstTime !== undefined) lines.push(`times: ${this.#firstTime} to ${this.#lastTime}`);
    if (this.ignored.counts.size > 0)
      lines.push(
        `ignored fields, unknown to the service: ${this.ignored.describe()}. What is to be kept belongs into metadata.`,
      );
    return lines.filter((line) => line !== '');
  }

  toJson() {
    return {
      imported: this.#memories('stored'),
      changed: this.#memories('changed'),
      refused: this.refused,
      skipped: this.#memories('unchanged'),
      editedHere: this.#memories('editedHere'),
      deletedHere: this.#memories('deletedHere'),
      kinds: Object.fromEntries(this.#kinds),
      leftOut: Object.fromEntries(this.#leftOut.counts),
      refusals: this.#refusals,
      noted: this.#noted,
      notes: this.#notes,
      ignored: Object.fromEntries(this.ignored.counts),
      firstTime: this.#firstTime,
      lastTime: this.#lastTime,
    };
  }
}
