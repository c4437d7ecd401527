import type { DigestMaterial, ScoredStatement } from './digest.ts';
import { cited, groupByThread, inOrder } from './markdown.ts';

/** A sentence that replaces statements. */
export interface SentenceOfProse {
  readonly text: string;
  /** In the order in which the sentence takes their words. */
  readonly statements: readonly ScoredStatement[];
}

interface ThreadOfNarrative {
  readonly title: string;
  /** In the order of time; one at least. */
  readonly statements: readonly ScoredStatement[];
}

/** Statements by conversation, for a narrative. */
export function narrativeOrder(
  { sources }: Pick<DigestMaterial, 'sources'>,
  statements: readonly ScoredStatement[],
): ThreadOfNarrative[] {
  const byNumber = new Map(sources.map((source) => [source.number, source]));
  return groupByThread(sources).flatMap(({ title, sources: own }) => {
    const numbers = new Set(own.map(({ number }) => number));
    const some = statements.filter(({ source }) => numbers.has(source));
    return some.length === 0 ? [] : [{ title, statements: inOrder(some, byNumber) }];
  });
}

/** A text with its sources, and the statement that gives its day and position. */
export interface NarrativeItem {
  readonly text: string;
  readonly first: ScoredStatement;
}

/** Statements of a thread, word for word; a sentence about this thread alone replaces its statements. */
export function itemsOf(own: readonly ScoredStatement[], prose: readonly SentenceOfProse[]): NarrativeItem[] {
  const all = new Set(own);
  const sentences = prose.filter(({ statements }) => statements.every((one) => all.has(one)));
  const byFirst = new Map(sentences.map((sentence) => [sentence.statements[0], sentence]));
  const replaced = new Set(sentences.flatMap(({ statements }) => statements));
  return own.flatMap((statement) => {
    const sentence = byFirst.get(statement);
    if (sentence) return [{ text: citedProse(sentence), first: statement }];
    return replaced.has(statement) ? [] : [{ text: cited(statement), first: statement }];
  });
}

function citedProse({ text, statements }: SentenceOfProse): string {
  const numbers = [...new Set(statements.map(({ source }) => source))];
  return `${text} ${numbers.map((number) => `[${number}]`).join(' ')}`;
}
