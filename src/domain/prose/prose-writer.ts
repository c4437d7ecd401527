/** A word of a statement, with another ending where the sentence needs it. */
export interface WordOfStatement {
  /** Index of the statement. */
  readonly statement: number;
  /** In UTF-16 units of the statement: the word, or as much of it as stays. */
  readonly start: number;
  readonly end: number;
  /** What follows it: '' where the word stays as it is. */
  readonly ending: string;
  /** Of the first letter. */
  readonly letterCase: 'asWritten' | 'lower' | 'upper';
}

/** A sentence over statements, as places: it holds no word of theirs, so nothing of a text that is erased. */
export interface ProseSentence {
  /** Indices of the statements that it shortens, in the order in which it takes their words. */
  readonly statements: readonly number[];
  /** Connecting words, white space and punctuation, and words of the statements. */
  readonly parts: readonly (string | WordOfStatement)[];
}

/** What there is of prose: sentences, or why there are none. */
export type Prose = { readonly sentences: readonly ProseSentence[] } | { readonly reason: string };

/** Writes prose in the background. */
export interface ProseWriter {
  /**
   * Prose over the statements of a user, where it is there; where not, it is asked for, and a later call has it. Never waits.
   *
   * @param statements sentences of memories, as they are shown
   */
  proseOf(userId: number, statements: readonly string[]): Prose;
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
