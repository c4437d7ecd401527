/** A word of a statement, whose ending may be changed to fit the sentence. */
export interface WordOfStatement {
  /** Index of the statement. */
  readonly statement: number;
  /** Range of the kept part of the word, in UTF-16 units of the statement. */
  readonly start: number;
  readonly end: number;
  /** Appended; empty if the word is unchanged. */
  readonly ending: string;
  /** Case of the first letter. */
  readonly letterCase: 'asWritten' | 'lower' | 'upper';
}

/** A sentence that refers to words of statements by position: it contains no text that may have to be erased. */
export interface ProseSentence {
  /** Indices of the statements that it sums up, in the order of their words in it. */
  readonly statements: readonly number[];
  /** Connecting words, white space and punctuation, and words of the statements. */
  readonly parts: readonly (string | WordOfStatement)[];
}

/** Sentences, or the reason why there are none. */
export type Prose = { readonly sentences: readonly ProseSentence[] } | { readonly reason: string };

/** Headings of some of the groups, or the reason why there are none. */
export type Headings =
  | { readonly headings: readonly { readonly group: number; readonly sentence: ProseSentence }[] }
  | { readonly reason: string };

/** Writes prose in the background. */
export interface ProseWriter {
  /**
   * Prose over statements of a user, if it is ready; otherwise requests it for a later call. Never waits.
   * @param statements sentences of memories, as shown
   */
  proseOf(userId: number, statements: readonly string[]): Prose;

  /** Headings of groups of statements, likewise; the sentences refer to the statements of all groups in a row. */
  headingsOf(userId: number, groups: readonly (readonly string[])[]): Headings;
}

/** The text of a sentence. */
export function textOfProse({ parts }: ProseSentence, statements: readonly string[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : wordOf(part, statements))).join('');
}

function wordOf(
  { statement, start, end, ending, letterCase }: WordOfStatement,
  statements: readonly string[],
): string {
  const word = statements[statement].slice(start, end) + ending;
  if (letterCase === 'asWritten') return word;
  const [first = ''] = word;
  return (letterCase === 'upper' ? first.toUpperCase() : first.toLowerCase()) + word.slice(first.length);
}
