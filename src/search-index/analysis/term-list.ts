import { cut, rootOf } from './word-roots.ts';

/** Terms as the scanner finds them, with their places if asked for. */
export class TermList {
  readonly terms: string[] = [];
  /** Start and end of each term in the scanned text, one after the other. */
  readonly spans: number[] | undefined;
  /** Where words run together, single characters are terms of a document, but of a query only if they stand alone. */
  readonly singles: boolean;
  /** Scanning may end once one of these is found. */
  readonly #until: ReadonlySet<string> | undefined;
  isDone = false;

  constructor({ singles, spans, until }: { singles: boolean; spans: boolean; until?: ReadonlySet<string> }) {
    this.singles = singles;
    this.#until = until;
    this.spans = spans ? [] : undefined;
  }

  /** @param word as it stands in the scanned text */
  addWord(word: string, start: number, end: number): void {
    this.addLower(word.toLowerCase(), start, end);
  }

  /** `addWord` for a word that has no capitals. */
  addLower(word: string, start: number, end: number): void {
    const root = rootOf(cut(word));
    if (root !== '') this.add(root, start, end);
  }

  add(term: string, start: number, end: number): void {
    this.terms.push(term);
    this.spans?.push(start, end);
    if (this.#until?.has(term)) this.isDone = true;
  }
}
