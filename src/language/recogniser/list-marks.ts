import type { NameLists } from '../lists/name-lists.ts';

/**
 * Lists in the order of their marks, with the letters in the features; `false` marks capitalised words only.
 */
const kinds = [
  ['t', true],
  ['b', true],
  ['lc', false],
  ['lr', false],
  ['g', false],
  ['f', false],
  ['o', false],
] as const;
const wordsMax = 4;
const capital = /^\p{Lu}/u;

/**
 * Marks listed words: U for a single word, B and I for the first and other words of a longer name, then the
 * list.
 */
export class ListMarks {
  /** Lists of each name: bit `i` stands for the list `kinds[i]`. */
  readonly #listsOf = new Map<string, number>();

  constructor(lists: NameLists) {
    const regions = [...lists.places].filter((name) => !lists.cities.has(name));
    const sources = [
      lists.technologies.keys(),
      lists.brands.keys(),
      lists.cities,
      regions,
      lists.givenNames,
      lists.familyNames,
      lists.companies,
    ];
    for (const [bit, names] of sources.entries())
      for (const name of names) this.#listsOf.set(name, (this.#listsOf.get(name) ?? 0) | (1 << bit));
  }

  /** Marks of each word of a sentence; longest names first. */
  of(words: readonly string[]): string[][] {
    const lower = words.map((word) => word.toLowerCase());
    const marks = words.map((): string[] => []);
    for (const [i, word] of words.entries()) {
      const isCapital = capital.test(word);
      for (let n = Math.min(wordsMax, words.length - i); n >= 1; n--) {
        const lists = this.#listsOf.get(n === 1 ? lower[i] : lower.slice(i, i + n).join(' '));
        if (lists !== undefined) mark(marks, i, n, lists, isCapital);
      }
    }
    return marks;
  }
}

function mark(marks: string[][], i: number, n: number, lists: number, isCapital: boolean): void {
  for (const [bit, [letters, anyCase]] of kinds.entries()) {
    if ((lists & (1 << bit)) === 0 || !(anyCase || isCapital)) continue;
    if (marks[i].includes(`I${letters}`)) continue;
    marks[i].push(`${n > 1 ? 'B' : 'U'}${letters}`);
    for (let k = 1; k < n; k++) marks[i + k].push(`I${letters}`);
  }
}
