import { statementsOf } from '../text/statements.ts';
import type { Change, ChangeKind, DigestMaterial, DigestSource, ScoredStatement } from './digest.ts';
import { dayOf } from './markdown.ts';

const historyWords: Readonly<Record<ChangeKind, string>> = {
  SUPERSEDES: 'Before',
  CONTRADICTS: 'Contradicts',
  RESOLVES: 'Resolves',
};
/** All words of a digest that do not come from its sources, except headings. */
export const connectingWords = [
  'Sources',
  'conversations',
  'from',
  'to',
  'On',
  ...Object.values(historyWords),
];

/** Earlier sources that one line tells. */
const historyMax = 3;
/** UTF-16 units of a text that are read for its first statement, more than a statement has. */
const firstLengthMax = 2000;

/**
 * Writes statements with the numbers of their sources, and with the earlier texts that they replace. Sources get
 * the numbers of the text, 1 and up in the order of relevance, which needs all statements of the text.
 */
export class Citations {
  readonly #sources: ReadonlyMap<number, DigestSource>;
  readonly #histories: ReadonlyMap<number, readonly Change[]>;
  readonly #numbers: ReadonlyMap<number, number>;
  /** The sources that the text cites, with the numbers that it gives to them. */
  readonly used: readonly DigestSource[];
  /** Their days, the first one first. */
  readonly days: readonly string[];

  constructor(
    { sources, changes }: Pick<DigestMaterial, 'sources' | 'changes'>,
    statements: readonly ScoredStatement[],
  ) {
    this.#sources = new Map(sources.map((source) => [source.number, source]));
    const shown = [...new Set(statements.flatMap(({ source, also }) => [source, ...also]))];
    this.#histories = new Map(shown.map((number) => [number, historyOf(number, changes)]));
    const earlier = [...this.#histories.values()].flatMap((some) =>
      some.map((change) => change.earlier.number),
    );
    const cited = new Set([...shown, ...earlier]);
    const used = sources.filter(({ number }) => cited.has(number));
    this.#numbers = new Map(used.map(({ number }, i) => [number, i + 1]));
    this.used = used.map((source, i) => ({ ...source, number: i + 1 }));
    this.days = used.map(dayOf).sort();
  }

  /** "Text. [1] [4]" and, for the first statement of a source, "Before (2026-02-01): Earlier text. [3]". */
  line(statement: ScoredStatement): string {
    const numbers = [statement.source, ...statement.also];
    const changes =
      statement.position === 0 ? numbers.flatMap((number) => this.#histories.get(number) ?? []) : [];
    const history = [...new Map(changes.map((change) => [change.earlier.number, change])).values()];
    return [this.cited(statement.text, numbers), ...history.flatMap((change) => this.#earlier(change))].join(
      ' ',
    );
  }

  cited(text: string, numbers: readonly number[]): string {
    const shown = numbers.flatMap((number) => this.#numbers.get(number) ?? []).sort((a, b) => a - b);
    return `${text} ${shown.map((number) => `[${number}]`).join(' ')}`;
  }

  dayOf({ source }: ScoredStatement): string {
    const found = this.#sources.get(source);
    return found ? dayOf(found) : '';
  }

  #earlier({ kind, earlier }: Change): string[] {
    const first = statementsOf(
      earlier.memory.content.trimStart().slice(0, firstLengthMax),
      earlier.number,
    ).at(0);
    return first
      ? [`${historyWords[kind]} (${dayOf(earlier)}): ${this.cited(first.text, [earlier.number])}`]
      : [];
  }
}

/** The sources that a source replaces or resolves, and those that they replaced, the last one first. */
function historyOf(number: number, changes: readonly Change[]): Change[] {
  const found: Change[] = [];
  const seen = new Set([number]);
  for (let later = [number]; later.length > 0 && found.length < historyMax; ) {
    const next = changes.filter(
      (change) => later.includes(change.later.number) && !seen.has(change.earlier.number),
    );
    for (const change of next) seen.add(change.earlier.number);
    found.push(...next);
    later = next.map((change) => change.earlier.number);
  }
  return found.slice(0, historyMax);
}
