import { groupBy } from '../../lib/collections.ts';
import type { Citations } from './cite.ts';
import type { DigestMaterial, DigestSource, ScoredStatement } from './digest.ts';
import { inOrder } from './markdown.ts';

/** A sentence that replaces statements. */
export interface SentenceOfProse {
  readonly text: string;
  /** In the order in which the sentence takes their words. */
  readonly statements: readonly ScoredStatement[];
}

interface ThreadOfNarrative {
  /** Those that the statements come from. */
  readonly sources: readonly DigestSource[];
  /** In the order of time; one at least. */
  readonly statements: readonly ScoredStatement[];
}

/** Statements by conversation, for a narrative. */
export function narrativeOrder(
  { sources }: Pick<DigestMaterial, 'sources'>,
  statements: readonly ScoredStatement[],
): ThreadOfNarrative[] {
  const byNumber = new Map(sources.map((source) => [source.number, source]));
  const threads = groupBy(statements, ({ source }) => byNumber.get(source)?.memory.conversationId);
  return [...threads.values()].map((own) => ({
    sources: [...new Set(own.flatMap(({ source }) => byNumber.get(source) ?? []))],
    statements: inOrder(own, byNumber),
  }));
}

/** A text with its sources, and the statement that gives its day and position. */
export interface NarrativeItem {
  readonly text: string;
  readonly first: ScoredStatement;
}

/** Statements of a thread, word for word; a sentence about this thread alone replaces its statements. */
export function itemsOf(
  own: readonly ScoredStatement[],
  prose: readonly SentenceOfProse[],
  citations: Citations,
): NarrativeItem[] {
  const all = new Set(own);
  const sentences = prose.filter(({ statements }) => statements.every((one) => all.has(one)));
  const byFirst = new Map(sentences.map((sentence) => [sentence.statements[0], sentence]));
  const replaced = new Set(sentences.flatMap(({ statements }) => statements));
  return own.flatMap((statement) => {
    const sentence = byFirst.get(statement);
    if (sentence) return [{ text: citedProse(sentence, citations), first: statement }];
    return replaced.has(statement) ? [] : [{ text: citations.line(statement), first: statement }];
  });
}

const citedProse = ({ text, statements }: SentenceOfProse, citations: Citations) =>
  citations.cited(text, [...new Set(statements.flatMap(({ source, also }) => [source, ...also]))]);
